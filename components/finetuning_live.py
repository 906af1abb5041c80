"""Trainings that are not finished: the step, the time left and the curve, and the buttons that stop, go on and discard."""

from html import escape

import streamlit as st

from components import finetuning_state, shell
from components import finetuning_words as words
from components.charts.training import training, training_data
from components.trainer import elsewhere, trainer
from evaluation.errors import DataError
from evaluation.finetuning import Progress, reports
from evaluation.own_models import folder_of

_POLL = 1.0


def show() -> None:
    """Every training that is not finished; looks again about every second while one works."""
    names = trainer().open()
    if not names:
        finetuning_state.shown(())
        return
    finetuning_state.shown(_working(names))
    st.fragment(_live, run_every=_POLL if finetuning_state.shown() else None)()


def _working(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if trainer().works(name) or elsewhere(name))


def _live() -> None:
    names = trainer().open()
    # What has ended belongs into the list below; what was begun or stopped needs the polling set up anew.
    if _working(names) != finetuning_state.shown():
        st.rerun()
    for name in names:
        _one(name, working=name in finetuning_state.shown())


def _one(name: str, *, working: bool) -> None:
    found = reports(folder_of(name))
    ours = trainer().works(name)
    with st.container(border=True, key=f"training_{name}"):
        title = trainer().title(name)
        st.html(f"<h3 class='gs-small'>{escape(name)}{f' · {escape(title)}' if title else ''}</h3>")
        stage = trainer().stage(name) if ours else "training"
        text = words.stage_words(stage, found, stopping=trainer().stopping(name)) if working else _stopped(found)
        st.progress(1.0 if stage == "judging" else words.share_done(found), text=text)
        if working and not ours:
            shell.notice("info", "Another process trains it: a shell, or an app that has just been closed. Stop it there.")
        if not working and (trouble := trainer().trouble(name)):
            shell.notice("bad", trouble)
        _curve(name, found)
        with st.container(horizontal=True):
            if ours and stage == "judging":
                st.button("Skip this, the model is there", key=f"skip_{name}", on_click=trainer().end, args=(name,))
            elif ours:
                again = trainer().stopping(name)
                st.button("Stop at once" if again else "Stop", key=f"stop_{name}", on_click=trainer().stop, args=(name,))
            elif not working:
                _resting(name)


def _stopped(found: list[Progress]) -> str:
    return f"Stopped at step {found[-1].step:,} of {found[-1].steps:,}" if found else "Stopped before its first step"


def _curve(name: str, found: list[Progress]) -> None:
    losses, evaluations = words.points(found)
    said = words.curve_words(losses, evaluations)
    if not said:
        return
    with st.container(key=f"curve_{name}"):
        figure = training(training_data(losses, evaluations), found[-1].steps)
        st.plotly_chart(figure, key=f"curve_plot_{name}", config={"displayModeBar": False}, alt=said, width="stretch")
    st.html(f"<p class='gs-note'>{said}</p>")


def _resting(name: str) -> None:
    if trainer().can_go_on(name):
        st.button("Go on", key=f"go_on_{name}", type="primary", on_click=_go_on, args=(name,))
    else:
        st.html("<p class='gs-note'>It was begun in a shell: the same command goes on with it.</p>")
    discarding(name, "Its checkpoints, and the copy of its cases, are deleted for good.")


def _go_on(name: str) -> None:
    if not trainer().at_work():
        trainer().go_on(name)
    else:
        finetuning_state.said("One training at a time: stop the other one first, or wait for it.")


def discarding(name: str, what: str) -> None:
    """Two steps: what is discarded does not come back."""
    with st.popover("Discard", key=f"discard_{name}"):
        st.html(f"<p class='gs-note'>{escape(what)}</p>")
        st.button("Discard it", key=f"discard_yes_{name}", on_click=_discard, args=(name,))


def _discard(name: str) -> None:
    try:
        trainer().discard(name)
    except DataError as error:
        finetuning_state.said(str(error))
    else:
        finetuning_state.forget_method(f"grounding_classifier:{name}")
