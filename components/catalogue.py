"""The catalogue of methods: what each measures and needs, whether it can run here, how to get its weights, its options."""

import os
import re
from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from components import asking, options, scoring, shell, state, weights
from components.plain_card import card_html
from components.scoring import Method
from evaluation.about import Paper, Requirement
from evaluation.own_models import own_models

_POLL = 0.5
_WORD = r"<span>\g<0></span>"

_WORDS = (
    "<dl class='gs-facts gs-words'>"
    "<dt>Weights</dt><dd>The files of the model that a method runs on. A method without them stays listed and says what it needs."
    "</dd><dt>Threshold</dt><dd>A sentence whose support is below it is flagged as not supported.</dd>"
    "<dt>The paper</dt><dd>Trautmann et al. (2024), “Measuring the Groundedness of Legal Question-Answering Systems”.</dd>"
    "<dt>F1</dt><dd>How well a method told grounded from ungrounded answers, 0 to 1, as the paper prints it (macro-F1, table 3): "
    "“dev” are the answers that it was tuned on, “test” others. The paper had its own weights, data and thresholds.</dd></dl>"
)
"""The words of the page that a reader of law does not know."""


def overview() -> None:
    """Every method at a glance, the ready ones first."""
    methods = scoring.methods()
    ready = sum(not m.missing for m in methods)
    where = "No text leaves this machine, but for methods that ask a chat model elsewhere: you are asked before it goes there."
    shell.heading("Methods", f"{ready} of {len(methods)} can run here now. {where}")
    st.html(_WORDS)
    st.html(_table(methods))


def cards() -> None:
    """A card for every method."""
    shell.section("Each method")
    # Always in this order: a card that is looked at stays where it is when its weights have come.
    for method in sorted(scoring.methods(), key=lambda m: m.id):
        with st.container(border=True, key=f"method_{method.id.replace(':', '_')}"):
            _method(method)


def _method(method: Method) -> None:
    scorer: Any = scoring.loaded(method.id)
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
    if scorer is not None:
        _card(method, scorer)
        options.show(method.id, scorer)


def _card(method: Method, scorer: Any) -> None:
    """The model card, where the weights have one beside them; those made here show theirs among the user's own models."""
    card = "" if _made_here(method) else str(getattr(scorer, "card", str)())
    if card:
        with st.expander("Model card", key=f"model_card_{method.id}"):
            region = f"class='gs-scroll' tabindex='0' role='region' aria-label='Model card of {escape(method.about.title)}'"
            st.html(f"<div {region}>{card_html(card, heading='h3')}</div>")


def _needed(method: Method) -> tuple[Requirement, ...]:
    found: tuple[Requirement, ...] = getattr(scoring.loaded(method.id), "requirements", tuple)()
    return found


def _made_here(method: Method) -> bool:
    stem, _, name = method.id.partition(":")
    return stem == "grounding_classifier" and name in own_models()


def _anchor(method: Method) -> str:
    return f"method-{method.id.replace(':', '-')}"


def _state(method: Method) -> str:
    if task := weights.task(method.id):
        return f'<span class="gs-state working">{escape(task.short)}</span>'
    if not method.missing:
        return '<span class="gs-state ready">Ready</span>'
    if asking.asks(scoring.loaded(method.id)) and not any(r.missing for r in _needed(method)):
        return '<span class="gs-state missing">Model not ready</span>'
    if any(r.missing for r in _needed(method)):
        lack = "Weights not here"
    else:
        lack = "Not made yet" if method.about.needs else "Cannot be loaded"
    return f'<span class="gs-state missing">{lack}</span>'


