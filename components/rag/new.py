"""A new experiment: which corpus and questions, which parts, what it takes and where texts go, and the button."""

from collections.abc import Sequence
from html import escape

import streamlit as st

import scorers
from components import asking, scoring, shell
from components.rag import benchmarks, state
from components.rag.under_way import go_on
from evaluation.default_methods import OPENING
from evaluation.errors import GroundscopeError
from evaluation.rag import experiments
from evaluation.rag.forecast import Takes, forecast
from evaluation.rag.loading import BM25, SIMILAR, Doors, planned
from evaluation.rag.types import Benchmark
from evaluation.words import money

DOORS = Doors(scorers.embedder, scorers.chat, scorers.load)
_OFFLINE = "offline:"
_THIS_MACHINE = {"", "localhost", "127.0.0.1", "::1"}
_PROBLEMS = 5


def show() -> None:
    """The whole form."""
    benchmark = benchmarks.choose()
    if benchmark is None:
        return
    _told(benchmark)
    retrievers = _retrievers()
    generators = _generators()
    left, middle, right = st.columns([3, 1, 3])
    with left:
        judge = _judge()
    k = int(
        middle.number_input(
            "Passages (k)", 1, 50, 5, key="rag_k", persist_state="session", help="From how many passages an answer is written."
        )
    )
    name = right.text_input("Name", key="rag_name", placeholder=benchmark.name, max_chars=80).strip() or benchmark.name
    if not retrievers or not generators or not judge:
        shell.notice("info", "Choose at least one embedder, one model and a judge.")
        return
    _offer(name, benchmark, retrievers, generators, judge, k)


def _told(benchmark: Benchmark) -> None:
    with_reference = sum(bool(q.reference) for q in benchmark.questions)
    with_relevant = sum(bool(q.relevant) for q in benchmark.questions)
    parts = [
        f"{len(benchmark.passages):,} passages, {len(benchmark.questions):,} questions, {with_reference:,} with a reference "
        f"answer, {with_relevant:,} that say which passages hold it",
        f"Licence: {benchmark.licence}" * bool(benchmark.licence),
    ]
    st.html(f"<p class='gs-note'>{escape('. '.join(p for p in parts if p))}.</p>")
    for problem in benchmark.problems[:_PROBLEMS]:
        shell.notice("info", problem)
    if len(benchmark.problems) > _PROBLEMS:
        with st.expander(f"{len(benchmark.problems) - _PROBLEMS:,} more", key="rag_problems"):
            st.html(f"<ul class='gs-offer'>{''.join(f'<li>{escape(p)}</li>' for p in benchmark.problems[_PROBLEMS:500])}</ul>")


def _retrievers() -> list[str]:
    offers = {BM25: ("BM25", "")} | {f"embed:{o.id}": (o.title, o.missing) for o in scorers.embedders()}
    ready = [i for i, (_, missing) in offers.items() if not missing]
    # The line that is typed decides what can be chosen beside it.
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with right:
        typed = _own("rag_local", "Another embedder", "local:FOLDER_OR_HUB_ID, or openai:text-embedding-3-large@address")
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
            st.html(f"<ul class='gs-offer'>{''.join(f'<li>{escape(line)}</li>' for line in lacking)}</ul>")
    return list(chosen)


def _generators() -> list[str]:
    titles = {SIMILAR: "Nearest sentences, no key"}
    titles |= {f"support:{method}": f"Sentences by {title}, no key" for method, title in _offline().items()}
    default = [i for i in (SIMILAR, f"support:{OPENING}") if i in titles]
    if line := asking.line():
        titles[f"chat:{line}"] = line
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with right:
        typed = _own("rag_chat", "Another chat model", "provider:model, such as openai:gpt-4o")
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


def _own(key: str, label: str, example: str) -> str:
    """A line that the user types; empty where it means nothing."""
    with st.popover(label, key=f"{key}_panel"):
        line = st.text_input(label, key=key, placeholder=example, max_chars=300).strip()
    if not line:
        return ""
    try:
        (scorers.embedder if key == "rag_local" else scorers.chat)(line)
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
        return ""
    return line


