"""The judge without a chat model, on supports counted by hand with the overlap method."""

from dataclasses import dataclass

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.methods import Method, registry
from groundscope.rag.offline_judge import GroundedBy, OfflineJudge
from groundscope.rag.types import Question
from groundscope.types import Case, Judgement, Passage, Status
from tests.loops import each

OVERLAP: Method = registry.load("overlap")
PASSAGES = (Passage("a", "The high court dismissed the appeal."), Passage("b", "Costs went to the tenant."))
QUESTION = Question("q", "Which court dismissed it?", "The high court.")


@dataclass(frozen=True)
class Said(Method):
    """A method that says one thing."""

    judgement: Judgement
    signature: str = "said|always"

    def score(self, case: Case) -> Judgement:
        return self.judgement


def judging(grounded: Method, threshold: float, correct: Method, reached: float) -> OfflineJudge:
    return OfflineJudge(GroundedBy(grounded, threshold), GroundedBy(correct, reached))


def overlap(grounded: float = 0.5, correct: float = 0.5) -> OfflineJudge:
    return judging(OVERLAP, grounded, OVERLAP, correct)


@each(
    ("answer", "correct", "grounded"),
    [
        # (high court) is all of the reference; (high court) (court dismissed) (dismissed appeal) all stand in the passage.
        ("The high court dismissed the appeal.", True, True),
        # More than the reference says is still correct; the worst sentence decides on grounding.
        ("The high court dismissed the appeal. Martians applauded politely.", True, False),
        # The other way round: the answer is in the passages, the reference not in the answer.
        ("Costs went to the tenant.", False, True),
        ("The supreme court of Mars.", False, False),
    ],
)
def test_grounded_is_judged_by_the_passages_and_correct_by_the_reference(answer: str, correct: bool, grounded: bool) -> None:
    assert overlap().judge(QUESTION, answer, PASSAGES)[:2] == (correct, grounded)


def test_a_support_at_the_threshold_is_enough_and_the_reasons_tell_it() -> None:
    # (court dismissed) (dismissed appeal) of (court dismissed) (dismissed appeal) (appeal Monday): 2 of 3.
    answer = "The court dismissed the appeal on Monday."
    third = OVERLAP.score(Case("c", "", PASSAGES, answer)).support
    assert third == pytest.approx(2 / 3)
    assert third is not None
    assert overlap(third).judge(QUESTION, answer, PASSAGES).grounded is True
    assert overlap(third + 1e-9).judge(QUESTION, answer, PASSAGES).grounded is False
    said = overlap(0.7).judge(QUESTION, answer, PASSAGES).reasons
    assert said == (
        "Grounded: no by Overlap (support 0.667, threshold 0.7). Correct: no by Overlap (support 0.000, threshold 0.5)."
    )


def test_without_a_reference_there_is_no_verdict_on_correctness() -> None:
    verdict = overlap().judge(Question("q", "Who?", " \n"), "Costs went to the tenant.", PASSAGES)
    assert verdict[:2] == (None, True)
    assert verdict.reasons.endswith("Correct: no verdict, as there is no reference answer.")


@pytest.mark.parametrize("answer", ["", " \n"])
def test_an_empty_answer_is_not_correct_and_neither_grounded_nor_not(answer: str) -> None:
    failing = Said(Judgement(Status.FAILED, note="It must not be asked."))
    verdict = judging(failing, 0.5, failing, 0.5).judge(QUESTION, answer, PASSAGES)
    assert verdict[:2] == (False, None)
    assert verdict.reasons.startswith("There is no answer")
    assert judging(failing, 0.5, failing, 0.5).judge(Question("q", "Who?"), answer, PASSAGES)[:2] == (None, None)


def test_no_passage_means_no_verdict_on_grounding() -> None:
    verdict = overlap().judge(QUESTION, "The high court.", ())
    assert verdict[:2] == (True, None)
    assert "Grounded: no verdict by Overlap (not assessable). There are no sources" in verdict.reasons


@each("status", [s for s in Status if s not in (Status.SCORED, Status.FAILED)])
def test_what_a_method_could_not_judge_is_none_with_its_note(status: Status) -> None:
    failing = Said(Judgement(status, note="Get the weights."))
    verdict = judging(failing, 0.0, failing, 0.0).judge(QUESTION, "The high court.", PASSAGES)
    assert verdict[:2] == (None, None)
    state = status.value.replace("_", " ")
    assert verdict.reasons == " ".join(
        f"{what}: no verdict by said ({state}). Get the weights." for what in ("Grounded", "Correct")
    )


def test_one_method_that_abstains_leaves_the_other_verdict() -> None:
    silent = Said(Judgement(Status.ABSTAINED, note="It does not know."))
    assert judging(silent, 0.5, OVERLAP, 0.5).judge(QUESTION, "The high court.", PASSAGES)[:2] == (True, None)
    assert judging(OVERLAP, 0.5, silent, 0.5).judge(QUESTION, "The high court.", PASSAGES)[:2] == (None, True)


def test_a_method_that_fails_gives_no_verdict_to_keep() -> None:
    failing = Said(Judgement(Status.FAILED, note="Get the weights."))
    for judge in (judging(failing, 0.5, OVERLAP, 0.5), judging(OVERLAP, 0.5, failing, 0.5)):
        with pytest.raises(ScorerUnavailable, match=r"said could not judge: Get the weights\."):
            judge.judge(QUESTION, "The high court.", PASSAGES)


def test_hostile_texts_are_judged() -> None:
    hostile = "<script>\x00\ud800\u202e The high court. " + "x" * 1_000_000
    verdict = overlap().judge(Question("q", hostile, hostile), hostile, (Passage("p", hostile),))
    assert verdict[:2] == (True, True)
    verdict.reasons.encode()


def test_no_method_gets_what_no_model_takes() -> None:
    class Writable(Method):
        signature = "writable"

        def score(self, case: Case) -> Judgement:
            "".join((case.query, case.response, *(p.text for p in case.context))).encode()
            return Judgement(Status.SCORED, support=1.0)

    half = "The high court.\ud800"
    judge = judging(Writable(), 0.5, Writable(), 0.5)
    assert judge.judge(Question("q", half, half), half, (Passage("p", half),))[:2] == (True, True)


def test_title_and_signature_name_both_methods_and_thresholds() -> None:
    judge = judging(OVERLAP, 0.25, Said(Judgement(Status.FAILED)), 1)
    assert judge.title == "Judged offline: grounded by Overlap from 0.25 on, correct by said from 1 on"
    assert judge.signature == f"offline_judge|grounded=({OVERLAP.signature})>=0.25|correct=(said|always)>=1.0"
    near = judging(OVERLAP, 0.25 + 1e-12, Said(Judgement(Status.FAILED)), 1)
    assert near.signature != judge.signature
