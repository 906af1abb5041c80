"""Tables of the Legal RAG page."""

from collections.abc import Mapping, Sequence

import pandas as pd

from components.charts.rag import TITLES
from groundscope.drawing.html import Html, cell, table, tag, with_small
from groundscope.grounding.tables import frame_csv
from groundscope.rag.contrasts import NamedContrast
from groundscope.rag.effects import CannotTell, Effect
from groundscope.rag.effects.axes import Axis
from groundscope.rag.effects.printed import axis_table, effect_lines, estimate_words, interval_words, joint_lines
from groundscope.rag.outcomes import ERRORS, OutcomeRow, Share, errors_in
from groundscope.rag.ranking import NAMES, Figure, Ranking
from groundscope.rag.report import OUTCOMES, RagReport

_HEADS = ("Correct", "Grounded", "Retrieved", "RAG accuracy")
_LONGEST = 120
"""Characters of a name that are shown."""
SCROLLED = "gs-across gs-tables gs-names"
VERDICTS = {True: "yes", False: "no", None: "no verdict"}
_RANKED = (
    ("Share of questions whose passage is among the first k that the search lists (hit rate)", "hit"),
    ("nDCG: relevant passages, the higher they stand the better", "ndcg"),
    ("Recall: share of the relevant passages among the first k", "recall"),
    ("MRR: 1 / rank of the first relevant passage", "mrr"),
)
_SHARES = ("correct", "grounded", "retrieved", "RAG accuracy", *(e.value for e in ERRORS))


def shares(rows: Sequence[OutcomeRow]) -> pd.DataFrame:
    """A row a combination, an embedder or a model, in percent; NaN where there is no figure."""
    records = []
    for r in rows:
        names = {k: v for k, v in (("embedder", r.embedder), ("model", r.model)) if v}
        values = (r.correct, r.grounded, r.hit, r.accuracy, *(r.errors[e] for e in ERRORS))
        records.append({**names, **_columns(dict(zip(_SHARES, values, strict=True))), "no verdict": r.unknown})
    return pd.DataFrame(records)


def _columns(by_name: dict[str, Share]) -> dict[str, float]:
    columns: dict[str, float] = {}
    for name, share in by_name.items():
        columns |= {name: 100 * share.value, f"{name} from": 100 * share.interval.low, f"{name} to": 100 * share.interval.high}
    return columns


def shares_html(rows: Sequence[OutcomeRow], caption: str) -> Html:
    """The same for reading: a share with its interval in each cell. Errors without a cause have a column where there are some."""
    shown = errors_in(rows)
    names = [name for name, value in (("embedder", rows[0].embedder), ("model", rows[0].model)) if value]
    heads = [cell(n.capitalize(), class_="gs-left") for n in names]
    body = []
    for r in rows:
        first, *others = (named(getattr(r, name)) for name in names)
        figures = (_share_cell(s) for s in (r.correct, r.grounded, r.hit, r.accuracy, *(r.errors[e] for e in shown)))
        body.append((first, *(cell(o, class_="gs-left") for o in others), *figures, f"{r.unknown:,}"))
    return table((*heads, *_HEADS, *map(TITLES.__getitem__, shown), "No verdict"), body, caption=caption)


def axes_html(axes: Sequence[Axis], caption: str) -> Html:
    """The settings of retrieval that vary, a group of lines each: shares of its values, and differences to the first one."""
    errors, groups = axis_table(axes)
    heads = ("Value", *_HEADS, *map(TITLES.__getitem__, errors))
    body: list[tuple[Html, ...]] = []
    for title, lines in groups:
        body.append((cell(tag("b", title), colspan=str(len(heads))),))
        body += [(named(words), *map(_axis_cell, cells)) for words, cells in lines]
    return table(heads, body, caption=caption)


def _axis_cell(figure: Share | Effect | CannotTell) -> Html:
    if isinstance(figure, Share):
        return _share_cell(figure)
    return cell(with_small(*interval_words(figure)), title=figure.why if isinstance(figure, CannotTell) else "")


def named(name: str) -> Html:
    """A name of a file's for reading: cut, and on its own, so that what turns its direction turns nothing beside it."""
    return tag("bdi", name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…")


def _share_cell(share: Share) -> Html:
    if not share.of:
        return cell("–")
    low, high = 100 * share.interval.low, 100 * share.interval.high
    return cell(with_small(f"{100 * share.value:.1f}", f"{low:.0f}–{high:.0f}"), title=f"{share.count:,} of {share.of:,}")


def csv(report: RagReport) -> bytes:
    """The combinations as CSV; names are kept from being formulas."""
    table = shares(report.combinations)
    table["judge"] = "; ".join(report.judges)
    return frame_csv(table)


def rankings_html(rows: Sequence[Ranking]) -> list[Html]:
    """A table a measure, hits first, its columns k; each figure with its interval."""
    parts = []
    for title, measure in _RANKED:
        names = [name for name in NAMES if name.partition("@")[0] == measure]
        measured = [name for name in names if any(r.figures[name].mean == r.figures[name].mean for r in rows)]
        body = []
        for ranking in rows:
            by = Html(f" {tag('small', 'by substring')}") if ranking.matching == "substring" else Html()
            body.append((Html(named(ranking.retriever) + by), *(_ranked_cell(ranking.figures[name]) for name in measured)))
        if measured:
            parts.append(table(("Search by", *map(_at, measured)), body, caption=title))
    return parts


def _at(name: str) -> str:
    measure, _, k = name.partition("@")
    return f"k = {k}" if k else measure.upper()


def _ranked_cell(figure: Figure) -> Html:
    if figure.mean != figure.mean:
        return Html("–")
    low, high = figure.interval.low, figure.interval.high
    # One question has a figure and no interval.
    return with_small(f"{figure.mean:.3f}", f"{low:.2f}–{high:.2f}" if low == low else "")


def printed_html(report: RagReport, titles: Mapping[str, str]) -> Html:
    """Joint tests, then differences as in the paper's table 4 with their intervals, a column an outcome with its title."""
    outcomes = [titles[outcome] for outcome in OUTCOMES]
    joint = [(question, *cells) for question, cells in joint_lines(report)]
    parts = [table(("Question", *outcomes), joint, caption="Chi-square (degrees of freedom), p")]
    for title, lines in effect_lines(report).items():
        body = [(_compared(line[0]), *(_effect(one.found) for one in line)) for line in lines]
        parts.append(table(("Comparison", *outcomes), body, caption=f"{title}: points (standard error), 95 % interval"))
    return Html("".join(parts))


def _compared(contrast: NamedContrast) -> Html:
    return Html(
        f"{named(contrast.what)} against {named(contrast.against)}{f' with {named(contrast.within)}' if contrast.within else ''}"
    )


def _effect(effect: Effect | CannotTell) -> Html:
    words = with_small(estimate_words(effect), interval_words(effect)[1])
    return cell(words, title=effect.why if isinstance(effect, CannotTell) else "")
