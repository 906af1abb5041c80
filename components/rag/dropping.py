"""Which passage carries an answer: started by a click, watched, stopped, and shown."""

from contextlib import closing

import streamlit as st

from components import shell
from components.chat import methods
from components.controls import errors_shown, needs, unfolded
from components.experiments.jobs import jobs
from components.rag.sources import AnswerSource
from components.rag.tables import VERDICTS
from groundscope.drawing.html import table
from groundscope.experiments.plan import Place
from groundscope.experiments.store import JobFile
from groundscope.rag import experiments
from groundscope.rag.dropping import Dropped
from groundscope.rag.loading import asked_by
from groundscope.rag.outcomes import Answer
from groundscope.rag.plan import ExperimentPlan
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import plural

_POLL = 1.0


def show(source: AnswerSource, answer: Answer) -> None:
    """The button, or what was found."""
    unfolded("Which passage carries the answer?", "rag_drop", _show, source, answer)


def _show(source: AnswerSource, answer: Answer) -> None:
    with errors_shown():
        with closing(experiments.FOLDER.open(source.id)) as file:
            place, plan = _place(file, answer)
            found = experiments.drops(file, place)
        working = jobs().works(_drop_name(source.id, place))
        st.fragment(_panel, run_every=_POLL if working else None)(source, answer, plan, place, found, working)


def _place(file: JobFile, answer: Answer) -> tuple[Place, ExperimentPlan]:
    plan = experiments.plan_of(file)
    titles = [p.title for p in plan.retrievers], [p.title for p in plan.generators]
    question = next(i for i, q in enumerate(experiments.questions(file)) if q.id == answer.question_id)
    return Place(titles[1].index(answer.model), titles[0].index(answer.embedder), question), plan


def _panel(source: AnswerSource, answer: Answer, plan: ExperimentPlan, place: Place, found: list[Dropped], working: bool) -> None:
    name = _drop_name(source.id, place)
    if working != jobs().works(name):
        st.rerun()
    if working:
        shell.notice("info", "The question is answered again without each passage.")
        st.button("Stop", key="rag_drop_stop", on_click=jobs().stop, args=(name,), **needs(Role.REVIEWER))
        return
    if problem := jobs().why(name):
        shell.notice("bad", problem)
    if found:
        st.html(_table(found, answer))
    count = len(answer.context) + 1
    if found and len(found) < count:
        shell.notice("info", f"It was stopped after {len(found):,} of {count:,} answers; try it again for the others.")
    addresses = _addresses(plan, place)
    where = f"The question and its passages go to {', '.join(addresses)}." if addresses else "Nothing leaves this machine."
    times = f"The question is answered and judged {plural(count, 'time')}: with all passages, and without each one."
    st.html(shell.note(f"{times} {where}"))
    label = "Try it again" if found else "Find out"
    st.button(label, key="rag_drop_start", on_click=_drop, args=(source.id, place), **needs(Role.REVIEWER))


def _drop_name(experiment: str, place: Place) -> str:
    """The name of the process of one answer."""
    return f"{experiment} {place.other} {place.part} {place.row}"


def _drop(experiment: str, place: Place) -> None:
    """Answer a question again without each passage."""
    numbers = ["--retriever", str(place.other), "--generator", str(place.part), "--question", str(place.row)]
    jobs().start(_drop_name(experiment, place), ["rag-drop", experiment, *numbers, "--quiet"])


def _addresses(plan: ExperimentPlan, place: Place) -> list[str]:
    parts = (plan.generators[place.part].id, plan.judge.id)
    return sorted({a for p in parts if (asked := asked_by(p)) and (a := methods.host(asked.spec))})


def _table(found: list[Dropped], answer: Answer) -> str:
    rows = []
    for d in found:
        who = (
            "with all passages"
            if d.passage is None
            else f"without {d.passage + 1}: {answer.context[d.passage].source or answer.context[d.passage].id}"
        )
        changed = "" if d.passage is None or d.changed is None else f"{d.changed:.0%} of the words"
        effect = d.effect.value if d.effect else ""
        verdict = f"correct: {VERDICTS[d.verdict.correct]}, grounded: {VERDICTS[d.verdict.grounded]}"
        rows.append((who, verdict, changed, d.note or effect))
    return table(("Answered", "Verdict", "Answer changed", "The passage"), rows)
