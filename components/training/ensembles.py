"""Ensembles of the user's own: fit one on labelled cases, see whether it beats its best method, use it or delete it."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from components import case_sets, shell
from components.controls import errors_shown, needs, several_of, unfolded
from components.training import labelled
from components.training.combined import card
from components.training.fitter import fitter
from components.training.messages import parts_words
from components.worker import scoring
from groundscope.drawing.html import table
from groundscope.errors import DataError
from groundscope.methods import defaults
from groundscope.storage.team.roles import Role
from groundscope.training.data import parts
from groundscope.training.ensemble_features import unfit
from groundscope.training.ensembles import FittedEnsemble, read
from groundscope.training.nested import in_words
from groundscope.training.own_models import ensembles, own_ensemble, remove_ensemble

_POLL = 1.0
_LEARNED = " The classifier that ships learned from train, so it counts for more here than it would on new cases."
_UNEARNED = "Only an ensemble that is shown to be better than its best method can open the heatmap."
_SAID, _FORM, _SET, _NAME, _METHODS = "ensemble_said", "ensemble_form", "ensemble_set", "ensemble_name", "ensemble_methods"


def show() -> None:
    """Fits under way, finished ensembles, and the form for the next one."""
    shell.section("Your own ensemble")
    st.html(
        "<p class='gs-sub gs-measure'>An ensemble weighs several methods together, with figures, names and negations that "
        "differ between a sentence and its evidence. Its weights are fitted on labelled cases, and it is compared with its best "
        "method on queries that it was not fitted on. It opens the heatmap only if it is shown to be better.</p>"
    )
    with st.container():
        shell.show_said(_SAID)
        for name, why in fitter().failed().items():
            shell.notice("bad", f"{name} was not fitted: {why}")
        working = fitter().under_way()
        if working:
            st.fragment(_live, run_every=_POLL)(working)
        for name in ensembles():
            _ensemble(name)
    unfolded("Fit an ensemble on labelled cases", _FORM, _form)


def _live(shown: tuple[str, ...]) -> None:
    if fitter().under_way() != shown:
        # A finished fit moves to the list.
        st.rerun()
    for name in shown:
        with st.container(border=True, key=f"fit_{name}"):
            st.html(f"<h3 class='gs-small'>{escape(name)} · {escape(fitter().title(name))}</h3>")
            stopping = fitter().stopping(name)
            words = "Stopping after this response" if stopping else fitter().progress(name) or "Loading methods"
            st.html(shell.note(words))
            st.button(
                "Stop now" if stopping else "Stop",
                key=f"fit_stop_{name}",
                on_click=fitter().stop,
                args=(name,),
                **needs(Role.REVIEWER),
            )


def _ensemble(name: str) -> None:
    try:
        fitted: FittedEnsemble | None = read(own_ensemble(name))
    except DataError as error:
        fitted = None
        shell.notice("bad", str(error))
    kept: Mapping[str, Any] = fitted.made.get("nested", {}) if fitted else {}
    facts = partial(_record, name, fitted, kept) if fitted else None
    card("ensemble", name, _SAID, facts, remove_ensemble, earned=bool(kept.get("earned")), why=_UNEARNED)


def _record(name: str, fitted: FittedEnsemble, kept: Mapping[str, Any]) -> None:
    st.html(f"<p class='gs-note'>{escape(_facts(f'ensemble:{name}', fitted))}</p>")
    st.html(f"<p class='gs-measure'>{escape(in_words(kept))}</p>")
    st.html(shell.note("AUROC: 1 puts every sound sentence above every wrong one, 0.5 is a coin."))
    unfolded("What it weighs", f"weights_{name}", _weights, fitted)


def _facts(method: str, fitted: FittedEnsemble) -> str:
    made = fitted.made
    learned = f"{made['sentences']:,} sentences of {made['data']}" if {"sentences", "data"} <= set(made) else ""
    return " · ".join(part for part in (f"method {method}", ", ".join(fitted.methods), learned) if part)


def _weights(fitted: FittedEnsemble) -> None:
    rows = sorted(zip(fitted.names, fitted.weights, strict=True), key=lambda row: -abs(row[1]))
    st.html(table(("What counts", "Weight"), [(escape(name), f"{weight:+.2f}") for name, weight in rows]))
    st.html(shell.note("A weight is what one standard deviation counts, in logits; above 0 it speaks for support."))


def _form() -> None:
    group = labelled.choose(_SET)
    found = labelled.cached("parts", group, lambda: parts(group.cases))
    if isinstance(found, str):
        shell.notice("bad", found)
        return
    st.html(f"<p class='gs-measure'>{escape(parts_words(found, group.name))}</p>")
    ready = {m.id: m.about.title for m in scoring.methods() if not m.missing and not unfit(m.id, scoring.loaded(m.id))}
    # Weights of a chosen method may be gone by now.
    before = st.session_state.get(_METHODS, defaults.DEFAULTS)
    st.session_state[_METHODS] = [m for m in before if m in ready]
    methods = several_of(
        st,
        "Methods to weigh together",
        ready,
        _METHODS,
        persist_state="session",
        help="Methods that work on this machine alone and judge sentence by sentence",
    )
    suggested = labelled.suggested(group.name, {*ensembles(), *fitter().under_way()})
    given = st.text_input("Name of the ensemble", key=_NAME, placeholder=suggested, max_chars=40, width=300)
    _begin(group, given.strip() or suggested, methods)


def _begin(group: case_sets.CaseSet, name: str, methods: Sequence[str]) -> None:
    samples = group.name == case_sets.SAMPLES
    st.html(
        shell.note(
            "Every method judges the cases of train and dev first."
            + (_LEARNED if samples else " While it does, a copy of these cases is in the data folder.")
        )
    )
    if len(methods) < 2:
        shell.notice("info", "Choose two methods or more.")
    busy = bool(fitter().under_way())
    if busy:
        st.html(shell.note("One fit at a time. Start the next one when this one is finished or stopped."))
    if st.button("Fit the ensemble", type="primary", key="fit_start", **needs(Role.REVIEWER, disabled=busy or len(methods) < 2)):
        with errors_shown():
            fitter().begin(name, methods, group.name, None if samples else group.cases)
            st.session_state.pop(_NAME, None)
            st.rerun()
