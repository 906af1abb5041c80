"""A promise about misses: for every method the lowest threshold that carries it, its price, or what could be promised instead."""

from dataclasses import dataclass
from functools import partial
from html import escape

import streamlit as st

from components import shell
from components.controls import table_csv
from components.thresholds import frozen
from components.thresholds import promise_tables as tables
from components.thresholds.kept_promises import sentences_read
from components.thresholds.state import BY_MARK, TuningSettings
from components.thresholds.tune import use
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.promises import MEANING, SoughtPromise, promised_rules, seek_promises
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Objective, Tuned
from groundscope.statistics.risk import MissLimit, Promise

NAME = "thresholds_promise_name"
_SLOW = 4_000
"""Responses that are cut into sentences without being asked to."""


@dataclass(frozen=True, slots=True)
class PromiseSearch:
    """By method id: what was found, why nothing could be, and the rules and promises to be frozen."""

    found: dict[str, SoughtPromise]
    failed: dict[str, str]
    tuned: dict[str, Tuned]
    promises: dict[str, Promise]


def section(run: RunData, settings: TuningSettings) -> None:
    """The fields, the table of all methods, and what can be done with the promises."""
    st.html(
        '<p class="gs-sub gs-measure">A tuned threshold is the best on its split, and may miss more elsewhere. A promise limits '
        "the misses: of each method, the lowest threshold that is shown to keep the limit, by the labelled sentences of the "
        "split for tuning. Its price is false alarms.</p>"
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = _percent("Miss at most, % of a query's wrong sentences", "thresholds_most", 10.0, 330)
        confidence = _percent("Confidence, %", "thresholds_confidence", 90.0, 160)
    limit = MissLimit(most / 100, confidence / 100)
    if not _wanted(run, settings.split):
        return
    with sentences_read():
        search = _search(run, limit, settings.split)
        _result(run, limit, search)


def _percent(label: str, key: str, value: float, width: int) -> float:
    return st.number_input(
        label,
        min_value=0.1,
        max_value=99.9,
        value=value,
        step=1.0,
        format="%.1f",
        key=key,
        persist_state="session",
        width=width,
    )


def _wanted(run: RunData, split: str | None) -> bool:
    """Whether to search: at once in small sets, else once the user asks for it."""
    asked = st.session_state.setdefault("thresholds_promise_asked", set())
    count, mine = sum(len(run.rows(s)) for s in _splits(run, split)), (run.id, split)
    if count <= _SLOW or mine in asked:
        return True
    shell.notice("info", f"Searching takes a while: {count:,} responses are cut into sentences first.")
    if not st.button("Search for thresholds", key="thresholds_promise_search"):
        return False
    asked.add(mine)
    return True


def _splits(run: RunData, split: str | None) -> set[str]:
    return {split} if split is not None else {"dev", *(m.tuned_on for m in run.methods)}


@st.cache_data(max_entries=16, show_spinner="Searching for thresholds", hash_funcs=BY_MARK)
def _search(run: RunData, limit: MissLimit, split: str | None) -> PromiseSearch:
    found, failed = seek_promises(run, limit, split)
    return PromiseSearch(found, failed, *promised_rules(run, found))


def _result(run: RunData, limit: MissLimit, search: PromiseSearch) -> None:
    titles = {m.id: m.title for m in run.methods}
    decision = _decision(run, search, "", "")
    if not search.promises:
        shell.notice(
            "info",
            f"No threshold of any method can promise {escape(limit.words)}. The table shows what could be promised at best, and "
            "its price. More labelled queries allow smaller limits.",
        )
    st.html(tables.sought_html(search.found, search.failed, titles, limit))
    st.html(f'<p class="gs-note gs-measure">{escape(MEANING)}</p>')
    shell.show_said("thresholds_promise")
    rules = {name: tuned.rule for name, tuned in search.tuned.items()}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Use these promises in the heatmap",
            key="thresholds_use_promises",
            on_click=use,
            args=(run, rules, "promise", decision),
            disabled=not rules,
        )
        found = tables.sought_table(search.found, titles, decision.promised)
        table_csv(found, f"{run.name} promises", "thresholds_promise_csv")
    if rules:
        frozen.name_form(NAME, "Freeze these promises", "a name, such as: at most 10 % missed", partial(_decision, run, search))


def _decision(run: RunData, search: PromiseSearch, name: str, made: str) -> Decision:
    signatures = {m.id: m.signature for m in run.methods if m.id in search.tuned}
    about = name, made, run.name, run.data_hash, Objective()
    return Decision(*about, search.tuned, signatures, promises=search.promises)
