"""Judges to set up on this machine, and “which should I use?” in three sentences."""

from collections.abc import Sequence

from groundscope.runtime.machine import Machine

SMALL = ("lettucedetect:base", "nli:deberta-base", "alignscore:base")
LARGE = ("minicheck:flan-t5", "lettucedetect:large", "minicheck:deberta", "nli:deberta-large-fever-anli-wanli")
"""Judges with published weights, the best guess first: those that answer in seconds on a processor, and those for a graphics card
or for patience. The order is a guess from their size and what they were trained for; what they are worth is measured here."""
_LITTLE, _MUCH = 4_000_000_000, 8_000_000_000
"""Bytes of memory below which only the smallest one is offered, and from which large ones are."""


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


def answer(machine: Machine, chat: str, title: str, why: str, step: str) -> tuple[str, str, str]:
    """Answer "which should I use?" in three sentences; the method and why are those of the recommendation."""
    card = "a graphics card" if machine.graphics else "no graphics card"
    model = f"the chat model {chat} is set up" if chat else "no chat model is set up"
    equipment = f"Here: {machine.memory / 1e9:.0f} GB of memory, {card}; {model}."
    return equipment, f"Now: {title}. {why}", f"Next: {step}, and see what it is worth on labelled cases before you lean on it."
