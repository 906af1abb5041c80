"""A new set made of the one that is browsed: splits, a sample, or ungrounded variants of every grounded answer, with a card."""

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.cases import set_summary, splitting
from components.chat.model import offered
from components.chat.prompts import offered_prompts
from components.controls import download, errors_shown, needs, several_of, slug, unfolded
from components.experiments.panel import TaskPanel
from components.worker.reading import reading
from groundscope.cases.edits.by_model import TASK
from groundscope.cases.edits.variants import MOST, OPERATORS, model_prompt
from groundscope.cases.edits.whole_set import (
    WRITING,
    VariedSet,
    VaryOptions,
    Writing,
    begin,
    card,
    settings,
    sound,
    vary,
    written_in,
)
from groundscope.cases.splitting import SHARES
from groundscope.cases.validation import Check, validate
from groundscope.chat.clients.model import chat_model
from groundscope.chat.prompt_files import AskedChat, asked_chat
from groundscope.drawing.html import region
from groundscope.drawing.model_card import card_html
from groundscope.errors import DataError
from groundscope.experiments.forecast import CostEstimate, of_each
from groundscope.experiments.listing import Listed
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.files.sandbox import sandboxed
from groundscope.storage.team import Role, use_case
from groundscope.text.humanize import plural
from groundscope.types import Case


def panel(group: CaseSet) -> None:
    """The forms, folded, and what came of the last one."""
    with st.expander("Create a new set from this one", key=f"made_sets_{group.name}", expanded=bool(_PANEL.jobs())):
        if len(group.cases) >= len(SHARES):
            st.html("<h2 class='gs-small'>Splits and sample</h2>")
            if asked := splitting.form(len(group.cases), f"_made_{group.name}", ("Split the set", "Sample the set")):
                _divide(group, asked)
        _variants(group)
    shell.show_said(_SAID, group.name)


def _divide(group: CaseSet, asked: splitting.Division) -> None:
    """Add the set and browse it, or report the failure."""
    name = f"{group.name}, {asked.words}"
    with errors_shown(place=_SAID):
        with reading(doing="Making the set"):
            new = case_sets.made_of(group, name, asked.change(group.cases))
        state.browse(name)
        shell.say(_SAID, "good", _created(new))
    st.rerun()


def _created(new: CaseSet) -> str:
    return f"Created: the set “{new.name}” with {len(new.cases):,} cases, shown now."


_SAID = "made_set"
_SMALL = 300_000
"""Bytes of cases whose variants are made in 0.2 s or so; those of larger sets beside the server."""


def _variants(group: CaseSet) -> None:
    """The form, and what chat models write, whichever set is browsed."""
    st.html(
        "<h2 class='gs-small'>Variants of every grounded answer</h2><p class='gs-note gs-measure'>Rules change one place of each "
        "answer; chat models write versions of it, as in the paper. Of an answer's variants, those with the rarest error types "
        "and writers are kept. The new set is checked and gets a card: labels, near-copies, and whether wording gives the "
        "label away.</p>"
    )
    _form(group)
    _PANEL.show()


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
        titles = {part: title for line in there for part, title in offered_prompts(TASK, line, line).items()}
        hint = "Choose several models: the style of a single writer could give the label away."
        chosen = several_of(
            place, "Chat models as writers", titles, "vary_models",
            placeholder="None" if there else "None yet: choose one on the Methods page, or type one beside",
            disabled=not there, help=hint, persist_state="session",
        )  # fmt: skip
        if not chosen:
            return (), True, 1
        versions = st.number_input("Versions of each", 1, MOST, 4, key="vary_versions", width=130, persist_state="session")
    edits = st.checkbox("Also edit by rules", True, key="vary_edits", persist_state="session")
    return tuple(chosen), edits, int(versions)


def _offer(group: CaseSet, how: VaryOptions, lines: tuple[str, ...]) -> None:
    """What it takes and where texts go, and the button that sends them."""
    with errors_shown(ValueError):
        takes = _takes(group, lines, how["versions"])
        if not takes:
            shell.notice("info", "No answer of this set is labelled as grounded, so there is nothing to make variants of.")
            return
        answers = plural(takes[0].calls, "grounded answer")
        st.html(shell.note(f"Not sent yet. Question, sources and text of {answers} go to each model; one call per answer."))
        if (limits := _PANEL.offer(takes, "vary")) is not None:
            keeps = case_sets.may_keep(*group.cases)
            _PANEL.start(begin(group.name, group.cases, lines, how, limits, keeps=keeps))


