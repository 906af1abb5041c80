"""Agreement of reviewers with each other, with methods and with judges, and the resulting labels."""

import math
from collections.abc import Iterable, Mapping

import pandas as pd
import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import download, errors_shown, select_one, several_of, table_csv
from components.opened import rag_results, record, runs
from components.opened.choice import label
from components.opened.runs import SET
from components.review import team_decisions
from components.review.team_decisions import AGREED, TeamDecisions
from groundscope.cases.dataset import to_jsonl
from groundscope.drawing.html import region, table
from groundscope.errors import GroundscopeError
from groundscope.grounding.result_columns import share
from groundscope.grounding.rules.run_with_rules import read_by
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import Rule
from groundscope.review import default
from groundscope.review.queues import sentences_left
from groundscope.review.ratings import (
    MeasureRow,
    Ratings,
    agreement_rows,
    gold_ratings,
    method_ratings,
    rag_ratings,
    reviewed_rows,
)
from groundscope.review.settling import gold_cases
from groundscope.runtime.byte_cache import keep
from groundscope.statistics.bootstrap import Interval
from groundscope.text.humanize import plural

_GOLD = "Reviewed labels"
_ABOUT = (
    "Equal: the share of pairs of decisions that are the same. Kappa is Cohen's, of two people; alpha is Krippendorff's, of any "
    "number. Both are 1 if they always agree, 0 if they agree as often as by chance. In brackets: 95 % intervals by the "
    "bootstrap over queries; a dash where there is only one value, or one query. “Flagged” is every decision but “supported”; "
    "“cannot say” is left out there."
)
_Named = tuple[str, Ratings]


def show(name: str) -> None:
    """The whole view, of what is revealed to this reviewer."""
    _show_assigned()
    view = team_decisions.opened_to(name)
    if not view:
        return
    shell.section("Agreement of reviewers")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        people = several_of(st, "Reviewers", {n: n for n in view.people}, "review_people", default=list(view.people)[:2])
        blind = st.checkbox("Only what was decided blind", value=True, key="review_blind")
    names = tuple(n for n in view.people if n in people)
    _people(name, names, blind=blind)
    if names:
        shell.section("Methods and judges against people")
        _judges(view, names, name, blind=blind)
        shell.section("Labels")
        _gold(view, names)


def _people(name: str, names: tuple[str, ...], *, blind: bool) -> None:
    if len(names) < 2:
        shell.notice("info", "Choose two people or more who have decided the same cases.")
        return
    rows = team_decisions.agreement_of(name, names, blind=blind)
    if not rows:
        shell.notice("info", "These reviewers have not decided a sentence in common yet.")
        return
    written = _frame(rows)
    heads = [c for c in written.columns if not c.endswith((" from", " to"))]
    lines = [(r.what, f"{r.agreement.items:,}", share(r.agreement.share), *(_between(v, i) for v, i in _two(r))) for r in rows]
    st.html(
        region("Agreement of reviewers", table(heads, lines, caption=f"{', '.join(names)}: what two of them or more decided."))
    )
    st.html(shell.note(_ABOUT))
    table_csv(written, f"agreement {' '.join(names)}", "review_agreement_csv")


def _between(value: float, ends: Interval) -> str:
    """A figure that may be negative, with its interval."""
    return f"{share(value)} [{share(ends.low)}, {share(ends.high)}]" if not math.isnan(ends.low) else share(value)


def _two(row: MeasureRow) -> tuple[tuple[float, Interval], ...]:
    a = row.agreement
    return (a.kappa, a.kappa_interval), (a.alpha, a.alpha_interval)


def _frame(rows: Iterable[MeasureRow]) -> pd.DataFrame:
    lines = []
    for row in rows:
        line = {"What": row.what, "Decided by two": row.agreement.items, "Equal": row.agreement.share}
        for title, (value, ends) in zip(("Kappa", "Alpha"), _two(row), strict=True):
            line |= {title: value, f"{title} from": ends.low, f"{title} to": ends.high}
        lines.append(line)
    return pd.DataFrame(lines)


