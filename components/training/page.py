"""Your own classifier: train it on labelled cases, watch it learn, keep or delete it, and use it by its name."""

from html import escape

import streamlit as st

from components import shell
from components.charts.training import training, training_data
from components.controls import needs
from components.training import form, models, request, state
from components.training import messages as words
from components.training.runner import elsewhere, trainer
from groundscope.storage.team.roles import Role
from groundscope.training.finetuning import reports
from groundscope.training.options import TrainingProgress
from groundscope.training.own_models import folder_of, own_models

_POLL = 1.0


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
    if problem := state.problem():
        shell.notice("bad", problem)
        state.problem("")
    for name, why in trainer().refused().items():
        shell.notice("bad", f"{name} was not trained: {why}")
    _under_way()
    models.show()
    if not own_models() and not trainer().at_work():
        shell.notice(
            "info", "There is none yet. Open the form below, choose a labelled set and start. You can try it with the samples."
        )


def _under_way() -> None:
    """Every unfinished training; polls about every second while one runs."""
    names = trainer().open()
    if not names:
        state.shown(())
        return
    state.shown(_working(names))
    st.fragment(_live, run_every=_POLL if state.shown() else None)()


def _working(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if trainer().works(name) or elsewhere(name))


def _live() -> None:
    names = trainer().open()
    # A finished training moves to the list below; a started or paused one changes the polling. Both need a rerun.
    # A message of a button in here stands outside, too.
    if state.problem() or _working(names) != state.shown():
        st.rerun()
    for name in names:
        _one(name, working=name in state.shown())


def _one(name: str, *, working: bool) -> None:
    progress = reports(folder_of(name))
    ours = trainer().works(name)
    with st.container(border=True, key=f"training_{name}"):
        title = request.title(name)
        st.html(f"<h3 class='gs-small'>{escape(name)}{f' · {escape(title)}' if title else ''}</h3>")
        stage = trainer().stage(name) if ours else "training"
        text = words.stage_words(stage, progress, stopping=trainer().stopping(name)) if working else _stopped(progress)
        st.progress(1.0 if stage == "judging" else words.share_done(progress), text=text)
        if working and not ours:
            shell.notice("info", "Another process trains it: a shell, or an app that has just closed. Pause it there.")
        if not working and (trouble := trainer().trouble(name)):
            shell.notice("bad", trouble)
        _curve(name, progress)
        with st.container(horizontal=True):
            if ours and stage == "judging":
                st.button(
                    "Skip this; the model is ready",
                    key=f"skip_{name}",
                    on_click=trainer().end,
                    args=(name,),
                    **needs(Role.REVIEWER),
                )
            elif ours:
                again = trainer().stopping(name)
                st.button(
                    "Stop now" if again else "Pause",
                    key=f"stop_{name}",
                    on_click=trainer().stop,
                    args=(name,),
                    **needs(Role.REVIEWER),
                )
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
    if request.arguments(name):
        st.button("Resume", key=f"go_on_{name}", type="primary", on_click=_resume, args=(name,), **needs(Role.REVIEWER))
    else:
        st.html("<p class='gs-note'>Started in a shell: run the same command to resume it.</p>")
    models.deletion(name, "Its checkpoints and the copy of its cases are deleted permanently.")


def _resume(name: str) -> None:
    if not trainer().at_work():
        trainer().resume(name)
    else:
        state.problem("One training at a time: pause the other one first, or wait for it.")
