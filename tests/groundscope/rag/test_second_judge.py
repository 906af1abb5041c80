"""A second judge of what is grounded: any method with a threshold, beside the judge, and how far both agree."""

from dataclasses import asdict, replace
from typing import Any

import pytest

from groundscope.errors import ScorerUnavailable
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import work
from groundscope.files.typed import stored
from groundscope.methods import registry
from groundscope.rag import experiments, loading
from groundscope.rag.experiments import FOLDER
from groundscope.rag.forecast import forecast
from groundscope.rag.loading import second_judge, threshold_in
from groundscope.rag.outcomes import Answer
from groundscope.rag.planning import Answering, planned
from groundscope.rag.records import read_results, to_jsonl
from groundscope.rag.report import agreement_words, as_json, report
from tests.groundscope.chat.clients.conftest import Serve, fresh, serve
from tests.groundscope.chat.clients.scripts import passes
from tests.groundscope.rag.parts import BENCHMARK, Nearest, begun, parts
from tests.llm_server import Asked, Fault, LLMServer

__all__ = ["fresh", "serve"]
CLAIM = "Rule 31 holds."


def names_a_claim(asked: Asked) -> str:
    return f'{{"reasoning": "so", "unsupported_claim": "{CLAIM}", "correct": true, "grounded": false}}'


def judged(judge: LLMServer, second: str) -> JobFile:
    judge_id = f"chat/as-printed:server:judge-7@{judge.openai}"
    plan = planned("Two", ["bm25"], ["similar"], judge_id, 2, second=second)
    return FOLDER.open(experiments.create(plan, BENCHMARK))


def test_both_judges_are_kept_with_the_claim_and_read_again(serve: Serve) -> None:
    file = judged(serve(names_a_claim), "overlap")
    assert work(file, Answering(file)).finished
    answers = experiments.answers(file)
    assert {(a.grounded, a.unsupported, a.second_grounded) for a in answers} == {(False, CLAIM, True)}
    assert {a.second_judge for a in answers} == {f"Overlap from {registry.load('overlap').about.threshold:g} on"}
    assert all("as-printed prompt" in a.judge for a in answers)
    assert read_results("a.jsonl", to_jsonl(answers).encode()).answers == tuple(answers)


def test_a_second_judge_that_asks_a_model_is_counted_and_asked(serve: Serve) -> None:
    judge, second = serve(names_a_claim), serve(passes)
    part = f"direct:model=server:second@{second.openai}"
    takes = forecast(BENCHMARK, ["bm25"], ["similar"], "offline:overlap", 2, part)
    assert [(t.calls, t.dollars, t.address) for t in takes] == [(12, 0.0, "127.0.0.1")]
    file = judged(judge, part)
    assert experiments.plan_of(file).second.asks  # type: ignore[union-attr]
    assert work(file, Answering(file)).finished
    assert len(second.asked) == 12
    answers = experiments.answers(file)
    assert {a.second_grounded for a in answers} == {True}
    assert "second@" in answers[0].second_judge


def test_what_the_second_judge_said_is_not_asked_for_again(serve: Serve) -> None:
    judge, second = serve(names_a_claim, Fault("status", status=400)), serve(passes)
    file = judged(judge, f"direct:model=server:second@{second.openai}")
    assert not work(file, Answering(file)).finished
    judge.faults = []
    assert work(file, Answering(file)).finished
    assert len(second.asked) == 12


def test_a_method_without_a_threshold_is_no_second_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    overlap = registry.load("overlap")

    class Bare(type(overlap)):  # type: ignore[misc]
        about = replace(overlap.about, threshold=None)

    monkeypatch.setattr(loading, "method_here", lambda _: Bare())
    with pytest.raises(ScorerUnavailable, match="has no threshold"):
        second_judge("bare")


@pytest.mark.parametrize(
    ("part", "method", "threshold"),
    [
        ("overlap", "overlap", None),
        ("overlap@0.4", "overlap", 0.4),
        ("direct:model=server:m@http://127.0.0.1:9/v1", "direct:model=server:m@http://127.0.0.1:9/v1", None),
        ("direct:model=server:m@http://127.0.0.1:9/v1@1", "direct:model=server:m@http://127.0.0.1:9/v1", 1.0),
    ],
)
def test_a_threshold_stands_behind_the_method(part: str, method: str, threshold: float | None) -> None:
    assert threshold_in(part) == (method, threshold)
    judge, title = second_judge(part)
    assert judge.threshold == (judge.method.about.threshold if threshold is None else threshold)
    assert title.endswith(f"from {judge.threshold:g} on")


@pytest.mark.parametrize("number", ["1.5", "-1", "nan", "inf"])
def test_a_threshold_lies_between_0_and_1(number: str) -> None:
    with pytest.raises(ValueError, match="the threshold of overlap must lie in"):
        threshold_in(f"overlap@{number}")


def test_an_experiment_of_before_has_none_and_opens() -> None:
    made = parts({"near": Nearest()})
    file = begun(made)
    row: dict[str, Any] = asdict(experiments.plan_of(file))
    del row["second"]
    assert stored(experiments.ExperimentPlan, row) == experiments.plan_of(file)
    assert stored(experiments.ExperimentPlan, row).second is None
    assert work(file, made.steps(file)).finished
    assert {(a.unsupported, a.second_judge, a.second_grounded) for a in experiments.answers(file)} == {("", "", None)}


def answers(first: str, second: str) -> list[Answer]:
    """One answer a question, with verdicts as `y`, `n` and `-` for none."""
    said = {"y": True, "n": False, "-": None}
    return [
        Answer("e", "m", str(i), None, said[a], None, second_judge="Quip", second_grounded=said[b])
        for i, (a, b) in enumerate(zip(first, second, strict=True))
    ]


def test_agreement_is_of_the_answers_with_both_verdicts() -> None:
    # 4 of 5 are equal; by chance 0.6 x 0.4 + 0.4 x 0.6 = 0.48 would be: kappa = (0.8 - 0.48) / 0.52.
    analysis = report(answers("yynny-y", "ynnnyy-"))
    agreed = analysis.agreement
    assert agreed is not None
    assert (agreed.items, agreed.share) == (5, pytest.approx(0.8))
    assert agreed.kappa == pytest.approx(0.32 / 0.52)
    assert agreed.share_interval.low <= 0.8 <= agreed.share_interval.high
    words = agreement_words(analysis)
    assert words.startswith("Second judge: Quip. On what is grounded both judges agree in 80.0 % (")
    assert "of 5 answers; Cohen's kappa 0.62 (" in words
    values = as_json(analysis)["second_judge"]
    assert (values["judges"], values["answers"], values["share"]["value"]) == (["Quip"], 5, pytest.approx(0.8))
    assert values["kappa"]["low"] <= values["kappa"]["value"] <= values["kappa"]["high"]


def test_where_nothing_can_be_said_of_agreement_it_is_said_why() -> None:
    assert "no Cohen's kappa, since both give one and the same verdict" in agreement_words(report(answers("yyy", "yyy")))
    assert agreement_words(report(answers("yy", "--"))).endswith("No answer has a verdict of both judges on what is grounded.")
    alone = report([Answer("e", "m", "1", True, True, True)])
    assert (agreement_words(alone), as_json(alone)["second_judge"]) == ("", None)
