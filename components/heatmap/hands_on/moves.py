"""What an edit did to every method: its value for the sentence and for the whole answer before and after. Pure: no streamlit."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from groundscope.cases.edits.history import EditHistory
from groundscope.drawing.board import MethodRow
from groundscope.drawing.html import Html, region, table, with_small
from groundscope.text.alignment import aligned
from groundscope.text.sentences import split
from groundscope.types import Case, Judgement

_MOVED = 0.005
"""Smallest difference that shows in two digits."""


class SupportMove(NamedTuple):
    """One method before and after an edit.

    Attributes:
        before: lowest support of the sentences of the original that the edit is about, 0..1; None = not assessed, or not yet.
        others: how many other sentences moved, where no word of the answer changed; -1 = not comparable.
        state: why there is no value yet, "…" while the method scores, or empty.
    """

    title: str
    before: float | None
    after: float | None
    whole: tuple[float | None, float | None]
    others: int
    state: str
    verdict: str


def focus_of(history: EditHistory) -> int:
    """The index of the sentence that the shown edit is about, in the answer as it is shown."""
    ahead = EditHistory(history.versions, 1) if history.at == 0 and history.can_redo else history
    start, end = history.shown.focus if history.at else ahead.before()
    sentences = split(history.shown.case.response)
    touched = [i for i, s in enumerate(sentences) if s.start < max(end, start + 1) and start < s.end]
    # A sentence that was deleted has none; the next one stands in its place.
    return touched[0] if touched else min((i for i, s in enumerate(sentences) if s.start >= start), default=len(sentences) - 1)


def moves(history: EditHistory, before: Sequence[MethodRow], after: Sequence[MethodRow]) -> list[SupportMove]:
    """One entry a method, in the order of `after`; of the rows, `before` judge the original and `after` what is shown."""
    old = {row.id: row for row in before}
    return [_move(history, old.get(row.id), row) for row in after]


def _move(history: EditHistory, old: MethodRow | None, new: MethodRow) -> SupportMove:
    first, shown = history.original, history.shown.case
    judged = old.judgement if old else None
    was, now = _lowest(first, judged, history.before()), _lowest(shown, new.judgement, history.shown.focus)
    whole = (judged.support if judged else None, new.judgement.support if new.judgement else None)
    others = -1
    if first.response == shown.response and judged and new.judgement:
        pairs = zip(aligned(first, judged), aligned(shown, new.judgement), strict=True)
        start, end = history.shown.focus
        others = sum(_apart(a.support, b.support) for a, b in pairs if not (a.start < end and start < a.end))
    return SupportMove(
        new.about.title, was, now, whole, others, "…" if new.busy else new.state, _verdict(was, now, new.threshold)
    )


def _apart(a: float | None, b: float | None) -> bool:
    return (a is None) != (b is None) or (a is not None and b is not None and abs(a - b) >= _MOVED)


def _lowest(case: Case, judgement: Judgement | None, span: tuple[int, int]) -> float | None:
    if judgement is None or judgement.support is None:
        return None
    start, end = span
    supports = [s.support for s in aligned(case, judgement) if s.start < end and start < s.end]
    return min((x for x in supports if x is not None), default=None)


def _verdict(was: float | None, now: float | None, threshold: float | None) -> str:
    if threshold is None or was is None or now is None:
        return ""
    words = {(False, True): "now flagged", (True, False): "no longer flagged", (True, True): "flagged as before"}
    return words.get((was < threshold, now < threshold), "not flagged, as before")


def moves_html(methods: Sequence[SupportMove]) -> Html:
    """The table of an edit, a column a method, so that the heatmap under it stays in view."""
    rows = [
        ("This sentence", *(with_small(_arrow(m.before, m.after, m.state), m.verdict) for m in methods)),
        ("Whole answer", *(_arrow(*m.whole, m.state) for m in methods)),
    ]
    if any(m.others >= 0 for m in methods):
        rows.append(("Other sentences moved", *(str(m.others) if m.others >= 0 else "–" for m in methods)))
    heads = ("Original → now", *(m.title for m in methods))
    return region("Old and new values", table(heads, rows))


def _arrow(was: float | None, now: float | None, state: str) -> str:
    # The spaces do not break: in a narrow column each value keeps to its line.
    return f"{_number(was)}\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}{state or _number(now)}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def moves_frame(methods: Sequence[SupportMove]) -> pd.DataFrame:
    """The table of an edit for a file; it holds no text of the case."""
    return pd.DataFrame(
        {
            "method": [m.title for m in methods],
            "sentence_original": [m.before for m in methods],
            "sentence_now": [m.after for m in methods],
            "answer_original": [m.whole[0] for m in methods],
            "answer_now": [m.whole[1] for m in methods],
            "verdict": [m.verdict for m in methods],
        }
    )
