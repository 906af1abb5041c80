"""The Compare page: F1 against latency with one method's details beside it; the tables and tests below."""

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from components import shell
from components.charts.comparison import number, parts, squares
from components.compare import method, pairs, two_runs
from components.compare import table as compare_table
from components.compare.messages import F1_WORDS, LEVEL_WORDS, alt, figures, headline, with_chance
from components.controls import one_of, several_of, show_figure, table_csv, ticked_list
from components.opened import choice, run_figures
from components.opened.case_bar import LABELS
from components.opened.choice import RunView
from components.opened.runs import CAUGHT
from groundscope.drawing.figure_2 import PAPER_NOTE, Over, over_words, paper_spots, spots, standing_of
from groundscope.drawing.html import region, table
from groundscope.drawing.spots import Spot
from groundscope.drawing.tradeoff import tradeoff
from groundscope.grounding.comparing.comparisons import FEWEST, Agreement, F1Standing, Hardness, Slice
from groundscope.grounding.latency import PAPERS_SPLIT
from groundscope.grounding.level_results import PROTOCOLS, Level, LevelResult
from groundscope.grounding.result_columns import share
from groundscope.grounding.results import RunResults
from groundscope.grounding.runs.arrays import Integers
from groundscope.methods.advice import recommended

TABS = ("Results table", "Significance", "Agreement", "Hard cases", "Slices", "Two runs")
_PLOT = "tradeoff"
_CLICKED = "compare_clicked"


def show(view: RunView) -> None:
    """The whole page below the choice of the run."""
    results = run_figures.measured(view)
    for note in results.notes:
        shell.notice("info", note)
    if not results.responses:
        return
    level, over, paper = _choices(results)
    levels = _levels(view, level)
    if level != "response" and levels is None:
        return
    points = spots(results, over, levels)
    compared = run_figures.compared(view) if levels is None else None
    standing = standing_of(points, compared, run_figures.guess(view, level))
    lines = headline(points, standing)
    if lines:
        words = with_chance(lines, [m.title for m in results.methods], run_figures.sentences(view), standing.best)
        more = f'<p class="gs-measure gs-flat">{escape(" ".join(words[1:]))}</p>' if words[1:] else ""
        st.html(f'<p class="gs-lead" style="max-width:95ch">{escape(words[0])}</p>{more}')
        shell.folded("The figures", figures(points, compared))
    else:
        shell.notice("info", _why_nothing(results, level))
    with st.container(key="compare_main"):
        left, right = st.columns([5, 3], gap="medium")
        with left:
            _plot(results, points, standing, level, over, paper, alt(points, F1_WORDS[level], lines))
        with right:
            method.panel(results, points, standing, levels)
    _below(view, results, level, levels)


def _choices(results: RunResults) -> tuple[Level, Over, bool]:
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_choices"):
        level = one_of("F1 of", LEVEL_WORDS, "level", bind="query-params")
        over: Over = "shown"
        if results.split != PAPERS_SPLIT and any(m.dev_latency.timed for m in results.methods):
            choice: dict[Over, str] = {"dev": "dev, as in the paper", "shown": results.split_words}
            over = one_of("Seconds over", choice, "compare_over")
        paper = st.toggle("The paper's figures", value=True, key="compare_paper", persist_state="session")
    return level, over, paper and level == "response"


def _levels(view: RunView, level: Level) -> tuple[LevelResult, ...] | None:
    """The results of another level than responses; None if there are none, or the user has not started them yet."""
    if level == "response":
        return None
    most = view.run.most_texts
    if most is not None and len(view.rows) > most:
        shell.notice(
            "info",
            f"{LEVEL_WORDS[level]} are counted for {most:,} responses at most, because their texts are read and cut. Choose a "
            "smaller split.",
        )
        return None
    asked = st.session_state.setdefault("compare_asked", set())
    mine = (view.run.id, view.split)
    if len(view.rows) > run_figures.SLOW and mine not in asked:
        shell.notice(
            "info",
            f"Measuring {LEVEL_WORDS[level].lower()} takes a while: {len(view.rows):,} responses are cut into sentences first.",
        )
        if not st.button("Measure", key="compare_cut"):
            return None
        asked.add(mine)
    with st.spinner("Reading the labelled sentences"):
        return run_figures.levels(view, level)


