"""Rules that turn a run's judgements into verdicts: tuned on one split, to be read on another (paper, section 6).

What a method's paper fixes is not tuned, unless the caller goes beyond the paper: a model's verdict stands (section 5.3), and the
score of SelfCheckGPT is the highest of its sentences, of which the threshold alone is tuned. Of the parts of a sweep,
which differ in one parameter, the one with the best value on the split is chosen and read on test, as Trautmann et al. 2024 tuned
QUIP's n together with its threshold (section 5.1); of equally good ones the first.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from groundscope.experiments.plan import Part
from groundscope.grounding.runs.arrays import COLUMNS, Bytes, Floats, Integers, RunData, SentenceTable
from groundscope.methods import registry
from groundscope.statistics.curves import Curve, best, curve
from groundscope.statistics.decision import check_choice
from groundscope.statistics.metrics import called

How = Literal["own", "min", "mean", "share_below"]
"""How a response's support is made: the method's own, the lowest or the mean sentence, or the share of good sentences."""

HOW_WORDS: dict[How, str] = {
    "own": "the method's own",
    "min": "the lowest sentence",
    "mean": "the mean of the sentences",
    "share_below": "the share of sentences not flagged",
}

WAYS: tuple[How, ...] = ("own", "min", "mean")
"""What tuning tries where a paper leaves it open."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Grounded iff the response's support >= threshold.

    `sentence_threshold`: for `share_below`: below it a sentence is flagged.
    """

    how: How
    threshold: float
    sentence_threshold: float | None = None

    def __post_init__(self) -> None:
        check_choice("how", self.how, get_args(How))
        if (self.how == "share_below") != (self.sentence_threshold is not None):
            raise ValueError(f"a sentence threshold goes with share_below alone, got {self.how} and {self.sentence_threshold}")
        if not all(math.isfinite(t) for t in (self.threshold, self.sentence_threshold or 0.0)):
            raise ValueError(f"a threshold must be a number, got {self.threshold} and {self.sentence_threshold}")


@dataclass(frozen=True, slots=True)
class Objective:
    """What tuning looks for: the best macro-F1, or the lowest cost where a missed error costs `missed` false alarms."""

    missed: float | None = None

    def __post_init__(self) -> None:
        if self.missed is not None and not 0 < self.missed < math.inf:
            raise ValueError(f"a missed error must cost a finite number of false alarms above 0, got {self.missed}")

    def values(self, curve: Curve) -> Floats:
        """Rate the k thresholds of a curve, higher = better: macro-F1, or minus the mean cost a response in false alarms."""
        return curve.macro_f1() if self.missed is None else -curve.cost(self.missed)

    @property
    def words(self) -> str:
        """For people."""
        return "macro-F1" if self.missed is None else f"cost, a missed error counting as {self.missed:g} false alarms"


@dataclass(frozen=True, slots=True)
class Tuned:
    """A rule found on labelled responses; `warning`: a sentence where the tuning means little; else empty."""

    rule: Rule
    split: str
    value: float
    responses: int
    warning: str = ""


def supports(run: RunData, method: int, rule: Rule) -> Floats:
    """Make the responses' supports under a rule, (n,) 0 to 1, NaN = no verdict; the rule's threshold does not matter."""
    if rule.how == "share_below":
        return _shares(run.read_sentences(method), rule.sentence_threshold or 0.0, len(run.ids))
    by_way: dict[How, Floats] = {"own": run.support, "min": run.lowest, "mean": run.mean}
    values: Floats = by_way[rule.how][method]
    return values


def _shares(table: SentenceTable, sentence_threshold: float, responses: int) -> Floats:
    """The share of each response's assessed sentences that are not flagged; NaN for one without any."""
    scored = ~np.isnan(table.support)
    assessed = np.bincount(table.case[scored], minlength=responses).astype(np.float64)
    flagged = np.bincount(table.case[scored], weights=table.support[scored] < sentence_threshold, minlength=responses)
    with np.errstate(invalid="ignore"):
        shares: Floats = 1.0 - flagged / assessed
    return shares


