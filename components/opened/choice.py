"""The bar above every page of a run: which run, which thresholds, which split. The link names them."""

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.opened import runs
from components.opened.run_words import listed_names
from groundscope.errors import GroundscopeError
from groundscope.experiments.plan import Part
from groundscope.grounding.results import BEYOND
from groundscope.grounding.rules.frozen_rules import STARTING, Decision, default_decision, frozen
from groundscope.grounding.rules.run_with_rules import rules_of
from groundscope.grounding.runs.arrays import Bytes, Integers, RunData
from groundscope.grounding.runs.listing import RunEntry, copies
from groundscope.grounding.tuning import Rule
from groundscope.methods import registry
from groundscope.types import Case

RUN, RULES, SPLIT = "run", "rules", "split"
_ALL = "all"


@dataclass(frozen=True, slots=True)
class RunView:
    """What a page shows: a run of m methods by n responses, and the responses of the split, on most pages the labelled ones.

    The `whole` run has the parts of sweeps, too, that the decision rejected.

    No decision = the thresholds that methods start with; no split = all. `verdicts` is (m, n): 1 called grounded, 0 called
    ungrounded, -1 no verdict.
    """

    run: RunData
    decision: Decision | None
    rules: dict[str, Rule]
    verdicts: Bytes
    split: str | None
    rows: Integers
    whole: RunData


def choose(page: str, source: str = "", *, labelled: bool = True, place: Any = None) -> RunView | None:
    """Draw the bar of a page; None where there is nothing to show, and the page says what to do.

    `source`: only runs whose cases came from something that begins like this, with those that come with the app; the newest
    finished one is shown first. `labelled`: whether the rows are those with a label, or all. `place`: where the bar is drawn.
    """
    with place or nullcontext(), st.container(horizontal=True, vertical_alignment="bottom", key=f"bar_{page}"):
        chosen = _run(page, source)
        if chosen is None:
            return None
        entry, run = chosen
        decisions = frozen(entry.folder)
        offered = {name: d for name, d in decisions.items() if d.offered(run)}
        rules_name = _rules(page, offered, run)
        decision = offered.get(rules_name)
        split = _split(page, run, labelled=labelled)
    _address({name: runs.run_choices()[name] for name in (RUN, SPLIT)} | {RULES: rules_name})
    with place or nullcontext():
        if reasons := [f"{name} ({_lacking(d, run)})" for name, d in decisions.items() if name not in offered]:
            st.html(shell.note(f"Not offered here: {listed_names(reasons)}."))
    whole = run
    if decision is not None and decision.rejected:
        run = runs.open_run(entry, decision.rejected)
    rules = rules_of(run, decision)
    _strangers(run, decision, rules)
    _unfinished(run)
    rows = run.rows(split) if labelled else np.flatnonzero((run.splits == split) | (split is None)).astype(np.int32)
    return RunView(run, decision, rules, runs.verdicts_of(run, rules), split, rows, whole)


def choose_run(page: str, bar: Any) -> RunData | None:
    """Draw the run alone in a bar; None where there is none."""
    with bar:
        chosen = _run(page)
    if chosen is None:
        return None
    _address({RUN: chosen[0].id})
    _unfinished(chosen[1])
    return chosen[1]


def _run(page: str, source: str = "") -> tuple[RunEntry, RunData] | None:
    run_list = runs.run_list()
    if run_list.trouble:
        shell.notice("bad", run_list.trouble)
    entries = run_list.entries
    if source:
        entries = {i: e for i, e in _with_copies().items() if runs.source(e).startswith(source)}
    if not entries:
        shell.notice("info", "There is no run yet. Start one on the Runs page: choose cases and methods there.")
        st.page_link("pages/runs.py", label="Go to the runs")
        return None
    labels = {i: label(e) for i, e in entries.items()}
    first = next((i for i, e in entries.items() if e.finished and source), next(iter(labels)))
    entry = entries[_chosen(page, "Run", RUN, labels, first)]
    try:
        run = runs.open_run(entry)
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        st.page_link("pages/runs.py", label="Go to the runs")
        return None
    if not len(run.ids) or not run.methods:
        shell.notice("info", "This run has no responses or no methods; choose another one.")
        return None
    return entry, run


def _with_copies() -> dict[str, RunEntry]:
    return {**runs.run_list().entries, **{e.id: e for e in copies()}}


def label(entry: RunEntry) -> str:
    """A run as a list shows it: its name, and when it was made."""
    when = entry.created[:16].replace("T", " ")
    tail = "comes with the app" if entry.comes_with_app else when if entry.finished else f"{when}, not finished"
    return f"{entry.name} · {tail}" if tail else entry.name


def _rules(page: str, offered: Mapping[str, Decision], run: RunData) -> str:
    tail = {name: BEYOND if d.goes_beyond(run) else "" for name, d in offered.items()}
    labels = {STARTING: "Starting thresholds", **{name: f"Frozen: {name}{tail[name]}" for name in offered}}
    default = first.name if (first := default_decision(run, offered.values())) else STARTING
    name = _chosen(page, "Thresholds", RULES, labels, default)
    if name == default:
        # Another run has a default of its own.
        runs.run_choices().pop(RULES, None)
    return name


def _lacking(decision: Decision, run: RunData) -> str:
    titles = {m.id: m.title for m in run.methods}
    some = listed_names([titles[m] for m in decision.strangers(run)])
    return f"does not cover {some}" if decision.rules(run) else "covers no method of this run"


