"""The catalogue of methods: what each measures and needs, whether it can run here, its weights and its options."""

import os
import re
from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from components import shell, state
from components.controls import progress
from components.html import Html, listed, region, table, tag
from components.html import facts as listed_facts
from components.methods import options, weights
from components.methods.card import card_html
from components.worker import scoring
from components.worker.scoring import LoadedMethod
from groundscope.methods import Method, Paper, Requirement, registry
from groundscope.training.own_models import own_models

_POLL = 0.5
_WORD = r"<span>\g<0></span>"

_WORDS = (
    "<dl class='gs-facts gs-words'>"
    "<dt>Weights</dt><dd>The files of a method's model. A method without its weights stays listed and says what it needs."
    "</dd><dt>Threshold</dt><dd>A sentence whose support is below it is flagged as not supported.</dd>"
    "<dt>The paper</dt><dd>Trautmann et al. (2024), “Measuring the Groundedness of Legal Question-Answering Systems”.</dd>"
    "<dt>F1</dt><dd>How well a method separates grounded from ungrounded answers, 0 to 1, in the paper (macro-F1, table 3): "
    "“dev” are the answers for tuning, “test” are other answers. The paper used its own weights, data and thresholds.</dd></dl>"
)
"""Technical words of the page, explained for lawyers."""


def overview() -> None:
    """Every method at a glance, the ready ones first."""
    methods = scoring.methods()
    ready = sum(not m.missing for m in methods)
    where = "No text leaves this machine, except with methods that ask a chat model elsewhere. The app asks you first."
    shell.heading("Methods", f"{ready} of {len(methods)} can run here now. {where}")
    for problem in registry.problems():
        shell.notice("bad", problem)
    st.html(_WORDS)
    st.html(_table(methods))


def cards() -> None:
    """A card for every method."""
    shell.section("Each method")
    # A fixed order: the card that the user reads stays in place when its weights arrive.
    for method in sorted(scoring.methods(), key=lambda m: m.id):
        with st.container(border=True, key=f"method_{method.id.replace(':', '_')}"):
            _method(method)


def _method(method: LoadedMethod) -> None:
    scorer = scoring.loaded(method.id)
    needed = _needed(method)
    st.html(
        f'<h2 class="gs-method" id="{_anchor(method)}">{escape(method.about.title)} {_state(method)}</h2>'
        f'<p class="gs-sub">{escape(method.about.measures)}</p>{_facts(method, needed)}'
    )
    _ended(method)
    if task := weights.task(method.id):
        _watched()[method.id] = task
        st.fragment(_progress, run_every=_POLL)(method.id)
    elif (own := [r for r in needed if r.replaceable or not r.bundled]) and not _made_here(method):
        _weights(method, own)
    _card(method, scorer)
    options.show(method.id, scorer)


def _card(method: LoadedMethod, scorer: Method) -> None:
    """The model card, if the weights have one; the user's own models show theirs in their own section."""
    card = "" if _made_here(method) else scorer.card()
    if card:
        with st.expander("Model card", key=f"model_card_{method.id}"):
            st.html(region(f"Model card of {method.about.title}", card_html(card, heading="h3"), css="gs-scroll"))


def _needed(method: LoadedMethod) -> tuple[Requirement, ...]:
    return scoring.loaded(method.id).requirements()


def _made_here(method: LoadedMethod) -> bool:
    stem, _, name = method.id.partition(":")
    return stem == "grounding_classifier" and name in own_models()


def _anchor(method: LoadedMethod) -> str:
    return f"method-{method.id.replace(':', '-')}"


def _state(method: LoadedMethod) -> str:
    if task := weights.task(method.id):
        return f'<span class="gs-state working">{escape(task.short)}</span>'
    if not method.missing:
        return '<span class="gs-state ready">Ready</span>'
    return f'<span class="gs-state missing">{scoring.lacks(method)}</span>'


def _table(methods: Sequence[LoadedMethod]) -> str:
    """All methods at a glance, each linked to its card."""
    rows = []
    for method in methods:
        paper, size = method.about.paper, sum(r.megabytes for r in _needed(method))
        cells = (
            Html(_state(method)),
            f"{paper.dev_f1:.3f}" if paper else "–",
            f"{paper.test_f1:.3f}" if paper else "–",
            f"{size:,} MB" if size else "–",
            method.about.licence,
        )
        rows.append((tag("a", method.about.title, href=f"#{_anchor(method)}"), *cells))
    return table(
        ("Method", "State", "Dev F1", "Test F1", "Download", "Licence"),
        rows,
        caption="All methods, the ready ones first. F1 is the paper's, not measured here.",
        css="gs-methods gs-catalogue",
        row_css=("missing" if method.missing else "" for method in methods),
    )


