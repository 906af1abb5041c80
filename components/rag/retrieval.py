"""How well each embedder retrieves, and hallucination against retrieval success."""

from typing import Any

import pandas as pd
import streamlit as st

from components import figure, shell
from components.charts import rag as charts
from components.html import Html, region
from components.rag import messages, state, tables
from components.rag.sources import AnswerSource
from components.rag.state import AnswerFilter
from groundscope.grounding.export import guarded
from groundscope.rag.outcomes import AnswerOutcome
from groundscope.rag.ranking import Matching, Ranking
from groundscope.rag.report import RagReport
from groundscope.rag.retrieval import rankings

_SCROLLED = "gs-across gs-tables gs-names"
_SUBSTRING = "Compare ids by substring too, as the original code does"


def show(source: AnswerSource, found: RagReport) -> None:
    """Tables by measure, then the scatter."""
    if ranked := _ranked(source, "exact"):
        _tables(source, ranked)
    rows = [r for r in found.combinations if r.hit.of]
    if not rows:
        shell.notice("info", "Nothing says which passages are relevant, so retrieval cannot be measured.")
        return
    if not ranked:
        text = (
            "Which passages were retrieved is not known here, only whether the relevant one was among them: for figures at "
            "k = 1, 3, 5 and 10 the results need relevant_passage_id, and context or retrieved_ids, with ids."
        )
        shell.notice("info", text)
    clicked = figure.show(
        charts.against_retrieval(rows, source.judge),
        key="rag_scatter",
        name=f"hallucination against retrieval {source.name}",
        alt=messages.retrieval_alt(rows),
        data=pd.DataFrame(
            [
                {"embedder": r.embedder, "model": r.model, "retrieved": r.hit.value}
                | {"hallucination": r.hallucinated.value, "judge": source.judge}
                for r in rows
            ]
        ),
        select=True,
    )
    st.html("<p class='gs-note'>A point is a combination; a click on it lists its hallucinations.</p>")
    if state.clicked("scatter", clicked):
        row = rows[int(clicked[0][0])]
        state.show_questions(AnswerFilter(row.embedder, row.model, AnswerOutcome.HALLUCINATION.value))
        st.rerun()


def _tables(source: AnswerSource, ranked: list[Ranking]) -> None:
    if st.toggle(_SUBSTRING, key="rag_substring", persist_state="session"):
        ranked = [r for pair in zip(ranked, _ranked(source, "substring"), strict=True) for r in pair]
        st.html(
            "<p class='gs-note gs-measure'>For comparison only: an id that is part of another one, as <code>c1-s1</code> is of "
            f"<code>c1-s10</code>, is taken for it, so these figures can be too high. {_told_apart(source)}</p>"
        )
    inside = tables.rankings_html(ranked)
    st.html(region("Retrieval", Html(inside), css=_SCROLLED))
    st.html(
        "<p class='gs-note gs-measure'>0 to 1, higher is better; under each figure its 95 % interval, by bootstrap over "
        f"questions. A hit is the exact id of a relevant passage. {messages.counted(ranked)}</p>"
    )
    name = f"{figure.slug(f'retrieval {source.name}')}.csv"
    st.download_button("Retrieval as CSV", lambda: _csv(ranked), name, "text/csv", key="rag_ranking_csv", on_click="ignore")


def _told_apart(source: AnswerSource) -> str:
    if source.job:
        return "Errors are separated by exact ids."
    return "Errors are separated as the file says, and by exact ids where it says nothing."


def _csv(ranked: list[Ranking]) -> bytes:
    table = tables.rankings(ranked)
    table["retriever"] = table["retriever"].map(guarded)
    made: str = table.to_csv(index=False)
    return made.encode("utf-8")


def _ranked(source: AnswerSource, matching: Matching) -> list[Ranking]:
    """Kept: intervals are resampled."""
    kept: dict[tuple[Any, ...], Any] = state.reports()
    key = ("ranking", source.id, source.stamp, matching)
    if key not in kept:
        kept[key] = rankings(source.answers, matching)
    found: list[Ranking] = kept[key]
    return found
