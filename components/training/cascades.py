"""Cascades of the user's own: choose on a finished run when a second method is asked, see what that costs, keep it, delete it."""

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any, Literal

import streamlit as st

from components import figure, shell, state
from components.charts.tradeoff import tradeoff
from components.controls import errors_shown, needs, select_one, unfolded
from components.runs import choice, runs
from components.training import cascade_figures as shown
from components.training.combined import card
from groundscope.drawing.html import table
from groundscope.errors import DataError
from groundscope.grounding.runs.arrays import RunData
from groundscope.methods import registry
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import plural
from groundscope.training.cascade_bands import CascadeBudget, CascadeChoice, bands_frame
from groundscope.training.cascade_files import Asked, FittedCascade, read
from groundscope.training.cascade_proof import CascadeProof, as_json, fitted, proven
from groundscope.training.cascade_records import quickest
from groundscope.training.cascade_words import compared, in_words
from groundscope.training.cascades import choose
from groundscope.training.ensembles import write
from groundscope.training.own_models import cascades, own_cascade, remove_cascade

_SAID, _FORM, _RUN, _NAME = "cascade_said", "cascade_form", "cascade_run", "cascade_name"
_FIRST, _SECOND, _ASKED = "cascade_first", "cascade_second", "cascade_asked"
_FOUND = "cascade_found"
_UNEARNED = "Only a cascade of methods on this machine that is shown to be better than its first method can open the heatmap."
_INTERVALS = "Intervals draw the queries of dev and test and tune the thresholds again each time; the band is given."
_FITS = "The whole answer for a chat model, because it read that in the run, too; else the doubtful sentences alone."
_READS = {"": "As fits the method", "sentences": "The doubtful sentences alone", "answer": "The whole answer"}


def show() -> None:
    """Finished cascades, and the form for the next one."""
    shell.section("Your own cascade")
    st.html(
        "<p class='gs-sub gs-measure'>A cascade lets a cheap method judge every sentence and asks a second one, such as a chat "
        "model, only about the sentences that the first leaves in doubt. Which these are is chosen on dev of a run that holds "
        "both methods; nothing is asked for it. Then test, which played no part in that, shows the cascade beside either method "
        "alone.</p>"
    )
    with st.container():
        shell.show_said(_SAID)
        for name in cascades():
            _cascade(name)
    unfolded("Choose a cascade on a finished run", _FORM, _form)


def _cascade(name: str) -> None:
    try:
        made: FittedCascade | None = read(own_cascade(name))
    except DataError as error:
        made = None
        shell.notice("bad", str(error))
    kept: dict[str, Any] = made.made.get("on_test", {}) if made else {}
    better = ((kept.get("over_first") or {}).get("low") or 0.0) > 0
    method = registry.find(f"cascade:{name}")
    facts = partial(_facts, name, made, kept, method.unavailable()) if made else None
    card("cascade", name, _SAID, facts, remove_cascade, earned=better and not method.asks, why=_UNEARNED)


def _facts(name: str, made: FittedCascade, kept: dict[str, Any], missing: str) -> None:
    st.html(f"<p class='gs-note'>{escape(shown.facts(name, made))}</p>")
    _on_test(kept, made.first.words, made.second.words)
    if missing:
        shell.notice("info", missing)


