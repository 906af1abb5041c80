"""Cases that are named without a citation: found where the sources know them, and no party, place or second case instead."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from groundscope.citations.case_names import ONLY_NAMED, case_words
from groundscope.citations.states import Checked, State, layer
from groundscope.citations.types import Form
from groundscope.types import Case, Passage
from tests.loops import each

CONTEXT = (
    Passage(
        "p1",
        "A strong inference must be cogent. Basic Inc. v. Levinson, 485 U.S. 224 (1988), presumes reliance. See also Anderson v. "
        "Liberty Lobby, Inc., 477 U.S. 242 (1986). Nebraska brought Kansas v. Nebraska, 574 U.S. 445 (2015).",
        "Tellabs, Inc. v. Makor Issues & Rights, Ltd., 551 U.S. 308 (2007)",
    ),
    Passage("p2", "The factors of reliability are these.", "Daubert v. Merrell Dow Pharmaceuticals"),
    Passage("p3", "Costs shift.", "Zubulake v. UBS Warburg (Zubulake IV), 220 F.R.D. 212 (S.D.N.Y. 2003)"),
    Passage("p4", "The duty to preserve.", "Zubulake v. UBS Warburg (Zubulake V), 229 F.R.D. 422 (S.D.N.Y. 2004)"),
)


def _named(response: str, context: tuple[Passage, ...] = CONTEXT) -> list[Checked]:
    found = [c for c in layer(Case("c", "", context, response)).citations if c.citation.form is Form.NAME]
    assert not found or case_words(response)
    return found


@each(
    ("response", "name", "theirs"),
    [
        ("Under Tellabs, the inference must be cogent.", "Tellabs", "Tellabs, Inc. v. Makor"),
        ("Basic requires that the market be efficient.", "Basic", "Basic Inc. v. Levinson"),
        ("The Basic presumption may be rebutted.", "Basic", "Basic Inc. v. Levinson"),
        ("Liberty Lobby’s standard governs.", "Liberty Lobby", "Anderson v. Liberty Lobby"),
        ("This follows from Basic v. Levinson alone.", "Basic v. Levinson", "Basic Inc. v. Levinson"),
        ("Kansas v. Nebraska concerned water.", "Kansas v. Nebraska", "Kansas v. Nebraska"),
        ("The judge applied the Daubert factors.", "Daubert", "Daubert v. Merrell Dow"),
    ],
)
def test_a_case_that_the_sources_know_is_found_by_its_name(response: str, name: str, theirs: str) -> None:
    (found,) = _named(response)
    assert response[found.citation.start : found.citation.end] == name
    assert (found.state, found.why, found.differs) == (State.HERE, ONLY_NAMED, ())
    assert found.theirs.startswith(theirs)
    assert found.sentence == found.claim == 0


@each(
    "response",
    [
        "Tellabs sold equipment.",  # a party
        "Levinson owned shares of Basic and sold them.",
        "Basic principles of contract apply.",  # a word
        "In Basic terms, the buyer pays.",
        "In Kansas, the notice is due in 30 days.",  # a place
        "Under Zubulake, costs shift.",  # two cases of one name
        "Under Smithson, costs shift.",  # unknown to the sources
        "Basic v. Quagmire held otherwise.",  # another case
        "Tellabs’s rule in Tellabs, Inc. v. Makor Issues & Rights, Ltd., 551 U.S. 308 (2007), is"[9:],  # the citation itself
        "",
    ],
)
def test_parties_places_words_and_unknown_names_are_no_cases(response: str) -> None:
    assert _named(response) == []


def test_names_and_citations_stand_in_reading_order_each_with_its_own_sentence() -> None:
    response = "Anderson v. Liberty Lobby, Inc., 477 U.S. 242 (1986) is first. Under Tellabs it is so. See id."
    found = layer(Case("c", "", CONTEXT, response)).citations
    assert [c.citation.form for c in found] == [Form.FULL, Form.NAME, Form.ID]
    assert [c.sentence for c in found] == [0, 1, 2]
    # Id. is what was cited in full: a name that stands alone does not change what the citations after it mean.
    assert found[2].citation.key == found[0].citation.key


_WORDS = "Under |Tellabs| v. |Basic| requires |, the Court |’s rule |Liberty Lobby| & |. |\n|In |Id. ".split("|")


@given(st.lists(st.sampled_from(_WORDS), max_size=14))
def test_names_lie_in_the_text_beside_citations_and_each_other(words: list[str]) -> None:
    response = "".join(words) + " 485 U.S. 224 (1988)."
    found = layer(Case("c", "", CONTEXT, response)).citations
    assert _named(response) == [c for c in found if c.citation.form is Form.NAME]
    for one, following in pairwise(found):
        assert one.citation.end <= following.citation.outer
    for one in found:
        if one.citation.form is Form.NAME:
            assert response[one.citation.start].isupper()
            assert one.place is not None
