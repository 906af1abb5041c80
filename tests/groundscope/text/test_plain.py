"""The plain view of a text: what is no word of it goes, offsets lead back, and a plain text is plain already."""

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from groundscope.text.edits import MarkKind
from groundscope.text.plain import PlainCase, plain
from groundscope.text.sentences import split
from groundscope.types import Case, Passage
from tests.loops import each

SIGNS = (
    "[1]", "[^1]", "[1, 2]", "[[", "]", "(Source 1)", "¹", "²,³", "【1†a】", ".1 It", "**", "*", "_", "`", "```\n",
    "# ", "- ", "1. ", "> ", "| a | b |\n", "|---|---|\n", "\n", "\n\n", " ", "The fee is due", ".", "—", "“", "’",
    "ﬁ", "e\u0301", "\xad", "\u200b", "-\n", "Sources:\n", "[1]: x", "[a](b)", "https://a.b/c", "<b>", "<br>", "&amp;", "\\",
    "&euro;", "\\u20ac", "\\ud83d\\ude00", "\\pm", " -\n", "\xad\n",
    "\\*", "Answer: ", "Step 1: ", "*12 ", "~~", "$5",
    "(p. 3", "(a.pdf", "</think>", "<tr>", "<th>", "</td>", "```py\n", "† ", "[a]", "\n\n2\n\n", "2 is", "==", "{5}",
)  # fmt: skip
TEXTS = st.one_of(st.lists(st.sampled_from(SIGNS), max_size=14).map("".join), st.text(max_size=60))


