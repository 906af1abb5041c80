"""Your own classifiers: trainings under way, trained models with their cards, and the form of the next training."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from components import case_sets, shell, state
from components.charts.training import training, training_data
from components.controls import action, download, errors_shown, files_in, unfolded, zipped
from components.experiments.panel import Panel
from components.training import form
from components.training import messages as words
from groundscope.drawing.html import facts, region
from groundscope.drawing.model_card import card_html
from groundscope.experiments.listing import Listed
from groundscope.grounding.tables import frame_csv
from groundscope.models.weights.grounding import RECORD, record
from groundscope.storage.team import Role, use_case
from groundscope.training import jobs as trainings
from groundscope.training.finetuning import reports
from groundscope.training.own_models import folder_of, own_models
from groundscope.training.pair_figures import AT_HALF
from groundscope.training.pairs import LABEL_WARNING
from groundscope.training.search import finished_settings, grid

_STARTED = time.time()


def show() -> None:
    """Trainings under way, finished models, and the form for the next one."""
    shell.section("Your own classifier")
    st.html(
        "<p class='gs-sub gs-measure'>A small model can learn from labelled cases, grounded and ungrounded, what supported "
        "sentences look like in your field, as in section 5.4 of the paper. It learns from train, dev decides when to stop, and "
        "test is never used. Everything stays on this machine. The result is a new method in the heatmap, "
        "in runs and in all comparisons.</p>"
    )
    # Always a container, even if empty: if the form moved down the page, the browser would forget that it was closed.
    with st.container():
        _above_the_form()
    form.show()


def _above_the_form() -> None:
    if older := trainings.earlier():
        places = ", ".join(map(str, older))
        shell.notice("info", f"An earlier version began trainings that this one cannot resume. Delete their folders: {places}.")
    PANEL.under_way("")
    _models()
    if not (own_models() or trainings.names()):
        shell.notice(
            "info", "There is none yet. Open the form below, choose a labelled set and start. You can try it with the samples."
        )


def _learning(job: Listed, at_work: bool) -> None:
    """The learning curve of a training, and the time left."""
    place, plan = trainings.place_of(job.id), job.plan
    progress = reports(place)
    if at_work and plan.fixed is not None:
        settings = len(grid(plan.options, plan.fixed))
        st.html(shell.note(f"Setting {min(finished_settings(place) + 1, settings)} of {settings}."))
    losses, evaluations = words.points(progress)
    summary = words.curve_words(losses, evaluations)
    if not summary:
        return
    with st.container(key=f"curve_{job.id}"):
        figure = training(training_data(losses, evaluations), progress[-1].steps)
        st.plotly_chart(figure, key=f"curve_plot_{job.id}", config={"displayModeBar": False}, alt=summary, width="stretch")
    st.html(shell.note(summary))


PANEL = Panel(trainings.KIND, "Its checkpoints and its copy of the cases", _learning)


def _forget_method(method: str) -> None:
    for key in (state.METHODS, "run_methods"):
        if chosen := st.session_state.get(key):
            st.session_state[key] = [m for m in chosen if m != method]
    state.thresholds().pop(method, None)
    state.options().pop(method, None)


_MOST = 600_000_000
"""Most bytes of a folder sent through the browser, because it is held in memory meanwhile."""


def _models() -> None:
    for name in sorted(own_models(), key=finished_at, reverse=True):
        _model(name)


def finished_at(name: str) -> float:
    """When it was finished, in seconds of the epoch; 0 if unknown."""
    try:
        return (folder_of(name) / RECORD).stat().st_mtime
    except OSError:
        return 0.0


def _model(name: str) -> None:
    folder, new = folder_of(name), finished_at(name) > _STARTED
    details = record(folder)
    with st.container(border=True, key=f"own_{name}"):
        badge = " <span class='gs-state ready'>New</span>" if new else ""
        st.html(f"<h3 class='gs-small'>{escape(name)}{badge}</h3><p class='gs-note'>{escape(_facts(name, details))}</p>")
        if details and not details.get("responses"):
            shell.notice("info", f"It has no scores on whole responses of dev. {details.get('unjudged', '')}".strip())
        if warning := (details.get("about") or {}).get(LABEL_WARNING):
            shell.notice("bad", str(warning))
        if gain := words.verdict(details):
            st.html(f"<p class='gs-measure'>{escape(gain)}</p>")
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Use in the heatmap", key=f"use_own_{name}", type="primary" if new else "secondary"):
                _use(name)
            _deletion(name, "The model and its card are deleted permanently. Results made with it stay.")
        unfolded("Model card and files", f"card_{name}", _card, name, folder, expanded=new)


def _deletion(name: str, what: str) -> None:
    """Delete in two steps, because it cannot be undone."""
    with st.popover("Delete", key=f"discard_{name}"):
        st.html(f"<p class='gs-note'>{escape(what)}</p>")
        action("Delete it", f"discard_yes_{name}", _delete, name)


@errors_shown(place=PANEL.key)
@use_case(Role.LEAD)
def _delete(name: str) -> None:
    trainings.discard(folder_of(name))
    _forget_method(f"grounding_classifier:{name}")


def _facts(name: str, details: Mapping[str, Any]) -> str:
    when = datetime.fromtimestamp(finished_at(name), UTC).strftime("%Y-%m-%d %H:%M") if finished_at(name) else ""
    about, pairs = details.get("about") or {}, details.get("pairs") or {}
    learned = f"{int(pairs['train']):,} pairs of {about.get('Data', 'cases')}" if "train" in pairs else "made elsewhere"
    base = f"from {Path(str(about['Base'])).name}" if about.get("Base") else ""
    return " · ".join(part for part in (f"method grounding_classifier:{name}", learned, base, when) if part)


def _use(name: str) -> None:
    method = f"grounding_classifier:{name}"
    state.show_method(method)
    case = state.opened() or case_sets.SHOWCASE[0]
    st.switch_page("pages/heatmap.py", query_params={"case": case, "method": method})


def _card(name: str, folder: Path) -> None:
    card = card_text(folder)
    size = sum(path.stat().st_size for path in files_in(folder))
    with st.container(horizontal=True, vertical_alignment="center"):
        download("Card as Markdown", card, f"{name}.md", f"card_md_{name}", disabled=not card)
        if tried := record(folder).get("search"):
            settings = pd.DataFrame(tried, columns=["setting", *AT_HALF, "chosen"])
            download("Tried settings as CSV", frame_csv(settings), f"{name}-settings.csv", f"tried_{name}")
        if size <= _MOST:
            label = f"Folder as ZIP, {max(1, round(size / 1e6)):,} MB"
            download(label, lambda: zipped(folder, name), f"{name}.zip", f"own_zip_{name}")
        else:
            st.html("<p class='gs-note'>The folder is too large for the browser. Copy it from the path below.</p>")
    st.html(facts([("Folder", str(folder))]))
    if not card:
        st.html("<p class='gs-note'>Its folder has no model card.</p>")
        return
    st.html(region(f"Model card of {name}", card_html(card), css="gs-scroll"))


def card_text(folder: Path) -> str:
    """The model card; empty if it is missing or unreadable."""
    try:
        return (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
