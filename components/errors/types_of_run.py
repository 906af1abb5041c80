"""Error types of a finished run: how many are missing, and the form by which two chat models choose them."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np
import streamlit as st

from components import shell
from components.chat import budgets, prompts
from components.controls import action, errors_shown, needs, progress
from components.opened import runs
from components.scoring import asking
from components.worker.job import Job
from groundscope.cases.error_types import TITLES
from groundscope.cases.error_typing import TASK, Typed, agreement, agreement_words, choice_counts, prompt
from groundscope.chat.clients.model import chat_model
from groundscope.chat.model_spec import parse
from groundscope.chat.prompt_files import part_of, prompt_named
from groundscope.drawing.html import table
from groundscope.grounding.runs.added_types import added_by_models, added_words, without_types
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import RunEntry, keep_types
from groundscope.grounding.sharded.shards import is_sharded
from groundscope.storage.team import Role, use_case
from groundscope.text.humanize import money, plural
from groundscope.types import Case

_POLL = 0.5
_EXAMPLES = ("anthropic:claude-haiku-5-5", "openai:gpt-4o")
_SAID = "error_types"
_FIRST, _SECOND, _OFFER, _UNDER_WAY, _CHOSEN = (f"types_{part}" for part in ("first", "second", "offer", "job", "chosen"))
_ABOUT = (
    "As in the paper, two models choose from the six types independently, and only types that both chose are used. They are kept "
    "beside the run and exported with it; no score, label or threshold changes. Add types from a file on the command line: "
    "error-types --run RUN --types FILE."
)


class _Request(NamedTuple):
    """Two models and the responses whose types they choose, in a run, and the prompt that both are asked by."""

    run: str
    models: tuple[str, str]
    cases: tuple[Case, ...]
    prompt: str = ""


def show(run: RunData) -> None:
    """What types a run lacks or got later, and the form; nothing where it needs none."""
    shell.show_said(_SAID)
    if words := added_words(run.added):
        shell.notice("info", words)
    untyped = without_types(run)
    entry = runs.run_list().entries.get(run.id)
    if entry is None or not (untyped or run.added):
        return
    fixed = entry.comes_with_app or (entry.folder is not None and is_sharded(entry.folder))
    open_to_types = entry.finished and not fixed
    if untyped:
        shell.notice("info", _lacking(run, untyped) + (" Two chat models can choose types below." if open_to_types else ""))
    if not open_to_types:
        return
    with st.expander("Error types by two chat models", key="errors_types"):
        st.html(f"<p class='gs-note gs-measure'>{escape(_ABOUT)}</p>")
        under_way = st.session_state.get(_UNDER_WAY)
        if under_way and under_way[0].run == run.id:
            st.fragment(_progress, run_every=_POLL)(run, entry, *under_way)
        elif untyped:
            _form(run, untyped)
        chosen = st.session_state.get(_CHOSEN)
        if chosen and chosen[0].run == run.id:
            _agreement(*chosen)
        if run.added:
            action("Remove the added types", "errors_types_remove", _remove, entry, run.name)


def _lacking(run: RunData, untyped: int) -> str:
    wrong = int((run.gold == 0).sum())
    if untyped == wrong:
        return "No ungrounded response of this run has an error type, so all are in one column."
    return f"{untyped:,} of {plural(wrong, 'ungrounded response')} of this run {'has' if untyped == 1 else 'have'} no error type."


def _form(run: RunData, untyped: int) -> None:
    with st.form("types_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        # Persistent while the progress replaces the form: after a stop the user need not type again.
        st.session_state.setdefault(_FIRST, asking.line())
        first = st.text_input("First model", key=_FIRST, persist_state="session", placeholder=_EXAMPLES[0], width=330)
        second = st.text_input("Second model", key=_SECOND, persist_state="session", placeholder=_EXAMPLES[1], width=330)
        count = f"types_count_{run.id}_{untyped}"
        most = st.number_input("Responses", 1, untyped, untyped, key=count, persist_state="session", width=130)
        named = prompts.choose_prompt(TASK, "types_prompt")
        if st.form_submit_button("Show the cost"):
            rows = np.flatnonzero((run.gold == 0) & ~run.types.any(axis=1))[: int(most)]
            cases = tuple(run.read_cases([int(row) for row in rows]))
            st.session_state[_OFFER] = _Request(run.id, (first, second), cases, named)
    prompts.panel(TASK)
    offer = st.session_state.get(_OFFER)
    if offer and offer.run == run.id:
        _offer(offer)


def _offer(offer: _Request) -> None:
    lines: list[str] = []
    for name, line in zip(("first", "second"), offer.models, strict=True):
        try:
            lines.append(str(parse(line)))
        except ValueError as error:
            shell.notice("bad", f"The {name} model cannot be read. {error}")
            return
    models = [chat_model(line) for line in lines]
    problems = [m.unavailable() for m in models if m.unavailable()]
    if lines[0] == lines[1]:
        problems.append("Choose two different models.")
    if problems:
        shell.notice("bad", problems[0])
        return
    sent = [prompt(case, prompt_named(TASK, offer.prompt)) for case in offer.cases]
    tokens = 2 * sum(p.tokens() for p in sent)
    costs = [m.most(p) for m in models for p in sent]
    cost = "at an unknown cost" if None in costs else f"at most about {money(sum(c or 0.0 for c in costs))}"
    hosts = " and ".join(dict.fromkeys(m.address or "no host (recorded)" for m in models))
    st.html(
        f"<p class='gs-privacy'><b>Not sent yet.</b> Questions, contexts and answers of "
        f"{plural(len(sent), 'response')} would go to <b>{escape(hosts)}</b>: "
        f"{2 * len(sent):,} calls, about {tokens:,} tokens, {cost}. {escape(budgets.left())}</p>"
    )
    if st.button("Send the responses", type="primary", key="types_send", **needs(asking.ask)):
        job = asking.ask("types", offer.cases, *(part_of(line, offer.prompt) for line in lines), about=offer.cases)
        st.session_state[_UNDER_WAY] = (offer._replace(models=(lines[0], lines[1])), job)
        del st.session_state[_OFFER]
        st.rerun()


def _progress(run: RunData, entry: RunEntry, request: _Request, job: Job) -> None:
    if job.future.done():
        del st.session_state[_UNDER_WAY]
        # A run that the fragment interrupts may drop widgets it had not drawn yet: their values are set again.
        st.session_state[_FIRST], st.session_state[_SECOND] = request.models
        result = job.future.result()
        if isinstance(result, tuple):
            st.session_state[_CHOSEN] = (request, result)
            _add(run, entry, request, result)
        else:
            stopped = "Stopped. Replies that arrived are saved, so you do not pay for them again."
            shell.say(_SAID, "bad", getattr(result, "note", stopped))
        st.rerun()
    words = f"{job.done:,} of {job.total:,} replies" if job.total else job.words
    progress(job.share, words, "types_cancel", asking.worker().cancel, job)


@errors_shown(place=_SAID)
@use_case(Role.REVIEWER)
def _add(run: RunData, entry: RunEntry, request: _Request, typed: Sequence[Typed]) -> None:
    asked = f", {request.prompt} prompt" if request.prompt else ""
    added = added_by_models(typed, f"{' and '.join(request.models)}{asked}")
    if not added.types:
        shell.say(_SAID, "info", "The models have no type in common for any response, so the run stays as it is.")
        return
    keep_types(entry, [*run.added, added])
    shell.say(_SAID, "good", f"{plural(len(added.types), 'response')} of this run got types.")


def _agreement(request: _Request, typed: Sequence[Typed]) -> None:
    agreed = agreement(typed)
    if not agreed.responses:
        shell.notice("bad", agreement_words(agreed))
        return
    st.html(f"<p>{escape(' and '.join(request.models))}: {escape(agreement_words(agreed))}</p>")
    rows = [(TITLES[c.type], f"{c.first:,}", f"{c.second:,}", f"{c.both:,}") for c in choice_counts(typed)]
    st.html(table(("Error type", "First model", "Second model", "Both"), rows, caption="Responses by error type"))


@errors_shown(place=_SAID)
@use_case(Role.REVIEWER)
def _remove(entry: RunEntry, name: str) -> None:
    st.session_state.pop(_CHOSEN, None)
    keep_types(entry, ())
    shell.say(_SAID, "good", f"The added types were removed: {name} is as it was judged.")
