"""The next better judge: which one to get, by this project's record or else by what others printed, and what is said of it."""

from collections.abc import Mapping

from groundscope.methods.method import AGGREFACT, Method, Published, download_size, same_method
from groundscope.methods.recommendation import MeasuredMethod, measured
from groundscope.runtime.machine import Machine

_ROOM = 2.5
"""Bytes of memory for a byte of weights, which are read whole and then converted."""


def judges(methods: Mapping[str, Method], machine: Machine) -> tuple[str, ...]:
    """List the methods with published figures that fit the memory, by id: downloads first, and on each list the best first."""
    fit = [n for n, m in methods.items() if m.about.published and _ROOM * 1e6 * _megabytes(m) <= machine.memory]
    return tuple(sorted(fit, key=lambda n: (methods[n].asks, *_rank(methods[n].about.published[-1]))))


def stronger(methods: Mapping[str, Method], machine: Machine) -> str | None:
    """Find the judge to get next, by id: better than those that are ready, and a download away.

    This project's record decides where it has the judge. The others are compared by their figures on LLM-AggreFact, which has
    most of them; figures on other sets do not compare. None = none is better by what is known.
    """
    records = {name: record for name, m in methods.items() if (record := record_of(m))}
    ready = {name for name, m in methods.items() if not m.asks and not m.unavailable()}
    best = max((records[name].worth for name in ready & records.keys()), default=())
    downloads = [name for name in judges(methods, machine) if not methods[name].asks]
    if better := [name for name in downloads if name in records.keys() - ready and records[name].worth > best]:
        return max(better, key=lambda name: records[name].worth)
    printed = {name: p.figure for name in downloads for p in methods[name].about.published if p.sets == AGGREFACT}
    least = max((figure for name, figure in printed.items() if name in ready), default=0.0)
    rest = {name: figure for name, figure in printed.items() if name not in ready | records.keys() and figure > least}
    return max(rest, key=lambda name: rest[name], default=None)


def record_of(method: Method) -> MeasuredMethod | None:
    """Find a method on this project's record."""
    return next((r for r in measured() if same_method(r.signature, method.signature)), None)


def measured_words(method: Method) -> str:
    """Say how good a method is on this project's record; empty where it is not on it."""
    record = record_of(method)
    return f"Measured: {record.why}" if record else ""


def seconds_in_words(seconds: float) -> str:
    """Say what an answer takes."""
    return f"about {seconds:.0f} s" if seconds >= 1 else f"{seconds:.2f} s"


def answer(
    machine: Machine, chat: str, title: str, why: str, next_judge: Method | None, seconds: float | None
) -> tuple[str, str, str]:
    """Answer "which should I use?" in three sentences; the method and why are those of the recommendation."""
    card = "a graphics card" if machine.graphics else "no graphics card"
    model = f"the chat model {chat} is set up" if chat else "no chat model is set up"
    equipment = f"Here: {machine.memory / 1e9:.0f} GB of memory, {card}; {model}."
    return equipment, f"Now: {title}. {why}", _next(next_judge, seconds)


def _next(method: Method | None, seconds: float | None) -> str:
    if method is None:
        return "No judge that can be downloaded here is known to be stronger than those that are ready. A chat model may be."
    speed = "speed not measured here" if seconds is None else f"{seconds_in_words(seconds)} an answer here"
    cost = f"{_megabytes(method):,} MB; {speed}; nothing leaves this machine."
    if words := measured_words(method):
        return f"A stronger judge: {method.about.title}. {words} {cost}"
    p = method.about.published[0]
    figure = f"{p.measure} {p.figure:.1f} on {p.sets} (not measured here)"
    return f"A stronger judge by what is published: {method.about.title}, {figure}; {cost}"


def _megabytes(method: Method) -> int:
    return download_size(method.requirements())


def _rank(published: Published) -> tuple[bool, float]:
    return published.sets != AGGREFACT, -published.figure
