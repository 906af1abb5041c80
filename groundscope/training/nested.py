"""Whether an ensemble earns its place: nested cross-validation by query, beside its best member.

The sentences of a query are judged by an ensemble that was fitted, with its penalty chosen by an inner cross-validation, on the
other queries alone. Its best member is the one with the highest AUROC on all of these sentences, so that the choice of the member
favours the member. Both are compared by the paired bootstrap over queries.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import DataError
from groundscope.statistics.chance import AurocEstimate, PairedAuroc, auroc_with_interval, paired_auroc
from groundscope.training.ensemble_features import Table
from groundscope.training.ensembles import fit

FOLDS = 5


class EnsembleProof(NamedTuple):
    """An ensemble beside its best member, by sentence.

    Attributes:
        ensemble: its AUROC, on sentences of queries that it was not fitted on.
    """

    ensemble: AurocEstimate
    member: str
    of_member: AurocEstimate
    paired: PairedAuroc
    sentences: int
    queries: int

    @property
    def earned(self) -> bool:
        """Whether the ensemble is shown to be better than its best member, and than chance."""
        return self.paired.first_is_better and self.ensemble.better_than_chance


def prove(
    tables: Sequence[Table],
    labels: Sequence[NDArray[np.bool_]],
    groups: Sequence[str],
    methods: Sequence[str],
    folds: int = FOLDS,
) -> EnsembleProof:
    """Compare an ensemble of methods with the best of them.

    Raises:
        DataError: too few sentences of either kind or too few queries to fit on each outer part.
    """
    from sklearn.model_selection import GroupKFold

    names = np.array(groups, dtype=object)
    count = min(folds, len(set(groups)))
    if count < 2:
        raise DataError("Cross-validation needs labelled cases of two queries or more; label more.")
    supports: list[NDArray[np.float64]] = [np.full(len(t.values), np.nan) for t in tables]
    for fitted_on, held in GroupKFold(count).split(names, groups=names):
        made = fit([tables[i] for i in fitted_on], [labels[i] for i in fitted_on], [groups[i] for i in fitted_on], methods)
        for i in held:
            supports[i] = made.supports(tables[i].values)
    gold = np.concatenate(list(labels)).astype(int)
    queries = np.repeat(names, [len(t.values) for t in tables])
    values = np.concatenate([t.values[:, : len(methods)] for t in tables])
    ours = np.concatenate(supports)
    members = [auroc_with_interval(gold, values[:, k], queries) for k in range(len(methods))]
    best = int(np.nanargmax([m.auroc for m in members]))
    paired = paired_auroc(gold, ours, values[:, best], queries)
    own = auroc_with_interval(gold, ours, queries)
    return EnsembleProof(own, methods[best], members[best], paired, len(gold), len(set(groups)))


def as_json(proof: EnsembleProof | str) -> dict[str, Any]:
    """Give what an ensemble's file keeps of the comparison."""
    if isinstance(proof, str):
        return {"earned": False, "why": proof}
    figures = {"auroc": proof.ensemble.auroc, "member_auroc": proof.of_member.auroc, "difference": proof.paired.difference}
    figures |= {"auroc_low": proof.ensemble.interval.low, "auroc_high": proof.ensemble.interval.high}
    figures |= {"low": proof.paired.interval.low, "high": proof.paired.interval.high}
    rounded = {name: None if np.isnan(value) else round(float(value), 4) for name, value in figures.items()}
    return {"earned": proof.earned, "member": proof.member, "sentences": proof.sentences, "queries": proof.queries, **rounded}


def in_words(kept: Mapping[str, Any]) -> str:
    """State the comparison for people."""
    if "auroc" not in kept:
        return f"The ensemble was not compared with its methods, so it does not open the heatmap. {kept.get('why', '')}".rstrip()
    low, high, lowest, highest = (
        "unknown" if kept.get(side) is None else f"{kept[side]:{form}}"
        for side, form in (("low", "+.3f"), ("high", "+.3f"), ("auroc_low", ".3f"), ("auroc_high", ".3f"))
    )
    verdict = "It is shown to be better than that and than chance."
    if not kept["earned"]:
        verdict = "It is not shown to be better than both that and chance, so it does not open the heatmap."
    return (
        f"By nested cross-validation over {kept['queries']:,} queries ({kept['sentences']:,} sentences) the ensemble reaches an "
        f"AUROC of {kept['auroc']:.3f} (95 % interval {lowest} to {highest}), its best method, {kept['member']}, "
        f"{kept['member_auroc']:.3f}; difference {kept['difference']:+.3f}, 95 % interval {low} to {high}. {verdict}"
    )
