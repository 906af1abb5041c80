"""Having a chat model write ungrounded variants of one answer: what is sent, progress, and what it made of it."""

from html import escape
from typing import Any

import streamlit as st

import scorers
from components import asking, budgets, shell, state
from components.worker import Job
from evaluation.adaptation import MOST, Adapted, model_prompt
from evaluation.types import Case
from evaluation.words import money

_POLL = 0.5
_JOB = "model_variants_job"


def form(case: Case) -> None:
    """The offer, the progress, or why there is none; what was made lands where the rules' variants do."""
    spec = asking.chosen()
    model: Any = scorers.chat(str(spec)) if spec else None
    if missing := model.unavailable() if model else "No chat model is chosen.":
        shell.notice(
            "info", f"A chat model can write variants too, as in the paper. {missing} See “Chat model” on the Methods page."
        )
        return
    if job := _job(case):
        st.fragment(_progress, run_every=_POLL)(case, job)
        return
    with st.container(border=True, key="model_variants"):
        st.html(f"<p class='gs-privacy'>{_words(case, model)}</p>")
        with st.form("model_variants_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
            count = st.number_input("Versions", 1, MOST, 4, key="model_variant_count", persist_state="session", width=120)
            asked = st.form_submit_button("Send and make variants" if model.address else "Replay the recorded variants")
    if asked:
        keep = state.keeps_private() or not state.private(case)
        arguments = (case, str(spec), int(count))
        st.session_state[_JOB] = (case, asking.worker().ask("adapt", *arguments, keep=keep, allowance=asking.allowance()))
        st.rerun()


def _words(case: Case, model: Any) -> str:
    prompt = model_prompt(case, MOST)
    cost = model.most(prompt)
    cost_words = "at a cost that is not known" if cost is None else f"at most about {money(cost)}"
    checked = "Every version is checked: it must be about as long, change little, and name each place that it changed."
    if not model.address:
        return f"As in the paper, a chat model can write variants. Kept replies are replayed, nothing is sent. {checked}"
    return (
        "As in the paper, a chat model can write variants. <b>Not sent yet.</b> This case's question, context and answer would "
        f"be sent to <b>{escape(model.address)}</b>: one call, about {prompt.tokens():,} tokens, {cost_words}. "
        f"{escape(budgets.left())} {checked}"
    )


def _job(case: Case) -> Job | None:
    found = st.session_state.get(_JOB)
    return found[1] if found and found[0] == case else None


def _progress(case: Case, job: Job) -> None:
    asking_worker = asking.worker()
    if job.future.done():
        del st.session_state[_JOB]
        result = job.future.result()
        if isinstance(result, Adapted):
            st.session_state["adapted"] = (case, result)
        else:
            stopped = "Stopped. A reply that still comes is kept: the next try does not pay for it."
            st.session_state["variants_problem"] = getattr(result, "note", stopped)
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(0.5, text=job.words)
        st.button("Cancel", key="cancel_model_variants", on_click=asking_worker.cancel, args=(job,))