def verdicts(run: RunData, rules: Mapping[str, Rule]) -> Bytes:
    """Call every response by the methods' rules, (m, n) int8: 1 grounded, 0 ungrounded, -1 no verdict, as without a rule."""
    calls = np.full(run.status.shape, -1, dtype=np.int8)
    for i, method in enumerate(run.methods):
        if rule := rules.get(method.id):
            calls[i] = called(supports(run, i, rule), rule.threshold)
    return calls


def starting_rules(run: RunData) -> dict[str, Rule]:
    """Take the methods at the thresholds they start with, on their own supports; those without a threshold are left out."""
    return {m.id: Rule("own", m.threshold) for m in run.methods if m.threshold is not None}


def tunes(method: Part) -> str:
    """Say what the paper of a method leaves to tuning, as in `About.tunes`."""
    return method.tunes or (registry.find(method.loads).about.tunes if method.loads in registry.names() else "rule")


def open_ways(method: Part, allowed: Sequence[How], beyond: bool) -> tuple[How, ...]:
    """Choose of some ways to make a support those that a method's paper leaves to tuning; all of them beyond the paper."""
    if beyond or tunes(method) == "rule":
        return tuple(allowed)
    return ("own",) if tunes(method) == "threshold" else ()


def goes_beyond(method: Part, rule: Rule) -> bool:
    """Whether a rule is another one than the method's paper allows."""
    fixed = {"rule": rule, "threshold": Rule("own", rule.threshold), "nothing": _fixed(method)}
    return rule != fixed[tunes(method)]


def _fixed(method: Part) -> Rule:
    return Rule("own", 0.5 if method.threshold is None else method.threshold)


def tune_method(
    run: RunData, method: int, split: str, objective: Objective | None = None, allowed: Sequence[How] = WAYS, beyond: bool = False
) -> Tuned:
    """Find a method's best rule on a split, with its macro-F1 or mean cost a response; a warning says where that means little.

    Of equally good ways to make the support the first of those `allowed` is taken; an empty split = responses without one.
    `beyond` also tries those that the method's paper does not leave open.
    """
    objective = objective or Objective()
    rows = run.rows(split)
    gold: NDArray[np.bool_] = run.gold[rows] == 1
    ways, fixed = open_ways(run.methods[method], allowed, beyond), _fixed(run.methods[method])
    options: list[tuple[float, Rule, Floats]] = []
    for rule, values in candidates(run, method, rows, ways or (fixed.how,)):
        if np.isnan(values).all():
            continue
        tuning_curve = curve(values, gold)
        quality = objective.values(tuning_curve)
        # A verdict stands: there the threshold lies above as many of the supports that the curve cuts between.
        at = best(quality) if ways else int((np.unique(values[~np.isnan(values)]) < fixed.threshold).sum())
        threshold = float(tuning_curve.thresholds[at]) if ways else fixed.threshold
        options.append((float(quality[at]), Rule(rule.how, threshold, rule.sentence_threshold), values))
    if not options:
        raise ValueError(f"It has no score for any labelled response of {split or 'this set'}; nothing can be tuned on that.")
    value, rule, values = max(options, key=lambda o: round(o[0], 12))
    return Tuned(rule, split, abs(value), len(rows), _warning(values, gold))


def candidates(run: RunData, method: int, rows: Integers, allowed: Sequence[How]) -> Iterator[tuple[Rule, Floats]]:
    """List the rules that tuning tries, their thresholds 0, each with the (k,) supports that it makes of the rows to tune on."""
    for how in allowed:
        if how != "share_below":
            rule = Rule(how, 0.0)
            yield rule, supports(run, method, rule)[rows]
    if "share_below" in allowed:
        table = run.read_sentences(method)
        inside = np.isin(table.case, rows) & ~np.isnan(table.support)
        # From here on the rows stand in for the run: nothing of other splits is worked out.
        places = np.searchsorted(rows, table.case[inside]).astype(np.int32)
        sentences = SentenceTable._make((places, *(column[inside] for column in table[1:])))
        quantiles = np.linspace(0.02, 0.98, 25)
        levels: Floats = np.quantile(sentences.support, quantiles) if len(places) else np.empty(0)
        for level in np.unique(levels).tolist():
            yield Rule("share_below", 0.0, level), _shares(sentences, level, len(rows))