@each(
    ("text", "expected"),
    [
        ("The fee is due [1].", "The fee is due."),
        ("The fee [1] is due.[2] It is $5.", "The fee is due. It is $5."),
        ("It is due [1, 2], [3-5] and late[^a].", "It is due and late."),
        ("It is due (Source 1). So it is [Doc 2].", "It is due. So it is."),
        ("It is due.【1†lease.pdf】", "It is due."),
        ("According to Document 2, the fee is $5.", "The fee is $5."),
        ("It is due.¹ It is late.², ³", "It is due. It is late."),
        ("The waiver is void.1 It ended.", "The waiver is void. It ended."),
        ("See [2019] UKSC 5 at [12], [14].", "See [2019] UKSC 5 at [12], [14]."),
        ("A plot of 5 m² and 10³ more; see No.5 The end.", "A plot of 5 m² and 10³ more; see No.5 The end."),
        ("See 2020 WL 5, at *3, and the *12 page [*13] turned.", "See 2020 WL 5, at *3, and the page turned."),
        ("**Answer:** The **fee** is *due* and `here`.", "The fee is due and here."),
        ("Step 2: Pay [the fee](https://a.b/c) at https://a.b.", "Pay the fee at."),
        ("2 * 3 * 4 a_b_c", "2 * 3 * 4 a_b_c"),
        ("“a” ‘b’ a—b a–b a\u00a0b…", "\"a\" 'b' a - b a-b a b..."),
        ("ﬁne Wor\u00adces\u200bter Jose\u0301", "fine Worcester José"),
        # A soft hyphen at a line's end, or on a line alone, as PDF text has it.
        ("The Po\u00ad\nlicy and the Le\n\u00ad\r\n  gacy", "The Policy and the Legacy"),
        # Characters as a page, a program's JSON and LaTeX write them; what looks alike stays.
        ("A&nbsp;fee&nbsp;&mdash; &euro;5, &frac12; of it &amp; more&hellip;", "A fee - €5, ½ of it & more..."),
        ("Wor&shy;ces&zwnj;ter &notit; AT&T; a=1&copyx=2", "Worcester &notit; AT&T; a=1&copyx=2"),
        ('{\\"fee\\": \\"5 \\u20ac, \\u00a7\\u00a04 \\ud83d\\ude00\\"}', '{"fee": "5 €, § 4 😀"}'),
        (r"C:\users\u12 \ud83d \u0007", r"C:\users\u12 \ud83d \u0007"),
        (r"0.8\pm0.1, 5\% of 2\times3 at \leq4; \times2 C:\times\le", r"0.8±0.1, 5% of 2×3 at ≤4; ×2 C:\times\le"),
        ("**Holding**\nIt ends.", "# Holding\nIt ends."),
        ("> It is\n> due.\n", "> It is\ndue.\n"),
        ("| Fee | Sum |\n|---|--:|\n| Late | $5 |", "# Fee: Sum\n\n| Late: $5"),
        # What numbers the rows is no figure; what a cell counts is one.
        ("| # | Fee |\n|---|---|\n| 1 | Late |\n| **2.** | Pet |", "# #: Fee\n\n| Late\n| Pet"),
        ("| Lots | Fee |\n|---|---|\n| 8 | $5 |", "# Lots: Fee\n\n| 8: $5"),
        ("It is due.[^1]\n\n[^1]: Lease, clause 4.", "It is due.\n\n"),
        ("It is due [1].\n\nSources:\n[1] Lease\n[2] Act", "It is due.\n\n"),
        ("It is due.¹\n\n1. Lease", "It is due.\n\n"),
        ("It is due [1, p. 3]. So [Source 1: Lease] [a.pdf, p. 4].", "It is due. So."),
        ("It is due.[^1^] It ends ([Law School](https://a.b/c)).\n\n[^1^]: Lease", "It is due. It ends.\n\n"),
        ("It is due.【4:0†source】 It is $1,850.50\n", "It is due. It is $1,850.50\n"),
        ("It is due in 2021.1 The end.^2^ So.", "It is due in 2021. The end. So."),
        ("It is due. 1 It ends.\n\n____\n1 Lease", "It is due. It ends.\n\n"),
        ("Within 30days under Section12.", "Within 30 days under Section 12."),
        ("Fee\tSum\nLate\t$5", "# Fee: Sum\n| Late: $5"),
        ("Scenario A: It is due.\nTL;DR: No.", "It is due.\nNo."),
        ("Pay within **21 days** or *5 weeks*.", "Pay within 21 days or 5 weeks."),
        (
            "It is due (Lease of Home, p. 3). So (Lease.pdf at 4) it is (p. 2).",
            "It is due (Lease of Home). So (Lease.pdf) it is.",
        ),
        ("It is due (Doc. 1, p. 3) [note 1] [web:2] [#2] (fn. 3) and late (Text 2).", "It is due and late."),
        ("It is due.† It ends.[a]\n\n† Weekly.\n[a] Check.", "It is due. It ends.\n\n"),
        ("It is due.[1]\n\n---\n1. Letter of May 5, 1999", "It is due.\n\n\n"),
        ("It is due [1].\n\n[1]: Lease\n[2]: Tax Code", "It is due.\n\n"),
        ("It is due. 1 It ends. 2\n\n1 Lease, p. 5.\n2 Deed.", "It is due. It ends.\n\n"),
        ("It is due. Source: Lease of Home, page 2, section 4.", "It is due."),
        (
            "The Rent Act 1977.1 It ends. Since May 5, 2020.2,3 So. Its rules.5 They",
            "The Rent Act 1977. It ends. Since May 5, 2020. So. Its rules. They",
        ),
        ("<think>\nIs it 77?\n</think>\nIt is due.", "\nIt is due."),
        ("Thought for 8 seconds\n\nIt is due.\nConfidence: 95%\nGemini can make mistakes.", "\n\nIt is due.\n\n"),
        ("The fee can make mistakes dear. Thought is free.", "The fee can make mistakes dear. Thought is free."),
        ("```python\nx = 42\n```\nIt is due.", "\nIt is due."),
        ('```json\n{"fee": 5}\n```', "\n{fee: 5}\n"),
        ("```\nThe fee is $5.\n```", "\nThe fee is $5.\n"),
        ("<summary>More</summary><x-y><b>It</b> is <Tenant> <5.", "\n# More\n<x-y>It is <Tenant> <5."),
        (
            "<table><tr><th>Fee</th><th>Sum</th></tr>\n<tr>\n<td>Late</td>\n<td>$5</td></tr></table>",
            "\n# Fee; Sum\n\n\n| Late; $5\n\n",
        ),
        ("> [!NOTE]\n> ==It is due.==", "\nIt is due."),
        ("Two rules:\n1. Pay.\n2. Stay.", "Two rules:\n1. Pay.\n2. Stay."),
    ],
)
def test_what_is_no_word_of_an_answer_goes(text: str, expected: str) -> None:
    assert plain(text).text == expected


def test_a_source_keeps_its_notes_and_names() -> None:
    text = "It is due.[1] See Source 1.\n\nSources:\n[1] Lease, clause 4."
    assert plain(text, source=True).text == "It is due. See Source 1.\n\nSources:\nLease, clause 4."


