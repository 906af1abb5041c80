"""What each setting of retrieval does: combinations that differ in that setting alone, side by side and question by question.

An axis is what an experiment varies: the embedder, the size of pieces, the reranker, the relevant passage given, and k. They are
read from the titles that `groundscope.rag.retrieving.settings` writes, so that a file of results has them, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from groundscope.rag.effects.fit import CannotTell, Combination, Effect, Fit
from groundscope.rag.outcomes import Answer, OutcomeRow, numbers, verdicts, whole
from groundscope.rag.retrieving.settings import RetrievalSettings, titled

AXES = {"first": "Embedder", "size": "Pieces", "reranker": "Reranker", "oracle": "Relevant passage", "k": "k"}
"""Titles by the name of the setting in `RetrievalSettings`, in the order in which they are shown."""
_Value = str | int | bool


@dataclass(frozen=True, slots=True)
class AxisValue:
    """One value of an axis, and the shares over its matched combinations, in which each answer counts alike.

    `differences` are by figure, as in `outcomes.verdicts`: its share less that of the axis's first value, within questions, as
    the mean over matched combinations; empty for the first value.
    """

    value: str
    row: OutcomeRow
    differences: dict[str, Effect | CannotTell]


@dataclass(frozen=True, slots=True)
class Axis:
    """What was varied, and the shares with each value, the one that others are compared with first; empty where nothing matches.

    `matched` combinations of each value differ from those of the others in this setting alone; those `left_out` are in no row.
    """

    title: str
    matched: int
    left_out: int
    values: tuple[AxisValue, ...]


def axes(answers: Sequence[Answer]) -> tuple[Axis, ...]:
    """Compare the values of every setting that varies, in the order of `AXES`; none where only embedders and models differ.

    No combination has a question twice.
    """
    settings = {name: titled(name) for name in dict.fromkeys(a.embedder for a in answers)}
    varied = {name: found for name in AXES if len(found := _values([getattr(one, name) for one in settings.values()])) > 1}
    if not varied.keys() - {"first"}:
        return ()
    by_cell: dict[Combination, list[Answer]] = {}
    for answer in answers:
        by_cell.setdefault(answer.cell, []).append(answer)
    names = [a.question_id for a in answers], [a.embedder for a in answers], [a.model for a in answers]
    fits = {figure: Fit(*names, numbers(said)) for figure, said in verdicts(answers).items()}
    return tuple(_axis(name, values, settings, by_cell, fits) for name, values in varied.items())


def _values(values: Sequence[_Value]) -> list[_Value]:
    """Each once: numbers from the lowest on, what is not done before what is, names in the order of first appearance."""
    different = list(dict.fromkeys(values))
    return sorted(different, key=lambda v: bool(v) if isinstance(v, str) else v)


def _axis(
    name: str,
    values: Sequence[_Value],
    settings: dict[str, RetrievalSettings],
    by_cell: dict[Combination, list[Answer]],
    fits: dict[str, Fit],
) -> Axis:
    groups: dict[tuple[_Value, ...], dict[_Value, Combination]] = {}
    for cell in by_cell:
        retrieval = settings[cell.embedder]
        others = (getattr(retrieval, other) for other in AXES if other != name)
        groups.setdefault((*others, cell.model), {})[getattr(retrieval, name)] = cell
    matched = [group for group in groups.values() if len(group) == len(values)]
    rows = []
    for value in values if matched else ():
        row = whole([answer for group in matched for answer in by_cell[group[value]]])
        contrast = {group[value]: 1 / len(matched) for group in matched} | {
            group[values[0]]: -1 / len(matched) for group in matched
        }
        differences = {figure: fit.effect(contrast) for figure, fit in fits.items()} if value != values[0] else {}
        rows.append(AxisValue(_written(name, value), row, differences))
    return Axis(AXES[name], len(matched), len(by_cell) - len(matched) * len(values), tuple(rows))


def _written(name: str, value: _Value) -> str:
    """A value for people, as it is in titles."""
    words = {
        "first": str(value),
        "size": f"pieces of {value} tokens" if value else "whole passages",
        "reranker": f"reranked by {value}" if value else "not reranked",
        "oracle": "relevant passage given" if value else "as retrieved",
        "k": f"k = {value}" if value else "k not stated",
    }
    return words[name]
