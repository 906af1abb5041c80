"""Layout without files: words with made-up places, and the sentences, pages, notes and headings that must come out of them."""

import re
from collections.abc import Iterable, Sequence

import pytest

from groundscope.files.pdf_layout import PdfText, read_layout
from groundscope.files.pdf_lines import PageWords, Word
from groundscope.files.pdf_words import _spelled

_WIDE = 0.5
"""Of a size, that a letter takes."""
WORDS = frozenset("termination reinterpreted long term release compete cooperate well founded".split())


def line(text: str, base: float, left: float = 50, size: float = 10, bold: bool = False) -> list[Word]:
    """Words of one line; `^` before digits raises them, and two blanks or more are a wide gap of as many ems."""
    words: list[Word] = []
    for m in re.finditer(r"(\^?)([^\s^]+)([ ]*)", text):
        small = size * 0.6 if m[1] else size
        right = left + len(m[2]) * _WIDE * small
        words.append(Word(m[2], left, right, base - (0.4 * size if m[1] else 0), small, bold, bool(m[1])))
        blanks = len(m[3])
        left = right + (0.3 * size if blanks == 1 else blanks * size)
    return words


def lines(texts: Iterable[str], top: float = 100, left: float = 50, size: float = 10, step: float = 12) -> list[Word]:
    return [w for n, text in enumerate(texts) for w in line(text, top + n * step, left, size)]


def page(*parts: Sequence[Word], label: str = "") -> PageWords:
    return PageWords([w for part in parts for w in part], 400, 600, label)


def read(*pages: PageWords | None) -> PdfText:
    return read_layout(pages, WORDS.__contains__)


def filled(sentence: str, width: int = 50) -> list[str]:
    """Lines as full as words allow."""
    rows = [""]
    for word in sentence.split():
        if rows[-1] and len(rows[-1]) + 1 + len(word) > width:
            rows.append(word)
        else:
            rows[-1] = f"{rows[-1]} {word}".strip()
    return rows


LONG = (
    "The tenant pays the rent on the first day of every month and the landlord acknowledges the receipt within ten days of the "
    "payment, unless the parties have agreed upon another day in a writing that both of them signed before the tenancy began."
)
OTHER = "Notice is due in writing. It reaches the other party within a week, or else it has no effect whatever upon the tenancy."


def test_lines_of_a_paragraph_are_one_and_an_indent_or_a_gap_begins_the_next() -> None:
    first, second = filled(LONG), filled(OTHER)
    gap = page(lines(first), lines(second, top=100 + 12 * len(first) + 10))
    assert read(gap).text == f"{LONG}\n\n{OTHER}"
    below = 100 + 12 * len(first)
    indented = page(lines(first), lines(second[:1], below, left=65), lines(second[1:], below + 12))
    assert read(indented).text == f"{LONG}\n\n{OTHER}"


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("the termi-", "nation of", "the termination of"),
        ("a non-", "compete clause", "a non-compete clause"),
        ("Mr Smith-", "Jones said", "Mr Smith-Jones said"),
        ("a long-", "term lease", "a long-term lease"),
        ("the years 2019-", "2021 and", "the years 2019-2021 and"),
        ("TERMI-", "NATION OF", "TERMINATION OF"),
        ("die Kündi-", "gung ist", "die Kündigung ist"),
        ("a sub-", "lease is", "a sublease is"),
    ],
)
def test_hyphens_at_the_end_of_lines(before: str, after: str, text: str) -> None:
    assert read(page(lines([before, after]))).text == text
    # Over the end of a page the same, and the page begins inside the word.
    over = read(page(lines([before])), page(lines([after])))
    assert over.text == text
    assert [text[start:].split()[0] for start, _ in over.pages[1:]] == [after.split()[0]]


def test_a_word_that_the_document_writes_elsewhere_decides_about_its_hyphen() -> None:
    assert read(page(lines(["A co-operative is", "no bank. The co-", "operative pays."]))).text.endswith("The co-operative pays.")
    assert read(page(lines(["A nonuser is", "no bank. The non-", "user pays."]))).text.endswith("The nonuser pays.")


