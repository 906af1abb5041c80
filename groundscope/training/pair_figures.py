"""Metrics of a fine-tuned model on dev: on pairs, and on whole responses beside other methods."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import DataError
from groundscope.methods import Method
from groundscope.runtime.progress import listener, listening
from groundscope.statistics.curves import best, curve
from groundscope.statistics.metrics import called, confusion, scores
from groundscope.types import Case, Status


def figures(supports: NDArray[np.float64], grounded: NDArray[np.bool_]) -> dict[str, float]:
    """Compute how well supports separate two classes."""
    from sklearn.metrics import roc_auc_score

    points = curve(supports, grounded)
    f1 = points.macro_f1()
    at = best(f1)
    return {
        "macro_f1": round(float(f1[at]), 4),
        "threshold": round(float(np.clip(points.thresholds[at], 0.0, 1.0)), 4),
        "auroc": round(float(roc_auc_score(grounded, supports)), 4),
        "brier": round(float(np.mean((supports - grounded) ** 2)), 4),
    }


AT_HALF = ("precision", "recall", "f1", "accuracy")
"""The columns of the paper's table 2."""
PAPERS_TABLE_2 = {
    "deberta-v3-base": {"precision": 0.459, "recall": 0.466, "f1": 0.450, "accuracy": 0.493},
    "deberta-v3-large": {"precision": 0.736, "recall": 0.739, "f1": 0.733, "accuracy": 0.733},
}
"""Table 2 of Trautmann et al. 2024: the two bases on the paper's 75 dev pairs."""


def at_half(supports: NDArray[np.float64], grounded: NDArray[np.bool_]) -> dict[str, float]:
    """Compute the figures of the paper's table 2: pairs called supported from one half on."""
    metrics = scores(confusion(grounded, called(supports, 0.5)))
    values = (metrics.precision, metrics.recall, metrics.macro_f1, metrics.accuracy)
    return {name: round(value, 4) for name, value in zip(AT_HALF, values, strict=True)}


def table_2(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Lay out figures as the paper's table 2, in Markdown: a row a model."""
    lines = (f"| {words} | {' | '.join(f'{figures[name]:.3f}' for name in AT_HALF)} |\n" for words, figures in rows.items())
    return f"| | precision | recall | F1 | accuracy |\n|---|---|---|---|---|\n{''.join(lines)}"


def search_table(settings: Sequence[Mapping[str, Any]]) -> str:
    """Lay out the settings of a search in the same way, the chosen one marked."""
    return table_2({row["setting"] + ", chosen" * row["chosen"]: row for row in settings})


def on_responses(method: str, scorer: Method, cases: Sequence[Case]) -> dict[str, Any]:
    """Judge labelled responses and tune the threshold on them; reports the responses done."""
    heard, judgements = listener(), []
    for number, case in enumerate(cases):
        # A method would report its own pairs.
        with listening(lambda *_, number=number: heard(number, len(cases))):
            judgements.append(scorer.score(case))
    if failed := next((j for j in judgements if j.status is Status.FAILED), None):
        raise DataError(f"{method} could not judge a response of dev: {failed.note}")
    judged = [(j.support, bool(c.grounded), j.seconds) for j, c in zip(judgements, cases, strict=True) if j.support is not None]
    if len({label for _, label, _ in judged}) < 2:
        raise DataError(f"{method} could assess no grounded or no ungrounded response of dev.")
    supports, labels, seconds = (np.array(column) for column in zip(*judged, strict=True))
    return {"method": method, **figures(supports, labels), "seconds": round(float(seconds.mean()), 4)}