def _form() -> None:
    run = _run()
    if run is None:
        return
    titles = {m.id: m.title for m in run.methods if not m.recorded and m.loads.partition(":")[0] != "cascade"}
    asks = {m.id for m in run.methods if m.asks}
    cheap = {m: title for m, title in titles.items() if m not in asks}
    if len(titles) < 2 or not cheap:
        shell.notice(
            "info",
            "A cascade needs a run with two methods, of which the first works on this machine. Start one on the Runs page.",
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = select_one(st, "First method", cheap, _FIRST, quickest(run, tuple(cheap)))
        others = {m: title for m, title in titles.items() if m != first}
        second = select_one(st, "Second method, asked in doubt", others, _SECOND, next((m for m in others if m in asks), ""))
        reads = select_one(st, "The second reads", _READS, _ASKED, help=_FITS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        budget: dict[str, float | None] = {
            "dollars": _limit("US dollars a response at most", "dollars", 4),
            "seconds": _limit("Seconds a response at most", "seconds", 3),
            "share": _limit("Sentences asked at most, %", "share", 0, 100),
        }
    key = (run.id, run.created, first, second, reads, *budget.values())
    found: dict[object, tuple[CascadeChoice, CascadeProof | str]] = state.own(_FOUND, {})
    if st.button("Choose the band on dev", type="primary", key="cascade_choose"):
        with errors_shown(ValueError), st.spinner("Comparing bands"):
            made = choose(run, first, second, CascadeBudget(**budget), _asked(reads))
            # Test is read only now, and only for the band that dev chose.
            proof = proven(run, made, made.chosen) if made.chosen else ""
            state.last_few(found)[key] = made, proof
    if key in found:
        _result(run, *found[key], titles, asks=second in asks)


def _asked(reads: str) -> Asked | None:
    known: dict[str, Asked] = {"sentences": "sentences", "answer": "answer"}
    return known.get(reads)


def _run() -> RunData | None:
    """The run that the user chose; None where there is none that can be read."""
    entries = {i: entry for i, entry in runs.shelf().entries.items() if entry.finished}
    if not entries:
        shell.notice("info", "There is no finished run yet. Start one on the Runs page with both methods.")
        return None
    chosen = select_one(st, "Run", {i: choice.label(entry) for i, entry in entries.items()}, _RUN, width=420)
    found = runs.readable(entries[chosen])
    if isinstance(found, str):
        shell.notice("bad", found)
        return None
    return found


def _limit(label: str, name: Literal["dollars", "seconds", "share"], digits: int, unit: float = 1) -> float | None:
    """A field for a limit, which is divided by `unit`; None where it is empty."""
    look: dict[str, Any] = {"placeholder": "no limit", "width": 250, "format": f"%.{digits}f", "step": 10.0**-digits}
    given: float | None = st.number_input(label, value=None, key=f"cascade_{name}", persist_state="session", **look)
    return None if given is None else given / unit


def _result(run: RunData, made: CascadeChoice, proof: CascadeProof | str, titles: dict[str, str], *, asks: bool) -> None:
    chart = tradeoff(
        shown.spots(made, titles, asks=asks),
        chosen=shown.chosen_id(made, titles),
        x=f"Seconds per response, {made.split}",
        y=f"Macro-F1, {made.split}",
    )
    name = f"Cascade {made.first.name} {made.second.name}"
    figure.show(chart, key="cascade", name=name, alt=shown.alt(made, titles), data=bands_frame(made))
    heads, caption = shown.heads(made, titles), f"Bands of doubt, {plural(made.responses, 'response')} of {made.split}"
    st.html(table(heads, shown.rows(made, titles), caption=caption))
    st.html(shell.note(shown.about_bands(made, titles)))
    if made.chosen is None:
        shell.notice("info", made.why)
        return
    one, two = titles[made.first.name], titles[made.second.name]
    _on_test(as_json(proof), one, two)
    _keep(run, made, proof)


def _on_test(kept: Mapping[str, Any], first: str, second: str) -> None:
    """The cascade beside either method alone on test, or why it was not read there."""
    if "cascade" not in kept:
        st.html(f"<p class='gs-measure'>{escape(in_words(kept, first, second))}</p>")
        return
    size = f"{plural(kept['responses'], 'response')} to {plural(kept['queries'], 'query', 'queries')}"
    caption = f"Test, which played no part in choosing: {size}"
    st.html(table(shown.TEST_HEADS, shown.test_rows(kept, first, second), caption=caption))
    st.html(f"<p class='gs-measure'>{escape(compared(kept, first, second))}</p>")
    st.html(shell.note(_INTERVALS))


def _keep(run: RunData, made: CascadeChoice, proof: CascadeProof | str) -> None:
    suggested = next(n for i in range(1, len(cascades()) + 2) if (n := f"cascade-{i}") not in cascades())
    given = st.text_input("Name of the cascade", key=_NAME, placeholder=suggested, max_chars=40, width=300)
    if st.button("Keep the cascade", key="cascade_keep", **needs(Role.REVIEWER)) and made.chosen:
        with errors_shown():
            name = given.strip() or suggested
            path = own_cascade(name)
            if path.exists():
                raise DataError(f"A cascade {name} exists already. Choose another name, or delete it.")
            write(fitted(made, made.chosen, proof, run), path)
            st.session_state.pop(_NAME, None)
            shell.say(_SAID, "good", f"The cascade {name} is a method now: cascade:{name}.")
            st.rerun()
