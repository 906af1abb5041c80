"""Copies of cases: which there are, what moves along, and how a run's rows are found again."""

from dataclasses import replace

import pytest

from groundscope.errors import DataError
from groundscope.grounding.stability.copies import CaseCopies, copies_of, make, places_of, rewordings_of
from groundscope.methods import registry
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage

RESPONSE = "# Outcome\n\nThe appeal was dismissed.\n\n1. Costs went to the tenant.\n2. The notice was late.\n"
CASE = Case(
    "a",
    "What was decided?",
    tuple(Passage(f"p{i}", f"Text {i} of the court.") for i in range(3)),
    RESPONSE,
    grounded=False,
    errors=(ErrorSpan(RESPONSE.index("tenant"), RESPONSE.index("tenant") + 6, ErrorType.FACTUAL_INACCURACY),),
    evidence=(EvidenceSpan(RESPONSE.index("notice"), RESPONSE.index("notice") + 6, 2, 0, 4),),
)


def test_each_kind_has_the_case_as_it_is_and_so_many_copies() -> None:
    made = make([CASE], 4, wordings=2)
    assert [c.id for c in made.cases] == [
        "a~repeats-1", "a~repeats-2", "a~repeats-3", "a~repeats-4",
        "a~passages-1", "a~passages-2", "a~passages-3",
        "a~sentences-1", "a~sentences-2", "a~sentences-3",
        "a~wording-1", "a~wording-2",
    ]  # fmt: skip
    assert made.wordings == (0,) * 10 + (1, 2)
    assert (made.counts, made.of) == ({"repeats": 1, "passages": 1, "sentences": 1, "wording": 1}, 1)
    assert all(replace(c, id="a") == CASE for c in (*made.cases[:4], *made.cases[-2:]))
    assert copies_of(c.id for c in made.cases) == (
        CaseCopies("a", "repeats", (0, 1, 2, 3)),
        CaseCopies("a", "passages", (0, 4, 5, 6)),
        CaseCopies("a", "sentences", (0, 7, 8, 9)),
        CaseCopies("a", "wording", (0, 10, 11)),
    )


def test_orders_differ_and_labels_move_with_their_texts() -> None:
    made = {c.id: c for c in make([CASE], 6).cases}
    passages = [c for name, c in made.items() if "passages" in name]
    assert len({tuple(p.id for p in c.context) for c in passages} | {("p0", "p1", "p2")}) == 6
    assert all(c.context[c.evidence[0].passage].id == "p2" and c.response == RESPONSE for c in passages)
    sentences = [c for name, c in made.items() if "sentences" in name]
    assert len({c.response for c in sentences} | {RESPONSE}) == 6
    for copy in sentences:
        assert copy.response.startswith("# Outcome\n\n")
        assert sorted(copy.response[s.start : s.end] for s in split(copy.response)) == sorted(
            RESPONSE[s.start : s.end] for s in split(RESPONSE)
        )
        assert copy.response[copy.errors[0].start : copy.errors[0].end] == "tenant"
        assert copy.response[copy.evidence[0].response_start : copy.evidence[0].response_end] == "notice"
        texts = [RESPONSE[s.start : s.end] for s in split(RESPONSE)]
        assert [texts[i] for i in places_of(RESPONSE, copy.response)] == [
            copy.response[s.start : s.end] for s in split(copy.response)
        ]


def test_where_there_are_fewer_orders_there_are_fewer_copies() -> None:
    two = replace(CASE, context=CASE.context[:2], response="One is so.", errors=(), evidence=())
    made = make([two], 9, ["passages", "sentences"])
    assert [c.id for c in made.cases] == ["a~repeats-1", "a~passages-1"]
    assert made.counts == {"passages": 1, "sentences": 0}
    # The case as it is alone is no repeat.
    assert copies_of(c.id for c in made.cases) == (CaseCopies("a", "passages", (0, 1)),)


def test_the_same_seed_gives_the_same_cases_and_orders() -> None:
    cases = [replace(CASE, id=f"c{i}") for i in range(30)]
    assert make(cases, 3, most=5, seed=1) == make(cases, 3, most=5, seed=1)
    assert make(cases, 3, most=5, seed=1) != make(cases, 3, most=5, seed=2)
    assert make(cases, 3, most=5).of == 5
    mixed = [replace(c, split="dev" if i % 3 else "test") for i, c in enumerate(cases)]
    for seed in range(5):
        drawn = {c.id.partition("~")[0]: c.split for c in make(mixed, 3, most=6, seed=seed).cases}
        assert sorted(drawn.values(), key=str) == ["dev"] * 4 + ["test"] * 2
    assert make(cases, 3, most=50).of == 30


def test_equal_sentences_are_found_in_their_order() -> None:
    assert places_of("It is so. It is not. It is so.", "It is so. It is so. It is not.") == (0, 2, 1)
    assert places_of("It is so.", "It is not.") == (-1,)


def test_cases_without_a_question_are_not_all_one_group() -> None:
    bare = [replace(CASE, id=f"c{i}", query="", group=None) for i in range(2)]
    assert {c.group for c in make(bare, 2).cases} == {"c0", "c1"}
    assert {c.group for c in make([CASE, replace(CASE, id="b", group="g")], 2).cases} == {None, "g"}


def test_what_cannot_be_copied_says_why() -> None:
    with pytest.raises(DataError, match="There is no case"):
        make([], 3)
    with pytest.raises(DataError, match="Two cases have one id"):
        make([CASE, CASE], 3)
    with pytest.raises(DataError, match="an order needs two passages or two sentences"):
        make([replace(CASE, context=CASE.context[:1], evidence=())], 3, ["passages", "wording"])
    with pytest.raises(ValueError, match="there is no kind 'mood'"):
        make([CASE], 3, ["mood"])  # type: ignore[list-item]
    for times in (1, 51):
        with pytest.raises(ValueError, match="a case is asked 2 to 50 times"):
            make([CASE], times)


def test_rewordings_are_counted_by_the_method_that_has_most() -> None:
    assert rewordings_of([registry.load("quip")]) == 0
    assert rewordings_of([registry.load("quip"), registry.load("direct"), registry.load("lynx")]) == 2
