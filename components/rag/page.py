"""The Legal RAG page: results, the form of a new experiment, and loading results made elsewhere."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from components import shell
from components.chat import prompts
from components.controls import errors_shown, tabs
from components.experiments.jobs import jobs
from components.experiments.panel import offer
from components.opened.rag_results import REPORTS
from components.rag import choices as parts
from components.rag import corpora, results, sources, state
from components.scoring.session import LoadedMethod, this_session
from components.state import last_few, own
from groundscope.experiments.forecast import CostEstimate
from groundscope.rag import experiments
from groundscope.rag.asking import ANSWER, JUDGE
from groundscope.rag.corpora.corpus import with_fewer
from groundscope.rag.forecast import forecast
from groundscope.rag.planning import planned
from groundscope.rag.types import Benchmark
from groundscope.text.humanize import plural


def show() -> None:
    """The whole page."""
    # In a place of its own, there or not: where the tabs move down the page, the browser forgets which one was turned to.
    with st.container():
        results.PANEL.under_way()
    state.turn()
    tabs({state.RESULTS: _results, "New experiment": _new_experiment, "Load results": sources.load}, "rag_page")


def _results() -> None:
    if source := sources.choose():
        results.show(source)


def _new_experiment() -> None:
    """The whole form."""
    benchmark = corpora.choose()
    if benchmark is None:
        return
    _told(benchmark)
    retrievers = parts.retrievers()
    methods = [m for m in this_session().ready if m.about.threshold is not None]
    local = [m for m in methods if not m.method.asks]
    generators = parts.generators(local)
    judge, second, k, benchmark = _options(benchmark, methods, local)
    settings = parts.varied(retrievers, k, benchmark, local)
    prompts.panel(ANSWER, JUDGE)
    name = st.text_input("Name", key="rag_name", placeholder=benchmark.name, max_chars=80, persist_state="session").strip()
    if not retrievers or not generators or not judge:
        shell.notice("info", "Choose at least one embedder, one model and a judge.")
        return
    _offer(name or benchmark.name, benchmark, settings, generators, (judge, second), k)


def _options(
    benchmark: Benchmark, methods: Sequence[LoadedMethod], local: Sequence[LoadedMethod]
) -> tuple[str, str, int, Benchmark]:
    """Both judges, k, and the questions that are asked."""
    left, middle, right = st.columns([3, 1, 1])
    with left:
        judge = parts.judge(local)
        second = parts.second_judge(judge, methods)
    k = middle.number_input(
        "Passages (k)", 1, 50, 5, key="rag_k", persist_state="session", help="From how many passages an answer is written."
    )
    most = len(benchmark.questions)
    # One for each corpus: a number of another one may be more than there are here.
    count = right.number_input(
        "Questions", 1, most, most, key=f"rag_count_{hash((benchmark.name, most))}", persist_state="session",
        help="Fewer are spread evenly over all: a cheap first look.",
    )  # fmt: skip
    return judge, second, int(k), with_fewer(benchmark, int(count))


def _told(benchmark: Benchmark) -> None:
    with_reference = sum(bool(q.reference) for q in benchmark.questions)
    with_relevant = sum(bool(q.relevant) for q in benchmark.questions)
    parts = [
        f"{plural(len(benchmark.passages), 'passage')}, {plural(len(benchmark.questions), 'question')}, {with_reference:,} "
        f"with a reference answer, {plural(with_relevant, 'that says', 'that say')} which passages hold it",
        f"Licence: {benchmark.licence}" * bool(benchmark.licence),
    ]
    st.html(f"<p class='gs-note'>{escape('. '.join(p for p in parts if p))}.</p>")
    corpora.told_problems(benchmark)


def _offer(
    name: str, benchmark: Benchmark, retrievers: Sequence[str], generators: Sequence[str], judges: tuple[str, str], k: int
) -> None:
    answers = len(retrievers) * len(generators) * len(benchmark.questions)
    with errors_shown(ValueError):
        takes = _takes(benchmark, tuple(retrievers), tuple(generators), judges, k)
        st.html(
            shell.note(
                f"{plural(len(retrievers), 'way to retrieve', 'ways to retrieve')} × {plural(len(generators), 'model')}: "
                f"{plural(answers, 'answer')}. Every "
                "result is saved at once, with the texts, on this machine until you delete it."
            )
        )
        limits = offer(takes, "rag")
        if limits is not None:
            notes = [t.note for t in takes if t.note]
            about = {"benchmark": benchmark.name, "licence": benchmark.licence}
            judge, second = judges
            plan = planned(name, retrievers, generators, judge, k, notes=notes, second=second, **about)
            experiment = experiments.create(plan, benchmark, limits=limits)
            jobs().resume(experiment)
            state.show_results(experiment)
            st.rerun()


def _takes(
    benchmark: Benchmark, retrievers: tuple[str, ...], generators: tuple[str, ...], judges: tuple[str, str], k: int
) -> list[CostEstimate]:
    """Kept for the session: prompts are counted and prices looked up. What is missing may come at any time."""
    key = ("takes", benchmark.name, len(benchmark.passages), len(benchmark.questions), retrievers, generators, judges, k)
    cache: dict[object, list[CostEstimate]] = last_few(own(REPORTS, {}))
    if key in cache:
        return cache[key]
    with st.spinner("Counting what it takes"):
        estimates = forecast(benchmark, retrievers, generators, judges[0], k, judges[1])
    if not any(t.missing for t in estimates):
        cache[key] = estimates
    return estimates
