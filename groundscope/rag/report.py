"""The report of an experiment: tables, impacts and tests for all three outcomes, as JSON and in words.

The impact of an embedder or a model is its RAG accuracy relative to the mean of its kind (Butler and Butler 2026, perhaps its
figure 3).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundscope.rag.contrasts import Comparisons, compare, factors
from groundscope.rag.effects import CannotTell, Combination, Effect, Fit, Joint
from groundscope.rag.effects.axes import Axis, axes
from groundscope.rag.outcomes import ERRORS, Answer, OutcomeRow, Share, numbers, rows, verdicts
from groundscope.rag.ranking import NAMES, Ranking
from groundscope.statistics.bootstrap import Interval, drawn_queries
from groundscope.statistics.raters import RaterAgreement, rater_agreement
from groundscope.statistics.significance import clustered_wilson
from groundscope.text.humanize import plural


@dataclass(frozen=True, slots=True)
class Impact:
    """What one embedder or model does to RAG accuracy: its mean / the mean of all of its kind - 1.

    `accuracy`: mean over its combinations, so that one with more answers does not count for more. `relative`: above 0 = better
    than the mean.
    """

    level: str
    accuracy: float
    relative: float


def impacts(combinations: Sequence[OutcomeRow], *, of_embedders: bool) -> list[Impact]:
    """Compute the impact of each embedder, or of each model, in the order of first appearance; NaN where no accuracy is known.

    Combinations without RAG accuracy count in no mean; `relative` is NaN also if the mean is 0.
    """
    levels = [row.embedder if of_embedders else row.model for row in combinations]
    values = np.array([row.accuracy.value for row in combinations], dtype=np.float64)
    means = {level: _mean(values[[at == level for at in levels]]) for level in dict.fromkeys(levels)}
    overall = _mean(np.array(list(means.values()), dtype=np.float64))
    return [Impact(level, mean, mean / overall - 1 if overall else float("nan")) for level, mean in means.items()]


def _mean(values: NDArray[np.float64]) -> float:
    finite = values[~np.isnan(values)]
    return float(finite.mean()) if finite.size else float("nan")


def confounded(combinations: Sequence[OutcomeRow]) -> str:
    """Say whether impacts are means over different combinations."""
    tried = {Combination(r.embedder, r.model) for r in combinations if r.accuracy.of}
    crossed = product(dict.fromkeys(r.embedder for r in combinations), dict.fromkeys(r.model for r in combinations))
    if all(Combination(*cell) in tried for cell in crossed):
        return ""
    return "Not all combinations were run and judged, so these means are over different models or embedders."


OUTCOMES = ("correct", "grounded", "both")
PAPER_BASELINES = (("text-embedding-3-large",), ("gemini-3.1-pro", "gemini-3.1-pro-preview"))
"""Names of the paper's baselines; they are matched whatever their case, spaces and hyphens, and whatever follows a comma, such as
`k = 5`."""
SURE = 0.05
"""p below which a difference counts as shown."""
MARKS = "*** p < 0.001, ** p < 0.01, * p < 0.05, † p < 0.1"
"""What the marks of p-values mean."""
_STARS = ((0.001, "***"), (0.01, "**"), (SURE, "*"), (0.1, "†"))


@dataclass(frozen=True, slots=True)
class RagReport:
    """The analysis of a set of answers.

    Attributes:
        judges: who judged, as far as it is known; stands beside every figure.
        axes: settings of retrieval that vary, with the shares of each value; none where only embedders and models differ.
        second_judges: which methods judged, too, what is grounded.
        agreement: of both judges on what is grounded; None = no answer has two verdicts.
    """

    answers: int
    questions: int
    baseline_embedder: str
    baseline_model: str
    combinations: tuple[OutcomeRow, ...]
    embedders: tuple[OutcomeRow, ...]
    models: tuple[OutcomeRow, ...]
    embedder_impacts: tuple[Impact, ...]
    model_impacts: tuple[Impact, ...]
    tests: dict[str, Comparisons]
    judges: tuple[str, ...] = ()
    axes: tuple[Axis, ...] = ()
    second_judges: tuple[str, ...] = ()
    agreement: RaterAgreement | None = None


def judges_agreement(answers: Sequence[Answer]) -> RaterAgreement | None:
    """How far two judges agree on what is grounded; None where no answer has two verdicts.

    The interval of kappa resamples questions; that of the share is Wilson's with questions as groups, which has a width also
    where both always agree.
    """
    paired = [a for a in answers if a.grounded is not None and a.second_grounded is not None]
    if not paired:
        return None
    ratings = [[int(bool(a.grounded)) for a in paired], [int(bool(a.second_grounded)) for a in paired]]
    questions = [a.question_id for a in paired]
    totals, equal = Counter(questions), Counter(a.question_id for a in paired if a.grounded == a.second_grounded)
    interval = clustered_wilson([equal[q] for q in totals], list(totals.values()))
    return replace(rater_agreement(ratings, 2, questions, drawn_queries(questions)), share_interval=interval)


def agreement_words(report: RagReport) -> str:
    """Say how far both judges agree on what is grounded; empty where there is no second one."""
    agreed, names = report.agreement, " and ".join(report.second_judges)
    if not names:
        return ""
    if agreed is None:
        return f"Second judge: {names}. No answer has a verdict of both judges on what is grounded."
    share = f"{100 * agreed.share:.1f} %{_ends(agreed.share_interval, 100, 1)}"
    kappa = (
        "no Cohen's kappa, since both give one and the same verdict throughout"
        if math.isnan(agreed.kappa)
        else f"Cohen's kappa {agreed.kappa:.2f}{_ends(agreed.kappa_interval, 1, 2)}"
    )
    return (
        f"Second judge: {names}. On what is grounded both judges agree in {share} of {plural(agreed.items, 'answer')}; {kappa}. "
        "In brackets 95 % intervals, with questions as groups."
    )


def _ends(interval: Interval, scale: float, places: int) -> str:
    if math.isnan(interval.low):
        return ""
    return f" ({scale * interval.low:.{places}f} to {scale * interval.high:.{places}f})"


def report(answers: Sequence[Answer], baseline_embedder: str = "", baseline_model: str = "") -> RagReport:
    """Analyse answers: tables, impacts and tests."""
    if not answers:
        raise ValueError("There are no answers to report on.")
    embedders, models = [a.embedder for a in answers], [a.model for a in answers]
    crossed = factors(embedders, models, baseline_embedder or _first(embedders, 0), baseline_model or _first(models, 1))
    cells = rows(answers)
    questions = [a.question_id for a in answers]
    judged = verdicts(answers)
    outcomes = {"correct": judged["correct"], "grounded": judged["grounded"], "both": judged["rag_accuracy"]}
    return RagReport(
        len(answers),
        len(set(questions)),
        crossed.embedders[0],
        crossed.models[0],
        tuple(cells),
        tuple(rows(answers, models=False)),
        tuple(rows(answers, embedders=False)),
        tuple(impacts(cells, of_embedders=True)),
        tuple(impacts(cells, of_embedders=False)),
        {name: compare(Fit(questions, embedders, models, numbers(y)), crossed) for name, y in outcomes.items()},
        tuple(dict.fromkeys(a.judge for a in answers if a.judge)),
        axes(answers),
        tuple(dict.fromkeys(a.second_judge for a in answers if a.second_judge)),
        judges_agreement(answers),
    )


def _first(levels: Sequence[str], which: int) -> str:
    names = PAPER_BASELINES[which]
    return next((level for level in levels if "-".join(_plain(level).split()) in names), levels[0])


def _plain(level: str) -> str:
    return level.partition(",")[0].lower().replace("-", " ")


ASKED = (
    ("Does the embedder matter?", "embedder"),
    ("Does the model matter?", "model"),
    ("Does the embedder's effect depend on the model?", "interaction"),
)
"""The three questions, with the name of each one's test in `Comparisons`."""
COMPARED = (
    ("Embedders, averaged over models", "embedders"),
    ("Models, averaged over embedders", "models"),
    ("Models within one embedder", "within_embedder"),
    ("Embedders within one model", "within_model"),
    ("How much more the switch of models brings with the first embedder than with the second", "differences"),
)
"""What is compared, with the name of the comparisons."""


