"""The comparisons as contrasts of cells: interaction, main effects, simple effects (Butler and Butler 2026).

With treatment coding against a baseline embedder b and a baseline model m, beta_e = cell(e, m) - cell(b, m),
gamma_l = cell(b, l) - cell(b, m) and delta_el = cell(e, l) - cell(e, m) - cell(b, l) + cell(b, m).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from groundscope.rag.effects import CannotTell, Combination, Effect, Fit, Joint

Weights = dict[Combination, float]


@dataclass(frozen=True, slots=True)
class Factors:
    """What was crossed: all embedders and all models, the baselines first."""

    embedders: tuple[str, ...]
    models: tuple[str, ...]


def factors(embedders: Sequence[str], models: Sequence[str], baseline_embedder: str, baseline_model: str) -> Factors:
    """Gather what was crossed, each once, the baselines first, then in the order of first appearance."""
    ordered = []
    for kind, levels, baseline in (("embedder", embedders, baseline_embedder), ("model", models, baseline_model)):
        different = tuple(dict.fromkeys(levels))
        if baseline not in different:
            raise ValueError(f"The baseline {kind} {baseline} is not in these results; choose {', '.join(different) or 'none'}.")
        ordered.append((baseline, *(level for level in different if level != baseline)))
    return Factors(*ordered)


def switched_model(over: Sequence[str], model: str, baseline: str) -> Weights:
    """Contrast a model (+) with the baseline model (-), averaged over embedders, or within one; the weights add up to 0."""
    return _sum((1 / len(over), {Combination(e, model): 1.0, Combination(e, baseline): -1.0}) for e in over)


def switched_embedder(over: Sequence[str], embedder: str, baseline: str) -> Weights:
    """Contrast an embedder with the baseline embedder, averaged over models, as `switched_model` does of a model."""
    return _sum((1 / len(over), {Combination(embedder, m): 1.0, Combination(baseline, m): -1.0}) for m in over)


def interaction(embedder: str, model: str, against: str, baseline: str) -> Weights:
    """Contrast what the switch of models brings with one embedder and with another; above 0 = more with the first.

    With the baseline embedder as the other one it is delta. The weights of the four cells add up to 0.
    """
    first, other = switched_model([embedder], model, baseline), switched_model([against], model, baseline)
    return _sum([(1.0, first), (-1.0, other)])


def _sum(parts: Iterable[tuple[float, Weights]]) -> Weights:
    total: dict[Combination, float] = {}
    for factor, weights in parts:
        for cell, weight in weights.items():
            total[cell] = total.get(cell, 0.0) + factor * weight
    return total


@dataclass(frozen=True, slots=True)
class NamedContrast:
    """A comparison: `what` instead of `against`, within `within` or averaged over all (empty)."""

    what: str
    against: str
    within: str
    found: Effect | CannotTell


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Joint tests and differences for one outcome.

    `differences`: how much the switch of models brings with one embedder more than with another.
    """

    interaction: Joint | CannotTell
    embedder: Joint | CannotTell
    model: Joint | CannotTell
    embedders: tuple[NamedContrast, ...]
    models: tuple[NamedContrast, ...]
    within_embedder: tuple[NamedContrast, ...]
    within_model: tuple[NamedContrast, ...]
    differences: tuple[NamedContrast, ...]


def compare(fit: Fit, crossed: Factors) -> Comparisons:
    """Make every comparison of one outcome, the baselines first; each that cannot be computed is a `CannotTell`."""
    (e0, *es), (m0, *ms) = crossed.embedders, crossed.models
    all_e, all_m = crossed.embedders, crossed.models
    deltas = [interaction(e, m, e0, m0) for e in es for m in ms]
    by_embedder = {e: switched_embedder(all_m, e, e0) for e in es}
    by_model = {m: switched_model(all_e, m, m0) for m in ms}
    return Comparisons(
        fit.joint(deltas),
        fit.joint(list(by_embedder.values())),
        fit.joint(list(by_model.values())),
        tuple(NamedContrast(e, e0, "", fit.effect(w)) for e, w in by_embedder.items()),
        tuple(NamedContrast(m, m0, "", fit.effect(w)) for m, w in by_model.items()),
        tuple(NamedContrast(m, m0, e, fit.effect(switched_model([e], m, m0))) for m in ms for e in all_e),
        tuple(NamedContrast(e, e0, m, fit.effect(switched_embedder([m], e, e0))) for e in es for m in all_m),
        tuple(NamedContrast(b, a, m, fit.effect(interaction(b, m, a, m0))) for m in ms for a, b in combinations(all_e, 2)),
    )
