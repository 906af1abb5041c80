"""What differs from the context, and where it stands: repeated, parallel and short citations, names, and other cases."""

from hypothesis import given
from hypothesis import strategies as st

from groundscope.citations.reader.reading import read
from groundscope.citations.states import Checked, State, layer, part_span
from groundscope.types import Case, Passage
from tests.loops import each

HERE, DIFFERENT, ABSENT = State.HERE, State.DIFFERENT, State.ABSENT
DHS = "Department of Homeland Security"
ROE = "Roe v. Wade, 410 U.S. 113 (1973). "
BOTH = "Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705 (1973)."


def _checked(response: str, context: str, source: str = "") -> tuple[Checked, ...]:
    return layer(Case("c", "", (Passage("p", context, source),), response)).citations


def _told(response: str, context: str) -> list[tuple[State, list[tuple[str, str, str]]]]:
    return [(c.state, [(d.part, d.ours, d.theirs) for d in c.differs]) for c in _checked(response, context)]


def test_a_repeated_citation_inherits_neither_year_nor_names() -> None:
    context = "Smith v. Jones, 12 F.3d 45 (9th Cir. 1995)."
    response = "Smyth v. Jones, 12 F.3d 45 (2d Cir. 1995). Smith v. Jones, 12 F.3d 45 (9th Cir. 1995). See 12 F.3d 45."
    first, second, third = _checked(response, context)
    assert [d.part for d in first.differs] == ["court", "first party"]
    assert [second.state, third.state] == [HERE, HERE]


@each(
    ("response", "context", "told"),
    [
        # A repeated citation is judged by its own year, which is right where the context gives a wrong one too.
        (f"{ROE}Roe v. Wade, 410 U.S. 113 (1974).", ROE, [(HERE, []), (DIFFERENT, [("year", "1974", "1973")])]),
        ("Roe v. Wade, 410 U.S. 113 (1974).", f"{ROE}Roe v. Wade, 410 U.S. 113 (1974).", [(HERE, [])]),
        (
            "Roe v. Wade, 410 U.S. 113 (1975).",
            f"{ROE}Roe v. Wade, 410 U.S. 113 (1974).",
            [(DIFFERENT, [("year", "1975", "1973")])],
        ),
        # A court is called as the text calls it.
        ("Roe v. Wade, 410 U.S. 113 (9th Cir. 1973).", ROE, [(DIFFERENT, [("court", "9th Cir.", "U.S. Supreme Court")])]),
        # Parallel citations share year and names, and a wrong one is reported by itself.
        ("Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705 (1974).", BOTH, [(DIFFERENT, [("year", "1974", "1973")])] * 2),
        ("Roe v. Wade, 410 U.S. 113, 93 S. Ct. 999 (1973).", BOTH, [(HERE, []), (DIFFERENT, [("page", "999", "705")])]),
        ("Roe v. Wade, 410 U.S. 999, 93 S. Ct. 705 (1973).", BOTH, [(DIFFERENT, [("page", "999", "113")]), (HERE, [])]),
        ("Roe v. Wade, 410 U.S. 113, 94 S. Ct. 705 (1973).", BOTH, [(HERE, []), (DIFFERENT, [("volume", "94", "93")])]),
        ("Roe v. Wade, 93 S. Ct. 705, 410 U.S. 113 (1973).", BOTH, [(HERE, []), (HERE, [])]),
    ],
)
def test_a_wrong_part_is_reported_of_the_citation_that_has_it(
    response: str, context: str, told: list[tuple[State, list[tuple[str, str, str]]]]
) -> None:
    assert _told(response, context) == told


def test_a_parallel_citation_that_the_context_lacks_is_not_checked_and_that_is_said() -> None:
    first, second = _checked("Roe v. Wade, 410 U.S. 113, 35 L. Ed. 2d 147 (1973).", BOTH)
    assert (first.state, first.why, second.state) == (HERE, "", HERE)
    assert second.why == "The sources give only a parallel report of it, so volume and page are not checked."


@each("pin", ["999–1001", "999 (quoting it)", "999 n.3", "999, 1001"])
def test_a_wrong_page_of_a_short_form_is_reported_whatever_follows_it(pin: str) -> None:
    full, short = _told(f"{ROE}Roe, 410 U.S. at {pin}.", "Roe v. Wade, 410 U.S. 113, 120 (1973).")
    assert full == (HERE, [])
    assert (short[0], [d[0] for d in short[1]]) == (DIFFERENT, ["pin cite"])


