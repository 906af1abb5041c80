"""The parts of an experiment that a user chooses: embedders, models that answer, and the judge."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components import shell
from components.chat import methods
from components.html import listed
from components.worker import scoring
from groundscope.errors import GroundscopeError
from groundscope.methods import registry
from groundscope.rag.loading import BM25, SIMILAR, first_choice, ranks

_OFFLINE = "offline:"
_EMBEDDERS = (
    "<code>local:</code> with a folder or the hub id of a sentence-transformers model that is on this machine, or a provider's, "
    "such as <code>openai:text-embedding-3-large@https://address</code>."
)
_CHATS = "<code>provider:model</code>, such as <code>openai:gpt-4o</code> or <code>server:llama3.1:8b@http://localhost:11434/v1</code>."


def retrievers() -> list[str]:
    """Ids of what finds passages."""
    offers = {BM25: ("BM25", "")} | {f"embed:{o.id}": (o.title, o.missing) for o in registry.embedders()}
    ready = [i for i, (_, missing) in offers.items() if not missing]
    # The line that is typed decides what can be chosen beside it.
    left, right = _beside("rag_row_embedders")
    with right:
        typed = _own("rag_local", "Another embedder", _EMBEDDERS)
    if typed:
        offers[f"embed:{typed}"] = (typed, "")
        ready.append(f"embed:{typed}")
    chosen = left.multiselect(
        "Embedders",
        ready,
        default=[i for i in ready if i in (BM25, "embed:minilm")],
        format_func=lambda i: offers[i][0],
        key="rag_retrievers",
        persist_state="session",
        placeholder="Choose at least one embedder",
    )
    lacking = [f"{title}: {missing}" for title, missing in offers.values() if missing]
    if lacking:
        with st.expander("Embedders that cannot be used yet", key="rag_lacking"):
            st.html(listed(lacking, "gs-offer"))
    return list(chosen)


def generators() -> list[str]:
    """Ids of what answers."""
    titles = {SIMILAR: "Nearest sentences, no key"}
    offline = {method: title for method, title in _offline().items() if ranks(scoring.loaded(method))}
    titles |= {f"support:{method}": f"Sentences by {title}, no key" for method, title in offline.items()}
    default = [i for i in first_choice(_offline()).generators if i in titles]
    if line := methods.line():
        titles[f"chat:{line}"] = line
    left, right = _beside("rag_row_models")
    with right:
        typed = _own("rag_chat", "Another chat model", _CHATS)
    if typed:
        titles[f"chat:{typed}"] = typed
    chosen = left.multiselect(
        "Models that answer",
        list(titles),
        default=default,
        format_func=lambda i: titles[i],
        key="rag_generators",
        persist_state="session",
        placeholder="Choose at least one",
        help="Those without a key copy sentences of the passages, so their answers are grounded and seldom complete.",
    )
    return list(chosen)


def _beside(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """A place that takes the room, and one for a button beside it that is never cut."""
    row = st.container(horizontal=True, vertical_alignment="bottom", key=key)
    return row.container(width="stretch"), row.container(width="content")


def _own(key: str, label: str, examples: str) -> str:
    """A line that the user types; empty where it means nothing."""
    with st.popover(label, key=f"{key}_panel"):
        line = st.text_input(label, key=key, max_chars=300, persist_state="session").strip()
        st.html(f"<p class='gs-note'>{examples}</p>")
    if not line:
        return ""
    try:
        (registry.embedder if key == "rag_local" else registry.chat)(line)
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
        return ""
    return line


def _offline() -> dict[str, str]:
    """Methods with a threshold that ask no server, by id."""
    found = [m for m in scoring.methods() if not m.missing and m.about.threshold is not None]
    return {m.id: m.about.title for m in found if not scoring.loaded(m.id).asks}


def judge() -> str:
    """The id of what judges; empty where nothing can."""
    titles = {f"{_OFFLINE}{m}": f"{title}, offline" for m, title in _offline().items()}
    if line := methods.line():
        titles = {f"chat:{line}": f"{line}, by rubric", **titles}
    options = list(titles)
    wanted = first_choice(_offline()).judge.partition("+")[0]
    first = wanted if wanted in titles else next(iter(titles), "")
    if not options:
        shell.notice("bad", "No method here can judge; choose a chat model on the Methods page.")
        return ""
    chosen = str(
        st.selectbox(
            "Judge",
            options,
            index=options.index(first),
            format_func=lambda i: titles[i],
            key="rag_judge",
            persist_state="session",
            help="Says of each answer whether it is correct and whether it is grounded. Its name stands beside all figures. "
            "Offline, grounded means that the method finds the answer supported by the passages, and correct that it finds the "
            "reference answer supported by the answer.",
        )
    )
    return f"{chosen}{_other_for_correct(chosen)}" if chosen.startswith(_OFFLINE) else chosen


def _other_for_correct(judge: str) -> str:
    """The rest of an offline judge's id where another method says what is correct."""
    grounded = judge.removeprefix(_OFFLINE)
    titles = {"": "the same method"} | {m: f"{title}, offline" for m, title in _offline().items() if m != grounded}
    suggested, _, other = first_choice(_offline()).judge.partition("+")
    options = list(titles)
    # One for each judge: what is another method to one is the same to the next.
    correct = st.selectbox(
        "Correct is judged by",
        options,
        index=options.index(other) if suggested == judge and other in options else 0,
        format_func=lambda m: titles[m],
        key=f"rag_judge_correct_{grounded}",
        persist_state="session",
        help="Whether the reference answer follows from the answer: a method of entailment may judge that better than the one "
        "that judges what is grounded.",
    )
    return f"+{correct}" if correct else ""
