"""Which method is recommended, by the best worst case on the board, and which judge to get next; both with why."""

from collections.abc import Mapping
from typing import NamedTuple

from groundscope.methods import registry
from groundscope.methods.board import record_of
from groundscope.methods.defaults import chosen
from groundscope.methods.method import Method, download_size
from groundscope.runtime.machine import Machine

_OWN_CHOICE = "It was chosen here as the method to open with."
_NO_RECORD = "It was not measured on sets labelled by people, and neither was any other method here."
_COMPARED = "LLM-AggreFact"
"""The sets with most figures; those on other sets do not compare with them."""
_ROOM = 2.5e6
"""Bytes of memory for a megabyte of weights, which are read whole and then converted."""


class Recommendation(NamedTuple):
    """A method's id, and why it is recommended, in one plain sentence."""

    method: str
    why: str


def recommended(ready: Mapping[str, str] | None = None) -> Recommendation:
    """Recommend one of the methods that are ready: the one whose worst AUROC over the sets that decide is highest.

    The method that the user chose to open with comes before it. One without a record comes after all that have one. `ready` has
    signatures by id, in the order that counts where none has a record; None = all that can run here and are shown `unasked`.
    """
    if ready is None:
        methods = {name: registry.find(name) for name in registry.names()}
        ready = {name: methods[name].signature for name in unasked(methods) if not methods[name].unavailable()}
    if not ready:
        raise ValueError("there is no method to recommend")
    if (preferred := chosen()) in ready:
        return Recommendation(str(preferred), _OWN_CHOICE)
    on_record = [(record, m) for m, signature in ready.items() if (record := record_of(signature))]
    if not on_record:
        return Recommendation(next(iter(ready)), _NO_RECORD)
    best, method = max(on_record, key=lambda pair: pair[0].worth)
    return Recommendation(method, best.why)


def unasked(methods: Mapping[str, Method]) -> tuple[str, ...]:
    """Choose what may be recommended where it can run, by id: what is shown unasked, and the method that the user chose."""
    preferred = chosen()
    return tuple(name for name, m in methods.items() if name == preferred or not (m.asks or m.on_request))


def judges(methods: Mapping[str, Method], machine: Machine) -> tuple[str, ...]:
    """List the methods with a published figure that fit the memory, by id: downloads first; of the same sets the best first."""
    printed = {n: p for n, m in methods.items() if (p := m.about.published) and _ROOM * _megabytes(m) <= machine.memory}
    order = {n: (methods[n].asks, p.sets != _COMPARED, -p.figure, bool(methods[n].unavailable())) for n, p in printed.items()}
    return tuple(sorted(printed, key=lambda n: order[n]))


def stronger(methods: Mapping[str, Method], machine: Machine) -> str | None:
    """Find the judge to get next, by id: a download that is better than those that are ready; None = by what is known none is.

    This project's record decides where it has the judge, and published figures between the others.
    """
    downloads = [name for name in judges(methods, machine) if not methods[name].asks]
    ready = {name for name, m in methods.items() if not m.asks and not m.unavailable()}
    records = {name: record.worth for name, m in methods.items() if (record := record_of(m.signature))}
    least = max((worth for name, worth in records.items() if name in ready), default=())
    if better := [name for name in downloads if name not in ready and records.get(name, ()) > least]:
        return max(better, key=lambda name: records[name])
    compared = [name for name in downloads if (p := methods[name].about.published) and p.sets == _COMPARED]
    # They come best first: what stands behind one that is ready is no better.
    before = compared[: next((i for i, name in enumerate(compared) if name in ready), None)]
    return next((name for name in before if name not in records), None)


def seconds_in_words(seconds: float) -> str:
    """Say what an answer takes."""
    return f"about {seconds:.0f} s" if seconds >= 1 else f"{seconds:.2f} s"


def answer(
    machine: Machine, chat: str, title: str, why: str, judge: Method | None, seconds: float | None
) -> tuple[str, str, str]:
    """Answer "which should I use?" in three sentences; `why` is that of the recommendation, `judge` the one to get next."""
    card = "a graphics card" if machine.graphics else "no graphics card"
    model = f"the chat model {chat} is set up" if chat else "no chat model is set up"
    equipment = f"Here: {machine.memory / 1e9:.0f} GB of memory, {card}; {model}."
    step = "No judge that can be downloaded here is known to be stronger than those that are ready. A chat model may be."
    if judge and (printed := judge.about.published):
        speed = "speed not measured here" if seconds is None else f"{seconds_in_words(seconds)} an answer here"
        record, figure = (
            record_of(judge.signature),
            f"{printed.measure} {printed.figure:.1f} on {printed.sets} (not measured here)",
        )
        worth = f": {judge.about.title}. {record.why}" if record else f" by what is published: {judge.about.title}, {figure};"
        step = f"A stronger judge{worth} {_megabytes(judge):,} MB; {speed}; nothing leaves this machine."
    return equipment, f"Now: {title}. {why}", step


def _megabytes(method: Method) -> int:
    return download_size(method.requirements())
