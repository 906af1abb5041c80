"""The parts of an experiment that a user chooses: embedders, models that answer, and the judge."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components import shell
from components.chat.model import offered
from components.chat.prompts import offered_prompts
from components.controls import select_one, several_of, typed_line
from components.scoring import asking
from components.scoring.session import LoadedMethod
from groundscope.chat.prompt_files import prompts
from groundscope.drawing.html import listed
from groundscope.grounding.parts import method_here
from groundscope.grounding.rules.frozen_rules import own_threshold
from groundscope.models import embedders
from groundscope.rag.asking import ANSWER, JUDGE
from groundscope.rag.loading import BM25, SIMILAR, asked_by, first_choice, ranks, with_prompts
from groundscope.rag.retrieving.second_step import POOL
from groundscope.rag.retrieving.settings import crossed
from groundscope.rag.types import Benchmark

_OFFLINE = "offline:"
_EMBEDDERS = (
    "<code>local:</code> with a folder or the hub id of a sentence-transformers model that is on this machine, or a provider's, "
    "such as <code>openai:text-embedding-3-large@https://address</code>."
)


def retrievers() -> list[str]:
    """Ids of what finds passages."""
    offers = {BM25: ("BM25", "")} | {f"embed:{line}": (e.title, e.unavailable()) for line, e in embedders.offered().items()}
    ready = {i: title for i, (title, missing) in offers.items() if not missing}
    # The line that is typed decides what can be chosen beside it.
    left, right = _beside("rag_row_embedders")
    with right:
        typed = typed_line("Another embedder", "rag_local", embedders.embedder, examples=_EMBEDDERS)
    if typed:
        ready[f"embed:{typed}"] = typed
    default = [i for i in ready if i in (BM25, "embed:minilm")]
    hint = "Choose at least one embedder"
    chosen = several_of(left, "Embedders", ready, "rag_retrievers", default=default, persist_state="session", placeholder=hint)
    lacking = [f"{title}: {missing}" for title, missing in offers.values() if missing]
    if lacking:
        with st.expander("Embedders that cannot be used yet", key="rag_lacking"):
            st.html(listed(lacking, "gs-offer"))
    return chosen


def varied(retrievers: list[str], k: int, benchmark: Benchmark, local: Sequence[LoadedMethod]) -> list[str]:
    """The embedders crossed with what is varied of retrieval; as they are where nothing is."""
    with st.expander("Vary retrieval", key="rag_vary"):
        st.html(
            "<p class='gs-note gs-measure'>Each choice multiplies the answers. The results compare them as they compare "
            "embedders.</p>"
        )
        left, right = st.columns(2)
        ks = several_of(
            left, "Also with these k", {str(n): str(n) for n in _KS}, "rag_ks", persist_state="session",
            help="From how many passages an answer is written, besides the number above.",
        )  # fmt: skip
        sizes = several_of(
            right, "Also with passages cut into pieces", {str(n): f"{n} tokens" for n in _SIZES}, "rag_pieces",
            persist_state="session", help="A piece counts as relevant where its passage does, whichever piece holds the answer.",
        )  # fmt: skip
        rerankers = several_of(
            left, "Also reranked by", _extracting(local), "rag_rerankers", persist_state="session",
            help=f"Orders the best {POOL} again: a passage counts as much as the best of its sentences.",
        )  # fmt: skip
        labelled = any(q.relevant for q in benchmark.questions)
        oracle = right.checkbox(
            "Also with the relevant passages given", key="rag_oracle", persist_state="session", disabled=not labelled,
            help="They are put first, so remaining errors are not caused by retrieval.",
        )  # fmt: skip
    return crossed(
        retrievers, [k, *map(int, ks)], [0, *map(int, sizes)], ["", *rerankers], oracle=oracle and labelled
    )  # fmt: skip


_KS, _SIZES = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50), (64, 128, 256, 512)


def _extracting(local: Sequence[LoadedMethod]) -> dict[str, str]:
    """What ranks sentences without a key, by id."""
    ranking = [m for m in local if ranks(m.method)]
    return {SIMILAR: "Nearest sentences"} | {f"support:{m.id}": f"Sentences by {m.about.title}" for m in ranking}


def generators(local: Sequence[LoadedMethod]) -> list[str]:
    """Ids of what answers."""
    titles = {part: f"{title}, no key" for part, title in _extracting(local).items()}
    default = [i for i in first_choice([m.id for m in local]).generators if i in titles]
    left, right = _beside("rag_row_models")
    with right:
        titles |= {f"chat:{line}": line for line in offered("rag_chat")}
    hint = "Those without a key copy sentences of the passages, so their answers are grounded and seldom complete."
    chosen = several_of(
        left, "Models that answer", titles, "rag_generators",
        default=default, persist_state="session", placeholder="Choose at least one", help=hint,
    )  # fmt: skip
    return with_prompts(chosen, _prompts()) if any(map(asked_by, chosen)) else chosen


def _prompts() -> list[str]:
    """How chat models are asked; the first prompt where none is chosen."""
    titles = {p.name: p.title for p in prompts(ANSWER)}
    first = next(iter(titles))
    hint = "Each chat model answers by each prompt: what must be definite may say more than the passages do."
    chosen = several_of(st, "Prompts of chat models", titles, "rag_prompts", default=[first], persist_state="session", help=hint)
    return chosen or [first]


def _beside(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """A place that takes the room, and one for a button beside it that is never cut."""
    row = st.container(horizontal=True, vertical_alignment="bottom", key=key)
    return row.container(width="stretch"), row.container(width="content")


def judge(local: Sequence[LoadedMethod]) -> str:
    """The id of what judges; empty where nothing can."""
    titles = {f"{_OFFLINE}{m.id}": f"{m.about.title}, offline" for m in local}
    if line := asking.line():
        titles = offered_prompts(JUDGE, f"chat:{line}", f"{line}, by rubric") | titles
    if not titles:
        shell.notice("bad", "No method here can judge; choose a chat model on the Methods page.")
        return ""
    hint = (
        "Says of each answer whether it is correct and whether it is grounded. Its name stands beside all figures. "
        "Offline, grounded means that the method finds the answer supported by the passages, and correct that it finds the "
        "reference answer supported by the answer."
    )
    suggested = first_choice([m.id for m in local]).judge
    chosen = select_one(st, "Judge", titles, "rag_judge", first=suggested.partition("+")[0], help=hint)
    return f"{chosen}{_other_for_correct(chosen, suggested, local)}" if chosen.startswith(_OFFLINE) else chosen


def second_judge(first: str, methods: Sequence[LoadedMethod]) -> str:
    """The id of a method that says, too, what is grounded; empty where none is chosen."""
    same = first.removeprefix(_OFFLINE).partition("+")[0] if first.startswith(_OFFLINE) else ""
    others = {m.id: f"{m.about.title}, offline" for m in methods if m.id != same and not m.method.asks}
    if line := asking.line():
        others |= {f"{m.id}:model={line}": f"{m.about.title}, asks {line}" for m in methods if m.method.asks}
    hint = (
        "A method that also judges what is grounded. The results show how far both judges agree, with a 95 % interval; all other "
        "figures are by the first."
    )
    # One for each judge: what is another method to one is the same to the next.
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = select_one(st, "Second judge of what is grounded", {"": "none"} | others, f"rag_second_{same}", help=hint)
        return f"{chosen}@{_threshold(chosen)!r}" if chosen else ""


def _threshold(second: str) -> float:
    threshold, source = own_threshold(method_here(second))
    hint = f"A support from here on is grounded. Unless you change it: {source}."
    # One for each method and what is frozen for it.
    key = f"rag_second_from_{second}_{threshold}"
    first = 0.5 if threshold is None else threshold
    field = st.number_input("Grounded from", 0.0, 1.0, first, 0.01, "%g", key=key, help=hint, width=160, persist_state="session")
    return float(field)


def _other_for_correct(judge: str, suggested: str, local: Sequence[LoadedMethod]) -> str:
    """The rest of an offline judge's id where another method says what is correct."""
    grounded, (first_judge, _, other) = judge.removeprefix(_OFFLINE), suggested.partition("+")
    titles = {"": "the same method"} | {m.id: f"{m.about.title}, offline" for m in local if m.id != grounded}
    hint = (
        "Whether the reference answer follows from the answer: a method of entailment may judge that better than the one "
        "that judges what is grounded."
    )
    # One for each judge: what is another method to one is the same to the next.
    key, first = f"rag_judge_correct_{grounded}", other if first_judge == judge else ""
    correct = select_one(st, "Correct is judged by", titles, key, first=first, help=hint)
    return f"+{correct}" if correct else ""
