"""What carries a sentence, by methods whose supports are counted by hand."""

from dataclasses import replace

import pytest

from groundscope.errors import BudgetSpent, Cancelled
from groundscope.grounding.sensitivity import leave_one_out as module
from groundscope.grounding.sensitivity.carriers import carriers, frame
from groundscope.grounding.sensitivity.leave_one_out import (
    UNRELATED,
    WHOLE,
    LeaveOneOut,
    leave_one_out,
    more_for_sentences,
    stands_on_nothing,
    versions,
)
from groundscope.grounding.sensitivity.smallest import MOST_TESTS, Minimality
from groundscope.runtime.progress import listening
from groundscope.types import Case, Judgement, Passage, Status
from tests.groundscope.grounding.sensitivity.counted import RENT, Asks, Certain, SharedWords


def firsts(found: LeaveOneOut, part: str) -> dict[int, float | None]:
    return {i: a.supports[0] for i, a in getattr(found, part).items()}


def test_without_each_source_and_sentence_the_support_is_what_can_be_counted() -> None:
    method = SharedWords()
    found = leave_one_out(method, RENT)
    assert found.full.supports == (1.0, 0.0)
    assert found.nothing
    assert found.nothing.supports == (0.0, 0.0)
    assert firsts(found, "sources") == {0: 0.5, 1: 0.75, 2: 1.0}
    assert firsts(found, "alone") == {0: 0.75, 1: 0.5, 2: 0.0}
    assert firsts(found, "sentences") == {0: 0.5, 1: 1.0, 2: 0.75, 3: 1.0}
    assert (found.unused, found.interchangeable, found.notes) == ((2,), (), ())
    assert stands_on_nothing(found, 0.7) == (1,)
    # Source c is one sentence: without the one is without the other, and both are scored once.
    assert found.scorings == len(method.seen) == 1 + 3 + 1 + 3 + 3 - 1
    assert len({c.context for c in method.seen}) == len(method.seen)
    assert {c.response for c in method.seen} == {RENT.response}


@pytest.mark.parametrize(
    ("threshold", "keeps", "falls"),
    [(0.9, (0, 2), (0,)), (0.6, (0,), (0,)), (0.5, (0,), (0, 1)), (0.2, (0,), (0, 1))],
)
def test_the_smallest_sets_are_those_that_can_be_counted(
    threshold: float, keeps: tuple[int, ...], falls: tuple[int, ...]
) -> None:
    found = carriers(SharedWords(), RENT, 0, threshold).sentence
    assert found.keeps
    assert found.falls
    assert (found.keeps.members, found.keeps.minimality) == (keeps, Minimality.SMALLEST)
    assert (found.falls.members, found.falls.minimality) == (falls, Minimality.SMALLEST)


@pytest.mark.parametrize("threshold", [None, 0.1])
def test_nothing_is_searched_for_a_sentence_that_is_flagged_or_without_a_threshold(threshold: float | None) -> None:
    method = SharedWords()
    found = carriers(method, RENT, 1, threshold)
    assert (found.sentence.keeps, found.sentence.falls) == (None, None)
    assert found.found == leave_one_out(SharedWords(), RENT)


def test_what_was_found_is_not_scored_again() -> None:
    known = leave_one_out(SharedWords(), RENT)
    method = SharedWords()
    found = carriers(method, RENT, 0, 0.9, found=known)
    assert found.found is known
    assert {c.response for c in method.seen} == {"Tenants pay rent monthly."}
    assert found.sentence == carriers(SharedWords(), RENT, 0, 0.9).sentence


def test_a_method_that_judges_a_sentence_among_its_neighbours_is_asked_about_all() -> None:
    class Nervous(SharedWords):
        def score(self, case: Case) -> Judgement:
            scored = super().score(case)
            return scored if "Zebras" in case.response else replace(scored, support=0.1, sentences=())

    method = Nervous()
    found = carriers(method, RENT, 0, 0.9).sentence
    assert found.keeps
    assert found.keeps.members == (0, 2)
    assert sum("Zebras" not in c.response for c in method.seen) == 1


def test_two_sources_that_say_the_same_are_interchangeable_not_unused() -> None:
    case = replace(RENT, context=(*RENT.context, Passage("d", RENT.context[1].text)))
    found = leave_one_out(SharedWords(), case)
    assert firsts(found, "sources") == {0: 0.5, 1: 1.0, 2: 1.0, 3: 1.0}
    assert (found.unused, found.interchangeable) == ((2, 3), (1,))