def _offline() -> dict[str, str]:
    """Methods with a threshold that ask nobody, by id."""
    found = [m for m in scoring.methods() if not m.missing and m.about.threshold is not None]
    return {m.id: m.about.title for m in found if not asking.asks(scoring.loaded(m.id))}


def _judge() -> str:
    titles = {f"{_OFFLINE}{m}": f"{title}, offline" for m, title in _offline().items()}
    if line := asking.line():
        titles = {f"chat:{line}": f"{line}, by rubric", **titles}
    first = next((i for i in titles if i == f"{_OFFLINE}{OPENING}"), next(iter(titles), ""))
    options = list(titles)
    if not options:
        shell.notice("bad", "No method here can judge; choose a chat model on the Methods page.")
        return ""
    return str(
        st.selectbox(
            "Judge", options, index=options.index(first), format_func=lambda i: titles[i], key="rag_judge",
            help="Says of each answer whether it is correct and whether it is grounded. Its name stands beside all figures.",
        )
    )  # fmt: skip


def _offer(name: str, benchmark: Benchmark, retrievers: Sequence[str], generators: Sequence[str], judge: str, k: int) -> None:
    try:
        takes = _takes(benchmark, tuple(retrievers), tuple(generators), judge, k)
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
        return
    answers = len(retrievers) * len(generators) * len(benchmark.questions)
    st.html(
        f"<p class='gs-note'>{len(retrievers)} × {len(generators)} combinations, {answers:,} answers. Everything is kept as it "
        "comes, with the texts, on this machine until you delete it.</p>"
    )
    if takes:
        st.html(_table(takes))
    for one in takes:
        if one.missing:
            shell.notice("bad", f"{one.title}: {one.missing}")
    addresses = sorted({t.address for t in takes} - _THIS_MACHINE)
    label = f"Send to {', '.join(addresses)} and start" if addresses else "Start the experiment"
    if st.button(_plain(label), type="primary", key="rag_start", disabled=any(t.missing for t in takes)):
        _start(name, benchmark, retrievers, generators, judge, k)


def _takes(benchmark: Benchmark, retrievers: tuple[str, ...], generators: tuple[str, ...], judge: str, k: int) -> list[Takes]:
    """Kept for the session: prompts are counted and prices looked up."""
    key = ("takes", benchmark.name, len(benchmark.passages), len(benchmark.questions), retrievers, generators, judge, k)
    kept = state.reports()
    if key not in kept:
        kept[key] = forecast(benchmark, retrievers, generators, judge, k, DOORS)
    found: list[Takes] = kept[key]
    return found


def _table(takes: Sequence[Takes]) -> str:
    rows = ""
    for t in takes:
        cost = "not known" if t.dollars is None else "nothing" if not t.dollars else f"at most {money(t.dollars)}"
        where = f"to {t.address}" if t.address not in _THIS_MACHINE else "stay on this machine"
        cells = (f"{t.calls:,} {t.unit}", where, cost)
        rows += f"<tr><th scope='row'>{escape(t.title)}</th>{''.join(f'<td>{escape(c)}</td>' for c in cells)}</tr>"
    head = "".join(f"<th scope='col'>{h}</th>" for h in ("Part", "Takes", "Texts", "Costs"))
    return f"<table class='gs-counts'><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _plain(label: str) -> str:
    """Labels are markdown; a host's name has none."""
    return "".join(c if c.isalnum() or c in " .-,:" else " " for c in label)


def _start(name: str, benchmark: Benchmark, retrievers: Sequence[str], generators: Sequence[str], judge: str, k: int) -> None:
    try:
        plan = planned(name, retrievers, generators, judge, k, DOORS, benchmark=benchmark.name, licence=benchmark.licence)
        go_on(experiments.create(plan, benchmark))
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
        return
    st.rerun()
