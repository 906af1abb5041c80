"""Sensitivity: which legal errors each method notices, the pairs behind a cell, and the form for new pairs."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
import streamlit as st

from components import case_sets, shell
from components.controls import download, one_of
from components.copies import matrix
from components.copies.matrix import MatrixCell, MatrixLine, Measured, signed
from components.opened import choice, starting
from components.opened.choice import RunView
from components.opened.run_figures import BY_KEY
from components.opened.run_words import interval, percent, titles
from components.state import once
from components.worker.reading import read_once
from groundscope.cases.dataset import to_jsonl
from groundscope.drawing.html import marked, side_by_side, tag
from groundscope.files.sandbox import sandboxed
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.sensitivity.matrix import (
    CONTROLS,
    EDITS,
    Matrix,
    OperatorCell,
    frame,
    makes_error,
    measured,
    noticed,
    title,
)
from groundscope.grounding.sensitivity.pairs import KNOWN, SOURCE, EditPair, PairSet, changed, make
from groundscope.grounding.tuning import Rule
from groundscope.text.humanize import plural, spell
from groundscope.types import Case

_AT_ONCE = 20_000
"""Bytes of cases that are edited in the server."""
_PAGE, _MOST = "sensitivity", 2_000
_ASKED = "sensitivity_asked"
"""Session key of the choice whose pairs were asked for."""
_START, _EACH = 4.0, 0.08
"""Seconds that pairs take: at first, and for each grounded answer."""
_ORDERS = {"missed": "Not noticed first", "noticed": "Noticed first"}
Measure = Literal["noticed", "drop", "flagged"]
MEASURES: dict[Measure, Measured] = {
    "noticed": Measured(
        "Errors noticed",
        "Share of the pairs in which the changed sentence gets a lower support than the sound one; with equal supports it counts "
        "as not noticed. A method that reads what is said notices errors and passes over changes of form.",
    ),
    "drop": Measured("Fall of the support", "The sound sentence’s support less the changed one’s, on average."),
    "flagged": Measured(
        "Called ungrounded",
        "Share of the changed sentences that the threshold calls ungrounded, and under it the share of their sound sentences "
        "that it calls so, too: an error is caught only as far as the first is larger.",
    ),
}
_ABOUT = (
    "Ranges are 95 % intervals; pairs of one question count as alike. The errors are planted by rules: whether one is wrong in "
    "law is for you to check."
)


def show(view: RunView) -> None:
    """The matrix, and below it the pairs of the cell that was clicked."""
    figures = _measured(view)
    if figures is None:
        shell.notice("info", "No pairs here. Choose another result below.")
        return
    matrix.matrix(
        _PAGE, lead(view.run, figures), MEASURES, _ABOUT, partial(content, view.run, view.rules, figures), "What was changed",
        "Show these pairs", figures.cells, frame(view.run, figures), partial(_pairs, view, figures),
    )  # fmt: skip


@st.cache_resource(max_entries=4, show_spinner="Measuring", hash_funcs=BY_KEY)
def _measured(view: RunView) -> Matrix | None:
    return measured(view.run, view.verdicts, view.rows)


def _pairs(view: RunView, figures: Matrix, picked: MatrixCell) -> None:
    run, method = view.run, view.run.method(picked.method)
    shell.section(f"{title(picked.line)}, {titles(run)[picked.method]}")
    pairs = figures.pairs[picked.line]
    drops = noticed(run, method, pairs)
    order = one_of("Order", _ORDERS, "sensitivity_order")
    # Pairs without a support come last, whichever way round.
    by = np.argsort(drops if order == "missed" else -drops, kind="stable")
    rows = matrix.page_of([pairs[int(i)] for i in by], f"sensitivity_page_{picked}_{order}")
    texts = run.read_cases([row for pair in rows for row in (pair.sentence, pair.variant)])
    for number, pair in enumerate(rows):
        _pair(view, method, pair, texts[2 * number], texts[2 * number + 1])
    row_numbers = [row for i in by for row in (pairs[int(i)].sentence, pairs[int(i)].variant)]
    download("Download these pairs", lambda: to_jsonl(run.read_cases(row_numbers)), "pairs.jsonl", "sensitivity_pairs")


def _pair(view: RunView, method: int, pair: EditPair, sentence: Case, variant: Case) -> None:
    run = view.run
    supports = run.support[method][[pair.sentence, pair.variant]]
    before, after = ("no support" if np.isnan(support) else f"{support:.3f}" for support in supports)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            words = f"{KNOWN[pair.operator].title}: {before} to {after}"
            st.html(tag("b", words), width="content")
            for label, row in (("Open the sentence", pair.sentence), ("Open the copy", pair.variant)):
                if st.button(label, key=f"sensitivity_{row}_{pair.variant}"):
                    choice.open_case(run, row, run.methods[method].id, 0)
        st.html(beside(sentence, variant))


def beside(sentence: Case, variant: Case) -> str:
    """The two, with what differs marked, and why it is wrong."""
    start, end, other = changed(sentence.response, variant.response)
    texts = {"Sentence": marked(sentence.response, start, end, "del"), "Copy": marked(variant.response, start, other, "ins")}
    return side_by_side(texts, variant.errors[0].why if variant.errors else "")


def form() -> None:
    """Choose a set, edits and methods; says what there is to judge, and what it takes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = case_sets.choose("Cases", f"{_PAGE}_set")
        most = st.number_input(
            "Pairs at most", 1, 200_000, _MOST, step=500, key="sensitivity_most", persist_state="session", width=160,
            help="Of kinds with more than an equal share a sample is taken.",
        )  # fmt: skip
    titles = {o.name: o.title for o in KNOWN.values()}
    names = st.multiselect(
        "What is changed", list(titles), format_func=titles.__getitem__, key="sensitivity_edits", persist_state="session",
        placeholder="All errors, and all changes of form",
    )  # fmt: skip
    parts = matrix.methods_field(_PAGE, lambda method: not method.asks)
    if not parts:
        return
    chosen = (group.cases, int(most), tuple(names))
    if st.session_state.get(_ASKED) != chosen:
        takes = spell(_START + _EACH * sum(bool(c.grounded) for c in group.cases))
        label = shell.plain(f"Plant the errors, about {takes}")
        st.button(label, key="sensitivity_plant", type="primary", on_click=st.session_state.__setitem__, args=(_ASKED, chosen))
        return
    # Kept for the session: the edits of a large set take a minute.
    make_set = partial(sandboxed, _AT_ONCE, make, *chosen)
    pair_set = read_once(
        ("pairs", chosen), lambda: once("sensitivity_made", chosen, make_set, matrix.COPY_SETS), "Planting the errors"
    )
    if pair_set is None:
        return
    st.html(shell.note(_words(pair_set)))
    title = f"Sensitivity, {group.name}"
    if starting.offer_run(f"{SOURCE}{group.name}", "", title, pair_set.cases, parts, timed=False, size=pair_set.size):
        st.rerun()


