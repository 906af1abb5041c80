"""Where the part that differs stands, in the response and in the context, and how a court is called."""

from hypothesis import given
from hypothesis import strategies as st

from groundscope.citations.reader.reading import read
from groundscope.citations.states import Checked, layer, part_span
from groundscope.types import Case, Passage
from tests.loops import each


def _checked(response: str, context: str, source: str = "") -> tuple[Checked, ...]:
    return layer(Case("c", "", (Passage("p", context, source),), response)).citations


@each(
    ("response", "context", "marked"),
    [
        ("Roe v. Wade, 410 U.S. 113 (1974).", "So Roe v. Wade, 410 U.S. 113 (1973).", [("1974", "1973")]),
        ("Roe v. Wade, 410 U.S. 131 (1973).", "So Roe v. Wade, 410 U.S. 113 (1973).", [("131", "113")]),
        (
            "Doe v. Roe, 12 F.3d 12, 12 (2d Cir. 1912).",
            "In Doe v. Roe, 12 F.3d 13, 14 (9th Cir. 1912).",
            [("12", "13"), ("2d Cir.", "9th Cir."), ("12", "14")],
        ),
        ("Wade v. Roe, 410 U.S. 113.", "Roe v. Wade, 410 U.S. 113.", [("Wade v. Roe", "Roe v. Wade")]),
        ("28 U.S.C. § 1331 (2018)", "28 U.S.C. § 1331 (1994)", [("2018", "1994")]),
        ("Roe v. Wade, 410 U . S . 113\n(1974).", "Roe v. Wade, 410 U.S. 113 (1973).", [("1974", "1973")]),
    ],
)
def test_the_words_that_differ_are_found_on_both_sides(response: str, context: str, marked: list[tuple[str, str]]) -> None:
    (found,) = _checked(response, context)
    spans = [(d.span, d.context_span) for d in found.differs]
    assert [(response[slice(*a)], context[slice(*b)]) for a, b in spans if a and b] == marked
    assert len(spans) == len(marked)
    assert all(a and found.citation.outer <= a[0] < a[1] <= found.citation.end for a, _ in spans)


def test_the_page_is_marked_and_not_the_volume_or_the_pin_that_look_like_it() -> None:
    response, context = "Doe v. Roe, 12 F.3d 12, 12 (1912).", "Doe v. Roe, 12 F.3d 13 (1912)."
    (found,) = _checked(response, context)
    (page,) = [d for d in found.differs if d.part == "page"]
    assert page.span == (response.index("F.3d ") + 5, response.index("F.3d ") + 7)


def test_what_a_citation_does_not_say_itself_is_marked_nowhere() -> None:
    full, short = _checked("Roe v. Wade, 410 U.S. 113 (1974). Id.", "Roe v. Wade, 410 U.S. 113 (1973).")
    assert [bool(d.span) for d in full.differs] == [True]
    assert [(d.part, d.span) for d in short.differs] == [("year", None)]


def test_in_what_a_passage_is_called_the_span_lies_there() -> None:
    source = "Roe v. Wade, 410 U.S. 113 (1973)"
    (found,) = _checked("Roe v. Wade, 410 U.S. 113 (1974).", "Nothing.", source)
    assert found.in_source
    assert [source[slice(*d.context_span)] for d in found.differs if d.context_span] == ["1973"]


@each(
    ("ours", "theirs", "told"),
    [
        ("12 F.3d 45 (2d Cir. 1995)", "12 F.3d 45 (9th Cir. 1995)", ("2d Cir.", "9th Cir.")),
        ("410 U.S. 113 (9th Cir. 1973)", "410 U.S. 113 (1973)", ("9th Cir.", "U.S. Supreme Court")),
    ],
)
def test_a_court_is_called_as_the_text_calls_it(ours: str, theirs: str, told: tuple[str, str]) -> None:
    (found,) = _checked(f"Doe v. Roe, {ours}.", f"Doe v. Roe, {theirs}.")
    assert [(d.part, d.ours, d.theirs) for d in found.differs] == [("court", *told)]


@given(st.sampled_from(["Roe v. Wade, 410 U.S. 113, 120 (1973)", "28 U.S.C. § 1331(a) (2018)"]), st.text(max_size=6))
def test_a_place_lies_in_its_citation(text: str, words: str) -> None:
    (citation,) = read(text).citations
    for part in ("year", "page", "first party", "subsection", "court"):
        span = part_span(text, citation, part, words)
        assert span is None or citation.outer <= span[0] < span[1] <= citation.end
