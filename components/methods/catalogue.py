"""The catalogue of methods: what each measures and needs, whether it can run here, its weights and its options."""

from collections.abc import Iterator
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from components import shell, state
from components.chat import prompts
from components.controls import unfolded
from components.methods import advice, listing, options, weights
from components.scoring.session import LoadedMethod, this_session
from groundscope.chat.prompt_files import STANDARD, PromptFile
from groundscope.drawing.html import explained, region, table, tag, with_code, with_small
from groundscope.drawing.html import facts as listed_facts
from groundscope.drawing.model_card import card_html
from groundscope.experiments.listing import Listed
from groundscope.grounding.paper_tables import SECTIONS, rows_of
from groundscope.methods import Requirement, registry
from groundscope.methods.board import Board, MeasuredMethod, board
from groundscope.models.weights import jobs as downloads
from groundscope.training.folders import own_models


def show() -> None:
    """Every method in a list, and the card of the open one beside it."""
    # Before it is asked what each method lacks: what ends in between has then brought its weights.
    under_way = downloads.under_way()
    session = this_session()
    methods = session.listed
    where = "No text leaves this machine, except with methods that ask a chat model elsewhere. The app asks you first."
    shell.heading("Methods", f"{len(session.ready)} of {len(methods)} can run here now. {where}")
    for problem in registry.problems():
        shell.notice("bad", problem)
    weights.settle(methods, under_way)
    opened = listing.opened(methods)
    advice.show(session, opened.id)
    show_board()
    with st.container(key="methods"):
        left, right = st.columns([10, 11], gap="medium")
        with left:
            listing.show(methods, opened, under_way)
            listing.add_form()
        with right, st.container(key="open_method"), st.container(border=True, key=f"method_{opened.id.replace(':', '_')}"):
            _method(opened, under_way.get(opened.id))


def _method(method: LoadedMethod, download: Listed | None) -> None:
    needed = method.method.requirements()
    now = listing.state_of(method, download)
    st.html(
        f'<h2 class="gs-method">{escape(method.about.title)} <span class="gs-state {now.kind}">{escape(now.words)}</span></h2>'
        f'<p class="gs-sub">{escape(method.about.measures)}</p>'
    )
    made_here = _made_here(method)
    weights.show(method, [] if made_here else [r for r in needed if r.replaceable or not r.bundled])
    st.html(_facts(method, needed))
    _card(method)
    options.show(method)
    _prompts(method)
    listing.removal(method.id)


def _card(method: LoadedMethod) -> None:
    """The model card, if the weights have one; the user's own models show theirs in their own section."""
    card = "" if _made_here(method) else method.method.card()
    if card:
        with st.expander("Model card", key=f"model_card_{method.id}"):
            st.html(region(f"Model card of {method.about.title}", card_html(card, heading="h3"), css="gs-scroll"))


def _prompts(method: LoadedMethod) -> None:
    """The prompts of a method that asks a chat model by one; nothing of another."""
    if not (offered := method.method.prompts()):
        return
    used = str(method.method.parameters.get("prompt", ""))
    how = f"To compare prompts, make each a part of one run: {method.id}:prompt=NAME."
    prompts.show(method.id, offered, how, used, use=partial(_ask_with, method.id), drop=_ask_with_standard)


def _ask_with(method: str, prompt: PromptFile) -> None:
    options.choose(method, "prompt", prompt.name)


def _ask_with_standard(prompt: PromptFile) -> None:
    """Turn methods of this session away from a prompt; one that asks another several times asks with the other's prompts."""
    for method, chosen in list(state.options().items()):
        if chosen.get("prompt") == prompt.name and prompt in registry.find(method, **chosen).prompts():
            options.choose(method, "prompt", STANDARD)


def _made_here(method: LoadedMethod) -> bool:
    stem, _, name = method.id.partition(":")
    return stem == "grounding_classifier" and name in own_models()