def test_running_heads_and_numbers_of_pages_are_in_no_sentence_and_name_the_pages() -> None:
    rows = filled(LONG, 40)
    pages = [
        page(
            line("Agreement of May", 40),
            lines(rows[n : n + 1] if n < 4 else rows[4:]),
            line(f"Page {n + 7} of 30", 560, left=180),
        )
        for n in range(5)
    ]
    text = read(*pages)
    assert text.text == LONG
    assert [number for _, number in text.pages] == [7, 8, 9, 10, 11]
    assert all(LONG[start:].startswith(rows[n]) for n, (start, _) in enumerate(text.pages))
    assert text.numbered


def test_heads_that_change_with_their_sections_are_known_by_the_number_beside_them() -> None:
    titles = ("Of Rent", "Of Rent", "Of Notice", "Of Costs")
    pages = [
        page(line(f"{t}          {n}", 40), lines([f"A sentence {'abcd'[n]} stands.", "Another one."]))
        for n, t in enumerate(titles, 0)
    ]
    assert not any(t in read(*pages).text for t in titles)


def test_numbers_that_rise_by_chance_name_no_pages() -> None:
    firsts = ["Words          45", *[f"Line {c}" for c in "abcdefghijklmno"], "Words          61"]
    text = read(*(page(lines([first, f"Another {n * 'x'}one."])) for n, first in enumerate(firsts)))
    assert [name for _, name in text.pages] == list(range(1, 18))


def test_answers_that_are_alike_at_the_top_of_two_pages_are_no_heads() -> None:
    tops = ["A. Yes.", "Q. When?", "A. In May.", "A. Yes.", "Q. Where?", "A. No."]
    text = read(*(page(lines([top, f"Q. And {c}, then?", f"A. I know {c}."])) for top, c in zip(tops, "abcdef", strict=True)))
    assert text.text.count("A. Yes.") == 2


def test_a_title_at_the_top_of_every_page_is_no_running_head() -> None:
    pages = [page(lines([f"{n}. Rent of month {n}", "The tenant pays on the first day."])) for n in range(1, 5)]
    assert read(*pages).text.count("Rent of month") == 4


def test_roman_pages_come_before_the_others_and_labels_of_the_file_serve_where_nothing_is_printed() -> None:
    body = "abcdef"
    printed = [
        page(lines([f"Words {c} stand here."]), line(n, 560, left=200))
        for c, n in zip(body, ("i", "ii", "", "1", "2", "3"), strict=True)
    ]
    assert [name for _, name in read(*printed).pages] == ["i", "ii", "iii", 1, 2, 3]
    labelled = [page(lines([f"Words {c} stand here."]), label=n) for c, n in zip("abc", ("A-1", "A-2", "B-1"), strict=True)]
    assert [name for _, name in read(*labelled).pages] == ["A-1", "A-2", "B-1"]
    again = [page(lines([f"Words {c} stand here."]), line(n, 560, left=200)) for c, n in zip("abcd", "1212", strict=True)]
    assert [name for _, name in read(*again).pages] == [1, 2, 3, 4]


def test_two_columns_are_read_one_after_the_other_under_a_title_over_both() -> None:
    rows = filled(f"{LONG} {OTHER} {LONG}", 30)
    half = len(rows) // 2
    both = page(
        line("A title that goes over both of the columns of it", 60, size=14), lines(rows[:half]), lines(rows[half:], left=230)
    )
    text = read(both)
    assert text.text.split("\n\n")[1] == f"{LONG} {OTHER} {LONG}"
    assert text.headings == [0]


def test_rows_of_a_table_are_not_read_as_columns_and_repeat_their_head() -> None:
    table = lines(
        ["Item         Due       Sum", "Rent         May       100", "Cleaning     June      200", "Deposit      July      300"]
    )
    # Cells of one column begin at one place.
    lefts = {0: 50, 1: 150, 2: 250}
    rows = [table[n : n + 3] for n in range(0, 12, 3)]
    placed = [w._replace(left=lefts[i], right=lefts[i] + 30) for row in rows for i, w in enumerate(row)]
    assert read(page(lines(filled(LONG), top=40), [w._replace(base=w.base + 60) for w in placed])).text.split("\n\n")[1:] == [
        "Item: Rent; Due: May; Sum: 100",
        "Item: Cleaning; Due: June; Sum: 200",
        "Item: Deposit; Due: July; Sum: 300",
    ]


