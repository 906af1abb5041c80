"""Error types of a finished run: how many are missing, and the form by which two chat models choose them."""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import NamedTuple

import numpy as np
import streamlit as st

from components import case_sets, shell
from components.chat import prompts
from components.controls import action, errors_shown
from components.experiments.panel import TaskPanel
from components.opened import runs
from components.scoring import asking
from groundscope.cases.error_types import TITLES
from groundscope.cases.error_typing import TASK, TYPING, Typed, agreement, agreement_words, choice_counts, prompt, typed_in
from groundscope.chat.clients.model import chat_model
from groundscope.chat.model_spec import parse
from groundscope.chat.prompt_files import part_of, prompt_named
from groundscope.drawing.html import table
from groundscope.experiments.forecast import of_each
from groundscope.experiments.listing import Listed
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.grounding.runs import listing
from groundscope.grounding.runs.added_types import added_by_models, added_words, without_types
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import RunEntry, keep_types
from groundscope.grounding.sharded.shards import is_sharded
from groundscope.storage.team import Role, use_case
from groundscope.text.humanize import plural
from groundscope.types import Case

_EXAMPLES = ("anthropic:claude-haiku-5-5", "openai:gpt-4o")
_SAID = "error_types"
_FIRST, _SECOND, _OFFER, _CHOSEN = (f"types_{part}" for part in ("first", "second", "offer", "chosen"))
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
        _panel(run).show()
        if untyped:
            _form(run, untyped)
        chosen = st.session_state.get(_CHOSEN)
        if chosen and chosen[0] == run.id:
            _agreement(*chosen[1:])
        if run.added:
            action("Remove the added types", "errors_types_remove", _remove, entry, run.name)


def _lacking(run: RunData, untyped: int) -> str:
    wrong = int((run.gold == 0).sum())
    if untyped == wrong:
        return "No ungrounded response of this run has an error type, so all are in one column."
    return f"{untyped:,} of {plural(wrong, 'ungrounded response')} of this run {'has' if untyped == 1 else 'have'} no error type."


def _form(run: RunData, untyped: int) -> None:
    with st.form("types_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
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
    request = st.session_state.get(_OFFER)
    if request and request.run == run.id:
        _offer(run, request)


def _offer(run: RunData, request: _Request) -> None:
    lines: list[str] = []
    for name, line in zip(("first", "second"), request.models, strict=True):
        try:
            lines.append(str(parse(line)))
        except ValueError as error:
            shell.notice("bad", f"The {name} model cannot be read. {error}")
            return
    if lines[0] == lines[1]:
        shell.notice("bad", "Choose two different models.")
        return
    sent = [prompt(case, prompt_named(TASK, request.prompt)) for case in request.cases]
    takes = [of_each(line, chat_model(line), sent, again=len(sent)) for line in lines]
    hosts = " and ".join(dict.fromkeys(t.address or "no host (recorded)" for t in takes))
    st.html(
        "<p class='gs-privacy'><b>Not sent yet.</b> Questions, contexts and answers of "
        f"{plural(len(sent), 'response')} would go to <b>{escape(hosts)}</b>.</p>"
    )
    if (limits := _panel(run).offer(takes, "types")) is not None:
        parts = {part_of(line, request.prompt): line for line in lines}
        with errors_shown():
            job = TYPING.create(
                f"Error types of {run.name}", parts, request.cases, {"run": run.id, "prompt": request.prompt}, limits,
                keeps=case_sets.may_keep(*request.cases), cases=[case.id for case in request.cases],
            )  # fmt: skip
            del st.session_state[_OFFER]
            _panel(run).start(job)


def _panel(run: RunData) -> TaskPanel:
    def shown(job: Listed) -> bool:
        # One of a deleted run is shown with every run: its copy of the texts must not stay unseen.
        of = job.plan.options["run"]
        return bool(of == run.id or (job.plan.out is None and of not in runs.run_list().entries))

    holds = "Its choices and its copy of the responses"
    return TaskPanel(TYPING.kind, holds, of=shown, take=partial(_keep, run), taking="Keep the types with the run")


@use_case(Role.REVIEWER)
def _keep(run: RunData, file: JobFile) -> None:
    """Keep with the run what two models chose, and show how often they agree."""
    plan, (_, typed) = plan_of(file), typed_in(file)
    models = " and ".join(part.title for part in plan.parts)
    st.session_state[_CHOSEN] = (run.id, models, typed)
    asked = f", {prompt} prompt" if (prompt := plan.options.get("prompt")) else ""
    # As it is now: others may have added types while the models chose.
    now = listing.find(run.id)
    added = added_by_models(now, typed, f"{models}{asked}")
    if not added.types:
        shell.say(_SAID, "info", "The models have no type in common for any response, so the run stays as it is.")
        return
    keep_types(listing.entry_of(run.id), [*now.added, added])
    shell.say(_SAID, "good", f"{plural(len(added.types), 'response')} of this run got types.")


def _agreement(models: str, typed: Sequence[Typed]) -> None:
    agreed = agreement(typed)
    if not agreed.responses:
        shell.notice("bad", agreement_words(agreed))
        return
    st.html(f"<p>{escape(models)}: {escape(agreement_words(agreed))}</p>")
    rows = [(TITLES[c.type], f"{c.first:,}", f"{c.second:,}", f"{c.both:,}") for c in choice_counts(typed)]
    st.html(table(("Error type", "First model", "Second model", "Both"), rows, caption="Responses by error type"))


@errors_shown(place=_SAID)
@use_case(Role.REVIEWER)
def _remove(entry: RunEntry, name: str) -> None:
    st.session_state.pop(_CHOSEN, None)
    keep_types(entry, ())
    shell.say(_SAID, "good", f"The added types were removed: {name} is as it was judged.")
