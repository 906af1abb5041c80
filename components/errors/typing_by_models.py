"""Error types chosen by two chat models independently: what is sent, progress, agreement, and the common choice."""

import csv
import io
from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import PASTED, SAMPLES, CaseSet
from components.chat import budgets, methods
from components.controls import download, needs, progress
from components.worker.job import Job
from groundscope.cases.error_types import TITLES
from groundscope.cases.error_typing import Typed, agreement, agreement_words, choice_counts, prompt, with_types
from groundscope.chat.model_spec import parse
from groundscope.drawing.html import table
from groundscope.grounding.export import guarded
from groundscope.methods import registry
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import money, plural
from groundscope.types import Case

_POLL = 0.5
_EXAMPLES = ("anthropic:claude-haiku-5-5", "openai:gpt-4o")
_JOB, _FOUND = "typing_job", "typing_found"


def panel(group: CaseSet) -> None:
    """The two models, the offer, progress and result for the ungrounded responses of a set."""
    wrong = tuple(c for c in group.cases if c.grounded is False)
    with st.expander("Error types by two chat models", key="typing"):
        st.html(
            "<p class='gs-sub gs-measure'>As in the paper, two models choose from the six types independently. Only types that "
            "both chose are used: keep them with the set, and runs of it count misses by type on the Errors page.</p>"
        )
        if not wrong:
            shell.notice("info", "No response of this set is labelled ungrounded.")
            return
        if job := _job(group):
            st.fragment(_progress, run_every=_POLL)(group, job)
        else:
            _form(group, wrong)
        shell.show_said("typing")
        found = st.session_state.get(_FOUND)
        if found and found[0] == group.cases:
            _result(found[1], found[2])
            _keeping(group, found[1], found[2])


def _form(group: CaseSet, wrong: Sequence[Case]) -> None:
    with st.form("typing_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        # Persistent while the progress replaces the form: after a stop the user need not type again.
        st.session_state.setdefault("typing_first", methods.line())
        first = st.text_input("First model", key="typing_first", persist_state="session", placeholder=_EXAMPLES[0], width=330)
        second = st.text_input("Second model", key="typing_second", persist_state="session", placeholder=_EXAMPLES[1], width=330)
        most = f"typing_count_{group.name}"
        how_many = st.number_input("Responses", 1, len(wrong), len(wrong), key=most, persist_state="session", width=130)
        look = st.form_submit_button("Show the cost")
    if look:
        st.session_state["typing_offer"] = (first, second, int(how_many))
    if offer := st.session_state.get("typing_offer"):
        _offer(group, wrong[: offer[2]], offer[0], offer[1])


def _offer(group: CaseSet, wrong: Sequence[Case], first: str, second: str) -> None:
    lines: list[str] = []
    for name, line in (("first", first), ("second", second)):
        try:
            lines.append(str(parse(line)))
        except ValueError as error:
            shell.notice("bad", f"The {name} model cannot be read. {error}")
            return
    models: list[Any] = [registry.chat(line) for line in lines]
    problems = [m.unavailable() for m in models if m.unavailable()]
    if lines[0] == lines[1]:
        problems.append("Choose two different models.")
    if problems:
        shell.notice("bad", problems[0])
        return
    prompts = [prompt(c) for c in wrong]
    size = sum(p.tokens() for p in prompts)
    costs = [m.most(p) for m in models for p in prompts]
    cost = "at an unknown cost" if None in costs else f"at most about {money(sum(costs))}"
    hosts = " and ".join(dict.fromkeys(m.address or "no host (recorded)" for m in models))
    st.html(
        f"<p class='gs-privacy'><b>Not sent yet.</b> Questions, contexts and answers of "
        f"{plural(len(wrong), 'response')} would go to <b>{escape(hosts)}</b>: "
        f"{2 * len(wrong):,} calls, about {2 * size:,} tokens, {cost}. {escape(budgets.left())}</p>"
    )
    if st.button("Send the responses", type="primary", key="typing_send", **needs(Role.REVIEWER)):
        job = methods.ask("types", tuple(wrong), *lines, about=wrong)
        st.session_state[_JOB] = (group.cases, lines, job)
        del st.session_state["typing_offer"]
        st.rerun()


def _job(group: CaseSet) -> Job | None:
    found = st.session_state.get(_JOB)
    return found[2] if found and found[0] == group.cases else None


def _progress(group: CaseSet, job: Job) -> None:
    if job.future.done():
        _, lines, _ = st.session_state.pop(_JOB)
        # A run that the fragment interrupts may drop widgets it had not drawn yet: their values are set again.
        st.session_state["typing_first"], st.session_state["typing_second"] = lines
        result = job.future.result()
        if isinstance(result, tuple):
            st.session_state[_FOUND] = (group.cases, lines, result)
        else:
            stopped = "Stopped. Replies that arrived are saved, so you do not pay for them again."
            shell.say("typing", "bad", getattr(result, "note", stopped))
        st.rerun()
    words = f"{job.done:,} of {job.total:,} replies" if job.total else job.words
    progress(job.share, words, "typing_cancel", methods.worker().cancel, job)


def _result(lines: Sequence[str], typed: Sequence[Typed]) -> None:
    found = agreement(typed)
    if not found.responses:
        shell.notice("bad", agreement_words(found))
        return
    st.html(f"<p>{escape(' and '.join(lines))}: {escape(agreement_words(found))}</p>")
    rows = [(TITLES[c.type], f"{c.first:,}", f"{c.second:,}", f"{c.both:,}") for c in choice_counts(typed)]
    st.html(table(("Error type", "First model", "Second model", "Both"), rows, caption="Responses by error type"))
    download("Download CSV", _csv(typed), "error-types.csv", "typing_csv")


def _keeping(group: CaseSet, lines: Sequence[str], typed: Sequence[Typed]) -> None:
    """The button that labels the set with the types."""
    labelled, asked = with_types(group.cases, typed), {t.case_id for t in typed}
    new = sum(a != b for a, b in zip(group.cases, labelled, strict=True))
    spans = sum(c.id in asked and bool(c.errors) for c in group.cases)
    keeping = f"{plural(spans, 'response')} with marked errors {'keeps' if spans == 1 else 'keep'} the types of the marks."
    target = group.name if group.name not in (SAMPLES, PASTED) else f"{group.name}, typed"
    where = "this set" if target == group.name else f"a new set, “{target}”"
    words = f"{plural(new, 'response')} would get types in {where}."
    if not new:
        kept = any(c.id in asked and c.error_types for c in group.cases)
        words = "These types are kept with the set." if kept else "No response gets a type that it does not have."
    st.html(f"<p class='gs-sub'>{escape(f'{words} {keeping}' if spans else words)}</p>")
    if new and st.button("Keep these types with the set", type="primary", key="typing_keep"):
        case_sets.made_of(group, target, labelled)
        state.browse(target)
        st.session_state[_FOUND] = (labelled, lines, typed)
        said = (
            f"{plural(new, 'response')} of “{target}” got types. Runs of it show misses by type, and a finished run takes them "
            "on the Errors page; download the set to keep it."
        )
        shell.say("typing", "info", said)
        st.rerun()


def _csv(typed: Sequence[Typed]) -> str:
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["case", "first", "second", "kept"])
    for t in typed:
        words = (" ".join(sorted(found)) if found is not None else "unreadable" for found in (t.first, t.second, t.kept))
        rows.writerow([guarded(t.case_id), *words])
    return out.getvalue()
