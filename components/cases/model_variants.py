"""Let a chat model write ungrounded variants of one answer: what is sent, the progress and the result."""

from html import escape
from typing import Any

import streamlit as st

from components import shell
from components.chat import budgets, methods
from components.controls import needs, progress
from components.worker.job import Job
from groundscope.cases.edits.variants import MOST, Adapted, model_prompt
from groundscope.methods import registry
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import money
from groundscope.types import Case

_POLL = 0.5
_JOB = "model_variants_job"


def form(case: Case) -> None:
    """The offer, the progress, or why neither is possible; variants appear with those made by rules."""
    spec = methods.chosen()
    model: Any = registry.chat(str(spec)) if spec else None
    if missing := model.unavailable() if model else "Choose a chat model first.":
        shell.notice(
            "info", f"A chat model can also write variants, as in the paper. {missing} See “Chat model” on the Methods page."
        )
        return
    if job := _job(case):
        st.fragment(_progress, run_every=_POLL)(case, job)
        return
    with st.container(border=True, key="model_variants"):
        st.html(f"<p class='gs-privacy'>{_words(case, model)}</p>")
        with st.form("model_variants_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
            count = st.number_input("Versions", 1, MOST, 4, key="model_variant_count", persist_state="session", width=120)
            asked = st.form_submit_button(
                "Send and make variants" if model.address else "Replay the recorded variants", **needs(Role.REVIEWER)
            )
    if asked:
        st.session_state[_JOB] = (case, methods.ask("adapt", case, str(spec), int(count), about=(case,)))
        st.rerun()


def _words(case: Case, model: Any) -> str:
    prompt = model_prompt(case, MOST)
    cost = model.most(prompt)
    cost_words = "at an unknown cost" if cost is None else f"at most about {money(cost)}"
    checked = "Each version is checked: it must be about as long, change little and list every change."
    if not model.address:
        return f"As in the paper, a chat model can write variants. Saved replies are used; nothing is sent. {checked}"
    return (
        "As in the paper, a chat model can write variants. <b>Not sent yet.</b> This case's question, sources and answer "
        f"go to <b>{escape(model.address)}</b>: one call, about {prompt.tokens():,} tokens, {cost_words}. "
        f"{escape(budgets.left())} {checked}"
    )


def _job(case: Case) -> Job | None:
    found = st.session_state.get(_JOB)
    return found[1] if found and found[0] == case else None


def _progress(case: Case, job: Job) -> None:
    if job.future.done():
        del st.session_state[_JOB]
        result = job.future.result()
        if isinstance(result, Adapted):
            st.session_state["adapted"] = (case, result)
        else:
            stopped = "Stopped. A reply that still arrives is saved, so you do not pay for it again."
            shell.say("variants", "bad", getattr(result, "note", stopped))
        st.rerun()
    progress(0.5, job.words, "cancel_model_variants", methods.worker().cancel, job)