def _judges(view: TeamDecisions, names: tuple[str, ...], name: str, *, blind: bool) -> None:
    of = {f"run {i}": label(e) for i, e in runs.run_list().entries.items()}
    results = {f"rag {c.id}": c for c in rag_results.choices()}
    titles = {**of, **{i: f"Legal RAG: {c.label}" for i, c in results.items()}}
    if not titles:
        shell.notice("info", "There is no run and no Legal RAG experiment yet.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual = f"run {record.chosen(record.choices())}"
        chosen = select_one(st, "What judged", titles, "review_judges", usual, width=420)
        against = select_one(
            st, "Against", {AGREED: "what they agree on, or was settled", **{n: n for n in names}}, "review_against"
        )
    try:
        if chosen in of:
            judges = _of_run(view, chosen[4:], name)
        else:
            source = results[chosen].open()
            judges = [(source.judge or "its judge", rag_ratings(source.answers, view.cases))]
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return
    people = team_decisions.ratings_of(view, against, blind=blind)
    judges = [("Gold labels", gold_ratings(view.cases)), *judges]
    lines = [line for title, ratings in judges if (line := _line(title, people, ratings, view))]
    if not lines:
        shell.notice("info", "It has judged none of these sentences and answers. Choose another one, or judge the same cases.")
        return
    heads = ["", "Sentences", "Equal sentences", "Kappa of sentences", "Answers", "Equal answers", "Kappa of answers"]
    st.html(region("Methods and judges against people", table(heads, lines, caption="Flagged, or not.")))
    table_csv(pd.DataFrame(lines, columns=["Judge", *heads[1:]]), f"judges against {against or 'people'}", "review_judges_csv")


def _of_run(view: TeamDecisions, run_id: str, name: str) -> list[_Named]:
    ruled, _ = read_by(runs.open_run(runs.run_list().entries[run_id]), None, run_id)
    run = ruled.run
    if not run.finished:
        return _rated(run, ruled.rules, view)
    key = name, default().stamp(), run.id, run.created, ruled.name
    return state.once("review_judges_kept", key, lambda: _rated(run, ruled.rules, view), 1)


def _rated(run: RunData, rules: Mapping[str, Rule], view: TeamDecisions) -> list[_Named]:
    ratings = method_ratings(run, rules, reviewed_rows(run, view.cases), view.cases)
    return [(m.title, ratings[m.id]) for m in run.methods]


def _line(title: str, people: Ratings, judge: Ratings, view: TeamDecisions) -> tuple[str, ...] | None:
    rows = {r.what: r.agreement for r in agreement_rows([people, judge], lambda key: team_decisions.query_of(view.cases[key]))}
    cells = []
    for what in ("Sentence flagged, or not", "Answer flagged, or not"):
        a = rows.get(what)
        cells += [f"{a.items:,}", share(a.share), _between(a.kappa, a.kappa_interval)] if a else ["–"] * 3
    return (title, *cells) if rows else None


def _gold(view: TeamDecisions, names: tuple[str, ...]) -> None:
    fewest = 2 if len(names) > 1 else 1
    cases, left = gold_cases({n: view.people[n] for n in names}, view.settled, view.cases, fewest)
    by = "two people decided the same, or it was settled" if fewest == 2 else f"{names[0]} decided, or it was settled"
    words = f"{plural(len(cases), 'case')} with a label for every sentence: {by}."
    words += f" {plural(left, 'case')} left out: something in {'it' if left == 1 else 'them'} is open." if left else ""
    st.html(shell.note(words))
    with st.container(horizontal=True, vertical_alignment="center"):
        download(
            "Download the labelled cases", lambda: to_jsonl(cases), "reviewed-labels.jsonl", "review_gold", disabled=not cases
        )
        if st.button(f"Use as the set “{_GOLD}”", key="review_gold_set", disabled=not cases):
            case_sets.add(CaseSet(_GOLD, cases))
            st.session_state[SET] = _GOLD
            shell.say("review_gold", "good", f"“{_GOLD}” is loaded: Runs, Errors and Thresholds can take it now.")
    shell.show_said("review_gold")
    if _GOLD in case_sets.sets():
        st.page_link("pages/runs.py", label=f"Judge “{_GOLD}” on the Runs page")


_SAID = "review_assigned"
_Line = tuple[int, str, int, tuple[tuple[str, int], ...]]


def _show_assigned() -> None:
    """Nothing where no queue is assigned."""
    shell.show_said(_SAID)
    lines = _read(default().database.shown, default().stamp())
    if not lines:
        return
    shell.section("Queues")
    rows = [
        (f"{number}: {title}", f"{cases:,}", ", ".join(f"{name} {read:,} of {cases:,}" for name, read in people))
        for number, title, cases, people in lines
    ]
    st.html(region("Queues", table(["Queue", "Cases", "Read"], rows, css="gs-counts gs-names")))
    with st.popover("Withdraw a queue"):
        titles = {number: f"{number}: {title}" for number, title, *_ in lines}
        chosen = st.selectbox("Queue", list(titles), format_func=titles.__getitem__, key="review_withdraw")
        st.html(shell.note("Decisions stay. Texts of cases without a decision or reveal, in no other queue, are deleted."))
        withdraw = errors_shown(place=_SAID)(default().queues.withdraw)
        st.button("Withdraw", key="review_withdraw_now", on_click=withdraw, args=(chosen,))


@keep(megabytes=2)
def _read(_path: str, _stamp: tuple[int, ...]) -> tuple[_Line, ...]:
    store, lines = default(), []
    for queue in store.queues.all():
        texts = store.cases(queue.keys)
        people = []
        for name in queue.reviewers:
            decided = store.decided(name)
            people.append((name, sum(not sentences_left(case, decided.get(key, {})) for key, case in texts.items())))
        lines.append((queue.number, queue.title, len(texts), tuple(people)))
    return tuple(lines)