def _split(page: str, run: RunData, *, labelled: bool) -> str | None:
    splits = run.labelled_splits() if labelled else tuple(sorted(set(map(str, run.splits))))
    labels = {_ALL: "All labelled" if labelled else "All", **{s or "none": s or "No split" for s in splits}}
    default = _ALL if not labelled else "test" if "test" in labels else "dev" if "dev" in labels else _ALL
    name = _chosen(page, "Responses", SPLIT, labels, default)
    return None if name == _ALL else "" if name == "none" and "" in splits else name


def _chosen(page: str, label: str, parameter: str, labels: Mapping[str, str], default: str) -> str:
    choices = runs.run_choices()
    asked = st.query_params.get(parameter) or choices.get(parameter) or default
    value = asked if asked in labels else default
    key = f"{page}_{parameter}"
    st.session_state[key] = value
    st.selectbox(label, list(labels), format_func=lambda name: labels[name], key=key, on_change=_take, args=(parameter, key))
    choices[parameter] = value
    if asked != value and parameter in st.query_params:
        shell.notice("info", f"The link names a choice for “{label}” that is not available; another one is shown.")
    return value


def _address(chosen: Mapping[str, str]) -> None:
    """Let the link name what is shown; in one step, since each would be one more for the browser's Back."""
    if changed := {name: value for name, value in chosen.items() if st.query_params.get(name) != value}:
        st.query_params.update(changed)


def forget_link() -> None:
    """Let the page choose a run of its own: what the link named belongs to another part of the page."""
    for parameter in (RUN, RULES, SPLIT):
        st.query_params.pop(parameter, None)


def _take(parameter: str, key: str) -> None:
    if parameter == RUN:
        # What the link says was the default of the run before, or was chosen, and is remembered.
        st.query_params.pop(RULES, None)
    st.query_params[parameter] = runs.run_choices()[parameter] = st.session_state[key]


def _strangers(run: RunData, decision: Decision | None, rules: Mapping[str, Rule]) -> None:
    without = [m.title for m in run.methods if m.id not in rules]
    why = "were not tuned with these parameters" if decision else "start without a threshold"
    lines = [f"No verdicts of {', '.join(without)}: they {why}. Tune and freeze thresholds on the Thresholds page."]
    shell.not_ready(len(without), lines if without else ())


def _unfinished(run: RunData) -> None:
    if not run.finished:
        left = int((run.status < 0).sum())
        if not left:
            shell.notice("info", "This run was stopped before all its files were judged. Run its command again to resume it.")
            return
        shell.notice("info", f"This run is not finished: {left:,} of {run.status.size:,} judgements are missing.")


def open_case(run: RunData, row: int, method: str, sentence: int | None = None) -> None:
    """Open a case of a run in the heatmap, at a method and a sentence (counted from 0)."""
    case = run.case(row)
    group = _kept_in(run, case)
    parameters = {"method": method}
    if _take_part(run, method) or group.name != case_sets.SAMPLES or changed_part(run, method):
        # A person who gets the link may have the run, but not this session's cases.
        parameters[RUN] = run.id
    if sentence is not None:
        parameters["sentence"] = str(sentence + 1)
    state.open_heatmap(group.name, case, **parameters)


def linked_part(name: str) -> str:
    """Let the heatmap show a part of the run that the link names; says where that part was another method than it is today."""
    if not name or not (run := _linked_run()):
        return ""
    if name not in registry.names():
        _take_part(run, name)
    return changed_part(run, name)


def changed_part(run: RunData, name: str) -> str:
    """Warning where the method under a part's id has changed since the run; else empty."""
    part = next((m for m in run.methods if m.id == name), None)
    if part is None or part.recorded or registry.current(part.loads) not in registry.names() or _as_in_the_run(part):
        return ""
    return (
        f"In the run “{run.name}” the verdicts under this name are those of {part.title}, with the signature {part.signature}. "
        "The heatmap judges with the method of today, which is another one or has other parameters."
    )


def linked_case(case_id: str) -> tuple[CaseSet, Case] | None:
    """The case of a link that names its run too; None where the run or the case is not here."""
    run = _linked_run()
    if run is None:
        return None
    rows = np.flatnonzero(run.ids == case_id)
    if not len(rows):
        return None
    case = run.case(int(rows[0]))
    return _kept_in(run, case), case


def _linked_run() -> RunData | None:
    run_id = st.query_params.get(RUN, "")
    with suppress(GroundscopeError):
        if run_id and (entry := _with_copies().get(run_id)):
            return runs.open_run(entry)
    return None


def _take_part(run: RunData, name: str) -> bool:
    """Let the heatmap show a named part of a run; False where it is no such part, or is not what judged in the run any more."""
    names = registry.names()
    part = next((m for m in run.methods if m.id == name and m.id not in names and registry.current(m.loads) in names), None)
    if part is None or not _as_in_the_run(part):
        return False
    if name not in state.parts():
        state.show_method(name)
    state.parts()[name] = replace(part, method=registry.current(part.loads))
    return True


def _as_in_the_run(part: Part) -> bool:
    try:
        return registry.load(part.loads, **part.options).signature == part.signature
    except (GroundscopeError, ValueError):
        return False


def _kept_in(run: RunData, case: Case) -> CaseSet:
    """The set of this session that has the case; one is made for the run where none has."""
    existing = case_sets.find(case.id)
    if existing is None or existing[1] != case:
        name = f"Run {run.name}"[:80]
        others = [c for c in case_sets.cases_of(name) if c.id != case.id]
        case_sets.add(CaseSet(name, (*others, case)))
        return case_sets.sets()[name]
    return existing[0]
