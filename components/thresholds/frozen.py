"""Freeze thresholds under a name, and show frozen ones on test: the only part of this page that shows test."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from components import shell
from components.controls import action, download, errors_shown, slug
from components.opened import choice, runs
from components.thresholds import promises, tables
from components.thresholds.tune import FROZEN, ON_TEST, TAB, TEST, Tuning, TuningSettings, leaks, on_test, use
from groundscope.drawing.html import listed
from groundscope.errors import DataError
from groundscope.grounding.results import split_leaks
from groundscope.grounding.rules.frozen_rules import Decision, forget, freeze, from_json, frozen, problems, to_json
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Objective, Tuned, rejected
from groundscope.storage.sqlite import now
from groundscope.text.humanize import plural

_SAID = "thresholds_freeze"
NAME, _FILE, _OTHER_NAME = "thresholds_name", "thresholds_file", "thresholds_other_name"


def _folder() -> Path | None:
    """The folder of the open run, which may contain frozen thresholds."""
    entry = runs.run_list().entries.get(runs.run_choices().get(choice.RUN, ""))
    return entry.folder if entry else None


def form(run: RunData, settings: TuningSettings, tuning: Tuning) -> None:
    """A name for the tuned thresholds."""
    example = "a name, such as: dev macro-F1 first try"
    left_out = rejected(run.methods, tuning.tuned, settings.objective)
    more: dict[str, Any] = {"rejected": left_out, "ways": settings.allowed, "beyond": settings.beyond}
    make = partial(decided, run, tuning.tuned, settings.objective, **more)
    name_form(NAME, "Freeze", example, make, ready=bool(tuning.tuned))
    st.html(
        shell.note(
            "Frozen thresholds never change: one rule per method, its tuning data, and the method's parameters. A rule applies "
            "only to these parameters."
        )
    )


def section(run: RunData) -> None:
    """Frozen thresholds to choose or import, and the chosen ones on test."""
    there = TEST in run.labelled_splits()
    test = f"Test has {tables.size(run, TEST)}" if there else "The run has no labelled response in test"
    st.html(f'<p class="gs-sub gs-measure">{escape(" ".join([f"{test}.", *split_leaks(run, TEST)]))}</p>')
    shell.show_said(_SAID)
    if decision := choose():
        show(run, decision)
    with st.expander("Import frozen thresholds", key="thresholds_bring"), st.form("thresholds_import", border=False):
        st.file_uploader("File exported from Groundscope", type=["json"], key=_FILE)
        st.text_input("Save under another name", key=_OTHER_NAME, placeholder="same name", max_chars=80)
        st.form_submit_button("Import", on_click=_import, key="thresholds_import_it")


def name_form(key: str, label: str, example: str, make: Callable[[str, str], Decision], *, ready: bool = True) -> None:
    """A name, and a button that freezes under it what `make` gives for the name and the time."""
    shell.show_said(_SAID)
    with st.form(f"{key}_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(f"{label} as", key=key, placeholder=example, width=420, max_chars=80)
        st.form_submit_button(label, type="primary", disabled=not ready, on_click=_freeze, args=(key, make), key=f"{key}_freeze")


def _freeze(key: str, make: Callable[[str, str], Decision]) -> None:
    if _keep(make(str(st.session_state[key]).strip(), now())):
        st.session_state[key] = ""


def decided(run: RunData, tuned: Mapping[str, Tuned], objective: Objective, name: str, created: str, **more: Any) -> Decision:
    """The rules of a run under a name; `more` are further fields of `Decision`."""
    signatures = {m.id: m.signature for m in run.methods if m.id in tuned}
    return Decision(name, created, run.name, run.data_hash, objective, tuned, signatures, **more)


def _keep(decision: Decision) -> bool:
    with errors_shown(place=_SAID):
        freeze(decision)
        _open(decision.name)
        count = len(decision.tuned)
        shell.say(_SAID, "good", f"Frozen as {decision.name}: {plural(count, 'method')}. They are shown on test.")
        return True
    return False


def _open(name: str) -> None:
    """Select these frozen thresholds, here and on the other pages of a run."""
    st.session_state[TAB] = ON_TEST
    st.session_state[FROZEN] = runs.run_choices()[choice.RULES] = st.query_params[choice.RULES] = name


@errors_shown(place=_SAID)
def _import() -> None:
    file = st.session_state[_FILE]
    if file is None:
        shell.say(_SAID, "info", "Choose a file first.")
        return
    try:
        decision = from_json(file.getvalue().decode("utf-8"))
    except UnicodeDecodeError:
        raise DataError("The file of frozen thresholds cannot be read. Freeze them again.") from None
    other = str(st.session_state[_OTHER_NAME]).strip()
    _keep(replace(decision, name=other or decision.name))


def opened() -> Decision | None:
    """The frozen thresholds that are shown on test."""
    return frozen(_folder()).get(st.session_state.get(FROZEN) or st.query_params.get(choice.RULES, ""))


def choose() -> Decision | None:
    """The frozen thresholds to show on test; none unless the user or a link selects them."""
    decisions = frozen(_folder())
    for problem in problems():
        shell.notice("bad", problem)
    if not decisions:
        shell.notice("info", "Freeze thresholds under a name first. Then you see test here.")
        return None
    linked = st.query_params.get(choice.RULES)
    if linked in decisions and FROZEN not in st.session_state:
        st.session_state[FROZEN] = linked
    if st.session_state.get(FROZEN) not in decisions:
        st.session_state[FROZEN] = None
    hint = "Choose thresholds to see test"
    chosen = st.selectbox(
        "Frozen thresholds", list(decisions), index=None, key=FROZEN, placeholder=hint, persist_state="session", width=420,
        on_change=_chosen,
    )  # fmt: skip
    return decisions.get(chosen or "")


def _chosen() -> None:
    if name := st.session_state[FROZEN]:
        _open(name)
    else:
        st.query_params.pop(choice.RULES, None)


def show(run: RunData, decision: Decision) -> None:
    """Frozen thresholds: their origin, their results on test, and their actions."""
    when = decision.made[:16].replace("T", " ")
    same = decision.data_hash == run.data_hash
    whose = "these cases" if same else f"other cases, those of the run {decision.run}"
    st.html(f'<p class="gs-sub gs-measure">Frozen {escape(when)} UTC, tuned on {escape(whose)} by {escape(decision.aim)}.</p>')
    shell.show_said("thresholds_frozen")
    _warnings(run, decision)
    titles = [m.title for m in run.methods]
    if TEST not in run.labelled_splits():
        there = ", ".join(map(tables.split_name, run.labelled_splits())) or "none"
        shell.notice("info", f"The run has no labelled response in test (its labelled splits: {there}).")
    elif gaps := on_test(run, decision):
        gaps = tables.by_macro_f1(gaps)
        st.html(tables.gaps_html(gaps, run.methods, decision.objective))
        for line in leaks(run, decision):
            shell.notice("info", line)
        promised = [(tables.one_line(titles[g.method]), decision.promised.get(run.methods[g.method].id)) for g in gaps]
        if lines := tables.merged([(title, f"{phrase}.") for title, phrase in promised if phrase]):
            st.html(listed(lines))
        st.html(
            '<p class="gs-note gs-measure">The gap is macro-F1 on the tuning split minus macro-F1 on test. Each figure has its '
            "95 % interval (2,000 bootstrap samples of queries). That of macro-F1 on test also draws the tuning split, "
            "where a rule was tuned on this run; the others are given the rule. If the interval of a gap includes 0, the gap may "
            "be chance.</p>"
        )
    if decision.promises:
        promises.show(run, decision)
    with st.container(horizontal=True, vertical_alignment="center"):
        rules = decision.rules(run)
        label, key = "Use them in the heatmap", "thresholds_use_frozen"
        action(label, key, use, run, rules, "frozen", decision, disabled=not rules)
        download("Export as JSON", to_json(decision), f"{slug(decision.name)}.json", "thresholds_export")
        with st.popover("Delete", key="thresholds_delete"):
            st.html(f'<p class="gs-measure">{escape(decision.name)} is deleted permanently. Pages that use it show others.</p>')
            action("Delete permanently", "thresholds_delete_it", _delete, decision.name)


def _warnings(run: RunData, decision: Decision) -> None:
    if strangers := decision.strangers(run):
        titles = ", ".join(m.title for m in run.methods if m.id in strangers)
        shell.notice(
            "info",
            f"Left out: {titles}. They were not tuned here, or with other parameters. A rule applies only to its own parameters.",
        )
    if any(t.split == TEST for t in decision.tuned.values()):
        shell.notice("bad", "Some of these thresholds were tuned on test itself: their test figures do not apply to new cases.")
    looks = [d.name for d in frozen(_folder()).values() if d.data_hash == run.data_hash]
    if len(looks) > 1:
        shell.notice(
            "info",
            f"{len(looks)} sets of thresholds are frozen for these cases. The more of them you compare on test, the better the "
            "best one looks by chance. Choose on dev.",
        )


@errors_shown(place="thresholds_frozen")
def _delete(name: str) -> None:
    forget(name)
    if name in frozen(_folder()):
        shell.say("thresholds_frozen", "info", "These thresholds came with the run and cannot be deleted here.")
        return
    st.session_state[FROZEN] = None
    st.query_params.pop(choice.RULES, None)
    runs.run_choices().pop(choice.RULES, None)
    shell.say(_SAID, "good", f"{name} is deleted.")