@each(
    ("text", "expected"),
    [
        ("The tenant shall pay the rent to the\n\n2\n\nLandlord.", "The tenant shall pay the rent to the\nLandlord."),
        (
            "The tenant shall pay the rent within\n\nCase 3:18-cv-1  Filed 06/03/19  Page 3 of 12\n\n5 days.",
            "The tenant shall pay the rent within\n5 days.",
        ),
        (
            "The tenant shall pay all of the rent\n\nDEED OF HOME\n\niv\n\nand the fee.",
            "The tenant shall pay all of the rent\nand the fee.",
        ),
        ("The statute says to all of the land that\n\nNo rent is ever due\n\nunless so agreed.", None),
        ("The tenant shall pay the rent.\n\nDEED\n\nand so on.", None),
        (
            "1  The tenant shall pay the rent of\n2  $5 by the end of each year and\n3  no more.",
            "The tenant shall pay the rent of\n$5 by the end of each year and\nno more.",
        ),
        ("1\nThe tenant shall pay\n2\nthe rent\n3\nand no more.", "\nThe tenant shall pay\nthe rent\nand no more."),
        ("1 May 2020\n2 May 2020\n3 May 2020", None),
        ("1 bedroom: $5\n2 bedrooms: $6\n3 bedrooms: $7", None),
        (
            "It had not.3 The plaintiff,5 however, paid within2 21 days $50.4",
            "It had not. The plaintiff, however, paid within 21 days $50.",
        ),
        (
            "It returns[FN3] the [Footnote 4] {743} sum*14 that he paid**743the court.",
            "It returns the sum that he paid the court.",
        ),
        ("A fee of $1.5 Million and 50.4", None),
    ],
)
def test_what_pages_leave_in_a_source_goes(text: str, expected: str | None) -> None:
    assert plain(text, source=True).text == (text if expected is None else expected)


def test_marks_say_what_they_point_to() -> None:
    text = "It is due [1, 3-5]. So (Sources 2 and 3).¹ End.[^n]"
    marks = plain(text).marks
    assert [(m.kind, m.numbers or m.note, text[m.start : m.end]) for m in marks] == [
        (MarkKind.SOURCE, (1, 3, 4, 5), "[1, 3-5]"),
        (MarkKind.SOURCE, (2, 3), "(Sources 2 and 3)"),
        (MarkKind.NOTE, (1,), "¹"),
        (MarkKind.NOTE, "n", "[^n]"),
    ]


@given(TEXTS, st.booleans())
@example("[[1]1]", False)
@example("*a**b*c**", False)
def test_a_plain_text_is_plain_and_its_offsets_lead_back(text: str, source: bool) -> None:
    view = plain(text, source=source)
    assert plain(view.text, source=source).text == view.text
    last = 0
    for i in range(len(view.text)):
        start, end = view.span(i, i + 1)
        assert last <= start <= end <= len(text)
        last = start
    for s in split(view.text, source=source):
        start, end = view.span(s.start, s.end)
        first, final = view.at(start, end)
        assert start < end
        assert first < s.end <= final
    assert [view.span(s.start, s.end) for s in split(view.text, source=source)] == [
        (s.start, s.end) for s in split(text, source=source)
    ]


@given(st.text(alphabet="aeSP .,;:'\"()!?/$%-", max_size=40))
def test_a_source_of_letters_and_stops_alone_is_read_as_beside_a_figure(text: str) -> None:
    assert plain(text, source=True).text == plain(f"{text}. 7", source=True).text.removesuffix(". 7")


@given(st.text(alphabet="aeounńéüçßAÅ .,1", max_size=40))
def test_decomposed_letters_and_soft_hyphens_change_nothing(text: str) -> None:
    expected = plain(unicodedata.normalize("NFC", text)).text
    assert plain(unicodedata.normalize("NFD", text)).text == expected
    assert plain("\u00ad".join(text)).text == expected


def test_a_word_cut_by_a_lines_end_is_joined_where_a_text_has_it_whole() -> None:
    case = Case(
        "c", "", (Passage("p", "A Lease-\nhold of a self-\nemployed per-\nson."),), "The Leasehold of a self-employed one."
    )
    assert PlainCase.of(case).case.context[0].text == "A Leasehold of a self-employed per-\nson."
    # As some PDF readers write it; but a dash after short words is one.
    spaced = Case("c", "", (Passage("p", "The evalu -\nation came in -\nto stay -\n"),), "The evaluation goes into it.")
    assert PlainCase.of(spaced).case.context[0].text == "The evaluation came in -\nto stay -\n"