def test_footnotes_leave_the_sentence_and_are_named_by_their_page() -> None:
    rows = filled(LONG)
    first = page(lines([rows[0], f"{rows[1]}^1"]), lines(["^1The act says so in its second", "part."], top=500, size=8, step=10))
    text = read(first, page(lines(rows[2:])))
    body, note = text.text.split("\n\n")
    assert body.replace("¹", "") == LONG
    assert note == "¹ The act says so in its second part."
    assert [name for _, name in text.pages] == [1, 2, "1, n. 1"]


def test_a_footnote_goes_on_at_the_foot_of_the_next_page() -> None:
    rows = filled(LONG)
    first = page(lines([rows[0], f"{rows[1]}^1"]), lines(["^1The act says so in"], top=500, size=8))
    second = page(lines(rows[2:]), lines(["its second part."], top=500, size=8))
    text = read(first, second)
    assert text.text.split("\n\n")[1] == "¹ The act says so in its second part."
    assert [name for _, name in text.pages] == [1, 2, "1, n. 1", "2, n. 1"]


def test_numbers_of_lines_go_and_numbers_of_paragraphs_stay() -> None:
    rows = filled(f"{LONG} {OTHER}")
    numbers = [w for n in range(len(rows)) for w in line(str(n + 1), 100 + 24 * n, left=20, size=8)]
    numbered = page(lines(rows, step=24), numbers)
    assert read(numbered, numbered).text.replace("\n\n", " ") == f"{LONG} {OTHER} {LONG} {OTHER}"
    judgment = page(line("1", 100, left=20), lines(filled(LONG)), line("2", 200, left=20), lines(filled(OTHER), top=200))
    assert read(judgment).text == f"1 {LONG}\n\n2 {OTHER}"


def test_titles_are_marked_by_size_or_weight_and_swallow_nothing() -> None:
    text = read(
        page(
            line("Lease of a Warehouse", 50, size=16),
            line("Rent", 90, bold=True),
            lines(filled(LONG)),
            line("Notice", 180, bold=True),
            lines(filled(OTHER), top=192),
        )
    )
    assert [text.text[h:].split("\n")[0] for h in text.headings] == ["Lease of a Warehouse", "Rent", "Notice"]
    assert text.text.split("\n\n")[2::2] == [LONG, OTHER]


def test_clauses_begin_paragraphs_and_a_number_of_a_clause_inside_a_sentence_does_not() -> None:
    rows = [
        "1.1 The tenant pays the rent in advance, as clause",
        "2.3 of this agreement has it.",
        "(a) In May it is 100.",
        "(b) In June it is 200.",
    ]
    assert read(page(lines(rows))).text.split("\n\n") == [f"{rows[0]} {rows[1]}", *rows[2:]]


def test_pages_without_words_and_pages_that_cannot_be_read_are_empty() -> None:
    assert read() == PdfText("", [], [], False)
    text = read(None, page(lines(["One."])), page(), page(lines(["Two."])))
    assert (text.text, text.pages) == ("One.\n\nTwo.", [(0, 2), (6, 4)])


def test_an_item_after_a_full_line_of_another_one_begins_a_clause() -> None:
    first = ["(i) without the consent of any third party ever; and", "(ii) to receive the sums."]
    assert read(page(lines(first))).text.split("\n\n") == first
    hung = [*line("(a) sells the shares to the buyer and the payment of", 100), *line("section", 112, left=70)]
    assert read(page(hung, line("(b) buys them.", 124))).text.split("\n\n")[1] == "(b) buys them."


