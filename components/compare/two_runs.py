"""Two runs side by side."""

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

from components import shell
from components.controls import errors_shown, table_csv
from components.opened import run_figures, runs
from components.opened.choice import RunView
from groundscope.drawing.html import listed
from groundscope.grounding.comparing.comparisons import ALPHA, METHOD, p_words
from groundscope.grounding.comparing.two_runs import ComparedMethod, RunSide, TwoRuns
from groundscope.grounding.result_columns import MISSING
from groundscope.grounding.results import RunResults
from groundscope.grounding.rules.frozen_rules import default_decision, frozen
from groundscope.grounding.rules.run_with_rules import rules_of
from groundscope.grounding.runs.listing import RunEntry
from groundscope.text.humanize import one_line

_OTHER, _KEY = "other", "compare_other"


def show(view: RunView, results: RunResults) -> None:
    """Choose the other run, then what both have in common."""
    others = {i: e for i, e in runs.run_list().entries.items() if i != view.run.id}
    if not others:
        shell.notice("info", "There is no other run yet. Start one on the Runs page, then compare the two here.")
        return
    other_id = _other(others)
    if other_id is None:
        st.html('<p class="gs-note">Methods of both runs are matched by id.</p>')
        return
    with errors_shown():
        run = runs.open_run(others[other_id])
        decision = first = view.decision
        if first is not None and not first.covers(run):
            decision = default_decision(run, frozen(others[other_id].folder).values())
            name = decision.name if decision else "their starting thresholds"
            st.html(shell.note(f"Methods of {run.name} that {first.name} does not hold for are read by {name}."))
        rules = rules_of(run, decision) | (first.rules(run) if first else {})
        side = RunSide(run, runs.verdicts_of(run, rules), rules, run.rows(view.split))
        pair = run_figures.beside(view, side)
        if pair.note:
            shell.notice("info", pair.note)
        if pair.methods:
            _table(pair, results, side)
        for names, title in ((pair.only_first, view.run.name), (pair.only_second, run.name)):
            if names:
                st.html(shell.note(f"Only in {title}: {', '.join(names)}."))


def _other(others: Mapping[str, RunEntry]) -> str | None:
    """The other run; the link names it by its id."""
    linked = st.query_params.get(_OTHER)
    if linked in others:
        st.session_state[_KEY] = linked
    elif linked is not None:
        del st.query_params[_OTHER]
        shell.notice("info", "The run in the link is not here. Choose another one.")
    titles = {i: " · ".join(filter(None, (e.name, e.created[:10]))) for i, e in others.items()}
    chosen: str | None = st.selectbox(
        "Compare with", list(others), format_func=titles.__getitem__, index=None, placeholder="Choose the other run", key=_KEY,
        on_change=_take, persist_state="session",
    )  # fmt: skip
    return chosen


def _take() -> None:
    chosen = st.session_state.get(_KEY)
    if chosen is None:
        st.query_params.pop(_OTHER, None)
    else:
        st.query_params[_OTHER] = chosen


def _table(pair: TwoRuns, results: RunResults, side: RunSide) -> None:
    first, second = results.run, side.run.name
    if first == second:
        first, second = f"{first} (this run)", f"{second} (the other)"
    columns: dict[str, list[object]] = {
        "Method": [b.title for b in pair.methods],
        f"F1, {first}": [b.f1[0] for b in pair.methods],
        f"F1, {second}": [b.f1[1] for b in pair.methods],
    }
    if not pair.note:
        columns |= {
            "Difference": [b.difference for b in pair.methods],
            "From": [b.interval.low for b in pair.methods],
            "To": [b.interval.high for b in pair.methods],
            "p, adjusted": [b.adjusted_p for b in pair.methods],
            "Responses": [b.shared for b in pair.methods],
        }
    else:
        columns |= {f"Responses, {name}": [b.responses[k] for b in pair.methods] for k, name in enumerate((first, second))}
    columns |= {f"Seconds, {name}": [b.seconds[k] for b in pair.methods] for k, name in enumerate((first, second))}
    columns |= {"Parameters": ["the same" if b.same_signature else "differ" for b in pair.methods]}
    table = pd.DataFrame(columns)
    if not pair.note:
        st.html(listed((_words(b, second) for b in pair.methods), "gs-errors gs-measure"))
    config = {
        name: st.column_config.NumberColumn(one_line(name, 40), format="%.4g" if name.startswith("Seconds") else "%.3f")
        for name in table.columns
        if table[name].dtype.kind == "f"
    }
    st.dataframe(
        table, hide_index=True, column_config=config, placeholder=MISSING, alt=f"{len(table)} methods in two runs, a row a method"
    )
    about = f"Differences are the second run's F1 minus the first's, on the responses that both have judged, with {METHOD} "
    note = "" if pair.note else about
    st.html(f'<p class="gs-note">{note}Each run uses the thresholds chosen above if they fit its methods.</p>')
    table_csv(table, f"{first} and {second}", "runs_csv")


def _words(both: ComparedMethod, second: str) -> str:
    if math.isnan(both.difference):
        return f"{both.title}: the difference cannot be measured, because a threshold or a label is missing in one of the runs."
    changed = "" if both.same_signature else " Its parameters differ between the runs."
    if math.isnan(both.interval.low):
        return f"{both.title} differs by {both.difference:+.3f} in {second}; one query alone gives no interval.{changed}"
    low, high = both.interval.low, both.interval.high
    ends = sorted((abs(low), abs(high)))
    sure = f"{abs(both.difference):.3f} ({ends[0]:.3f} to {ends[1]:.3f}), {p_words(both.adjusted_p)}"
    if (low > 0 or high < 0) and both.adjusted_p < ALPHA:
        return f"{both.title} is {'better' if low > 0 else 'worse'} in {second} by {sure}.{changed}"
    change, start, end = (f"{v:+.3f}".replace("-", "−") for v in (both.difference, low, high))
    return f"{both.title} shows no clear difference: {change} ({start} to {end}), {p_words(both.adjusted_p)}.{changed}"