def _takes(group: CaseSet, lines: tuple[str, ...], versions: int) -> list[CostEstimate]:
    """Kept for the session: prompts are counted and prices looked up. What is missing may come at any time."""
    cache: dict[object, list[CostEstimate]] = state.last_few(state.own("vary_takes", {}))
    key = (group.cases, lines, versions)
    if key not in cache:
        costs = [_writes(asked_chat(line), line, sound(group.cases), versions) for line in lines] if sound(group.cases) else []
        if any(t.missing or t.dollars is None for t in costs):
            return costs
        cache[key] = costs
    return cache[key]


def _writes(asked: AskedChat, line: str, cases: Sequence[Case], versions: int) -> CostEstimate:
    sent = [model_prompt(case, versions, asked.prompt) for case in cases]
    return of_each(line, chat_model(asked.spec), sent, len(sent))


def _by_rules(group: CaseSet, how: VaryOptions) -> None:
    with errors_shown(place=_SAID):
        _add(group, group.cases, how, Writing())
    st.rerun()


@use_case(Role.REVIEWER)
def _by_models(file: JobFile) -> None:
    """Add the set of what chat models wrote so far."""
    options, (answers, writing) = plan_of(file).options, written_in(file)
    # Where another session loaded the set, this one cannot tell whether its cases are private.
    group = case_sets.sets().get(options["source"]) or CaseSet(options["source"], (), private=True)
    _add(group, tuple(answers), options["how"], writing)


def _early(job: Listed, at_work: bool) -> None:
    """A button that adds the set of what is there of a paused job, which can be resumed for the rest."""
    if at_work or not job.done:
        return
    # No callback: the panel draws itself alone, and the new set is shown elsewhere on the page.
    if st.button("Create the set of what is there", key=f"vary_early_{job.id}", **needs(_by_models)):
        with errors_shown(place=_SAID), closing(WRITING.folder.open(job.id)) as file:
            _by_models(file)
        st.rerun()


_PANEL = TaskPanel(
    WRITING.kind, "Its versions and its copy of the answers", _early, lambda job: "case" not in job.plan.options,
    take=_by_models, taking="Create the set",
)  # fmt: skip


def _add(group: CaseSet, cases: tuple[Case, ...], how: VaryOptions, writing: Writing) -> None:
    """Add the set with its checks and its card, browse it, and look for near-copies in it."""
    checks: Sequence[Check] = ()
    with reading(doing="Making and checking the set"):
        varied = sandboxed(_SMALL, vary, cases, **how, writing=writing)
        # A set that takes too long to check is still one.
        with suppress(DataError):
            checks = sandboxed(set_summary.CHECKED, validate, varied.cases)
    writers = f" by {plural(len(writing.models), 'chat model')}" if writing.models else ""
    name = f"Variants of {group.name}{writers}, seed {how['seed']}"
    new = case_sets.made_of(group, name, varied.cases)
    state.browse(name)
    if checks:
        state.checked()[new.cases] = tuple(checks)
        set_summary.search_copies(new)
    _keep_card(name, varied, group.name, settings(models=writing.models, **how))
    words = _created(new)
    if varied.stopped:
        left = plural(varied.left, "grounded answer was", "grounded answers were")
        words += f" {varied.stopped} {left} not reached. Resume the writing for the rest: replies that arrived are saved."
    shell.say(_SAID, "info" if varied.stopped else "good", words)


_MOST_CARDS = 16


class _Origin(NamedTuple):
    """Where a set of variants came from: as it was made, the name of the set that it was made of, and what was chosen."""

    varied: VariedSet
    source: str
    settings: Mapping[str, str]


def _keep_card(name: str, varied: VariedSet, source: str, settings: Mapping[str, str]) -> None:
    """Keep the contents of a set's card for this session."""
    origins: dict[str, _Origin] = state.own("set_cards", {})
    origins[name] = _Origin(varied, source, settings)
    state.last_few(origins, _MOST_CARDS)


def card_panel(group: CaseSet) -> None:
    """The card, folded; nothing where the set has none."""
    if text := _card(group):
        unfolded("Card of this set", f"set_card_{group.name}", _show_card, group.name, text)


def card_button(group: CaseSet) -> None:
    """A button that saves the card; nothing where the set has none."""
    if text := _card(group):
        download("Download its card", text, f"{slug(group.name)}.md", "download_card")


def _show_card(name: str, text: str) -> None:
    st.html(region(f"Card of {name}", card_html(text, heading="h2")))


def _card(group: CaseSet) -> str:
    """The card by the checks of now; empty where the set is none of those that were made, or has other cases by now."""
    origins: dict[str, _Origin] = state.own("set_cards", {})
    origin = origins.get(group.name)
    if origin is None or [c.id for c in origin.varied.cases] != [c.id for c in group.cases]:
        return ""
    # Types that were kept with the set since then count.
    varied = replace(origin.varied, cases=group.cases)
    return card(varied, origin.source, origin.settings, state.checked().get(group.cases, ()))
