"""Recommend a judge for this machine: what runs here, what is measured to work, and what to set up next."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from groundscope.runtime.machine import Machine

SMALL = ("lettucedetect:base", "nli:deberta-base", "alignscore:base")
LARGE = ("minicheck:flan-t5", "lettucedetect:large", "minicheck:deberta", "nli:deberta-large-fever-anli-wanli")
"""Judges with published weights, the best guess first: those that answer in seconds on a processor, and those for a graphics card
or for patience. The order is a guess from their size and what they were trained for; what they are worth is measured here."""
_LITTLE, _MUCH = 4_000_000_000, 8_000_000_000
"""Bytes of memory below which only the smallest one is offered, and from which large ones are."""


class ReachedAuroc(NamedTuple):
    """What a method reached on labelled sentences.

    Attributes:
        low: lower end of the 95 % interval.
    """

    title: str
    auroc: float
    low: float
    high: float
    better: bool


def offered(machine: Machine, ids: Sequence[str]) -> tuple[str, ...]:
    """List the judges to set up on a machine."""
    judges: tuple[str, ...]
    if machine.memory < _LITTLE:
        judges = SMALL[:1]
    elif machine.graphics:
        judges = (*LARGE, *SMALL)
    elif machine.memory < _MUCH:
        judges = SMALL
    else:
        judges = (*SMALL, *LARGE)
    return tuple(name for name in judges if name in ids)


def answer(machine: Machine, chat: str, shown: Mapping[str, ReachedAuroc] | None, place: str, step: str) -> tuple[str, str, str]:
    """Answer "which should I use?" in three sentences."""
    card = "a graphics card" if machine.graphics else "no graphics card"
    model = f"the chat model {chat} is set up" if chat else "no chat model is set up"
    equipment = f"Here: {machine.memory / 1e9:.0f} GB of memory, {card}; {model}."
    better = sorted((s for s in (shown or {}).values() if s.better), key=lambda s: -s.auroc)
    if shown is None:
        now = "How often the methods are right is being counted."
    elif better:
        best = better[0]
        now = (
            f"Now: {best.title}. It ranks wrong sentences of {place} below sound ones more often than chance "
            f"(AUROC {best.auroc:.2f}, 95 % interval {best.low:.2f} to {best.high:.2f}; chance is 0.50)."
        )
    else:
        now = f"Now: the checks and the nearest passages. No method that is ready is shown to be better than chance on {place}."
    return equipment, now, f"Next: {step}, and see what it is worth on labelled cases before you lean on it."
