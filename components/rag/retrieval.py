"""How well each embedder retrieves, and hallucination against retrieval success."""

import pandas as pd
import streamlit as st

from components import figure, shell
from components.charts import rag as charts
from components.controls import download, just_clicked
from components.rag import messages, state, tables
from components.rag.sources import AnswerSource
from components.rag.state import AnswerFilter
from components.state import once
from groundscope.drawing.html import region
from groundscope.rag.outcomes import AnswerOutcome
from groundscope.rag.ranking import Matching, Ranking, rankings
from groundscope.rag.report import RagReport

_SUBSTRING = "Compare ids by substring too, as the original code does"


def show(source: AnswerSource, report: RagReport) -> None:
    """Tables by measure, then the scatter."""
    if ranked := _ranked(source, "exact"):
        _tables(source, ranked)
    rows = [r for r in report.combinations if r.hit.of]
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
    if point := just_clicked("rag_scatter", clicked):
        row = rows[int(point[0])]
        state.show_questions(AnswerFilter(row.embedder, row.model, AnswerOutcome.HALLUCINATION.value))
        st.rerun()


def _tables(source: AnswerSource, ranked: list[Ranking]) -> None:
    if st.toggle(_SUBSTRING, key="rag_substring", persist_state="session"):
        ranked = [r for pair in zip(ranked, _ranked(source, "substring"), strict=True) for r in pair]
        st.html(
            "<p class='gs-note gs-measure'>For comparison only: an id that is part of another one, as <code>c1-s1</code> is of "
            f"<code>c1-s10</code>, is taken for it, so these figures can be too high. {_told_apart(source)}</p>"
        )
    st.html(region("Retrieval", tables.rankings_html(ranked), css=tables.SCROLLED))
    st.html(
        "<p class='gs-note gs-measure'>0 to 1, higher is better; under each figure its 95 % interval, by bootstrap over "
        f"questions. A hit is the exact id of a relevant passage. {messages.counted(ranked)}</p>"
    )
    name = f"{figure.slug(f'retrieval {source.name}')}.csv"
    download("Retrieval as CSV", lambda: figure.csv_of(tables.rankings(ranked)), name, "rag_ranking_csv")


def _told_apart(source: AnswerSource) -> str:
    if source.job:
        return "Errors are separated by exact ids."
    return "Errors are separated as the file says, and by exact ids where it says nothing."


def _ranked(source: AnswerSource, matching: Matching) -> list[Ranking]:
    """Kept: intervals are resampled."""
    key = ("ranking", source.id, source.stamp, matching)
    return once(state.reports(), key, lambda: rankings(source.answers, matching))