def _why_nothing(results: RunResults, level: Level) -> str:
    if level == "three":
        return "No method has an F1 here: none says what the sources contradict, or the labels are not of three kinds."
    if level != "response":
        return "No method has an F1 here: no method scores sentences, or these responses have no labelled spans."
    if results.grounded in (0, results.responses):
        return "No method has an F1 here, because all responses have the same label. The table below shows the other figures."
    if any(m.rule and m.responses for m in results.methods):
        return "No method has a verdict on these responses. See below why."
    return "No method has both a threshold and a judged response. Tune thresholds, or resume the run."


def _plot(results: RunResults, points: list[Spot], standing: F1Standing, level: Level, over: Over, paper: bool, alt: str) -> None:
    _take_click()
    theirs = paper_spots(results.split, dev_seconds=PAPERS_SPLIT in (over, results.split)) if paper else []
    x = over_words(over, results.split_words, results)
    front = [points[i].id for i in standing.front]
    opened = method.chosen(results, points)
    chart = tradeoff(
        points, front, theirs, chosen=opened, x=x, y=f"{F1_WORDS[level]}, {results.split_words}", guess=standing.guess
    )
    heads = ("method", "method_id", "f1", "f1_low", "f1_high", "seconds", "seconds_low", "seconds_high", "cost", "on_front")
    rows = [(s.title, s.id, s.f1, s.low, s.high, s.seconds, s.fast, s.slow, s.cost, s.id in front) for s in points]
    show_figure(
        chart,
        key=_PLOT,
        name=f"F1 against latency {results.run} {results.split_words}",
        alt=alt,
        data=pd.DataFrame(rows, columns=heads),
        select=True,
    )
    paid = sum(s.cost > 0 for s in points)
    drawn = " and count that the threshold was tuned, too" if any(m.tuned_f1 for m in results.methods) else ", given the rule"
    notes = [
        f"Up is better, left is faster; chance reaches the dotted line. Bars are 95 % intervals{drawn}. "
        + (
            "Blue methods are shown to do better than chance, and each better than every faster blue one."
            if front
            else "A method would be blue if it were shown to do better than chance."
        ),
        "Larger points cost more per response." if paid else "",
        PAPER_NOTE if paper else "",
        PROTOCOLS[level],
    ]
    st.html(f'<p class="gs-note">{escape(" ".join(n for n in notes if n))}</p>')


def _take_click() -> None:
    """Open the method whose point was clicked, once for each click."""
    state = st.session_state.get(f"plot_{_PLOT}")
    clicked = [p.get("customdata") for p in state["selection"]["points"]] if state else []
    method_id = next((c[0] for c in clicked if c and c[0]), None)
    if method_id != st.session_state.get(_CLICKED):
        st.session_state[_CLICKED] = method_id
        if method_id:
            method.choose(method_id)


def _below(view: RunView, results: RunResults, level: Level, levels: tuple[LevelResult, ...] | None) -> None:
    shows: list[Callable[[], None]] = [partial(compare_table.show, view, results, level, levels)]
    parts = (pairs.show, _show_agreement, show_hard, _show_slices, two_runs.show)
    shows += [partial(show, view, results) for show in parts]
    for tab, show in zip(st.tabs(TABS, key="part", bind="query-params"), shows, strict=True):
        if tab.open:
            with tab:
                show()


_MEASURES = {"kappa": "Cohen's kappa", "share": "Share of equal verdicts"}
_ABOUT = {
    "kappa": "Kappa is 1 if two methods always agree, 0 if they agree as often as by chance, below 0 if less often. "
    "A dash: one of them gives only one verdict, or they share no response.",
    "share": "The share of equal verdicts among the responses on which both have a verdict.",
}