def signed(value: float, places: int = 1) -> str:
    """Write a figure with its sign."""
    text = f"{value:+.{places}f}"
    return text if any(c in text for c in "123456789") else text.lstrip("+-")


def stars(p: float) -> str:
    """Mark how small a p-value is."""
    return next((mark for limit, mark in _STARS if p < limit), "")


def p_words(p: float) -> str:
    """Write a p-value."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def as_json(report: RagReport, ranked: Sequence[Ranking] = ()) -> dict[str, Any]:
    """Turn an analysis into plain values."""
    return {
        "answers": report.answers,
        "questions": report.questions,
        "judges": list(report.judges),
        "second_judge": _agreement(report),
        "baseline_embedder": report.baseline_embedder,
        "baseline_llm": report.baseline_model,
        "combinations": [_row(r) for r in report.combinations],
        "embedders": [_row(r) for r in report.embedders],
        "llms": [_row(r) for r in report.models],
        "impact": {
            "embedders": {i.level: _number(i.relative) for i in report.embedder_impacts},
            "llms": {i.level: _number(i.relative) for i in report.model_impacts},
        },
        "tests": {name: _comparisons(c) for name, c in report.tests.items()},
        "axes": [_axis(axis) for axis in report.axes],
        "retrieval": [_ranking(r) for r in ranked],
    }


def _agreement(report: RagReport) -> dict[str, Any] | None:
    """The second judge with what it agrees on; None where there is none."""
    if not report.second_judges:
        return None
    values: dict[str, Any] = {"judges": list(report.second_judges), "answers": 0}
    if agreed := report.agreement:
        share, kappa = agreed.share_interval.around(agreed.share), agreed.kappa_interval.around(agreed.kappa)
        values |= {"answers": agreed.items, "share": share, "kappa": kappa}
    return values


def _axis(axis: Axis) -> dict[str, Any]:
    """Its values, the one that the others are compared with first."""
    values = [
        {"value": v.value, **_row(v.row), "differences": {figure: _told(one) for figure, one in v.differences.items()}}
        for v in axis.values
    ]
    return {"axis": axis.title, "matched": axis.matched, "left_out": axis.left_out, "values": values}


def _ranking(ranking: Ranking) -> dict[str, Any]:
    """Its row, with the figures that are not known."""
    ends = (f"{name}{end}" for name in NAMES for end in ("", " low", " high"))
    return dict.fromkeys(ends) | {"depth": ranking.depth} | ranking.row()


def _row(row: OutcomeRow) -> dict[str, Any]:
    shares = {"correct": row.correct, "grounded": row.grounded, "retrieval": row.hit, "rag_accuracy": row.accuracy}
    names = {**({"embedder": row.embedder} if row.embedder else {}), **({"llm": row.model} if row.model else {})}
    errors = {error.value: _share(row.errors[error]) for error in ERRORS}
    return {**names, **{name: _share(s) for name, s in shares.items()}, "errors": errors, "no_verdict": row.unknown}


def _share(share: Share) -> dict[str, Any]:
    ends = {"low": _number(share.interval.low), "high": _number(share.interval.high)}
    return {"share": _number(share.value), "count": share.count, "of": share.of, **ends}


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _comparisons(comparisons: Comparisons) -> dict[str, Any]:
    joint = {
        "interaction": comparisons.interaction, "embedder_main_effect": comparisons.embedder, "llm_main_effect": comparisons.model
    }  # fmt: skip
    named = {
        "embedders": comparisons.embedders, "llms": comparisons.models, "llms_within_embedder": comparisons.within_embedder,
        "embedders_within_llm": comparisons.within_model, "interaction_contrasts": comparisons.differences,
    }  # fmt: skip
    return {
        **{name: _told(j) for name, j in joint.items()},
        **{
            name: [{"what": n.what, "against": n.against, "within": n.within, **_told(n.found)} for n in all_]
            for name, all_ in named.items()
        },
    }


def _told(estimate: Joint | Effect | CannotTell) -> dict[str, Any]:
    if isinstance(estimate, CannotTell):
        return {"cannot_tell": estimate.why}
    values = asdict(estimate)
    if isinstance(estimate, Effect):
        values |= {"low": estimate.interval.low, "high": estimate.interval.high}
        del values["interval"]
    return {**values, "stars": stars(estimate.p)}