def test_a_method_that_is_always_certain_stands_on_nothing() -> None:
    found, sentence = carriers(Certain(), RENT, 0, 0.5)
    assert stands_on_nothing(found, 0.5) == (0, 1)
    assert found.unused == (0, 1, 2)
    assert sentence.keeps
    assert sentence.keeps.members == ()
    assert sentence.falls is None
    sometimes = Certain(does=lambda c: Judgement(Status.ABSTAINED) if c.context == (UNRELATED,) else None)
    assert stands_on_nothing(leave_one_out(sometimes, RENT), 0.5) == ()


def test_an_unrelated_text_that_does_leaves_the_source_that_does_not() -> None:
    class Fooled(SharedWords):
        def support(self, sentence: str, known: set[str]) -> float:
            return 1.0 if "garden" in known else super().support(sentence, known)

    found = carriers(Fooled(), RENT, 0, 0.7)
    assert stands_on_nothing(found.found, 0.7) == (0, 1)
    assert found.sentence.keeps
    assert found.sentence.keeps.members == (0,)
    assert found.sentence.falls
    assert found.sentence.falls.members == (0,)


def test_one_source_goes_for_an_unrelated_text() -> None:
    one = replace(RENT, context=RENT.context[:1])
    found, sentence = carriers(SharedWords(), one, 0, 0.5)
    assert found.full.supports[0] == 0.75
    assert firsts(found, "sources") == {0: 0.0}
    assert found.sources[0] == found.nothing
    assert sentence.falls
    assert sentence.falls.members == (0,)


@pytest.mark.parametrize(
    "case",
    [replace(RENT, context=()), replace(RENT, response=""), replace(RENT, response=" \n")],
    ids=["source", "words", "space"],
)
def test_without_a_source_or_a_sentence_there_is_only_the_reason(case: Case) -> None:
    method = SharedWords()
    found = carriers(method, case, WHOLE, 0.5)
    assert found.found.full.note == "Nothing to assess."
    assert (found.found.sources, found.found.nothing, found.sentence.keeps) == ({}, None, None)
    assert len(method.seen) == 1
    assert frame(case, found.found, 0.5).empty
    with pytest.raises(IndexError, match="there is none with the index 7"):
        carriers(method, case, 7, 0.5)


def test_a_method_that_names_no_sentence_is_judged_by_its_whole() -> None:
    class Whole(SharedWords):
        def score(self, case: Case) -> Judgement:
            return replace(super().score(case), sentences=())

    case = replace(RENT, response="Tenants pay rent monthly.")
    found, sentence = carriers(Whole(), case, WHOLE, 0.9)
    assert found.full.assessed == (WHOLE,)
    assert sentence.keeps
    assert sentence.keeps.members == (0, 2)
    assert set(frame(case, found, 0.9)["sentence"]) == {None}


def test_states_stay_states() -> None:
    refused = Judgement(Status.INVALID, note="The reply could not be read.")
    method = SharedWords(does=lambda c: refused if len(c.context) == 2 and c.context[0].id == "b" else None)
    found = leave_one_out(method, RENT)
    assert found.sources[0].supports == (None, None)
    assert found.sources[0].note == "The reply could not be read."
    table = frame(RENT, found, 0.7)
    rows = table[(table["left_out"] == "source") & (table["sentence"] == 1)]
    assert rows["without"].isna().tolist() == [True, False, False]
    assert rows["verdict_changes"].tolist() == [None, False, False]


def test_a_model_that_is_asked_gets_one_question_a_source_and_two_more() -> None:
    method = Asks()
    first = method.score(RENT)
    method.seen.clear()
    found = carriers(method, RENT, 0, 0.5, first=first)
    assert len(method.seen) <= len(RENT.context) + 2
    assert firsts(found.found, "sources") == {0: 0.5, 1: 0.75, 2: 1.0}
    assert (found.found.sentences, found.found.alone, found.sentence.keeps) == ({}, {}, None)
    assert found.found.unused == (2,)


