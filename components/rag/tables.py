"""Tables of the Legal RAG page. Pure: no streamlit but the formats of columns."""

from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from evaluation.export import guarded
from evaluation.rag.contrasts import Named
from evaluation.rag.effects import CannotTell, Joint
from evaluation.rag.outcomes import ERRORS, Row, Share
from evaluation.rag.ranking import KS, Ranking
from evaluation.rag.report import Report, p_words, stars

_HEADS = ("Correct", "Grounded", "Retrieved", "RAG accuracy", "Hallucination", "Retrieval error", "Reasoning error")
_SHARES = ("correct", "grounded", "retrieved", "RAG accuracy", *(e.value for e in ERRORS))


def shares(rows: Sequence[Row]) -> pd.DataFrame:
    """A row a combination, an embedder or a model, in percent; NaN where there is no figure."""
    found = []
    for r in rows:
        names = {k: v for k, v in (("embedder", r.embedder), ("model", r.model)) if v}
        values = (r.correct, r.grounded, r.hit, r.accuracy, *(r.errors[e] for e in ERRORS))
        found.append({**names, **_columns(dict(zip(_SHARES, values, strict=True))), "no verdict": r.unknown})
    return pd.DataFrame(found)


def _columns(found: dict[str, Share]) -> dict[str, float]:
    columns: dict[str, float] = {}
    for name, share in found.items():
        columns |= {name: 100 * share.value, f"{name} from": 100 * share.interval.low, f"{name} to": 100 * share.interval.high}
    return columns


def shares_html(rows: Sequence[Row], caption: str) -> str:
    """The same for reading: a share with its interval in each cell."""
    names = [name for name, value in (("embedder", rows[0].embedder), ("model", rows[0].model)) if value]
    head = "".join(f"<th scope='col' class='gs-left'>{n.capitalize()}</th>" for n in names)
    head += "".join(f"<th scope='col'>{h}</th>" for h in (*_HEADS, "No verdict"))
    body = ""
    for r in rows:
        first, *others = (getattr(r, name) for name in names)
        cells = "".join(f"<td class='gs-left'>{escape(o)}</td>" for o in others)
        cells += "".join(_share_cell(s) for s in (r.correct, r.grounded, r.hit, r.accuracy, *(r.errors[e] for e in ERRORS)))
        body += f"<tr><th scope='row'>{escape(first)}</th>{cells}<td>{r.unknown or ''}</td></tr>"
    return _table_html(escape(caption), f"<tr>{head}</tr>", body)


def _table_html(caption: str, head: str, body: str) -> str:
    title = f"<caption>{caption}</caption>" if caption else ""
    return f"<table class='gs-counts'>{title}<thead>{head}</thead><tbody>{body}</tbody></table>"


def _share_cell(share: Share) -> str:
    if not share.of:
        return "<td>–</td>"
    low, high = 100 * share.interval.low, 100 * share.interval.high
    return f"<td title='{share.count:,} of {share.of:,}'>{100 * share.value:.1f}<br><small>{low:.0f}–{high:.0f}</small></td>"


def csv(found: Report) -> bytes:
    """The combinations as CSV; names are kept from being formulas."""
    table = shares(found.combinations)
    safe = table.map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    made: str = safe.to_csv(index=False)
    return made.encode("utf-8")


def rankings(found: Sequence[Ranking]) -> pd.DataFrame:
    """A row an embedder; figures that need more passages than were retrieved are left out."""
    rows = []
    for ranking in found:
        figures = {
            name: ranking.figures[name].mean for name in _ranked() if ranking.figures[name].mean == ranking.figures[name].mean
        }
        rows.append({"embedder": ranking.retriever, "questions": len(ranking.questions), **figures})
    return pd.DataFrame(rows)


def _ranked() -> list[str]:
    return [*(f"{name}@{k}" for name in ("hit", "recall", "ndcg") for k in KS), "mrr"]


def ranking_columns() -> dict[str, Any]:
    """How figures of retrieval are written and called."""
    heads = {"hit": "hit rate", "recall": "recall", "ndcg": "nDCG", "mrr": "MRR"}
    return {
        n: st.column_config.NumberColumn(n.replace(n.partition("@")[0], heads[n.partition("@")[0]]), format="%.3f")
        for n in _ranked()
    }


def tests_html(found: Report, outcome: str) -> str:
    """Tables 3 and 4 of the paper for one outcome: the three questions, then every comparison."""
    tests = found.tests[outcome]
    asked = (
        ("Does the embedder matter?", tests.embedder),
        ("Does the model matter?", tests.model),
        ("Does the one's effect depend on the other?", tests.interaction),
    )
    head = _row("th", "Question", "Answer", "Chi-square", "df", "p")
    joint = "".join(_joint(question, test) for question, test in asked)
    sections = (
        ("Embedders, averaged over models", tests.embedders),
        ("Models, averaged over embedders", tests.models),
        ("Models within one embedder", tests.within_embedder),
        ("Embedders within one model", tests.within_model),
        ("How much more the switch of models brings with the first embedder than with the second", tests.differences),
    )
    parts = [_table_html("", head, joint)]
    for title, named in sections:
        if named:
            rows = "".join(_effect(n) for n in named)
            heads = _row("th", "Comparison", "Points", "95 % interval", "z", "p")
            parts.append(_table_html(escape(title), heads, rows))
    return "".join(parts)


def _row(cell: str, *texts: str) -> str:
    first, *rest = texts
    scope = "col" if cell == "th" else "row"
    return f"<tr><th scope='{scope}'>{escape(first)}</th>{''.join(f'<{cell}>{escape(t)}</{cell}>' for t in rest)}</tr>"


def _untold(found: CannotTell) -> str:
    return f"<td class='gs-left' colspan='4'>Cannot be told. {escape(found.why)}</td>"


def _joint(question: str, test: Joint | CannotTell) -> str:
    if isinstance(test, CannotTell):
        return f"<tr><th scope='row'>{escape(question)}</th>{_untold(test)}</tr>"
    answer = "yes" if stars(test.p) else "not shown"
    return _row("td", question, answer, f"{test.chi_square:.2f}", str(test.degrees), f"{p_words(test.p)}{stars(test.p)}")


def _effect(named: Named) -> str:
    what = f"{named.what} against {named.against}{f' with {named.within}' if named.within else ''}"
    found = named.found
    if isinstance(found, CannotTell):
        return f"<tr><th scope='row'>{escape(what)}</th>{_untold(found)}</tr>"
    low, high = 100 * found.interval.low, 100 * found.interval.high
    points = f"{100 * found.value:+.1f}"
    return _row("td", what, points, f"{low:+.1f} to {high:+.1f}", f"{found.z:.2f}", f"{p_words(found.p)}{stars(found.p)}")
