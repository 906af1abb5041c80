"""Numbered clauses: where each begins, however its document counts, and what is no clause."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.files._blocks import DocumentBlock, TableCell, table_blocks
from groundscope.files.clauses import cited_clause, clause_at, clause_places
from groundscope.files.document_text import Document
from groundscope.rag.corpora.documents import pieces
from tests.loops import each


def clause(text: str, words: str, under: str = "") -> str:
    return clause_at(clause_places(text, under), text.index(words)).clause


LEASE = """4. Rent
4.1 The tenant pays monthly.
4.2 The tenant shall
(a) insure;
(b) keep
(i) the roof; and
(ii) the walls.
(c) leave.
5. Costs
Neither pays.
Schedule 1
1. Services
1.1 Cleaning is weekly.
"""


@each(
    ("words", "cite"),
    [
        ("monthly", "cl. 4.1"),
        ("insure", "cl. 4.2(a)"),
        ("the walls", "cl. 4.2(b)(ii)"),
        ("leave", "cl. 4.2(c)"),
        ("Neither", "cl. 5"),
        ("weekly", "Schedule 1, cl. 1.1"),
    ],
)
def test_clauses_of_a_contract(words: str, cite: str) -> None:
    assert clause(LEASE, words) == cite


@each(
    ("text", "words", "cite"),
    [
        ("Article 5\nPrinciples\n1. Data shall be:\n(a) fair;\n(b) few.\n2. The controller answers.", "answers", "Article 5(2)"),
        ("Article Twenty-One Notice\n(a) In writing.", "In writing", "Article Twenty-One(a)"),
        ("Section 4.2 Notice\n\n(a) In writing.", "In writing", "Section 4.2(a)"),
        ("§ 535 Miete\n(1) Der Vermieter.\n(2) Der Mieter.", "Mieter.", "§ 535(2)"),
        ("[14] We agree.", "agree", "para. 14"),
        ("12. The appellant says so.\n13. We agree.", "agree", "para. 13"),
        ("4. Notice. The tenant gives it.", "gives", "cl. 4"),
        ("9. I accept the submission. It is right.", "right", "para. 9"),
        ("2.1 X:\n(h) one\n(i) two\n(j) three", "two", "cl. 2.1(i)"),
        ("2.1 X:\n(h) one\n(i) two\n(ii) three", "three", "cl. 2.1(h)(ii)"),
        ("2.1 X\n(A) one\n(B) two\n(1) three", "three", "cl. 2.1(B)(1)"),
        ("2.1 He shall (a) pay; (b) insure; and (c) leave.", "leave", "cl. 2.1(c)"),
        # A sentence about clauses is in none of them.
        ("2.1 Subject to (a), (b) and (c) of clause 4.2(a), he pays.", "he pays", "cl. 2.1"),
        ("2.1 He pays.\nSection 5 of the Act applies.", "applies", "cl. 2.1"),
        ("2.1 The price is\n4.5 million crowns.", "million", "cl. 2.1"),
        # What a sentence counts ends with its paragraph.
        ("2.1 He shall (a) pay; and (b) leave.\n\nShe may stay.", "stay", "cl. 2.1"),
        ("2.1 X\n\n[^1] A note.\n\nThe text.", "text", "cl. 2.1"),
        # Text without a mark ends an item, unless the next one is still to come.
        ("2.1 He shall:\n\n(a) pay; and\n\n(b) leave.\n\nShe may stay.", "stay", "cl. 2.1"),
        ("2.1 He shall:\n\n(a) pay.\n\nShe may stay.\n\n(b) leave.\n\n3. End", "stay", "cl. 2.1(a)"),
        ("2.1 He shall:\n\n(a) pay:\n\nall of it.\n\n2.2 X", "all of it", "cl. 2.1(a)"),
        ("Article 6\n\n1. It is:\n\n(a) fair.\n\nShe may stay.\n\n2. X", "stay", "Article 6(1)"),
    ],
)
def test_clauses_of_documents(text: str, words: str, cite: str) -> None:
    assert clause(text, words) == cite


@each(
    ("title", "words", "cite"),
    [
        ("4. Rent", "monthly", ("", "cl. 4.1")),
        ("4. Rent", "Rent", ("4. Rent", "")),
        ("Lease of a flat", "monthly", ("Lease of a flat", "cl. 4.1")),
        ("", "leave", ("", "cl. 4.2(c)")),
    ],
)
def test_a_heading_is_cited_where_the_clause_does_not_say_it(title: str, words: str, cite: tuple[str, str]) -> None:
    at = LEASE.index(words)
    assert cited_clause(LEASE, title, at, at + len(words)) == cite


def test_a_place_over_several_clauses_names_the_first_and_the_last() -> None:
    start, end = LEASE.index("insure"), LEASE.index("the walls")
    assert cited_clause(LEASE, "4. Rent", start, end + 3) == ("", "cl. 4.2(a)–4.2(b)(ii)")
    assert cited_clause(LEASE, "4. Rent", LEASE.index("The tenant shall"), end) == ("", "cl. 4.2")


@pytest.mark.parametrize("size", [6, 12, 25])
def test_pieces_that_begin_inside_a_clause_name_it(size: int) -> None:
    """However a document is cut, a place has the clause that it has in the whole of it."""
    whole = clause_places(LEASE)
    for piece in pieces(Document(LEASE), lambda text: len(text.split()), size):
        places = clause_places(LEASE[piece.start : piece.end], piece.title)
        for at in range(piece.start, piece.end):
            assert clause_at(places, at - piece.start).clause == clause_at(whole, at).clause, (piece, LEASE[at : at + 20])


@given(st.text(st.sampled_from("(ai)v1.2 \nSection[^]§4;:bB"), max_size=120), st.text(max_size=20))
def test_places_come_in_order_whatever_the_text_is(text: str, under: str) -> None:
    starts = [p.start for p in clause_places(text, under)]
    assert starts == sorted(set(starts))
    assert starts[0] == 0
    assert starts[-1] <= len(text)


def table(*rows: str, heads: int = 0) -> list[str]:
    cells = [
        [TableCell((DocumentBlock(c),), 10 * r + i, r < heads) for i, c in enumerate(row.split("|"))]
        for r, row in enumerate(rows)
    ]
    return [block.text for block in table_blocks(cells)]


@each(
    ("rows", "heads", "read"),
    [
        (("Unit|Rent", "Studio|1,200"), 1, ["Unit: Studio; Rent: 1,200"]),
        (("|Rent", "Studio|1,200"), 1, ["Studio; Rent: 1,200"]),
        (("Unit|Rent|Term", "A|1|2", "B|3|4"), 0, ["Unit: A; Rent: 1; Term: 2", "Unit: B; Rent: 3; Term: 4"]),
        (("Landlord|Acme Ltd", "Tenant:|Ms Doe"), 0, ["Landlord: Acme Ltd", "Tenant: Ms Doe"]),
        (("A|B|C", "D|E|F"), 0, ["A; B; C", "D; E; F"]),
        (("Fee|2025|2026", "A|1|2"), 0, ["Fee: A; 2025: 1; 2026: 2"]),
        (("Built|2025|2026", "Sold|2026|2027"), 0, ["Built; 2025; 2026", "Sold; 2026; 2027"]),
        (("Unit|Rent", "|", "A|"), 1, ["Unit: A"]),
        (("Unit|Rent",), 1, ["Unit: Rent"]),
        (("Fee|5",), 0, ["Fee", "5"]),
        ((), 0, []),
    ],
)
def test_rows_of_tables_stand_alone(rows: tuple[str, ...], heads: int, read: list[str]) -> None:
    assert table(*rows, heads=heads) == read
