"""Leaving out one passage after the other: with the project's own extracts and judge, and with scripted ones that go wrong."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from groundscope.chat.batches import Deferred
from groundscope.errors import BudgetSpent, Cancelled, ModelUnavailable
from groundscope.experiments.plan import Place
from groundscope.methods import registry
from groundscope.rag import experiments
from groundscope.rag.dropping import Dropped, PassageEffect, ablate
from groundscope.rag.extracting import BySupport
from groundscope.rag.judging import ChatJudge
from groundscope.rag.offline_judge import OfflineJudge
from groundscope.rag.types import Question, Verdict, Written
from groundscope.rag.writing import ChatGenerator
from groundscope.runtime.progress import still_wanted
from groundscope.types import Passage
from tests.groundscope.rag.parts import Copies, begun, parts, worked
from tests.groundscope.rag.test_writing import Scripted

OVERLAP = registry.load("overlap")
EXTRACT, JUDGE = BySupport(OVERLAP, 1), OfflineJudge(OVERLAP, 0.5, OVERLAP, 0.5)
QUESTION = Question("q", "Which court dismissed the appeal?", "The high court.")
HOLDS, NOISE = Passage("a", "The high court dismissed the appeal."), Passage("b", "The weather was fine.")
GOOD = Verdict(True, True)


class Writer:
    """Writes what a function of the passages says."""

    signature = "writer"

    def __init__(self, write: Callable[[list[str]], str]) -> None:
        self.write = write

    def answer(self, question: str, passages: Sequence[Passage]) -> Written:
        return Written(self.write([p.id for p in passages]))


class Reader:
    """Judges by a function of the answer."""

    signature = "reader"

    def __init__(self, read: Callable[[str], Verdict]) -> None:
        self.read = read

    def judge(self, question: Question, answer: str, passages: Sequence[Passage]) -> Verdict:
        return self.read(answer)


def silent(done: int, total: int) -> None:
    pass


def scripted(write: Callable[[list[str]], str], read: Callable[[str], Verdict], count: int = 3) -> list[Dropped]:
    passages = [Passage(f"p{i}", f"Text {i}.") for i in range(count)]
    return ablate(QUESTION, passages, Writer(write), Reader(read), silent)


def test_the_passage_that_holds_the_answer_carries_it() -> None:
    rows = ablate(QUESTION, (NOISE, HOLDS), EXTRACT, JUDGE, silent)
    assert [(r.passage, r.written.text, r.verdict[:2], r.changed, r.effect, r.note) for r in rows] == [
        (None, HOLDS.text, (True, True), 0.0, None, ""),
        (0, HOLDS.text, (True, True), 0.0, PassageEffect.NONE, ""),
        # Six words against four, of which "The" is common: 1 - 2 * 1 / 10.
        (1, NOISE.text, (False, True), pytest.approx(0.8), PassageEffect.CARRIES, ""),
    ]


def test_of_two_passages_that_say_the_same_neither_carries_the_answer() -> None:
    rows = ablate(QUESTION, (HOLDS, HOLDS), EXTRACT, JUDGE, silent)
    assert [r.effect for r in rows] == [None, PassageEffect.NONE, PassageEffect.NONE]


def test_the_only_passage_carries_what_is_no_answer_without_it() -> None:
    (_, row) = ablate(QUESTION, (HOLDS,), EXTRACT, JUDGE, silent)
    assert (row.written.text, row.verdict[:2], row.changed, row.effect) == ("", (False, None), 1.0, PassageEffect.CARRIES)


def test_without_passages_there_is_one_row() -> None:
    (row,) = ablate(QUESTION, (), EXTRACT, JUDGE, silent)
    assert (row.passage, row.effect, row.written.text) == (None, None, "")


def test_with_a_chat_model_each_passage_is_missing_once() -> None:
    writer = Scripted("In May.")
    reader = Scripted('{"reasoning": "", "correct": true, "grounded": true}')
    rows = ablate(QUESTION, (HOLDS, NOISE), ChatGenerator(writer), ChatJudge(reader), silent)
    assert [r.effect for r in rows] == [None, PassageEffect.NONE, PassageEffect.NONE]
    for model in (writer, reader):
        there = [(HOLDS.text in model.message(i), NOISE.text in model.message(i)) for i in range(3)]
        assert there == [(True, True), (False, True), (True, False)]


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        ((True, True), (True, True), PassageEffect.NONE),
        ((False, False), (False, False), PassageEffect.NONE),
        ((True, True), (False, True), PassageEffect.CARRIES),
        ((True, True), (True, False), PassageEffect.CARRIES),
        ((False, True), (True, True), PassageEffect.MISLEADS),
        ((True, False), (True, True), PassageEffect.MISLEADS),
        # Correctness decides.
        ((False, True), (True, False), PassageEffect.MISLEADS),
        ((True, False), (False, True), PassageEffect.CARRIES),
        # An answer that was wrong from the start is carried by nothing.
        ((False, True), (False, False), PassageEffect.GROUNDING),
        ((False, False), (False, True), PassageEffect.GROUNDING),
        ((False, True), (None, False), PassageEffect.GROUNDING),
        ((None, True), (None, True), PassageEffect.UNKNOWN),
        ((None, True), (None, False), PassageEffect.CARRIES),
        ((True, None), (True, True), PassageEffect.UNKNOWN),
        ((True, True), (None, None), PassageEffect.UNKNOWN),
    ],
)
def test_the_effect_is_how_the_verdict_turns(
    before: tuple[bool | None, bool | None], after: tuple[bool | None, bool | None], effect: PassageEffect
) -> None:
    rows = scripted(lambda ids: "all" if "p0" in ids else "less", lambda text: Verdict(*(before if text == "all" else after)), 1)
    assert [r.effect for r in rows] == [None, effect]


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("", "", 0.0), ("a b c", "a b c", 0.0), ("a b c", " a\nb  c ", 0.0), ("a b", "", 1.0), ("a b", "c d", 1.0),
        ("a b c d", "a b c x", 0.25), ("aaaa", "aaab", 1.0),
    ],
)  # fmt: skip
def test_what_changed_is_a_share_of_words(before: str, after: str, changed: float) -> None:
    rows = scripted(lambda ids: before if ids else after, lambda text: GOOD, 1)
    assert rows[1].changed == pytest.approx(changed)


def fails_without(name: str, error: Exception) -> Callable[[list[str]], str]:
    def write(ids: list[str]) -> str:
        if name not in ids:
            raise error
        return f"{len(ids)}"

    return write


@pytest.mark.parametrize(
    ("error", "note"),
    [
        (ModelUnavailable("Choose another model."), "Choose another model."),
        (ValueError("the text: secret"), "Without this passage the question could not be answered and judged (ValueError)."),
    ],
)
def test_what_goes_wrong_without_one_passage_is_its_note_and_the_rest_goes_on(error: Exception, note: str) -> None:
    rows = scripted(fails_without("p1", error), lambda text: GOOD)
    assert [(r.passage, r.effect, r.note) for r in rows] == [
        (None, None, ""), (0, PassageEffect.NONE, ""), (1, PassageEffect.UNKNOWN, note), (2, PassageEffect.NONE, ""),
    ]  # fmt: skip
    assert (rows[2].written, rows[2].verdict, rows[2].changed) == (Written(""), Verdict(None, None), None)


def test_an_answer_that_could_not_be_judged_is_shown_all_the_same() -> None:
    def read(text: str) -> Verdict:
        if text == "without":
            raise ModelUnavailable("The judge is away.")
        return GOOD

    rows = scripted(lambda ids: "with" if "p0" in ids else "without", read, 2)
    assert rows[1] == Dropped(0, Written("without"), Verdict(None, None), 1.0, PassageEffect.UNKNOWN, "The judge is away.")
    assert rows[2].effect is PassageEffect.NONE


def test_without_a_row_to_compare_with_there_is_none() -> None:
    def away(ids: list[str]) -> str:
        raise ModelUnavailable("No key.")

    with pytest.raises(ModelUnavailable, match="No key"):
        scripted(away, lambda text: GOOD)


@pytest.mark.parametrize("error", [BudgetSpent("Spent."), Cancelled("Left."), Deferred("Later.")])
def test_what_ends_a_run_is_no_note(error: Exception) -> None:
    with pytest.raises(type(error)):
        scripted(fails_without("p1", error), lambda text: GOOD)


def test_what_was_paid_for_before_the_budget_ran_out_is_handed_over() -> None:
    kept: list[Dropped] = []
    passages = [Passage(f"p{i}", f"Text {i}.") for i in range(3)]
    writer = Writer(fails_without("p1", BudgetSpent("Spent.")))
    with pytest.raises(BudgetSpent):
        ablate(QUESTION, passages, writer, Reader(lambda text: GOOD), silent, kept.append)
    assert [(row.passage, row.written.text) for row in kept] == [(None, "3"), (0, "2")]


def test_progress_is_reported_and_the_user_can_leave_at_every_step() -> None:
    heard: list[tuple[int, int]] = []
    ablate(QUESTION, (NOISE, HOLDS), EXTRACT, JUDGE, lambda done, total: heard.append((done, total)))
    assert list(dict.fromkeys(heard)) == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert heard == sorted(heard)
    for at in range(4):
        asked: list[list[str]] = []

        def leave(done: int, total: int, at: int = at) -> None:
            if done == at:
                raise Cancelled

        def write(ids: list[str], asked: list[list[str]] = asked) -> str:
            asked.append(ids)
            return "x"

        with pytest.raises(Cancelled):
            ablate(QUESTION, (NOISE, HOLDS), Writer(write), Reader(lambda text: GOOD), leave)
        assert len(asked) == at


def test_the_user_can_leave_while_an_answer_is_written() -> None:
    gone = False

    def write(ids: list[str]) -> str:
        nonlocal gone
        gone = True
        still_wanted()
        raise AssertionError("nobody wants this answer")

    def hear(done: int, total: int) -> None:
        if gone:
            raise Cancelled

    with pytest.raises(Cancelled):
        ablate(QUESTION, (NOISE,), Writer(write), Reader(lambda text: GOOD), hear)


class Dying(Copies):
    """Copies, until its answers are used up."""

    def answer(self, question: str, passages: Sequence[Passage]) -> Written:
        if len(self.calls) == 3:
            raise BudgetSpent("Spent.")
        return super().answer(question, passages)


def test_rows_of_an_experiment_are_kept_as_they_come_and_stay_until_there_are_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    made, place = parts(), Place(0, 1, 5)
    file = begun(made)
    with pytest.raises(ValueError, match="There is no such answer in this experiment"):
        made.steps(file).drop(place, silent)
    worked(file, made)
    assert experiments.drops(file, place) == []
    with pytest.raises(BudgetSpent):
        parts(copies=Dying()).steps(file).drop(place, silent)
    assert [d.passage for d in experiments.drops(file, place)] == [None, 0, 1]
    before = experiments.drops(file, place)
    with pytest.raises(BudgetSpent):
        parts(copies=Dying(calls=["once"])).steps(file).drop(place, silent)
    assert experiments.drops(file, place) == before
    rows = parts().steps(file).drop(place, silent)
    assert [d.passage for d in rows] == [None, 0, 1, 2]
    assert experiments.drops(file, place) == rows
    # The experiment itself is as it was.
    assert len(experiments.answers(file)) == 24
    assert file.finished()