def test_a_model_is_asked_about_sentences_of_the_sources_where_that_is_wanted_and_no_more_than_was_announced() -> None:
    method = Asks()
    first = method.score(RENT)
    method.seen.clear()
    found = carriers(method, RENT, WHOLE, None, first=first, sentences=True).found
    # Two sources of one sentence each: without it they are gone.
    assert more_for_sentences(RENT) == 2
    assert len(method.seen) <= len(versions(RENT)) + more_for_sentences(RENT)
    assert firsts(found, "sentences") == {0: 0.5, 1: 1.0, 2: 0.75, 3: 1.0}
    assert (found.alone, found.unused) == ({}, (2,))
    many = replace(RENT, context=tuple(replace(RENT.context[2], id=str(i)) for i in range(70)))
    assert more_for_sentences(many) == 60
    method.seen.clear()
    found = leave_one_out(method, many, sentences=True)
    assert len(method.seen) <= 1 + len(versions(many)) + 60
    assert found.notes == (
        "30 sources that the answer is least related to were not left out one at a time.",
        "10 context sentences that the answer is least related to were not left out one at a time.",
    )
    method.seen.clear()
    failed = Judgement(Status.FAILED, note="The server does not answer.")
    method.does = lambda c: failed if len(c.context) == 3 and c != three else None
    three = replace(RENT, context=tuple(replace(RENT.context[0], id=name) for name in "xyz"))
    found = leave_one_out(method, three, sentences=True)
    assert len(found.sentences) == 2
    assert found.notes == ("It was stopped before the end: The server does not answer.",)


def test_a_budget_that_runs_out_keeps_what_was_paid_for() -> None:
    def pay(case: Case) -> None:
        if len(method.seen) == 3:
            raise BudgetSpent("The budget is spent.")

    method = Asks(does=pay)
    found = leave_one_out(method, RENT)
    assert firsts(found, "sources") == {0: 0.5}
    assert found.notes == ("It was stopped before the end: The budget is spent.",)
    assert (found.nothing, found.unused, stands_on_nothing(found, 0.5)) == (None, (), ())


def test_a_server_that_fails_twice_is_asked_no_more() -> None:
    failed = Judgement(Status.FAILED, note="The server does not answer.")
    method = Asks(does=lambda c: failed if len(c.context) < 3 else None)
    found = leave_one_out(method, RENT)
    assert sorted(found.sources) == [0, 1]
    assert found.notes == ("It was stopped before the end: The server does not answer.",)
    assert len(method.seen) == 3
    # Nothing is known of what carries it, so nothing is claimed.
    local = SharedWords(does=lambda c: failed if len(c.context) < 3 and c.context != (UNRELATED,) else None)
    sentence = carriers(local, RENT, 0, 0.5).sentence
    assert sentence.keeps is None or sentence.keeps.members


def test_it_stops_where_the_user_wants_and_says_how_far_it_is() -> None:
    heard: list[tuple[int, int]] = []

    def hear(done: int, total: int) -> None:
        heard.append((done, total))
        if done == 4:
            raise Cancelled("enough")

    method = SharedWords()
    with listening(hear), pytest.raises(Cancelled):
        leave_one_out(method, RENT)
    assert len(method.seen) == 4
    assert [done for done, _ in heard] == [1, 2, 3, 4]
    assert all(done <= total for done, total in heard)


def test_of_very_many_sources_some_are_tried_and_the_others_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_SOURCES", "MOST_SENTENCES"):
        monkeypatch.setattr(module, name, 4)
    case = replace(RENT, context=tuple(replace(RENT.context[i % 3], id=str(i)) for i in range(12)))
    method = SharedWords()
    found = carriers(method, case, 0, 0.9)
    assert found.found.notes == (
        "8 sources that this sentence is least related to were not left out one at a time.",
        "12 context sentences that this sentence is least related to were not left out one at a time.",
    )
    assert (len(found.found.sources), len(found.found.sentences)) == (4, 4)
    # All, without each of four, nothing, those that are idle together and in turn, four alone, without each of four sentences.
    assert found.found.scorings <= 1 + 4 + 1 + 1 + 4 + 4 + 4
    assert len(method.seen) <= found.found.scorings + 1 + 2 * MOST_TESTS


def test_the_table_has_a_row_for_each_part_and_sentence_with_places_in_the_original() -> None:
    found = leave_one_out(SharedWords(), RENT)
    table = frame(RENT, found, 0.7)
    assert table.groupby("left_out").size().to_dict() == {
        "all sources": 2,
        "context sentence": 8,
        "other sources": 6,
        "source": 6,
    }
    units = table[table["left_out"] == "context sentence"]
    texts = [
        RENT.context[int(p) - 1].text[int(a) : int(b)]
        for p, a, b in zip(units["source"], units["start"], units["end"], strict=True)
    ]
    assert texts[::2] == ["Tenants pay rent.", "Cats sleep.", "Rent is due monthly.", "Dogs bark loudly."]
    row = table[(table["left_out"] == "source") & (table["source"] == 1) & (table["sentence"] == 1)].iloc[0]
    assert (row["support"], row["without"], row["change"], bool(row["verdict_changes"])) == (1.0, 0.5, -0.5, True)
    assert table["stands_on_nothing"].tolist() == [False, True] * 11
