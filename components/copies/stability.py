"""Stability: how often each method changes its verdict, the answers behind a cell, and the form for new readings."""

from collections.abc import Mapping
from functools import partial
from math import isnan
from typing import Any, Literal, cast

import numpy as np
import streamlit as st

from components import case_sets, shell
from components.controls import download, errors_shown, several_of
from components.copies import matrix
from components.copies.matrix import MatrixCell, MatrixLine, Measured, signed
from components.opened import choice, starting
from components.opened.choice import RunView
from components.opened.run_figures import BY_KEY
from components.opened.run_words import interval, percent, titles
from components.state import once
from groundscope.drawing.html import safe, side_by_side, tag
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.stability.copies import FEWEST, KINDS, MOST, SOURCE, CopySet, Kind, make, rewordings_of
from groundscope.grounding.stability.figures import (
    CaseStability,
    Stability,
    StabilityCell,
    case_frame,
    frame,
    measured,
    worst_first,
)
from groundscope.grounding.tables import frame_csv
from groundscope.grounding.tuning import Rule
from groundscope.text.humanize import one_line, plural
from groundscope.types import Case

_PAGE, _TIMES, _CASES = "stability", 5, 50
_QUESTION, _REASONS = 180, 400
_ORDERS = ("passages", "sentences")
Measure = Literal["flipped", "differing", "added", "alpha", "deviation", "sentence_flips"]
MEASURES: dict[Measure, Measured] = {
    "flipped": Measured(
        "Verdict changed",
        "Share of the answers whose verdicts at the threshold are not all the same. It grows with the number of readings.",
    ),
    "differing": Measured(
        "Pairs that differ",
        "Of two readings of one answer, how often their verdicts differ, on average, however many readings there are.",
    ),
    "added": Measured(
        "Beyond judging again",
        "Of two readings, how often their verdicts differ, less how often they do among plain repeats of the same answers: what "
        "the order or the words add to chance.",
    ),
    "alpha": Measured(
        "Agreement",
        "Krippendorff’s alpha of the verdicts: 1 = they never change, 0 = they change as by chance. None where all are equal.",
    ),
    "deviation": Measured("Deviation", "Standard deviation of the supports of one answer, on average."),
    "sentence_flips": Measured(
        "Sentences changed", "Share of the sentences whose verdicts at the threshold are not all the same, wherever they stand."
    ),
}
_ABOUT = (
    "Ranges are 95 % intervals; answers to one question count as alike. A reading without a verdict is left out and counted. "
    "The heatmap judges an answer again."
)
_SIGNED = ("added", "alpha", "deviation")
_WAYS: dict[Kind, str] = {
    "repeats": "again as they are",
    "passages": "with the sources in another order",
    "sentences": "with the sentences in another order",
    "wording": "with the question to the model in other words",
}


def show(view: RunView) -> None:
    """The matrix, and below it the answers of the cell that was clicked."""
    figures = _measured(view)
    if figures is None:
        shell.notice("info", "No answer here was judged twice. Choose another result below.")
        return
    matrix.matrix(
        _PAGE, lead(view.run, figures), MEASURES, _ABOUT, partial(content, view.run, view.rules, figures), "How it was judged",
        "Show these answers", figures.cells, frame(view.run, figures), partial(_answers, view, figures),
    )  # fmt: skip


@st.cache_resource(max_entries=4, show_spinner="Measuring", hash_funcs=BY_KEY)
def _measured(view: RunView) -> Stability | None:
    return measured(view.run, view.verdicts, view.rules, view.rows)


def _answers(view: RunView, figures: Stability, picked: MatrixCell) -> None:
    run, method, kind = view.run, view.run.method(picked.method), cast(Kind, picked.line)
    shell.section(f"{KINDS[kind]}, {titles(run)[picked.method]}")
    worst = worst_first(run, view.verdicts, figures.readings[kind], method)
    shown = matrix.page_of(worst, f"stability_page_{picked}")
    texts = run.read_cases([one.readings.rows[0] for one in shown])
    for answer, case in zip(shown, texts, strict=True):
        _answer(view, method, answer, case)
    download(
        "Download all answers as CSV", lambda: frame_csv(case_frame(run, view.verdicts, figures.readings)), "answers.csv",
        "stability_answers",
    )  # fmt: skip


def _answer(view: RunView, method: int, answer: CaseStability, case: Case) -> None:
    run, first = view.run, answer.readings.rows[0]
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.html(tag("b", words(answer)), width="content")
            for label, row in _opens(answer):
                if st.button(label, key=f"stability_{answer.readings.kind}_{first}_{row}"):
                    choice.open_case(run, row, run.methods[method].id)
        question = one_line(case.query or case.response, _QUESTION)
        st.html(tag("p", f"{answer.readings.case}: {question}", class_="gs-note"))
        if reasons := reasons_of(view, method, answer):
            st.html(side_by_side({verdict: safe(text) for verdict, text in reasons.items()}, ""))


def _opens(answer: CaseStability) -> list[tuple[str, int]]:
    """Rows that open in the heatmap: the answer as it is, and an order of it under which the verdict is another one."""
    buttons = [("Open the answer", answer.readings.rows[0])]
    others = [row for row in (answer.ungrounded_at, answer.grounded_at) if row >= 0 and row != buttons[0][1]]
    if answer.readings.kind in _ORDERS and answer.differing > 0:
        buttons.append(("Open an order that differs", others[0]))
    return buttons