def _table(methods: Sequence[Method]) -> str:
    """All methods at a glance, each linked to its own part of the page."""
    rows = []
    for method in methods:
        paper, size = method.about.paper, sum(r.megabytes for r in _needed(method))
        cells = (
            _state(method),
            f"{paper.dev_f1:.3f}" if paper else "–",
            f"{paper.test_f1:.3f}" if paper else "–",
            f"{size:,} MB" if size else "–",
            escape(method.about.licence),
        )
        name = f"<a href='#{_anchor(method)}'>{escape(method.about.title)}</a>"
        grey = " class='missing'" if method.missing else ""
        rows.append(f"<tr{grey}><th scope='row'>{name}</th>{''.join(f'<td>{c}</td>' for c in cells)}</tr>")
    return (
        "<table class='gs-methods gs-catalogue'>"
        "<caption>All methods, the ready ones first. F1 is the paper's, not measured here.</caption>"
        "<thead><tr><th scope='col'>Method</th><th scope='col'>State</th><th scope='col'>Dev F1</th><th scope='col'>Test F1</th>"
        f"<th scope='col'>Download</th><th scope='col'>Licence</th></tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _facts(method: Method, needed: tuple[Requirement, ...]) -> str:
    about = method.about
    facts = [
        ("Id", method.id),
        ("In the paper", _in_paper(about.paper)),
        ("Needs", about.needs or "nothing: it runs at once"),
        ("Licence", about.licence),
    ]
    scorer: Any = scoring.loaded(method.id)
    if asking.asks(scorer) and not method.missing:
        facts.append(("Asks", f"{scorer.chat().identity}; texts go to {scorer.address or 'nobody: kept replies are replayed'}"))
    for r in needed:
        size = f", {r.megabytes:,} MB" if r.megabytes else ""
        commit = " (the newest; which commit that was is kept with the download)" if r.revision == "main" else ""
        pickled = "; published only as a pickle, a format that can hold code: it is read without running any" if r.pickled else ""
        named = "a folder that you name" if r.revision == "folder" else f"{r.name}, revision {r.revision}"
        named = f"{r.name}, comes with the app" if r.bundled and r.replaceable else named
        named = "made on this machine: see “A classifier of your own”" if _made_here(method) else named
        facts.append(("Weights", f"{named}{commit}{size}{pickled}"))
        facts.append(("Folder", r.where or "not on this machine"))
    start = "none yet: move it in the heatmap" if about.threshold is None else f"{about.threshold:.2f}, {about.threshold_source}"
    facts.append(("Threshold", start))
    if method.missing:
        facts.append(("What to do", method.missing))
    return "<dl class='gs-facts'>" + "".join(f"<dt>{escape(k)}</dt><dd>{_with_code(v)}</dd>" for k, v in facts) + "</dl>"


def _with_code(text: str) -> str:
    """A text as HTML, with what is to be typed set apart; its words are not broken, as `--revision` after a hyphen would be."""
    return re.sub("`([^`]+)`", lambda m: f"<code>{re.sub('[^ ]+', _WORD, m[1])}</code>", escape(text))


def _in_paper(paper: Paper | None) -> str:
    if paper is None:
        return "no"
    return (
        f"{paper.row}, section {paper.section}; table 3 prints macro-F1 {paper.dev_f1:.3f} on dev and {paper.test_f1:.3f} on test"
    )


def _watched() -> dict[str, weights.Task]:
    """What this session began, or saw under way, and has to be told the end of; by method id."""
    tasks: dict[str, weights.Task] = st.session_state.setdefault("weights_watched", {})
    return tasks


def _begin(method: str, word: str, *arguments: str) -> None:
    _watched()[method] = weights.begin(method, word, *arguments)


def _ended(method: Method) -> None:
    """Say what became of a download or of a folder: once where all is well, else until the next try."""
    task = _watched().get(method.id)
    if task is None or task.outcome is None:
        return
    done, problem = task.outcome
    if problem:
        stays = " What was set before stays." if task.word == "accept" and not (task.cancelled or method.missing) else ""
        shell.notice("info" if task.cancelled else "bad", f"{problem}{stays}")
        return
    del _watched()[method.id]
    scoring.forget_failures(method.id)
    if method.missing:
        shell.notice("info", "This is kept. What is still missing is named above.")
        return
    shell.notice("good", done)
    shown = st.session_state.get(state.METHODS)
    if shown and method.id not in shown:
        st.session_state[state.METHODS] = [*shown, method.id]


def _progress(method: str) -> None:
    task = weights.task(method)
    if task is None:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(1.0, task.share), text=task.words)
        st.button("Cancel", key=f"cancel_{method}", on_click=weights.cancel, args=(method,))


def _weights(method: Method, needed: list[Requirement]) -> None:
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
                "<p class='gs-sub'>Weights copied by hand, for machines without a network: name the folder that holds their "
                "config.json. They are loaded and checked before they are used. Leave the path empty to look in the usual places "
                "again.</p>"
            )
            for r in needed:
                _folder(method.id, r)


def _folder(method: str, needed: Requirement) -> None:
    key = f"path_{method}_{needed.name}"
    # Not a bare button: it would be given the path as it was when the page was drawn, before it was typed.
    with st.form(f"folder_{method}_{needed.name}", border=False):
        st.text_input(_field(needed), key=key, placeholder=needed.where or "/path/to/folder", persist_state="session")
        st.form_submit_button(
            "Check and use it", key=f"use_{method}_{needed.name}", on_click=_use, args=(method, needed.name, key)
        )


def _use(method: str, name: str, key: str) -> None:
    _begin(method, "accept", name, st.session_state[key] or "")


def _field(needed: Requirement) -> str:
    if needed.replaceable:
        return "Folder, or organisation/model@commit on the hub"
    # Labels are markdown, which takes model@branch.name for a mail address.
    return f"Folder of {needed.name.replace('@', ', branch ')}"


def _offer(method: Method, missing: list[Requirement]) -> str:
    address = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    items = "".join(
        f"<li>{escape(r.name)}, about {r.megabytes:,} MB<br><span class='gs-sub'>revision {escape(r.revision)} · "
        f'<a href="{escape(r.page)}" target="_blank" rel="noreferrer">model card</a>'
        f"{' · a pickle, read without running code' if r.pickled else ''}</span></li>"
        for r in missing
    )
    return (
        f"<p>From {escape(address)}, once. Nothing of your cases is sent.</p><ul class='gs-offer'>{items}</ul>"
        f"<p>Licence: {escape(method.about.licence)}.</p>"
    )