def _facts(method: LoadedMethod, needed: tuple[Requirement, ...]) -> str:
    about = method.about
    facts = [
        ("Id", method.id),
        *([("In the heatmap", about.plain)] if about.plain else []),
        ("In the paper", _in_paper(method.id, about.paper)),
        ("Needs", about.needs or "nothing: ready to run"),
        ("Licence", about.licence),
    ]
    scorer: Any = method.method
    if scorer.asks and not method.missing:
        facts.append(("Asks", f"{scorer.chat().identity}; texts go to {scorer.address or 'no host: saved replies are used'}"))
    for r in needed:
        size = f", {r.megabytes:,} MB" if r.megabytes else ""
        commit = " (the newest; the commit is saved with the download)" if r.revision == "main" else ""
        pickled = (
            "; published only as a pickle, a format that can contain code: the app reads it without running code"
            if r.pickled
            else ""
        )
        named = "a folder that you choose" if r.revision == "folder" else f"{r.name}, revision {r.revision}"
        named = f"{r.name}, comes with the app" if r.bundled and r.replaceable else named
        named = "made on this machine: see “A classifier of your own”" if _made_here(method) else named
        facts.append(("Weights", f"{named}{commit}{size}{pickled}"))
        facts.append(("Folder", r.where or "not on this machine"))
    start = (
        "none yet: set it in the heatmap"
        if about.threshold is None
        else f"{about.threshold:.2f}, {about.threshold_source}; a sentence below it is flagged"
    )
    facts.append(("Threshold", start))
    if method.missing:
        facts.append(("What to do", method.missing))
    return listed_facts((k, with_code(v)) for k, v in facts)


def _in_paper(method: str, section: str) -> str:
    """Its rows of the paper's table 3, under the names that the paper prints."""
    if not section:
        return "no"
    figures = (f"{r.name}, macro-F1 {r.dev.macro_f1:.3f} on dev and {r.test.macro_f1:.3f} on test" for r in rows_of(method))
    return f"Trautmann et al. (2024), section {section} ({SECTIONS[section]}); table 3 prints {'; '.join(figures)}"


_TITLE = "On whose labels, how good"
_MEANING = (
    "AUROC by answer: the share of pairs in which a sound answer ranks above a wrong one; 0.50 is chance. Worst and mean are of "
    "the sets marked *. Of the methods that run unasked (a cascade does not) the one with the best worst set is recommended. "
    "Flagged: below the starting threshold, on the median set marked *."
)
_SETS = ("Set", "Labelled by", "Answers", "Wrong", "Source sentences", "How nothing was learned from it")


def show_board() -> None:
    """The table, intervals where they are asked for, and the sets behind it."""
    on = board()
    with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
        st.html(tag("h2", _TITLE, class_="gs-small"), width="content")
        intervals = st.toggle("95 % intervals", key="board_intervals", persist_state="session")
    heads = (
        "Method",
        "Worst*",
        "Mean*",
        "Wrong flagged",
        "Sound flagged",
        "Seconds",
        *(f"{s.name}{'*' if s.decides else ''}" for s in on.sets),
    )
    order = sorted(on.methods.values(), key=lambda row: row.worth, reverse=True)
    st.html(
        region(_TITLE, table(heads, [tuple(_row(on, row, intervals)) for row in order], css="gs-counts gs-board"))
        + shell.note(_MEANING)
    )
    unfolded("The sets: who labelled them, and how nothing was learned from them", "board_sets", _sets, on)


def _row(on: Board, row: MeasuredMethod, intervals: bool) -> Iterator[str]:
    """A method's cells; the worst set is named on its figure."""
    rankings = {**row.deciding, **row.others}
    yield row.title
    yield explained(f"{row.deciding[row.worst].auroc:.2f}\n{row.worst}")
    yield f"{row.mean:.2f}"
    yield f"{100 * row.errors_flagged:.0f} %"
    yield f"{100 * row.alarms:.0f} %"
    yield f"{max(row.seconds, 0.001):.3f}"
    for s in on.sets:
        auroc, low, high = rankings[s.name]
        yield with_small(f"{auroc:.2f}", f"{low:.2f} to {high:.2f}" if intervals else "")


def _sets(on: Board) -> None:
    rows = [(s.name, s.labelled, f"{s.rows:,}", f"{s.wrong:,}", f"{s.length:g}", s.held) for s in on.sets]
    st.html(region("The sets", table(_SETS, rows)) + shell.note(f"Measured on {on.measured}."))
