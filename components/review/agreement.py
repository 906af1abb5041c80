"""How far reviewers agree with each other, with methods and with judges, and the labels that come of it."""

import math
from collections.abc import Iterable, Sequence

import pandas as pd
import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import download, select_one, several_of, table_csv
from components.heatmap import record
from components.rag import sources
from components.review import assigned, gathered, settle
from components.review.gathered import AGREED, Gathered
from components.runs import runs
from components.runs.choice import label
from components.runs.state import judge_next
from groundscope.cases.dataset import to_jsonl
from groundscope.drawing.html import region, table
from groundscope.errors import DataError, GroundscopeError
from groundscope.grounding.result_columns import share
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import starting_rules
from groundscope.review import default
from groundscope.review.judges import gold_ratings, method_ratings, rag_ratings, reviewed_rows
from groundscope.review.ratings import MeasureRow, Ratings, agreement_rows
from groundscope.review.settling import gold_cases
from groundscope.statistics.bootstrap import Interval
from groundscope.text.humanize import plural

_GOLD = "Reviewed labels"
_ABOUT = (
    "Equal: the share of pairs of decisions that are the same. Kappa is Cohen's, of two people; alpha is Krippendorff's, of any "
    "number. Both are 1 if they always agree, 0 if they agree as often as by chance. In brackets: 95 % intervals by the "
    "bootstrap over queries; a dash where there is only one value, or one query. “Flagged” is every decision but “supported”; "
    "“cannot say” is left out there."
)
_NOTHING = "No case that anyone reviewed is revealed to you yet. Reveal a case after you have decided it, or all of them here."
_Named = tuple[str, Ratings]


def show(name: str) -> None:
    """The whole view, of what is revealed to this reviewer."""
    assigned.show()
    found = gathered.gathered(name)
    if found.hidden:
        _offer(name, found.hidden)
    if not found.cases:
        shell.notice("info", _NOTHING)
        return
    shell.section("Agreement of reviewers")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        people = several_of(st, "Reviewers", {n: n for n in found.people}, "review_people", default=list(found.people)[:2])
        blind = st.checkbox("Only what was decided blind", value=True, key="review_blind")
    names = tuple(n for n in found.people if n in people)
    _people(name, names, blind=blind)
    if names:
        shell.section("Methods and judges against people")
        _judges(found, names, name, blind=blind)
        shell.section("Differences")
        settle.show(found, names, name)
        shell.section("Labels")
        _gold(found, names)


def _offer(name: str, hidden: Sequence[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        words = f"{plural(len(hidden), 'reviewed case is', 'reviewed cases are')} not revealed to you and not counted here."
        st.html(shell.note(words), width="content")
        st.button(f"Reveal {plural(len(hidden), 'case')}", key="review_reveal_all", on_click=_reveal, args=(name, tuple(hidden)))


def _reveal(name: str, keys: tuple[str, ...]) -> None:
    default().reveal(name, *default().cases(keys).values())


def _people(name: str, names: tuple[str, ...], *, blind: bool) -> None:
    if len(names) < 2:
        shell.notice("info", "Choose two people or more who have decided the same cases.")
        return
    rows = gathered.agreement_of(name, names, blind=blind)
    if not rows:
        shell.notice("info", "These people have decided no sentence in common yet.")
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


def _judges(found: Gathered, names: tuple[str, ...], name: str, *, blind: bool) -> None:
    of = {f"run {i}": label(e) for i, e in runs.shelf().entries.items()}
    results = {f"rag {c.id}": c for c in sources.choices()}
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
        judges = _of_run(found, chosen[4:], name) if chosen in of else _of_rag(found, results[chosen])
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return
    people = gathered.ratings_of(found, against, blind=blind)
    judges = [("Gold labels", gold_ratings(found.cases)), *judges]
    lines = [line for title, ratings in judges if (line := _line(title, people, ratings, found))]
    if not lines:
        shell.notice("info", "It has judged none of these sentences and answers. Choose another one, or judge the same cases.")
        return
    heads = ["", "Sentences", "Equal sentences", "Kappa of sentences", "Answers", "Equal answers", "Kappa of answers"]
    st.html(region("Methods and judges against people", table(heads, lines, caption="Flagged, or not.")))
    table_csv(pd.DataFrame(lines, columns=["Judge", *heads[1:]]), f"judges against {against or 'people'}", "review_judges_csv")


def _of_run(found: Gathered, run_id: str, name: str) -> list[_Named]:
    run = runs.readable(runs.shelf().entries[run_id])
    if isinstance(run, str):
        raise DataError(run)
    if not run.finished:
        return _rated(run, found)
    kept: dict[object, list[_Named]] = state.own("review_judges_kept", {})
    key = (name, default().stamp(), run.id, run.created)
    if key not in kept:
        kept.clear()
        kept[key] = _rated(run, found)
    return kept[key]


def _rated(run: RunData, found: Gathered) -> list[_Named]:
    ratings = method_ratings(run, starting_rules(run), reviewed_rows(run, found.cases), found.cases)
    return [(m.title, ratings[m.id]) for m in run.methods]


def _of_rag(found: Gathered, choice: sources.ResultChoice) -> list[_Named]:
    source = choice.open()
    return [(source.judge or "its judge", rag_ratings(source.answers, found.cases))]


def _line(title: str, people: Ratings, judge: Ratings, found: Gathered) -> tuple[str, ...] | None:
    rows = {r.what: r.agreement for r in agreement_rows([people, judge], lambda key: gathered.query_of(found.cases[key]))}
    cells = []
    for what in ("Sentence flagged, or not", "Answer flagged, or not"):
        a = rows.get(what)
        cells += [f"{a.items:,}", share(a.share), _between(a.kappa, a.kappa_interval)] if a else ["–"] * 3
    return (title, *cells) if rows else None


def _gold(found: Gathered, names: tuple[str, ...]) -> None:
    fewest = 2 if len(names) > 1 else 1
    cases, left = gold_cases({n: found.people[n] for n in names}, found.settled, found.cases, fewest)
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
            judge_next(_GOLD)
            shell.say("review_gold", "good", f"“{_GOLD}” is loaded: Runs, Errors and Thresholds can take it now.")
    shell.show_said("review_gold")
    if _GOLD in case_sets.sets():
        st.page_link("pages/runs.py", label=f"Judge “{_GOLD}” on the Runs page")
