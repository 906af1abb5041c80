"""Cases with context sentences left out."""

from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.sensitivity.leave_one_out import UNRELATED, reduced
from groundscope.text.sentences import context_sentences
from groundscope.types import Case, EvidenceSpan, Passage

_TEXTS = st.lists(
    st.sampled_from(["The rent is due. ", "Cats sleep! ", "1. The lease ends.\n", "\n\n", "A heading\n\n", " ", "Id. at 4. "])
).map("".join)


def kept_texts(case: Case) -> list[str]:
    return [case.context[u.passage].text[u.start : u.end] for u in context_sentences(case.context)]


@given(st.lists(_TEXTS, max_size=4), st.data())
def test_what_is_kept_stands_in_it_in_order_and_nothing_else(texts: list[str], data: st.DataObject) -> None:
    case = Case("x", "", tuple(Passage(str(i), t) for i, t in enumerate(texts)), "An answer.")
    units = context_sentences(case.context)
    kept = data.draw(st.frozensets(st.sampled_from(range(len(units))), min_size=1)) if units else frozenset()
    found = reduced(case, kept)
    if not kept:
        assert found.context == (UNRELATED,)
        return
    assert found.response == case.response
    wanted = [t for i, t in enumerate(kept_texts(case)) if i in kept]
    joined = "\n".join(p.text for p in found.context)
    position = 0
    for text in wanted:
        position = joined.index(text, position) + len(text)
    letters = sum(map(str.isalpha, joined))
    assert letters == sum(map(str.isalpha, "".join(wanted)))


def test_sources_that_are_whole_stay_as_they_are_and_labels_go() -> None:
    whole = Passage("a", "  One stands. Two stand.\n", "A", pages=((0, 4),))
    case = Case("x", "q", (whole, Passage("b", "Three goes. Four stays.")), "One.", True, evidence=(EvidenceSpan(0, 4, 1, 0, 5),))
    found = reduced(case, {0, 1, 3})
    assert found == Case("x", "q", (whole, Passage("b", "Four stays.")), "One.")
    assert reduced(case, {3}).context == (Passage("b", "Four stays."),)


def test_no_sentence_is_made_of_two_halves() -> None:
    case = Case("x", "", (Passage("a", "See Roe v. Wade. It was late. Nothing else was said."),), "It was.")
    assert kept_texts(case) == ["See Roe v. Wade.", "It was late.", "Nothing else was said."]
    assert kept_texts(reduced(case, {0, 2})) == ["See Roe v. Wade.", "Nothing else was said."]