def test_figures_set_flush_right_stand_under_their_own_head() -> None:
    def row(cells: Sequence[str], base: float) -> list[Word]:
        rights = (0, 180, 260)
        return [w for c, r in zip(cells, rights, strict=True) for w in line(c, base, left=r - 5 * len(c) if r else 50)]

    table = [("Sum", "Net", "Gross"), ("Rent", "4.600,00", "5.474,00"), ("Parking", "120,00", "142,80")]
    above = lines(filled(LONG), top=40)
    assert read(page(above, *(row(cells, 140 + 12 * n) for n, cells in enumerate(table)))).text.split("\n\n")[1:] == [
        "Sum: Rent; Net: 4.600,00; Gross: 5.474,00",
        "Sum: Parking; Net: 120,00; Gross: 142,80",
    ]


def test_two_columns_of_labels_are_read_row_by_row() -> None:
    rows = [w for n, (a, b) in enumerate((("Landlord", "Acme"), ("Tenant", "Doe"))) for w in pair(a, b, 140 + 12 * n)]
    assert read(page(lines(filled(LONG), top=40), rows)).text.split("\n\n")[1:] == ["Landlord: Acme", "Tenant: Doe"]


def pair(label: str, value: str, base: float) -> list[Word]:
    return [*line(label, base), *line(value, base, left=200)]


def test_a_numbered_title_swallows_no_text_that_hangs_under_it() -> None:
    rows = filled(OTHER)
    text = read(page(line("9. TERMINATION", 100), *(line(row, 112 + 12 * n, left=70) for n, row in enumerate(rows))))
    assert text.text.split("\n\n") == ["9. TERMINATION", OTHER]


def test_bullets_and_numbers_that_hang_before_their_text_are_no_column() -> None:
    """The second item goes on under its text, a bullet's width further in."""
    items = [line("•     No pets.", 100), line("•     The tenant insures the flat with an insurer that", 112)]
    items += [line("agreed in writing.", 124, left=81), line("•     No smoking.", 136)]
    assert read(page(*items)).text.split("\n\n") == [
        "• No pets.",
        "• The tenant insures the flat with an insurer that agreed in writing.",
        "• No smoking.",
    ]
    numbers = [line(f"2.{n}    The tenant pays.", 100 + 12 * n) for n in range(1, 4)]
    assert read(page(*numbers)).text.split("\n\n") == [f"2.{n} The tenant pays." for n in range(1, 4)]


def test_signs_without_a_letter_are_bullets_or_boxes() -> None:
    assert [_spelled(sign) for sign in "\uf0b7\uf095\uf0fea"] == ["•", "•", "☑", "a"]


def test_a_bold_centred_head_and_a_cell_over_two_rows() -> None:
    texts = [("Item", "Kind", "Amount"), ("Survey", "basic", "EUR 100"), ("", "full", "EUR 250"), ("", "Total", "EUR 350")]
    rows = [
        w
        for n, row in enumerate(texts)
        for text, left in zip(row, (50, 150, 250), strict=True)
        for w in line(text, 100 + 15 * n, left + (5 if n == 0 else 0), bold=n == 0)
    ]
    assert read(page(rows, lines(["No other costs are due."], 175))).text.split("\n\n") == [
        "Item: Survey; Kind: basic; Amount: EUR 100",
        "Item: Survey; Kind: full; Amount: EUR 250",
        "Kind: Total; Amount: EUR 350",
        "No other costs are due.",
    ]


def test_capitals_after_a_clause_are_a_heading_of_their_own() -> None:
    clauses = lines(
        ["2.2 Either party may end it on three months of notice.", "SCHEDULE 1", "1. The flat with its cellar."], step=25
    )
    assert read(page(clauses)).text.split("\n\n")[1:] == ["SCHEDULE 1", "1. The flat with its cellar."]


def test_narrow_columns_with_wide_blanks_are_read_one_after_the_other() -> None:
    """What stands between the columns is one size, and hardly more than a blank of a justified line."""
    left = [line("The  tenant  pays  it", 100 + 12 * n) for n in range(8)]
    spaced = [[w._replace(left=w.left - 1.4 * i * 10, right=w.right - 1.4 * i * 10) for i, w in enumerate(row)] for row in left]
    edge = spaced[0][-1].right + 10
    right = [[w._replace(left=w.left + edge - 50, right=w.right + edge - 50) for w in row] for row in spaced]
    assert read(page(*spaced, *right)).text == " ".join(["The tenant pays it"] * 16)