def _facts(method: LoadedMethod, needed: tuple[Requirement, ...]) -> str:
    about = method.about
    facts = [
        ("Id", method.id),
        ("In the paper", _in_paper(about.paper)),
        ("Needs", about.needs or "nothing: ready to run"),
        ("Licence", about.licence),
    ]
    scorer: Any = scoring.loaded(method.id)
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
    start = "none yet: set it in the heatmap" if about.threshold is None else f"{about.threshold:.2f}, {about.threshold_source}"
    facts.append(("Threshold", start))
    if method.missing:
        facts.append(("What to do", method.missing))
    return listed_facts((k, _with_code(v)) for k, v in facts)


def _with_code(text: str) -> Html:
    """A text as HTML with its code marked; words of code do not break, as `--revision` would after a hyphen."""
    return Html(re.sub("`([^`]+)`", lambda m: f"<code>{re.sub('[^ ]+', _WORD, m[1])}</code>", escape(text)))


def _in_paper(paper: Paper | None) -> str:
    if paper is None:
        return "no"
    return (
        f"{paper.row}, section {paper.section}; table 3 prints macro-F1 {paper.dev_f1:.3f} on dev and {paper.test_f1:.3f} on test"
    )


def _watched() -> dict[str, weights.Task]:
    """Tasks that this session started or watched, whose result it must show; by method id."""
    tasks: dict[str, weights.Task] = st.session_state.setdefault("weights_watched", {})
    return tasks


def _begin(method: str, word: str, *arguments: str) -> None:
    _watched()[method] = weights.begin(method, word, *arguments)


def _ended(method: LoadedMethod) -> None:
    """Show the result of a download or a folder check: once if it worked, else until the next try."""
    task = _watched().get(method.id)
    if task is None or task.outcome is None:
        return
    done, problem = task.outcome
    if problem:
        stays = " The previous setting stays." if task.word == "accept" and not (task.cancelled or method.missing) else ""
        shell.notice("info" if task.cancelled else "bad", f"{problem}{stays}")
        return
    del _watched()[method.id]
    scoring.forget_failures(method.id)
    if method.missing:
        shell.notice("info", "Saved. See above for what is still missing.")
        return
    shell.notice("good", done)
    state.show_method(method.id)


def _progress(method: str) -> None:
    task = weights.task(method)
    if task is None:
        st.rerun()
    progress(min(1.0, task.job.share), task.words, f"cancel_{method}", weights.cancel, method)


def _weights(method: LoadedMethod, needed: list[Requirement]) -> None:
    missing = [r for r in needed if r.missing and r.page]
    with st.container(horizontal=True, vertical_alignment="center"):
        if missing:
            with st.popover("Get weights"):
                st.html(_offer(method, missing))
                size = sum(r.megabytes for r in missing)
                label = f"Download {size:,} MB" if size else "Download"
                st.button(label, key=f"get_{method.id}", type="primary", on_click=_begin, args=(method.id, "fetch"))
        with st.popover("Use a folder"):
            st.html(
                "<p class='gs-sub'>Weights copied by hand, for machines without a network: enter the folder that contains their "
                "config.json. They are loaded and checked before use. Leave the path empty to use the default places "
                "again.</p>"
            )
            for r in needed:
                _folder(method.id, r)


def _folder(method: str, needed: Requirement) -> None:
    key = f"path_{method}_{needed.name}"
    # Not a plain button: it would get the path from before the user typed.
    with st.form(f"folder_{method}_{needed.name}", border=False):
        st.text_input(_field(needed), key=key, placeholder=needed.where or "/path/to/folder", persist_state="session")
        st.form_submit_button("Check and use", key=f"use_{method}_{needed.name}", on_click=_use, args=(method, needed.name, key))


def _use(method: str, name: str, key: str) -> None:
    _begin(method, "accept", name, st.session_state[key] or "")


def _field(needed: Requirement) -> str:
    if needed.replaceable:
        return "Folder, or organisation/model@commit on the hub"
    # Labels are markdown, which reads model@branch.name as a mail address.
    return f"Folder of {needed.name.replace('@', ', branch ')}"


def _offer(method: LoadedMethod, missing: list[Requirement]) -> str:
    address = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    items = (
        Html(
            f"{escape(r.name)}, about {r.megabytes:,} MB<br><span class='gs-sub'>revision {escape(r.revision)} · "
            f'<a href="{escape(r.page)}" target="_blank" rel="noreferrer">model card</a>'
            f"{' · a pickle, read without running code' if r.pickled else ''}</span>"
        )
        for r in missing
    )
    return (
        f"<p>From {escape(address)}, once. Your cases are not sent.</p>{listed(items, 'gs-offer')}"
        f"<p>Licence: {escape(method.about.licence)}.</p>"
    )