def reasons_of(view: RunView, method: int, answer: CaseStability) -> dict[str, str]:
    """What a reading of each verdict said, where there are both; a method without reasons says nothing."""
    if not answer.differing > 0:
        return {}
    cut = [one_line(note, _REASONS) for note in view.run.read_notes(method, [answer.grounded_at, answer.ungrounded_at])]
    return {"Why grounded": cut[0], "Why ungrounded": cut[1]} if any(cut) else {}


def words(answer: CaseStability) -> str:
    """The verdicts on an answer, and how far its supports lie apart."""
    count = answer.grounded + answer.ungrounded
    verdicts = f"{answer.grounded} of {count} readings call it grounded" if count else "no verdict"
    return verdicts if isnan(answer.deviation) else f"{verdicts}, deviation of the support {answer.deviation:.3f}"


def form() -> None:
    """Choose a set, kinds and methods; says what there is to ask, and what it takes."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = case_sets.choose("Cases", f"{_PAGE}_set")
        most = st.number_input(
            "Answers at most", 1, 100_000, _CASES, step=10, key=f"{_PAGE}_most", persist_state="session", width=160,
            help="Of more, a sample is taken.",
        )  # fmt: skip
        times = st.number_input(
            "Readings of each", FEWEST, MOST, _TIMES, key=f"{_PAGE}_times", persist_state="session", width=160,
            help="In each kind; the answer as it is counts as one of them, and is judged once for all kinds.",
        )  # fmt: skip
    titles = {str(kind): title for kind, title in KINDS.items()}
    more = {"persist_state": "session", "placeholder": "All kinds"}
    chosen = several_of(st, "Kinds of readings", titles, f"{_PAGE}_kinds", **more)
    kinds = tuple(kind for kind in KINDS if kind in chosen)
    # A method that asks another one several times costs as many times as much: the user adds it.
    parts = matrix.methods_field(_PAGE, lambda method: method.asks and not method.methods)
    if not parts:
        return
    wordings = rewordings_of(method for _, method in parts)
    asked = (group.cases, int(times), kinds, wordings, int(most))
    with errors_shown():
        make_set = partial(make, *asked[:3], wordings=wordings, most=int(most))
        reading_set = once("stability_made", asked, make_set, matrix.COPY_SETS)
        st.html(shell.note(_words(reading_set)))
        of = f"{SOURCE}{group.name}", "", f"Stability, {group.name}", reading_set.cases, parts
        if starting.offer_run(*of, timed=False, afresh=True, wordings=reading_set.wordings):
            st.rerun()


def _words(reading_set: CopySet) -> str:
    fewer = [f"{KINDS[kind].lower()} {count:,}" for kind, count in reading_set.counts.items() if count < reading_set.of]
    words = f"{plural(len(reading_set.cases), 'reading')} of {plural(reading_set.of, 'answer')}."
    if fewer:
        words += f" Not every kind applies to every answer: {', '.join(fewer)}."
    return f"{words} Saved replies of chat models are not used for these, and none is saved."


def content(
    run: RunData, rules: Mapping[str, Rule], figures: Stability, measure: Measure, picked: MatrixCell | None
) -> dict[str, Any]:
    """One line a kind of readings, one column a method."""
    lines = (MatrixLine(kind, KINDS[kind], plural(len(figures.readings[kind]), "answer")) for kind in figures.kinds)
    shown = None if measure == "flipped" else rules
    return matrix.content(run, shown, lines, lambda kind, m: _cell(figures.cells[cast(Kind, kind), m], measure), picked)


def _cell(cell: StabilityCell, measure: Measure) -> dict[str, Any]:
    share = getattr(cell, measure)
    none, sign = np.isnan(share.value), "+" if measure == "added" else ""
    without = (cell.invalid, "not readable"), (cell.failed, "failed"), (cell.other, "without a verdict")
    counted = plural(cell.sentences, "sentence") if measure == "sentence_flips" else plural(cell.cases, "answer")
    return {
        "tone": "" if measure == "alpha" else "alarm",
        "rate": "–" if none else f"{share.value:{sign}.3f}" if measure in _SIGNED else percent(share.value),
        "share": 0.0 if none else round(min(1.0, max(0.0, share.value)), 3),
        "interval": signed(share.interval) if measure in _SIGNED else interval(share.interval.low, share.interval.high),
        "count": f"{counted}, {plural(cell.readings, 'reading')}",
        "none": ", ".join(f"{count:,} {words}" for count, words in without if count),
        "cases": cell.readings,
    }


def lead(run: RunData, figures: Stability) -> str:
    """What was done, and by kind of readings which method changed its verdict on most answers."""
    readings = figures.readings.values()
    answers, most = max(map(len, readings)), max(len(r.rows) for some in readings for r in some)
    ways = []
    for kind in figures.kinds:
        cells = {m: cell for m in figures.methods if (cell := figures.cells[kind, m]).cases}
        if not cells:
            continue
        worst = max(cells, key=lambda m: cells[m].flipped.value)
        share = cells[worst].flipped.value
        who = f"{titles(run)[worst]} changed its verdict on {share:.0%} of them" if share else "no method changed a verdict"
        ways.append(f"{_WAYS[kind]}, {who}")
    verb = "was" if answers == 1 else "were"
    return f"{plural(answers, 'answer')} {verb} judged up to {most} times in each way: {'; '.join(ways) or 'no verdict yet'}."
