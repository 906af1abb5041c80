"""A new experiment: which corpus and questions, which parts, what it takes and where texts go, and the button."""

from collections.abc import Sequence
from html import escape

import streamlit as st

import scorers
from components import shell
from components.rag import benchmarks, parts, state
from components.rag.under_way import counted, crossed, go_on
from evaluation.errors import GroundscopeError
from evaluation.rag import experiments
from evaluation.rag.corpus import with_fewer
from evaluation.rag.forecast import Takes, forecast
from evaluation.rag.loading import Doors, planned
from evaluation.rag.types import Benchmark
from evaluation.words import money

DOORS = Doors(scorers.embedder, scorers.chat, scorers.load)


def show() -> None:
    """The whole form."""
    benchmark = benchmarks.choose()
    if benchmark is None:
        return
    _told(benchmark)
    retrievers = parts.retrievers()
    generators = parts.generators()
    judge, k, benchmark = _options(benchmark)
    name = st.text_input("Name", key="rag_name", placeholder=benchmark.name, max_chars=80, persist_state="session").strip()
    if not retrievers or not generators or not judge:
        shell.notice("info", "Choose at least one embedder, one model and a judge.")
        return
    _offer(name or benchmark.name, benchmark, retrievers, generators, judge, k)


def _options(benchmark: Benchmark) -> tuple[str, int, Benchmark]:
    """Judge, k, and the questions that are asked."""
    left, middle, right = st.columns([3, 1, 1])
    with left:
        judge = parts.judge()
    k = middle.number_input(
        "Passages (k)", 1, 50, 5, key="rag_k", persist_state="session", help="From how many passages an answer is written."
    )
    most = len(benchmark.questions)
    # One for each corpus: a number of another one may be more than there are here.
    count = right.number_input(
        "Questions", 1, most, most, key=f"rag_count_{hash((benchmark.name, most))}", persist_state="session",
        help="Fewer are spread evenly over all: a cheap first look.",
    )  # fmt: skip
    return judge, int(k), with_fewer(benchmark, int(count))


def _told(benchmark: Benchmark) -> None:
    with_reference = sum(bool(q.reference) for q in benchmark.questions)
    with_relevant = sum(bool(q.relevant) for q in benchmark.questions)
    parts = [
        f"{counted(len(benchmark.passages), 'passage')}, {counted(len(benchmark.questions), 'question')}, {with_reference:,} "
        f"with a reference answer, {with_relevant:,} that {'says' if with_relevant == 1 else 'say'} which passages hold it",
        f"Licence: {benchmark.licence}" * bool(benchmark.licence),
    ]
    st.html(f"<p class='gs-note'>{escape('. '.join(p for p in parts if p))}.</p>")
    benchmarks.told_problems(benchmark)


def _offer(name: str, benchmark: Benchmark, retrievers: Sequence[str], generators: Sequence[str], judge: str, k: int) -> None:
    try:
        takes = _takes(benchmark, tuple(retrievers), tuple(generators), judge, k)
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
        return
    answers = len(retrievers) * len(generators) * len(benchmark.questions)
    st.html(
        f"<p class='gs-note'>{crossed(len(retrievers), len(generators))}, {counted(answers, 'answer')}. Everything is kept as it "
        "comes, with the texts, on this machine until you delete it.</p>"
    )
    if takes:
        st.html(_table(takes))
    for one in takes:
        if one.missing:
            shell.notice("bad", f"{one.title}: {one.missing}")
        if one.note:
            shell.notice("info", one.note)
    addresses = sorted({t.leaves for t in takes} - {""})
    label = f"Send to {', '.join(addresses)} and start" if addresses else "Start the experiment"
    if st.button(_plain(label), type="primary", key="rag_start", disabled=any(t.missing for t in takes)):
        _start(name, benchmark, retrievers, generators, judge, k, [t.note for t in takes if t.note])


def _takes(benchmark: Benchmark, retrievers: tuple[str, ...], generators: tuple[str, ...], judge: str, k: int) -> list[Takes]:
    """Kept for the session: prompts are counted and prices looked up. What is missing may come at any time."""
    key = ("takes", benchmark.name, len(benchmark.passages), len(benchmark.questions), retrievers, generators, judge, k)
    kept = state.reports()
    if key in kept:
        found: list[Takes] = kept[key]
        return found
    with st.spinner("Reckoning what it takes"):
        made = forecast(benchmark, retrievers, generators, judge, k, DOORS)
    if not any(t.missing for t in made):
        kept[key] = made
    return made


def _table(takes: Sequence[Takes]) -> str:
    rows = ""
    for t in takes:
        cost = "not known" if t.dollars is None else "nothing" if not t.dollars else f"at most {money(t.dollars)}"
        where = f"to {t.leaves}" if t.leaves else "stay on this machine"
        cells = (t.amount, where, cost)
        rows += f"<tr><th scope='row'>{escape(t.title)}</th>{''.join(f'<td>{escape(c)}</td>' for c in cells)}</tr>"
    head = "".join(f"<th scope='col'>{h}</th>" for h in ("Part", "Takes", "Texts", "Costs"))
    return f"<table class='gs-counts'><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _plain(label: str) -> str:
    """Labels are markdown; a host's name has none."""
    return "".join(c if c.isalnum() or c in " .-,:" else " " for c in label)


def _start(
    name: str,
    benchmark: Benchmark,
    retrievers: Sequence[str],
    generators: Sequence[str],
    judge: str,
    k: int,
    notes: Sequence[str],
) -> None:
    about = {"benchmark": benchmark.name, "licence": benchmark.licence}
    try:
        plan = planned(name, retrievers, generators, judge, k, DOORS, notes=notes, **about)
        go_on(experiments.create(plan, benchmark))
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
        return
    st.rerun()
