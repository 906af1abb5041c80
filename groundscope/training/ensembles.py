"""An ensemble of methods: logistic regression over what each says of a sentence, and over the deterministic differences.

Kept as JSON: names of the columns, their means and scales on train, weights and intercept. A weight times a standardised column
is what that column counts for a sentence; these add up to the logit of its support. This is stacked generalisation (Wolpert 1992)
with a linear second level, so that every support can be explained.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import DataError
from groundscope.files.ordinary import read_ordinary
from groundscope.files.rows import parse_json
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role
from groundscope.training.ensemble_features import Features, Table, feature_names

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")

STRENGTHS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
"""Inverse strengths of the L2 penalty that are tried."""
FOLDS = 5

_SMALLEST = 1e-9
"""A standard deviation below this is rounding: the column is constant on train and carries no information."""
_LARGEST = 1e6
"""No number of an ensemble is larger, or its sums could overflow."""


@dataclass(frozen=True, slots=True)
class FittedEnsemble:
    """A fitted ensemble.

    Attributes:
        methods: ids of the methods whose supports it reads, in the order of the columns.
        means: (f,) on train; they also stand in for what a method did not assess.
        weights: (f,) of the standardised columns; above 0 speaks for support.
        threshold: of a response's support, tuned on dev; None = not tuned.
    """

    methods: tuple[str, ...]
    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float
    threshold: float | None = None
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def signatures(self) -> dict[str, str]:
        """Those that its methods had when it was fitted, by id; empty where that was not written down."""
        found = self.made.get("signatures")
        return {str(m): str(signature) for m, signature in found.items()} if isinstance(found, dict) else {}

    def counted(self, values: Features) -> Features:
        """Compute what each column counts for each sentence.

        Args:
            values: (n, f) as in `ensemble_features.Table`; NaN = not assessed, the mean of train stands in.

        Returns:
            (n, f) contributions in logits above or below an average sentence.
        """
        known = np.where(np.isnan(values), np.array(self.means), values)
        found: Features = (known - np.array(self.means)) / np.array(self.scales) * np.array(self.weights)
        return found

    def supports(self, values: Features) -> Features:
        """Compute the supports of sentences.

        Args:
            values: (n, f) as in `counted`.

        Returns:
            (n,) 0 to 1.
        """
        from scipy.special import expit

        found: Features = expit(self.counted(values).sum(axis=1) + self.intercept)
        return found


def fit(
    tables: Sequence[Table], labels: Sequence[NDArray[np.bool_]], groups: Sequence[str], methods: Sequence[str]
) -> FittedEnsemble:
    """Fit on sentences; the penalty is chosen by cross-validation over queries.

    Raises:
        DataError: too few sentences of either kind, or too few queries.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    values = np.concatenate([t.values for t in tables])
    gold = np.concatenate(list(labels))
    query = np.repeat(np.array(groups, dtype=object), [len(t.values) for t in tables])
    folds = _folds(gold, query)
    if min(int(gold.sum()), int((~gold).sum())) < 2 * FOLDS or not folds:
        raise DataError(
            f"An ensemble needs at least {2 * FOLDS} supported and {2 * FOLDS} unsupported sentences, each of two queries or "
            f"more; there are {int(gold.sum()):,} and {int((~gold).sum()):,} of {len(set(groups)):,} queries; label more."
        )
    means = np.nanmean(np.where(np.isnan(values).all(axis=0), 0.0, values), axis=0)
    filled = np.where(np.isnan(values), means, values)
    deviations = filled.std(axis=0)
    scales = np.where(deviations > _SMALLEST, deviations, 1.0)
    standard = (filled - means) / scales

    def score(strength: float) -> float:
        model = LogisticRegression(C=strength, class_weight="balanced", max_iter=2000)
        return float(np.mean(cross_val_score(model, standard, gold, cv=folds, scoring="roc_auc")))

    tried = {strength: score(strength) for strength in STRENGTHS}
    # Of equally good ones the most cautious.
    strength = max(tried, key=lambda s: (round(tried[s], 3), -s))
    model = LogisticRegression(C=strength, class_weight="balanced", max_iter=2000).fit(standard, gold)
    counts = {"sentences": int(gold.size), "unsupported": int((~gold).sum())}
    return FittedEnsemble(
        tuple(methods),
        tables[0].names,
        tuple(map(float, means)),
        tuple(map(float, scales)),
        tuple(map(float, model.coef_[0])),
        float(model.intercept_[0]),
        made={**counts, "penalty": strength, "auroc_folds": round(tried[strength], 4)},
    )


def _folds(gold: NDArray[np.bool_], query: NDArray[np.object_]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Places to fit on and to look at, no query in both; only folds with both kinds of sentences on either side."""
    from sklearn.model_selection import GroupKFold

    count = min(FOLDS, len(set(query)))
    cut = GroupKFold(count).split(gold, groups=query) if count > 1 else ()
    return [(a, b) for a, b in cut if all(0 < gold[side].sum() < len(side) for side in (a, b))]


def read(path: Path) -> FittedEnsemble:
    """Read an ensemble; its columns and numbers are checked.

    Raises:
        DataError: the file is none, or was made with other columns than this version's.
    """
    return read_fitted(path, "ensemble", _ensemble)


def read_fitted(path: Path, what: str, make: Callable[[Any], T]) -> T:
    """Read what was fitted.

    Raises:
        DataError: the file cannot be read, or `make` refuses it.
    """
    try:
        return make(parse_json(read_ordinary(path)))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path.name} is no {what} that can be read ({type(error).__name__}); fit it again.") from None


def _ensemble(row: Any) -> FittedEnsemble:
    methods, names = (_all(row[name], (str,)) for name in ("methods", "names"))
    means, scales, weights = (_all(row[name], (int, float)) for name in ("means", "scales", "weights"))
    (intercept,) = _all([row["intercept"]], (int, float))
    threshold = row.get("threshold")
    if not methods or len(set(methods)) < len(methods) or names != feature_names(methods):
        raise ValueError("columns")
    if {len(means), len(scales), len(weights)} != {len(names)} or min(scales) <= _SMALLEST:
        raise ValueError("sizes")
    if max(map(abs, (*means, *scales, *weights, intercept))) > _LARGEST:
        raise ValueError("numbers")
    if threshold is not None and not 0.0 <= _all([threshold], (int, float))[0] <= 1.0:
        raise ValueError("threshold")
    return FittedEnsemble(methods, names, means, scales, weights, intercept, threshold, dict(row.get("made", {})))


def _all(values: Any, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    if not isinstance(values, list) or any(type(value) not in kinds for value in values):
        raise TypeError("another kind of value")
    return tuple(values)


def write(fitted: "DataclassInstance", path: Path) -> None:
    """Write what was fitted atomically, so that readers never see half a file."""
    require(Role.REVIEWER)
    new = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(asdict(fitted), indent=1) + "\n", encoding="utf-8")
        new.replace(path)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise DataError(f"{path} cannot be written ({error.strerror}); check the folder.") from None
