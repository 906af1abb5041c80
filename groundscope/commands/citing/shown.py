"""What `citations` shows of scores: as text, as JSON, and beside human ratings."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from groundscope.citations.batch import Batch
from groundscope.citations.comparing import MEASURES, Correlation, RankAgreement, SystemMean, SystemRow
from groundscope.citations.fresco import FrescoScore
from groundscope.citations.similarity import Similarity
from groundscope.citations.whole_texts import WholeTextScore, beside_ratings
from groundscope.commands.terminal import table

Scores = dict[str, dict[str, FrescoScore]]
"""By system, then by id of the text."""


def with_people(batch: Batch, scores: Scores, beside: Sequence[WholeTextScore], similarity: Similarity) -> list[RankAgreement]:
    """Compare how recall, whole texts and human ratings rank the texts; empty where none has a rating."""
    recall = {f"Recall by {similarity.title}": [scores[e.system][e.id].recall for e in batch.entries]}
    return beside_ratings(recall, beside, [e.rating for e in batch.entries], [e.id for e in batch.entries])


def parts(scores: Scores, found: tuple[SystemRow, ...], agree: Sequence[RankAgreement], metric: str) -> list[str]:
    """What is shown below the heading: the table of systems, what counts in no figure, and the rank correlations."""
    rows = [
        (
            r.system,
            *(_cell(r.means[m]) for m in MEASURES),
            f"{r.means['recall'].of + r.means['recall'].left_out:,}",
            _cell(r.above_first) if r.above_first else "-",
        )
        for r in found
    ]
    parts = [
        table(("system", "recall", "precision", "F1", "texts", "above the first"), rows),
        "The literal sum is no share, so it has no F1." if metric == "sum" else "",
        *left_out([s for by_id in scores.values() for s in by_id.values()], metric),
        "\n".join(_agreement(a) for a in agree),
    ]
    return [part for part in parts if part]


def left_out(scores: Sequence[FrescoScore], metric: str) -> list[str]:
    """Say what counts in no figure, in three sentences, each empty where nothing is left out.

    They are of texts whose reference holds nothing to score, of texts where no similarity could be computed, and of reference
    claims or points without one.
    """
    empty = sum(not s.reference for s in scores)
    untold = sum(bool(s.reference) and isnan(s.recall) for s in scores)
    claims = sum(s.unknown for s in scores)
    nothing = "holds no point" if metric == "points" else "cites nothing that could be read"
    what = "point" if metric == "points" else "claim"
    return [
        f"{_texts(empty)} no score: the reference {nothing}." if empty else "",
        f"{_texts(untold)} no score: the similarity of no {what} could be computed." if untold else "",
        f"Reference {what}s left out, as no similarity could be computed: {claims:,}." if claims else "",
    ]


def _texts(count: int) -> str:
    return "1 text has" if count == 1 else f"{count:,} texts have"


def _agreement(a: RankAgreement) -> str:
    if isnan(a.kendall.value):
        return f"{a.first} and {a.second}: no rank correlation can be computed from {a.of:,} texts"
    spearman, kendall = _ends(a.spearman, 2), _ends(a.kendall, 2)
    return f"{a.first} and {a.second}: Spearman {spearman}, Kendall {kendall}, {a.of:,} texts"


def _cell(mean: SystemMean) -> str:
    return "-" if isnan(mean.value) else f"{_ends(mean, 3)} n={mean.of:,}"


def _ends(found: SystemMean | Correlation, digits: int) -> str:
    """A figure with the ends of its interval."""
    return f"{found.value:.{digits}f} ({found.interval.low:.{digits}f} to {found.interval.high:.{digits}f})"


def as_json(batch: Batch, scores: Scores, found: tuple[SystemRow, ...], agree: Sequence[RankAgreement]) -> dict[str, Any]:
    """Collect all figures as JSON values: lists under `systems`, `texts` and `agreement`; what is not known is None."""
    return {
        "systems": [
            {
                "system": r.system,
                **{m: _mean(r.means[m]) for m in MEASURES},
                "above_first": r.above_first and _mean(r.above_first),
            }
            for r in found
        ],
        "texts": [
            {"id": e.id, "system": e.system, "rating": e.rating, **_figures(scores[e.system][e.id])} for e in batch.entries
        ],
        "agreement": [
            {"first": a.first, "second": a.second, "of": a.of, "spearman": _figure(a.spearman), "kendall": _figure(a.kendall)}
            for a in agree
        ],
    }


def _mean(mean: SystemMean) -> dict[str, Any]:
    return {**_figure(mean), "texts": mean.of}


def _figure(found: SystemMean | Correlation) -> dict[str, float | None]:
    return {"value": _none(found.value), "low": _none(found.interval.low), "high": _none(found.interval.high)}


def _figures(made: FrescoScore) -> dict[str, Any]:
    return {
        **{m: _none(getattr(made, m)) for m in MEASURES},
        "reference_pairs": made.reference,
        "generated_pairs": made.generated,
        "matched": len(made.matched),
        "unknown": made.unknown,
    }


def _none(value: float) -> float | None:
    return None if isnan(value) else value
