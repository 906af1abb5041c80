"""Golden splits of legal text, and the offsets' invariants on any text."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from groundscope.text.sentences import LONGEST, Unit, context_sentences, sentence_id, split
from groundscope.types import Passage
from tests.loops import each

ODD = "aAß1.?!()[]\n\r\t -*•#\"'’§,:;😀\u200b\u200d\u200f\u0301\x85\x1cدא؟。"
TEXTS = st.one_of(st.text(min_size=1, max_size=120), st.text(alphabet=ODD, min_size=1, max_size=120))

# Written anew, not taken from the code: what may stand at the start of a line as a list marker.
MARKER = re.compile(r"\s*([-*+•‣◦▪–—·]|\(?\d{1,3}[.)]|\(?[a-zA-Z]\)|\([ivxIVX]{1,5}\))\s+")

INSIDE = (
    "Smith v. Jones",
    "12 F.3d 34",
    "29 U.S.C. § 1109",
    "No. 12-3",
    "the 9th Cir. rule",
    "the Acme Inc. policy",
    "Fed. R. Civ. P. 12(b)(6)",
    "(a) notice and (b) a hearing",
)


def pieces(text: str) -> list[str]:
    return [text[s.start : s.end] for s in split(text)]


def headings(text: str) -> list[str]:
    return [text[s.start : s.end] for s in split(text) if s.heading]


@each(
    ("text", "expected"),
    [
        ("See Smith v. Jones (9th Cir. 1999). It agreed.", ["See Smith v. Jones (9th Cir. 1999).", "It agreed."]),
        ("In No. 12-3 the court ruled. It affirmed.", ["In No. 12-3 the court ruled.", "It affirmed."]),
        ("The rule is strict. Id. at 45. It holds.", ["The rule is strict.", "Id. at 45.", "It holds."]),
        ("Acme Inc. sued Beta Corp. in 2001. It lost.", ["Acme Inc. sued Beta Corp. in 2001.", "It lost."]),
        ("He paid $1.5 million. She did not.", ["He paid $1.5 million.", "She did not."]),
        ("The court held that\nthe duty\nends. It said so.", ["The court held that\nthe duty\nends.", "It said so."]),
        ("1. One holds.\n2. Two holds.\n(a) A sub item.", ["One holds.", "Two holds.", "A sub item."]),
        ("• One holds.\n- Two holds.\n* Three holds.", ["One holds.", "Two holds.", "Three holds."]),
        ("Yes. The court agreed.", ["Yes. The court agreed."]),
        ("a. One holds.\nb. Two holds.", ["One holds.", "Two holds."]),
        ("A. One holds.\nB. Two holds.", ["One holds.", "Two holds."]),
        ("A. Smith sued.\nHe won.", ["A. Smith sued.", "He won."]),
        ("As held in Smith\nv. Jones, it is due.", ["As held in Smith\nv. Jones, it is due."]),
        ("The house has tenants in number of\n40.", ["The house has tenants in number of\n40."]),
        ("Of two\n1. One holds it\n2. Two hold it", ["Of two", "One holds it", "Two hold it"]),
        ("i. One holds.\nii. Two hold.", ["One holds.", "Two hold."]),
        ("1.1 One holds.\n1.2 Two holds.", ["One holds.", "Two holds."]),
        ("Deposit: $4,700\nSigned: May 5, 2021", ["Deposit: $4,700", "Signed: May 5, 2021"]),
        ("**The fee of the year is $5.**\n\nIt is due.", ["The fee of the year is $5.", "It is due."]),
        (
            "He sued Acme Traders, Inc. on July 9\nin the North. It won.",
            ["He sued Acme Traders, Inc. on July 9\nin the North.", "It won."],
        ),
        (
            "The waiver is void.It then ended. It cost $2.25.No fee is due.",
            ["The waiver is void.", "It then ended.", "It cost $2.25.", "No fee is due."],
        ),
        ("It is void.\u00b9 It ended.[2] It cost.3 So it is.", ["It is void.", "It ended.", "It cost.", "So it is."]),
        (
            "契約は有効である。甲は支払う。「無効である。」と述べた。",
            ["契約は有効である。", "甲は支払う。", "「無効である。」と述べた。"],
        ),
        ("本案不予受理！是否缴费？由法院决定。", ["本案不予受理！", "是否缴费？", "由法院决定。"]),
        ("अनुबंध वैध है। अपील खारिज।", ["अनुबंध वैध है।", "अपील खारिज।"]),
        (
            "Vgl. BGH, Urt. v. 1.2.2019, Rn. 15. Sie gilt bzw. Abs. 3 gilt.",
            ["Vgl. BGH, Urt. v. 1.2.2019, Rn. 15.", "Sie gilt bzw. Abs. 3 gilt."],
        ),
        (
            "Selon l'art. 5 al. 2, il est dû. Cass. com., 12 janv. 2020.",
            ["Selon l'art. 5 al. 2, il est dû.", "Cass. com., 12 janv. 2020."],
        ),
        (
            "Lot 1 lies at 41.2° N, 73.9° W. Lot 2 runs S. 45° 10' E. Then it ends at 40° N. Lat. in the bay.",
            ["Lot 1 lies at 41.2° N, 73.9° W.", "Lot 2 runs S. 45° 10' E.", "Then it ends at 40° N. Lat. in the bay."],
        ),
        (
            "The rent is EUR 800 a month. Notice is due. He paid the tax. Employees need not. It is a lump sum. A fee is due.",
            [
                "The rent is EUR 800 a month.",
                "Notice is due.",
                "He paid the tax.",
                "Employees need not.",
                "It is a lump sum.",
                "A fee is due.",
            ],
        ),
        (
            "Parking is free [1]. State ex rel. Smith was cited. See id. at 5.",
            ["Parking is free [1].", "State ex rel. Smith was cited.", "See id. at 5."],
        ),
        ("See Compl. \u00b6 5 and Ex. A. It ends.", ["See Compl. \u00b6 5 and Ex. A.", "It ends."]),
        ("| Fee | Sum |\n|---|---|\n| Late. It is | $5 |", ["Fee | Sum", "Late. It is | $5"]),
        ("قضت المحكمة بذلك؟ ثم استأنف المدعي.", ["قضت المحكمة بذلك؟", "ثم استأنف المدعي."]),
        ("The court 😀 agreed. It 👩‍⚖️ ruled.", ["The court 😀 agreed.", "It 👩‍⚖️ ruled."]),
        ("The cou\u200brt agreed. It did\u200b.", ["The cou\u200brt agreed.", "It did\u200b."]),
    ],
)
def test_legal_text_is_split_as_a_lawyer_would(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@each(
    ("text", "expected"),
    [
        ("# Holding\n\nThe court held so.", ["Holding"]),
        ("The court held so.\n\n**Analysis**\nThe rule applies.", ["Analysis"]),
        ("Summary\n\nThe court held so. It did.", ["Summary"]),
        ("The test:\n- One point stands.\n- Two points stand.", ["The test:"]),
        ("The court held so.\n\nIt said why.", []),
        ("Summary", []),
    ],
)
def test_headings_are_reported_from_claims(text: str, expected: list[str]) -> None:
    assert headings(text) == expected


@given(st.lists(st.tuples(st.sampled_from(INSIDE), st.sampled_from(INSIDE)), min_size=1, max_size=4))
def test_no_sentence_ends_inside_a_citation(parts: list[tuple[str, str]]) -> None:
    sentences = [f"The panel applied {a} and also {b} to the claim." for a, b in parts]
    assert pieces(" ".join(sentences)) == sentences


@given(TEXTS)
@example("1. ")
@example("(a)")
def test_sentences_are_ordered_trimmed_and_apart(text: str) -> None:
    last = 0
    for s in split(text):
        assert last <= s.start < s.end <= len(text)
        assert text[s.start : s.end] == text[s.start : s.end].strip()
        assert any(c.isalnum() for c in text[s.start : s.end])
        last = s.end


@given(TEXTS)
def test_every_letter_and_digit_outside_list_markers_is_in_a_sentence(text: str) -> None:
    covered = {i for s in split(text) for i in range(s.start, s.end)}
    position = 0
    for line in text.splitlines(keepends=True):
        marker = MARKER.match(line)
        covered.update(range(position, position + (marker.end() if marker else 0)))
        position += len(line)
    assert [text[i] for i in range(len(text)) if text[i].isalnum() and i not in covered] == []


@each("text", ["", " ", "\n\n", "...", "- ", "😀", "\u200b"])
def test_text_without_letters_has_no_sentence(text: str) -> None:
    assert split(text) == ()


def test_text_without_full_stops_is_cut_at_spaces() -> None:
    text = "word " * 1000
    found = split(text)
    # 5,000 characters, 4,999 without the last space: three pieces of at most 2,000.
    assert len(found) == 3
    assert all(s.end - s.start <= LONGEST for s in found)
    assert all(set(p.split()) == {"word"} for p in pieces(text))
    # An endless word is cut at the limit.
    assert [(s.start, s.end) for s in split("a" * 5000)] == [(0, 2000), (2000, 4000), (4000, 5000)]


def test_context_sentences_name_their_passage() -> None:
    context = (Passage("a", "One holds. Two holds."), Passage("b", "Three holds."))
    assert context_sentences(context) == (Unit(0, 0, 10), Unit(0, 11, 21), Unit(1, 0, 12))
    # By its number, headings counted, and 1 where there is no sentence.
    named = (Passage("p7", "One holds. Two holds."), Passage("annex", "# Rule\n\nIt holds."), Passage("bare", "..."))
    places = [(0, 0), (0, 9), (0, 11), (0, 20), (1, 2), (1, 8), (2, 0)]
    assert [sentence_id(named, *p) for p in places] == ["p7.1", "p7.1", "p7.2", "p7.2", "annex.1", "annex.2", "bare.1"]


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_every_context_sentence_has_its_own_name_in_reading_order(texts: list[str]) -> None:
    context = tuple(Passage(f"p{i}", text) for i, text in enumerate(texts))
    expected = [f"p{i}.{n}" for i, text in enumerate(texts) for n in range(1, len(split(text)) + 1)]
    assert [sentence_id(context, u.passage, u.start) for u in context_sentences(context)] == expected
    assert [sentence_id(context, u.passage, u.end - 1) for u in context_sentences(context)] == expected