def _words(pair_set: PairSet) -> str:
    none = [KNOWN[name].title for name, count in pair_set.counts.items() if not count]
    sentences = plural(len(pair_set.cases) - pair_set.pairs, "sentence")
    words = (
        f"{plural(pair_set.pairs, 'pair')}: {sentences} of {plural(pair_set.sound, 'grounded answer')}, each beside its copies."
    )
    return f"{words} No place for: {', '.join(none)}." if none else words


def content(
    run: RunData, rules: Mapping[str, Rule], figures: Matrix, measure: Measure, picked: MatrixCell | None
) -> dict[str, Any]:
    """One line an edit, one column a method."""
    lines = (MatrixLine(x, title(x), plural(len(figures.pairs[x]), "pair"), x in (EDITS, CONTROLS)) for x in figures.lines)
    return matrix.content(
        run, rules if measure == "flagged" else None, lines, lambda line, m: _cell(figures.cells[line, m], line, measure), picked
    )


def _cell(cell: OperatorCell, line: str, measure: Measure) -> dict[str, Any]:
    share = getattr(cell, measure)
    missing = f"{cell.unscored:,} not scored" if cell.unscored else ""
    below = f"{percent(cell.false_alarms.value)} of sound" if measure == "flagged" else ""
    words = f"{share.value:+.3f}" if measure == "drop" else percent(share.value)
    return {
        "tone": "alarm" if makes_error(line) else "",
        "rate": "–" if np.isnan(share.value) else words,
        "share": 0.0 if np.isnan(share.value) else round(min(1.0, max(0.0, share.value)), 3),
        "interval": signed(share.interval) if measure == "drop" else interval(share.interval.low, share.interval.high),
        "count": below,
        "none": missing,
        "cases": cell.pairs,
    }


def lead(run: RunData, figures: Matrix) -> str:
    """What was done, and how often the method noticed it that separates errors from changes of form best, if any is shown to."""
    planted = len(figures.pairs.get(EDITS, ()))
    done = f"{plural(planted, 'legal error')} {'was' if planted == 1 else 'were'} planted in sound sentences, one in each copy."
    shares = sorted(((share.value, m) for m, share in figures.apart.items() if not np.isnan(share.value)), reverse=True)
    if not shares:
        what = f"{done} The table shows how many of them" if planted else "The table shows which changes that make no error"
        return f"{what} each method noticed."
    (_, best), *others = shares
    low = figures.apart[best].interval.low
    if not low > 0:
        return f"{done} No method is shown to notice them more often than changes that make no error."
    edits, controls = (figures.cells[line, best].noticed.value for line in (EDITS, CONTROLS))
    # The best of several is named so only where its interval leaves out the next.
    rest = "; no other method here separates the two as well" if others and low > others[0][0] else ""
    return (
        f"{done} {titles(run)[best]} noticed {edits:.0%} of them, and reacted to {controls:.0%} of "
        f"{len(figures.pairs[CONTROLS]):,} changes that make no error{rest}."
    )
