"""Tables of the Legal RAG page. Pure: no streamlit."""

from collections.abc import Sequence
from html import escape

import pandas as pd

from components.charts.rag import TITLES
from evaluation.export import guarded
from evaluation.rag.contrasts import Named
from evaluation.rag.effects import CannotTell, Joint
from evaluation.rag.outcomes import ERRORS, Row, Share, errors_in
from evaluation.rag.ranking import NAMES, Figure, Ranking
from evaluation.rag.report import ASKED, COMPARED, Report, p_words, signed, stars

_HEADS = ("Correct", "Grounded", "Retrieved", "RAG accuracy")
_LONGEST = 120
"""Characters of a name that are shown."""
_RANKED = (
    ("Hit rate: a relevant passage among the first k", "hit"),
    ("nDCG: relevant passages, the higher they stand the better", "ndcg"),
    ("Recall: share of the relevant passages among the first k", "recall"),
    ("MRR: 1 / rank of the first relevant passage", "mrr"),
)
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
    """The same for reading: a share with its interval in each cell. Errors without a cause have a column where there are some."""
    shown = errors_in(rows)
    names = [name for name, value in (("embedder", rows[0].embedder), ("model", rows[0].model)) if value]
    head = "".join(f"<th scope='col' class='gs-left'>{n.capitalize()}</th>" for n in names)
    head += "".join(f"<th scope='col'>{h}</th>" for h in (*_HEADS, *map(TITLES.__getitem__, shown), "No verdict"))
    body = ""
    for r in rows:
        first, *others = (getattr(r, name) for name in names)
        cells = "".join(f"<td class='gs-left'>{named(o)}</td>" for o in others)
        cells += "".join(_share_cell(s) for s in (r.correct, r.grounded, r.hit, r.accuracy, *(r.errors[e] for e in shown)))
        body += f"<tr><th scope='row'>{named(first)}</th>{cells}<td>{r.unknown:,}</td></tr>"
    return _table_html(escape(caption), f"<tr>{head}</tr>", body)


def named(name: str) -> str:
    """A name of a file's for reading: cut, and on its own, so that what turns its direction turns nothing beside it."""
    return f"<bdi>{escape(name if len(name) <= _LONGEST else f'{name[: _LONGEST - 1]}…')}</bdi>"


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
    table["judge"] = "; ".join(found.judges)
    safe = table.map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    made: str = safe.to_csv(index=False)
    return made.encode("utf-8")


def rankings(found: Sequence[Ranking]) -> pd.DataFrame:
    """A row an embedder and way of comparing ids; figures that need more passages than were retrieved are left out."""
    return pd.DataFrame([ranking.row() for ranking in found])


def rankings_html(found: Sequence[Ranking]) -> str:
    """The same for reading: a table a measure, its columns k; each figure with its interval."""
    parts = []
    for title, measure in _RANKED:
        names = [name for name in NAMES if name.partition("@")[0] == measure]
        known = [name for name in names if any(r.figures[name].mean == r.figures[name].mean for r in found)]
        heads = "".join(f"<th scope='col'>{escape(_at(name))}</th>" for name in known)
        body = ""
        for ranking in found:
            who = named(ranking.retriever) + (" <small>by substring</small>" if ranking.matching == "substring" else "")
            cells = "".join(_ranked_cell(ranking.figures[name]) for name in known)
            body += f"<tr><th scope='row'>{who}</th>{cells}</tr>"
        if known:
            parts.append(_table_html(escape(title), f"<tr><th scope='col'>Embedder</th>{heads}</tr>", body))
    return "".join(parts)


def _at(name: str) -> str:
    measure, _, k = name.partition("@")
    return f"k = {k}" if k else measure.upper()


def _ranked_cell(figure: Figure) -> str:
    if figure.mean != figure.mean:
        return "<td>–</td>"
    low, high = figure.interval.low, figure.interval.high
    # One question has a figure and no interval.
    return f"<td>{figure.mean:.3f}{f'<br><small>{low:.2f}–{high:.2f}</small>' if low == low else ''}</td>"


def tests_html(found: Report, outcome: str) -> str:
    """Tables 3 and 4 of the paper for one outcome: the three questions, then every comparison."""
    tests = found.tests[outcome]
    head = _row("th", "Question", "Answer", "Chi-square", "df", "p")
    parts = [_table_html("", head, "".join(_joint(question, getattr(tests, test)) for question, test in ASKED))]
    for title, name in COMPARED:
        if compared := getattr(tests, name):
            rows = "".join(map(_effect, compared))
            heads = _row("th", "Comparison", "Points", "95 % interval", "z", "p")
            parts.append(_table_html(escape(title), heads, rows))
    return "".join(parts)


def _row(cell: str, *texts: str) -> str:
    first, *rest = texts
    return _line(cell, escape(first), rest)


def _line(cell: str, first: str, rest: Sequence[str]) -> str:
    scope = "col" if cell == "th" else "row"
    return f"<tr><th scope='{scope}'>{first}</th>{''.join(f'<{cell}>{escape(t)}</{cell}>' for t in rest)}</tr>"


def _untold(found: CannotTell) -> str:
    return f"<td class='gs-left' colspan='4'>Cannot be told. {escape(found.why)}</td>"


def _joint(question: str, test: Joint | CannotTell) -> str:
    if isinstance(test, CannotTell):
        return f"<tr><th scope='row'>{escape(question)}</th>{_untold(test)}</tr>"
    answer = "yes" if stars(test.p) else "not shown"
    return _row("td", question, answer, f"{test.chi_square:.2f}", str(test.degrees), f"{p_words(test.p)}{stars(test.p)}")


def _effect(one: Named) -> str:
    what = f"{named(one.what)} against {named(one.against)}{f' with {named(one.within)}' if one.within else ''}"
    found = one.found
    if isinstance(found, CannotTell):
        return f"<tr><th scope='row'>{what}</th>{_untold(found)}</tr>"
    low, high = 100 * found.interval.low, 100 * found.interval.high
    interval = f"{signed(low)} to {signed(high)}"
    cells = (signed(100 * found.value), interval, signed(found.z, 2), f"{p_words(found.p)}{stars(found.p)}")
    return _line("td", what, cells)
