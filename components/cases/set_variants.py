"""Ungrounded variants of every grounded answer of a set, by rules and by chat models: form, cost, progress, result."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.cases import set_card, set_summary
from components.chat import budgets, methods
from components.chat.choice import offered
from components.controls import errors_shown, progress, several_of
from components.experiments.offer import offer
from components.worker.job import Job
from components.worker.orders import CHECKED, CheckedVariants
from components.worker.reading import reading
from groundscope.cases.edits.set_card import settings
from groundscope.cases.edits.variants import MOST, OPERATORS, model_prompt
from groundscope.cases.edits.whole_set import VaryOptions, sound, vary
from groundscope.cases.validation import validate
from groundscope.errors import DataError
from groundscope.experiments.forecast import CostEstimate, of_each
from groundscope.files.apart import apart
from groundscope.methods import registry
from groundscope.text.humanize import plural

SAID = "made_set"
_JOB = "set_variants_job"
_POLL = 0.5
_SMALL = 300_000
"""Bytes of cases whose variants are made in 0.2 s or so; those of larger sets beside the server."""
_STOPPED = "Stopped before one answer was done. Replies that arrived are saved, so you do not pay for them again."


class _Under(NamedTuple):
    """Variants that chat models are writing: of which set, how, by whom, and the job."""

    group: CaseSet
    how: VaryOptions
    lines: tuple[str, ...]
    job: Job


def busy() -> bool:
    """Whether chat models are writing variants of a set in this session."""
    return _JOB in st.session_state


def panel(group: CaseSet) -> None:
    """The form; progress while chat models write, whichever set is browsed."""
    st.html(
        "<h2 class='gs-small'>Variants of every grounded answer</h2><p class='gs-note gs-measure'>Rules change one place of each "
        "answer; chat models write versions of it, as in the paper. Of an answer's variants those are kept whose error types and "
        "writers are rarest so far. The new set is checked and gets a card: labels, near-copies, and whether wording gives the "
        "label away.</p>"
    )
    under: _Under | None = st.session_state.get(_JOB)
    if under is None:
        _form(group)
    elif under.job.future.done():
        _end(under)
    else:
        st.fragment(_progress, run_every=_POLL)(under, here=under.group == group)


def _form(group: CaseSet) -> None:
    titles = {o.name: o.title for o in OPERATORS}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        place = st.container(width="stretch")
        names = several_of(place, "Edits by rules", titles, "vary_names", placeholder="All edits", persist_state="session")
        most = st.number_input("Variants per answer", 1, 20, 2, key="vary_most", width=160, persist_state="session")
        seed = st.number_input("Seed", 0, 9999, 0, key="vary_seed", width=130, persist_state="session")
    lines, edits, versions = _writers()
    how = VaryOptions(per_answer=int(most), seed=int(seed), names=tuple(names), edits=edits, versions=versions)
    if lines:
        _offer(group, how, lines)
    elif st.button("Make a set of variants", key="vary_make"):
        _by_rules(group, how)


def _writers() -> tuple[tuple[str, ...], bool, int]:
    """The chat models that write, whether rules do, too, and versions that each model writes."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="vary_models_row"):
        place, beside = st.container(width="stretch"), st.container(width="content")
        with beside:
            there = offered("vary_chat")
        hint = "Several models are better than one: no writer's habits then stand for the label."
        chosen = several_of(
            place, "Chat models that write, too", {line: line for line in there}, "vary_models",
            placeholder="None" if there else "None yet: choose one on the Methods page, or type one beside",
            disabled=not there, help=hint, persist_state="session",
        )  # fmt: skip
        if not chosen:
            return (), True, 1
        versions = st.number_input("Versions of each", 1, MOST, 4, key="vary_versions", width=130, persist_state="session")
    edits = st.checkbox("Rules write, too", True, key="vary_edits", persist_state="session")
    return tuple(chosen), edits, int(versions)


def _offer(group: CaseSet, how: VaryOptions, lines: tuple[str, ...]) -> None:
    """What it takes and where texts go, and the button that sends them."""
    with errors_shown(ValueError):
        takes = _takes(group, lines, how["versions"])
        if not takes:
            shell.notice("info", "No answer of this set is labelled as grounded, so there is nothing to make variants of.")
            return
        answers = plural(takes[0].calls, "grounded answer")
        st.html(shell.note(f"Not sent yet. Question, sources and text of {answers} go to each model; one call an answer."))
        if offer(takes, "vary", left=budgets.left()) is not None:
            job = methods.ask("vary", group.cases, lines, how, about=group.cases)
            st.session_state[_JOB] = _Under(group, how, lines, job)
            st.rerun()


def _takes(group: CaseSet, lines: tuple[str, ...], versions: int) -> list[CostEstimate]:
    """Kept for the session: prompts are counted and prices looked up. What is missing may come at any time."""
    kept: dict[object, list[CostEstimate]] = state.last_few(state.own("vary_takes", {}))
    key = (group.cases, lines, versions)
    if key not in kept:
        prompts = [model_prompt(case, versions) for case in sound(group.cases)]
        found = [of_each(line, registry.chat(line), prompts, len(prompts)) for line in lines] if prompts else []
        if any(t.missing or t.dollars is None for t in found):
            return found
        kept[key] = found
    return kept[key]


def _progress(under: _Under, *, here: bool) -> None:
    job = under.job
    if job.future.done():
        st.rerun()
    where = "" if here else f", for the set {shell.plain(under.group.name)}"
    replies = f"{job.done:,} of {plural(job.total, 'reply', 'replies')}"
    done = replies if job.done else "Rules first, then the models"
    progress(job.share, f"{done}{where}" if job.started else job.words, "vary_cancel", methods.worker().cancel, job)


def _end(under: _Under) -> None:
    """Take in what the models wrote, or say why there is nothing."""
    del st.session_state[_JOB]
    result = under.job.future.result()
    if isinstance(result, CheckedVariants):
        _add(under.group, under.how, under.lines, result)
    else:
        shell.say(SAID, "bad", getattr(result, "note", _STOPPED))
    st.rerun()


def _by_rules(group: CaseSet, how: VaryOptions) -> None:
    try:
        with reading(doing="Making and checking the set"):
            made = apart(_SMALL, vary, group.cases, **how)
            checks = apart(CHECKED, validate, made.cases)
    except DataError as error:
        shell.say(SAID, "bad", str(error))
    else:
        _add(group, how, (), CheckedVariants(made, checks))
    st.rerun()


def _add(group: CaseSet, how: VaryOptions, lines: Sequence[str], found: CheckedVariants) -> None:
    """Add the set with its checks and its card, browse it, and look for near-copies in it."""
    made = found.made
    writers = f" by {plural(len(lines), 'chat model')}" if lines else ""
    name = f"Variants of {group.name}{writers}, seed {how['seed']}"
    new = case_sets.made_of(group, name, made.cases)
    state.browse(name)
    if found.checks:
        state.checked()[new.cases] = found.checks
        set_summary.search_copies(new)
    set_card.keep(name, made, group.name, settings(models=lines, **how))
    words = f"Made: the set “{name}” has {len(new.cases):,} cases, and is shown now."
    if made.stopped:
        left = plural(made.left, "grounded answer was", "grounded answers were")
        words += (
            f" {made.stopped} {left} not reached. Make it of “{group.name}” again for the rest: replies that arrived are saved."
        )
    shell.say(SAID, "info" if made.stopped else "good", words)