def _warning(values: Floats, gold: NDArray[np.bool_]) -> str:
    if gold.all() or not gold.any():
        return "All responses of this split have the same label, so a threshold separates nothing. Tune on a split with both."
    if len(np.unique(values[~np.isnan(values)])) == 1:
        return "The method gives every response the same support: no threshold can separate them."
    return ""


def tune_all(
    run: RunData,
    objective: Objective | None = None,
    allowed: Sequence[How] = WAYS,
    split: str | None = None,
    beyond: bool = False,
) -> tuple[dict[str, Tuned], dict[str, str]]:
    """Tune every method as `tune_method` does; with a sentence for each that could not be tuned, by id.

    `split` is the one to tune all methods on; None = what each method asks for, or dev where that is not there.
    """
    tuned: dict[str, Tuned] = {}
    failed: dict[str, str] = {}
    for i, method in enumerate(run.methods):
        try:
            tuned[method.id] = tune_method(run, i, tuning_split(run, i, split), objective, allowed, beyond)
        except ValueError as error:
            failed[method.id] = str(error)
    return tuned, failed


def tuning_split(run: RunData, method: int, split: str | None) -> str:
    """Choose the split that a method is tuned on, empty = responses without a split.

    `split` is the one to tune all methods on; None = what the method asks for, or dev where that is not there.
    """
    there, suggested = run.labelled_splits(), run.methods[method].tuned_on
    chosen = split if split is not None else (suggested if suggested in there else "dev")
    if chosen not in there:
        others = ", ".join(s or "no split" for s in there) or "no labelled response at all"
        raise ValueError(f"There is no labelled response in {chosen or 'no split'}; the run has {others}. Tune on another split.")
    return chosen


def rejected(methods: Sequence[Part], tuned: Mapping[str, Tuned], objective: Objective) -> tuple[str, ...]:
    """The ids of the parts of sweeps that tuning does not choose; of a sweep in which nothing could be tuned all parts stay.

    `tuned` has the best rule of each that could be tuned; macro-F1 is better higher, a cost lower.
    """
    better: Callable[..., str] = max if objective.missed is None else min
    chosen = set()
    for sweep in {m.sweep for m in methods if m.sweep}:
        if parts := [m.id for m in methods if m.sweep == sweep and m.id in tuned]:
            chosen.add((sweep, better(parts, key=lambda part: round(tuned[part].value, 12))))
    swept = {sweep for sweep, _ in chosen}
    return tuple(m.id for m in methods if m.sweep in swept and (m.sweep, m.id) not in chosen)


def chosen(methods: Sequence[Part], left_out: Collection[str]) -> dict[str, str]:
    """Name, by sweep, the part that was chosen; sweeps of which no part was left out are not there."""
    swept = {m.sweep for m in methods if m.id in left_out}
    return {m.sweep: m.title for m in methods if m.sweep in swept and m.id not in left_out}


def not_swept(methods: Sequence[Part]) -> dict[str, str]:
    """Say by method which parameter a paper tunes together with the threshold, where this run has one value of it."""
    swept = {m.sweep for m in methods if m.sweep}
    notes = {}
    for m in methods:
        for name, grid in registry.grids(m.loads).items():
            sweep = f"{m.loads}.{name}"
            if sweep not in swept and name not in m.options:
                notes[m.id] = f"Its {name} is not tuned here. A run with the sweep {sweep}={grid} tunes it with the threshold."
    return notes


def without(run: RunData, parts: Collection[str]) -> RunData:
    """Give a run as if some parts were not there; the run itself where it has none of them."""
    left = [i for i, method in enumerate(run.methods) if method.id not in parts]
    return run if len(left) == len(run.methods) else select(run, left)


def select(run: RunData, places: Sequence[int]) -> RunData:
    """Give a run with the methods at some places alone, in this order, and all responses."""
    selected = list(places)
    arrays: dict[str, Any] = {name: getattr(run, name)[selected] for name in COLUMNS}
    return replace(
        run,
        methods=tuple(run.methods[i] for i in selected),
        read_sentences=lambda method: run.read_sentences(selected[method]),
        read_notes=lambda method, rows: run.read_notes(selected[method], rows),
        **arrays,
        version=run.version and f"{run.version} {selected}",
        read_row=(lambda method, row: run.sentences(selected[method], row)) if run.read_row else None,
    )
