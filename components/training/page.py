"""Your own classifiers: trainings under way, trained models with their cards, and the form of the next training."""

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
from components.training import form
from components.training import messages as words
from components.training.runner import elsewhere, request_arguments, request_title, trainer
from groundscope.drawing.html import facts, region
from groundscope.drawing.model_card import card_html
from groundscope.grounding.tables import frame_csv
from groundscope.models.weights.grounding import RECORD, record
from groundscope.storage.team import Role, use_case
from groundscope.training.finetuning import reports
from groundscope.training.options import TrainingProgress
from groundscope.training.own_models import folder_of, own_models
from groundscope.training.pair_figures import AT_HALF
from groundscope.training.pairs import LABEL_WARNING
from groundscope.training.search import under_way

_POLL = 1.0
_SAID, _SHOWN = "tune", "tune_shown"


def show() -> None:
    """Trainings under way, finished models, and the form for the next one."""
    trainer().tidy()
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
    shell.show_said(_SAID)
    for name, why in trainer().refused().items():
        shell.notice("bad", f"{name} was not trained: {why}")
    _under_way()
    _models()
    if not own_models() and not trainer().at_work():
        shell.notice(
            "info", "There is none yet. Open the form below, choose a labelled set and start. You can try it with the samples."
        )


def _under_way() -> None:
    """Every unfinished training; polls about every second while one runs."""
    names = trainer().open()
    if not names:
        _shown(())
        return
    _shown(_working(names))
    st.fragment(_live, run_every=_POLL if _shown() else None)()


def _working(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if trainer().works(name) or elsewhere(name))


def _live() -> None:
    names = trainer().open()
    # A finished training moves to the list below; a started or paused one changes the polling. Both need a rerun.
    # A message of a button in here stands outside, too.
    if shell.has_said(_SAID) or _working(names) != _shown():
        st.rerun()
    for name in names:
        _one(name, working=name in _shown())


def _one(name: str, *, working: bool) -> None:
    progress = reports(folder_of(name))
    ours = trainer().works(name)
    with st.container(border=True, key=f"training_{name}"):
        title = request_title(name)
        st.html(f"<h3 class='gs-small'>{escape(name)}{f' · {escape(title)}' if title else ''}</h3>")
        stage = trainer().stage(name) if ours else "training"
        text = words.stage_words(stage, progress, stopping=trainer().stopping(name)) if working else _stopped(progress)
        settings = under_way(folder_of(name))
        share = 1.0 if stage == "judging" else words.share_done(progress, settings)
        st.progress(share, text=words.searched(settings, text))
        if working and not ours:
            shell.notice("info", "Another process trains it: a shell, or an app that has just closed. Pause it there.")
        if not working and (trouble := trainer().trouble(name)):
            shell.notice("bad", trouble)
        _curve(name, progress)
        with st.container(horizontal=True):
            if ours and stage == "judging":
                action("Skip this; the model is ready", f"skip_{name}", trainer().end, name)
            elif ours:
                again = trainer().stopping(name)
                action("Stop now" if again else "Pause", f"stop_{name}", trainer().stop, name)
            elif not working:
                _resting(name)


def _stopped(progress: list[TrainingProgress]) -> str:
    return f"Paused at step {progress[-1].step:,} of {progress[-1].steps:,}" if progress else "Paused before the first step"


def _curve(name: str, progress: list[TrainingProgress]) -> None:
    losses, evaluations = words.points(progress)
    summary = words.curve_words(losses, evaluations)
    if not summary:
        return
    with st.container(key=f"curve_{name}"):
        figure = training(training_data(losses, evaluations), progress[-1].steps)
        st.plotly_chart(figure, key=f"curve_plot_{name}", config={"displayModeBar": False}, alt=summary, width="stretch")
    st.html(f"<p class='gs-note'>{summary}</p>")


def _resting(name: str) -> None:
    if request_arguments(name):
        action("Resume", f"go_on_{name}", _resume, name, type="primary")
    else:
        st.html("<p class='gs-note'>Started in a shell: run the same command to resume it.</p>")
    _deletion(name, "Its checkpoints and the copy of its cases are deleted permanently.")


@use_case(Role.REVIEWER)
def _resume(name: str) -> None:
    if not trainer().at_work():
        trainer().resume(name)
    else:
        shell.say(_SAID, "bad", "One training at a time: pause the other one first, or wait for it.")


def _shown(names: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """The running trainings that this session's page showed last; pass names to set them."""
    return state.value(_SHOWN, (), names)


def _forget_method(method: str) -> None:
    for key in (state.METHODS, "run_methods"):
        if chosen := st.session_state.get(key):
            st.session_state[key] = [m for m in chosen if m != method]
    state.thresholds().pop(method, None)
    state.options().pop(method, None)


_MOST = 600_000_000
"""Most bytes of a folder sent through the browser, because it is held in memory meanwhile."""


def _models() -> None:
    there = [name for name in own_models() if not trainer().works(name)]
    for name in sorted(there, key=finished_at, reverse=True):
        _model(name)


def finished_at(name: str) -> float:
    """When it was finished, in seconds of the epoch; 0 if unknown."""
    try:
        return (folder_of(name) / RECORD).stat().st_mtime
    except OSError:
        return 0.0


def _model(name: str) -> None:
    folder, new = folder_of(name), trainer().new(name)
    details = record(folder)
    with st.container(border=True, key=f"own_{name}"):
        badge = " <span class='gs-state ready'>New</span>" if new else ""
        st.html(f"<h3 class='gs-small'>{escape(name)}{badge}</h3><p class='gs-note'>{escape(_facts(name, details))}</p>")
        if details and not details.get("responses"):
            shell.notice("info", f"It has no scores on whole responses of dev. {trainer().unjudged(name)}".strip())
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


@errors_shown(place=_SAID)
@use_case(Role.LEAD)
def _delete(name: str) -> None:
    trainer().delete(name)
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
