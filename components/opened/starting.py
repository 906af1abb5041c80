"""Starting a run of methods over cases: what it takes, and the button."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape

import streamlit as st

from components import case_sets, shell, state
from components.controls import errors_shown, several_of
from components.experiments.jobs import jobs
from components.experiments.panel import Panel, offer
from components.opened import runs
from components.scoring.session import Session
from groundscope.errors import GroundscopeError
from groundscope.experiments.forecast import CostEstimate
from groundscope.experiments.plan import Part
from groundscope.grounding.imported.scores import ImportedMethod
from groundscope.grounding.parts import described, loaded
from groundscope.grounding.runs.planning import begin, forecast, known_seconds
from groundscope.grounding.runs.store import KIND
from groundscope.methods import Method
from groundscope.text.humanize import plural
from groundscope.types import Case

PANEL = Panel(KIND, "Its judgements and its copy of the texts")


def methods_field(key: str, methods: Session, default: Sequence[str]) -> list[str]:
    """A choice of methods and of the session's parts, by name; those that are not ready yet are listed, folded."""
    titles = {m.id: m.about.title for m in methods.ready}
    parts = {part.id: part.title for part in runs.parts().values() if part.loads in titles}
    chosen = several_of(
        st, "Methods", titles | parts, key, default=default, persist_state="session", placeholder="Choose at least one method"
    )
    missing = [m.about.title for m in methods.listed if m.missing]
    if missing:
        head = f"<summary>{plural(len(missing), 'more method')} not ready yet</summary>"
        st.html(f"<details class='gs-note'>{head}{escape(', '.join(missing))}. The Methods page says why.</details>")
    return chosen


def loaded_parts(named: Iterable[str], methods: Session) -> list[tuple[Part, Method]] | None:
    """What was chosen by name, with the session's options under its own; None where it cannot be built, and the page says why."""
    parts = [runs.parts().get(name, Part(name)) for name in named]
    with errors_shown(ValueError):
        return [loaded(replace(p, options={**methods[p.loads].part.options, **p.options})) for p in parts]
    return None


def offer_run(
    group: str,
    split: str,
    title: str,
    cases: Sequence[Case],
    parts: Sequence[tuple[Part, Method]],
    attached: Sequence[ImportedMethod] = (),
    *,
    timed: bool = True,
    size: float = 1.0,
    afresh: bool = False,
    wordings: tuple[int, ...] = (),
) -> bool:
    """What a run takes, and the button that starts it; whether it was started just now.

    `size` is as that of `groundscope.grounding.runs.planning.forecast`, `afresh` and `wordings` are as those of `begin` there.
    """
    private = any(case_sets.private(c) for c in cases[:1])
    if private:
        shell.notice(
            "info", "These cases were pasted or made here. A run keeps their texts in the data folder until you delete it."
        )
    caption = f"Estimate for {len(cases):,} responses. Times come from earlier runs, perhaps on another machine."
    limits = offer(_forecast(group, split, cases, parts, size, wordings), "run", caption=caption)
    if limits is None:
        return False
    with errors_shown():
        methods = [described(part, method, wordings) for part, method in parts]
        run_id = begin(
            title, group, cases, methods, attached, keeps_replies=not private, timed=timed, limits=limits, afresh=afresh,
            wordings=wordings,
        )  # fmt: skip
        if parts:
            jobs().resume(run_id)
        return True
    return False


def _forecast(
    group: str, split: str, cases: Sequence[Case], parts: Sequence[tuple[Part, Method]], size: float, wordings: Sequence[int]
) -> list[CostEstimate]:
    """Saved for the session: prompts of hundreds of cases are counted, and earlier runs are read."""
    judges = tuple((part.id, part.signature) for part, _ in parts)
    key = (group, split, hash(tuple(c.id for c in cases)), wordings, judges, len(runs.run_list().entries))

    def count() -> list[CostEstimate]:
        paces: Mapping[str, float] = {}
        with suppress(GroundscopeError):
            paces = known_seconds()
        return list(forecast(cases, parts, paces, wordings, size=size).values())

    return state.once("forecasts", key, count)
