"""The layer's data: spans in the browser's units, places in the context, and the three answers' parts."""

from hypothesis import given
from hypothesis import strategies as st

from groundscope.drawing.board import citation_layer
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Passage

CONTEXT = (
    Passage("p1", "😀 See Roe v. Wade, 410 U.S. 113 (1973). The tenant shall give notice.", "28 U.S.C. § 1331"),
    Passage("p2", "Nothing is cited."),
)


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _slice(text: str, a: int, b: int) -> str:
    return _units(text)[2 * a : 2 * b].decode("utf-16-le", "surrogatepass")


def _layer(response: str) -> dict:  # type: ignore[type-arg]
    found = citation_layer(Case("c", "", CONTEXT, response), context_sentences(CONTEXT))
    assert found is not None
    return found


def test_spans_and_places_are_in_utf_16_units_inside_their_sentences() -> None:
    response = "😀😀 It is so under Roe v. Wade, 410 U.S. 113 (1974)."
    (item,) = _layer(response)["items"]
    ((u, a, b),) = item["at"]
    sentence = split(response)[u]
    assert _slice(response[sentence.start : sentence.end], a, b) == "Roe v. Wade, 410 U.S. 113 (1974)"
    ((j, c, d),) = item["place"]["at"]
    unit = context_sentences(CONTEXT)[j]
    assert _slice(CONTEXT[0].text[unit.start : unit.end], c, d) == "Roe v. Wade, 410 U.S. 113 (1973)"
    assert (item["state"], item["differs"]) == ("different", "year 1974, in the sources 1973")


def test_the_part_that_differs_is_marked_on_both_sides() -> None:
    response = "😀😀 It is so under Roe v. Wade, 410 U.S. 113 (1974). 28 U.S.C. § 1331."
    item, other = _layer(response)["items"]
    ((u, a, b),) = item["marks"]
    sentence = split(response)[u]
    assert _slice(response[sentence.start : sentence.end], a, b) == "1974"
    ((j, c, d),) = item["place"]["marks"]
    unit = context_sentences(CONTEXT)[j]
    assert _slice(CONTEXT[0].text[unit.start : unit.end], c, d) == "1973"
    assert other["marks"] == []


def test_a_place_in_what_a_passage_is_called_has_no_sentence() -> None:
    (item,) = _layer("Courts have power, 28 U.S.C. § 1331.")["items"]
    assert item["place"] == {"p": 0, "at": []}


def test_quotations_go_with_the_citations_of_their_sentence() -> None:
    found = _layer("It says “shall give notice”, 28 U.S.C. § 1331. And “shall not give notice”.")
    assert [i["quotes"] for i in found["items"]] == [[0]]
    assert [q["ok"] for q in found["quotes"]] == [True, False]
    assert found["summary"].startswith("1 citation: 1 in the sources.")


def test_without_citation_and_quotation_there_is_no_layer() -> None:
    assert citation_layer(Case("c", "", CONTEXT, "Nothing."), context_sentences(CONTEXT)) is None


@given(
    st.lists(
        st.sampled_from(["😀", "410 U.S. 113 (1973)", " “shall give", "notice” ", ". ", "Id. at 5", "\n\n"])
        | st.text(max_size=6),
        max_size=8,
    ).map("".join)
)
def test_all_spans_lie_in_their_sentences(response: str) -> None:
    found = citation_layer(Case("c", "", CONTEXT, response), context_sentences(CONTEXT))
    sentences = split(response)
    for entry in [*found["items"], *found["quotes"]] if found else []:
        for u, a, b in [*entry["at"], *entry.get("marks", [])]:
            assert 0 <= a < b <= len(_units(response[sentences[u].start : sentences[u].end])) // 2