@each(
    ("response", "context", "parts"),
    [
        ("Department of Commerce v. Regents, 140 S. Ct. 1891", f"{DHS} v. Regents, 140 S. Ct. 1891", ["first party"]),
        ("Wade v. Roe, 410 U.S. 113", "Roe v. Wade, 410 U.S. 113", ["order of the parties"]),
        ("Regents, 140 S. Ct. 1891 (2020)", f"{DHS} v. Regents, 140 S. Ct. 1891 (2020)", []),
        ("Epic Systems, 584 U.S. 497 (2018)", "Epic Systems Corp. v. Lewis, 584 U.S. 497 (2018)", []),
        ("Epic Systems, 584 U.S. 498 (2018)", "Epic Systems Corp. v. Lewis, 584 U.S. 497 (2018)", ["page"]),
        ("Quagmire, 584 U.S. 497 (2018)", "Epic Systems Corp. v. Lewis, 584 U.S. 497 (2018)", ["second party"]),
    ],
)  # fmt: skip
def test_names_of_parties_are_compared_word_for_word(response: str, context: str, parts: list[str]) -> None:
    (found,) = _checked(f"{response}.", f"{context}.")
    assert ([d.part for d in found.differs], found.state) == (parts, DIFFERENT if parts else HERE)


@each(
    ("response", "context", "state"),
    [
        # Another case of the same names.
        ("United States v. Smith, 555 F.2d 777 (2d Cir. 1977)", "United States v. Smith, 1 F.3d 2 (9th Cir. 1993)", ABSENT),
        ("Roe v. Wade, 500 U.S. 300 (1991)", "Roe v. Wade, 410 U.S. 113 (1973)", ABSENT),
        # The same one, given wrongly.
        ("Roe v. Wade, 93 S. Ct. 705 (1973)", "Roe v. Wade, 410 U.S. 113 (1973)", DIFFERENT),
        ("Roe v. Wade, 410 U.S. 131 (1974)", "Roe v. Wade, 410 U.S. 113 (1973)", DIFFERENT),
    ],
)
def test_names_alone_make_no_other_case_the_same_one(response: str, context: str, state: State) -> None:
    (found,) = _checked(f"{response}.", f"{context}.")
    assert found.state is state, found


@each(
    ("response", "context", "marked"),
    [
        # The page, and not the volume or the pin that look like it.
        ("Doe v. Roe, 12 F.3d 12, 12 (1912).", "Doe v. Roe, 12 F.3d 13 (1912).", [(20, "12", "13")]),
        (
            "Doe v. Roe, 12 F.3d 12, 12 (2d Cir. 1912).",
            "In Doe v. Roe, 12 F.3d 13, 14 (9th Cir. 1912).",
            [(20, "12", "13"), (28, "2d Cir.", "9th Cir."), (24, "12", "14")],
        ),
        ("Wade v. Roe, 410 U.S. 113.", "Roe v. Wade, 410 U.S. 113.", [(0, "Wade v. Roe", "Roe v. Wade")]),
        ("28 U.S.C. § 1331 (2018)", "28 U.S.C. § 1331 (1994)", [(18, "2018", "1994")]),
        ("Roe v. Wade, 410 U . S . 113\n(1974).", ROE, [(30, "1974", "1973")]),
        # What a citation does not say itself is marked nowhere.
        ("Roe v. Wade, 410 U.S. 113 (1974). Id.", ROE, [(27, "1974", "1973")]),
    ],
)
def test_the_words_that_differ_are_marked_on_both_sides(response: str, context: str, marked: list[tuple[int, str, str]]) -> None:
    spans = [(d.span, d.context_span) for c in _checked(response, context) for d in c.differs if d.span]
    assert [(a[0], response[slice(*a)], context[slice(*b)]) for a, b in spans if b] == marked


def test_in_what_a_passage_is_called_the_span_lies_there() -> None:
    (found,) = _checked("Roe v. Wade, 410 U.S. 113 (1974).", "Nothing.", ROE.strip())
    assert found.in_source
    assert [ROE[slice(*d.context_span)] for d in found.differs if d.context_span] == ["1973"]


@given(st.sampled_from(["Roe v. Wade, 410 U.S. 113, 120 (1973)", "28 U.S.C. § 1331(a) (2018)"]), st.text(max_size=6))
def test_a_place_lies_in_its_citation(text: str, words: str) -> None:
    (citation,) = read(text).citations
    for part in ("year", "page", "first party", "subsection", "court"):
        span = part_span(text, citation, part, words)
        assert span is None or citation.outer <= span[0] < span[1] <= citation.end
