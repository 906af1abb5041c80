"""Starting a run of methods over cases: what it takes, and the button."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape

import streamlit as st

from components import case_sets, shell, state
from components.controls import errors_shown, several_of
from components.experiments.jobs import jobs
from components.experiments.panel import Panel, offer
from components.opened import runs
from components.scoring.methods import session_methods
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


def methods_field(key: str, default: Sequence[str]) -> list[str]:
    """A choice of methods and of the session's parts; those that are not ready yet are named, folded."""
    methods = session_methods()
    ready = {m.id: m.about.title for m in methods.ready}
    parts = {p.name: p.titled(ready[p.method]) for p in runs.parts().values() if p.method in ready}
    chosen = several_of(
        st, "Methods", ready | parts, key, default=default, persist_state="session", placeholder="Choose at least one method"
    )
    missing = [m.about.title for m in methods.listed if m.missing]
    if missing:
        head = f"<summary>{plural(len(missing), 'more method')} not ready yet</summary>"
        st.html(f"<details class='gs-note'>{head}{escape(', '.join(missing))}. The Methods page says why.</details>")
    return chosen


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
    afresh: bool = False,
    wordings: tuple[int, ...] = (),
) -> str:
    """What a run takes, and the button that starts it; gives the id of the run that was started just now, else an empty text.

    `size` is as that of `groundscope.grounding.runs.planning.forecast`, `afresh` and `wordings` are as those of a `RunPlan`.
    """
    parts = loaded_parts(named)
    if parts is None:
        return ""
    if private := any(case_sets.private(c) for c in cases[:1]):
        shell.notice(
            "info", "These cases were pasted or made here. A run keeps their texts in the data folder until you delete it."
        )
    caption = f"Estimate for {len(cases):,} responses. Times come from earlier runs, perhaps on another machine."
    limits = offer(_forecast(group, split, cases, parts, size, wordings), "run", caption=caption)
    if limits is None:
        return ""
    with errors_shown():
        methods = [method_run(part, method, wordings) for part, method in parts]
        run_id = begin(
            title, group, cases, methods, attached, keeps_replies=not private, timed=timed, limits=limits, afresh=afresh,
            wordings=wordings,
        )  # fmt: skip
        if parts:
            jobs().resume(run_id)
        return run_id
    return ""


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
    group: str, split: str, cases: Sequence[Case], parts: Sequence[tuple[NamedPart, Method]], size: float, wordings: Sequence[int]
) -> list[CostEstimate]:
    """Saved for the session: prompts of hundreds of cases are counted, and earlier runs are read."""
    judges = tuple((part.name, m.signature) for part, m in parts)
    key = (group, split, hash(tuple(c.id for c in cases)), wordings, judges, len(runs.run_list().entries))

    def count() -> list[CostEstimate]:
        paces: Mapping[str, float] = {}
        with suppress(GroundscopeError):
            paces = known_seconds()
        return list(forecast(cases, parts, paces, wordings, size=size).values())

    return state.once("forecasts", key, count)