def _show_agreement(view: RunView, results: RunResults) -> None:
    able = [i for i, m in enumerate(results.methods) if m.verdicts]
    if len(able) < 2:
        shell.notice("info", "Agreement needs two methods with verdicts. Tune thresholds, or resume the run.")
        return
    order = sorted(able, key=lambda i: -np.nan_to_num(results.methods[i].scores.macro_f1, nan=-1.0))
    measure = one_of("Measure", _MEASURES, "compare_agreement")
    agreed = run_figures.agreed(view)
    values = (agreed.kappa if measure == "kappa" else agreed.share)[np.ix_(order, order)]
    shared = agreed.shared[np.ix_(order, order)]
    titles = [results.methods[i].title for i in order]
    with st.container(width=340 + 50 * len(order)):
        show_figure(
            squares(values, shared, titles, _MEASURES[measure]),
            key="agreement",
            name=f"Agreement {results.run} {results.split_words}",
            alt=f"{_MEASURES[measure]} between {len(order)} methods. {_extremes(values, titles)}",
            data=_agreement_table(agreed, [m.title for m in results.methods], order),
        )
    st.html(f'<p class="gs-note">{escape(f"{_extremes(values, titles)} {_ABOUT[measure]} The methods are ordered by F1.")}</p>')


def _extremes(values: np.typing.NDArray[np.float64], titles: list[str]) -> str:
    rows, columns = np.triu_indices(len(titles), 1)
    pairs = [(values[i, j], i, j) for i, j in zip(rows, columns, strict=True) if not np.isnan(values[i, j])]
    if not pairs:
        return ""
    most, least = max(pairs), min(pairs)
    words = f"{titles[most[1]]} and {titles[most[2]]} agree most ({number(most[0])})"
    return f"{words}, {titles[least[1]]} and {titles[least[2]]} least ({number(least[0])})." if len(pairs) > 1 else f"{words}."


def _agreement_table(agreed: Agreement, titles: list[str], order: list[int]) -> pd.DataFrame:
    pairs = [(i, j) for k, i in enumerate(order) for j in order[k + 1 :]]
    rows = [(titles[i], titles[j], *(figures[i, j] for figures in (agreed.shared, agreed.share, agreed.kappa))) for i, j in pairs]
    return pd.DataFrame(rows, columns=("method", "other", "responses", "share_equal", "kappa"))


_MOST = 5
"""Most methods drawn at once; more are hard to distinguish."""


