"""Starting a run of methods over cases: what it takes, and the button."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape
from typing import NamedTuple

import streamlit as st

from components import case_sets, shell, state
from components.controls import errors_shown
from components.experiments.jobs import jobs
from components.experiments.panel import Panel, offer
from components.opened import runs
from components.scoring.methods import SessionMethods, session_methods
from groundscope.chat.budget import Limits
from groundscope.errors import GroundscopeError
from groundscope.experiments.forecast import CostEstimate
from groundscope.grounding.imported.scores import ImportedMethod
from groundscope.grounding.parts import NamedPart
from groundscope.grounding.runs.planning import begin, forecast, known_seconds, method_run
from groundscope.grounding.runs.store import KIND
from groundscope.methods import Method, registry
from groundscope.text.humanize import plural
from groundscope.types import Case

PANEL = Panel(KIND, "Its judgements and its copy of the texts")


class CopyOptions(NamedTuple):
    """How copies of cases are judged; see `groundscope.grounding.runs.store.RunPlan`."""

    afresh: bool = False
    wordings: tuple[int, ...] = ()


_ORDINARY = CopyOptions()


def lacking(methods: SessionMethods) -> None:
    """Name the methods that are not offered, folded."""
    missing = [m.about.title for m in methods.listed if m.missing]
    if missing:
        head = f"<summary>{plural(len(missing), 'more method')} not ready yet</summary>"
        st.html(f"<details class='gs-note'>{head}{escape(', '.join(missing))}. The Methods page says why.</details>")


def offer_run(
    group: str,
    split: str,
    title: str,
    cases: Sequence[Case],
    named: Sequence[str],
    attached: Sequence[ImportedMethod] = (),
    *,
    timed: bool = True,
    size: float = 1.0,
    copied: CopyOptions = _ORDINARY,
) -> str:
    """What a run takes, and the button that starts it; gives the id of the run that was started just now, else an empty text.

    `size` is as that of `groundscope.grounding.runs.planning.forecast`.
    """
    parts = loaded_parts(named)
    if parts is None:
        return ""
    if any(case_sets.private(c) for c in cases[:1]):
        shell.notice(
            "info", "These cases were pasted or made here. A run keeps their texts in the data folder until you delete it."
        )
    caption = f"Estimate for {len(cases):,} responses. Times come from earlier runs, perhaps on another machine."
    limits = offer(_forecast(group, split, cases, parts, size, copied), "run", caption=caption)
    if limits is None:
        return ""
    keeps = not any(case_sets.private(c) for c in cases[:1])
    return _start(title, group, cases, parts, attached, limits, keeps=keeps, timed=timed, copied=copied)


def loaded_parts(named: Sequence[str]) -> list[tuple[NamedPart, Method]] | None:
    """Parts with the session's options, each with its method; None where one cannot be built, and the page says why."""
    parts = [part_of(name) for name in named]
    with errors_shown(ValueError):
        return [(part, registry.load(part.method, **part.options)) for part in parts]
    return None


def part_of(name: str) -> NamedPart:
    """A part with the session's options of its method under its own ones."""
    part = runs.parts().get(name, NamedPart(name, name))
    return replace(part, options={**session_methods()[part.method].options, **part.options})


def _forecast(
    group: str, split: str, cases: Sequence[Case], parts: Sequence[tuple[NamedPart, Method]], size: float, copied: CopyOptions
) -> list[CostEstimate]:
    """Saved for the session: prompts of hundreds of cases are counted, and earlier runs are read."""
    judges = tuple((part.name, m.signature) for part, m in parts)
    key = (group, split, hash(tuple(c.id for c in cases)), copied, judges, len(runs.run_list().entries))

    def count() -> list[CostEstimate]:
        paces: Mapping[str, float] = {}
        with suppress(GroundscopeError):
            paces = known_seconds()
        return list(forecast(cases, parts, paces, copied.wordings, size=size).values())

    return state.once("forecasts", key, count)


def _start(
    title: str, group: str, cases: Sequence[Case], parts: Sequence[tuple[NamedPart, Method]], attached: Sequence[ImportedMethod],
    limits: Limits, *, keeps: bool, timed: bool, copied: CopyOptions,
) -> str:  # fmt: skip
    with errors_shown():
        methods = [method_run(part, method, copied.wordings) for part, method in parts]
        run_id = begin(
            title, group, cases, methods, attached, keeps_replies=keeps, timed=timed, limits=limits, **copied._asdict()
        )  # fmt: skip
        if parts:
            jobs().resume(run_id)
        return run_id
    return ""