def _show_slices(view: RunView, results: RunResults) -> None:
    able = sorted((m for m in results.methods if m.verdicts), key=lambda m: -np.nan_to_num(m.scores.macro_f1, nan=-1.0))
    if not able:
        shell.notice("info", "No method has a verdict here. Tune thresholds, or resume the run.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        by = one_of("By", run_figures.PARTS, "compare_slices")
        ids = [m.id for m in able]
        key, words = f"compare_slices_methods_{hash(tuple(sorted(ids)))}", "Choose at least one method"
        label, by_id = f"Methods drawn, at most {_MOST}", {m.id: m.title for m in able}
        chosen = several_of(st, label, by_id, key, default=ids[:3], max_selections=_MOST, placeholder=words)
    slices = run_figures.sliced(view, by)
    titles = [m.title for m in results.methods]
    place = {m.id: i for i, m in enumerate(results.methods)}
    places = [place[i] for i in ids if i in chosen]
    if places:
        show_figure(
            parts(slices, places, titles),
            key="slices",
            name=f"F1 by {run_figures.PARTS[by]} {results.run} {results.split_words}",
            alt=f"Macro-F1 of {len(places)} methods by {run_figures.PARTS[by].lower()}, in {len(slices)} parts with intervals; "
            "the table below has the figures.",
            data=_slices_table(slices, titles),
        )
    heads = ("Method", *(s.name for s in slices))
    counts = ("Responses (ungrounded)", *(f"{s.responses:,} ({s.ungrounded:,})" for s in slices))
    rows = [counts, *((m.title, *(share(float(s.macro_f1[place[m.id]])) for s in slices)) for m in able)]
    caption = f"Macro-F1 by {run_figures.PARTS[by].lower()}"
    st.html(region(run_figures.PARTS[by], table(heads, rows, caption=caption), css="gs-tables gs-wide"))
    st.html(
        '<p class="gs-note">Macro-F1 with 95 % intervals by the bootstrap over queries, given the rules; a dash if a part lacks '
        f"one of the two labels, and no interval below {FEWEST} queries. Small parts are uncertain: check the counts.</p>"
    )


def _slices_table(slices: Sequence[Slice], titles: Sequence[str]) -> pd.DataFrame:
    rows = [(s.name, title, s.judged[i], s.macro_f1[i], *s.interval[i]) for s in slices for i, title in enumerate(titles)]
    return pd.DataFrame(rows, columns=("part", "method", "responses", "macro_f1", "low", "high"))


_SHOWN = 200
"""Most rows in the table."""


def show_hard(view: RunView, results: RunResults) -> None:
    """Their number, and a table that opens one in the heatmap."""
    hard = run_figures.hard(view)
    if not hard.methods:
        shell.notice("info", "No method has a verdict here. Tune thresholds, or resume the run.")
        return
    st.html(f'<p class="gs-measure gs-flat">{escape(_hard_summary(view, results, hard))}</p>')
    most = 0
    if hard.methods > 1:
        label, key = "Right methods, at most", "compare_most"
        most = int(st.number_input(label, 0, hard.methods - 1, 0, key=key, persist_state="session", width=280))
    if missed := int((view.run.gold[view.rows[hard.at_most()]] == 0).sum()):
        label = f"The {missed:,} errors that no method finds" if missed > 1 else "The error that no method finds"
        st.page_link(method.ERRORS, label=label, query_params=method.address(CAUGHT, "nobody"))
    places = hard.at_most(most)
    if not len(places):
        st.html('<p class="gs-note">No response is that hard. Raise the number of right methods.</p>')
        return
    _hard_table(view, view.rows[places], hard.right[places], hard.judged[places])


def _hard_summary(view: RunView, results: RunResults, hard: Hardness) -> str:
    rows = view.rows[hard.at_most()]
    missed = int((view.run.gold[rows] == 0).sum())
    none = "at least one is right about every other response" if hard.methods > 1 else "wrong about no other"
    if len(rows):
        none = (
            f"none about {len(rows):,}: {missed:,} with errors that no method found, {len(rows) - missed:,} sound ones that "
            "no method called sound"
        )
    unjudged = f" No method has a verdict on {hard.unjudged():,}." if hard.unjudged() else ""
    judges = "the method is" if hard.methods == 1 else f"all {hard.methods} methods are"
    return f"Of {results.responses:,} responses, {judges} right about {hard.everybody():,}, and {none}.{unjudged}"


def _hard_table(view: RunView, rows: Integers, right: Integers, judged: Integers) -> None:
    run, first = view.run, rows[:_SHOWN]
    questions = [c.query[:300] for c in run.read_cases([int(i) for i in first])]
    labels = [LABELS[bool(g)] for g in run.gold[first]]
    shown = pd.DataFrame({"Question": questions, "Label": labels, "Right": right[:_SHOWN], "Verdicts": judged[:_SHOWN]})
    shown = shown.assign(Area=run.areas[first], Split=run.splits[first], Words=run.words[first], Id=run.ids[first])
    key = f"compare_hard_{run.id}_{view.split}_{hash(rows.tobytes())}"
    columns = {
        "Question": st.column_config.Column("Question", width="large"),
        "Right": st.column_config.Column("Right", help="Methods whose verdict equals the label"),
        "Verdicts": st.column_config.Column("Verdicts", help="Methods with a verdict"),
    }
    picked = ticked_list(shown, key, 10, f"The hardest responses: {len(shown)} rows", columns)
    more = f" The first {_SHOWN} of {len(rows):,} are shown; the file has all." if len(rows) > _SHOWN else ""
    st.html(f'<p class="gs-note">Tick a row (by keyboard: Shift and Space), then open it.{more}</p>')
    with st.container(horizontal=True):
        if st.button("Open in the heatmap", key="hard_open", disabled=picked is None, type="primary") and picked is not None:
            row = int(first[picked])
            judged_by = [m for m, verdict in zip(run.methods, view.verdicts[:, row], strict=True) if verdict >= 0]
            best = recommended({m.id: m.signature for m in judged_by or run.methods})
            choice.open_case(run, row, best.method)
        everything = pd.DataFrame({"id": run.ids[rows], "label": run.gold[rows], "methods_right": right, "verdicts": judged})
        table_csv(everything, f"hard cases {run.name}", "hard_csv")
