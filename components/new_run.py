"""Starting a run: which cases, which methods, and what it will take before anything begins."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st

from components import asking, run_state, runs, scoring, shell, state
from components.runner import runner
from components.scoring import Method
from evaluation.errors import DataError, GroundscopeError
from evaluation.planning import Forecast, begin, chosen, forecast, method_run, plan
from evaluation.recorded import Matched, Recorded, read_scores
from evaluation.recorded_methods import Attached, attach
from evaluation.run_list import known_seconds
from evaluation.types import Case
from evaluation.words import money, spell

_ALL = "All"
_KEPT = 8


def show() -> None:
    """The choice of data and methods, the forecast, and the button."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox("Cases", list(state.sets()), key="run_set", persist_state="session")
        group = state.sets()[name if name in state.sets() else state.SAMPLES]
        splits = [_ALL, *sorted({c.split or "none" for c in group.cases})]
        split = st.selectbox("Split", splits, key=f"run_split_{group.name}", persist_state="session", width=160)
        title = st.text_input(
            "Name of the run", key="run_name", persist_state="session", placeholder=_title(group.name, split), max_chars=80
        )
    ready = [m for m in scoring.methods() if not m.missing]
    titles = {m.id: m.about.title for m in ready}
    local = [m.id for m in ready if not asking.asks(scoring.loaded(m.id))]
    named = st.multiselect(
        "Methods",
        list(titles),
        default=local,
        format_func=lambda m: titles[m],
        key="run_methods",
        persist_state="session",
        placeholder="Choose at least one method",
    )
    _lacking(scoring.methods())
    cases = chosen(group.cases, "" if split == _ALL else split)
    attached = _scores(cases)
    if not named and not attached:
        shell.notice("info", "Choose at least one method, or add the scores of another tool.")
        return
    _offer(group.name, split, title.strip() or _title(group.name, split), cases, named, attached)


def _scores(cases: Sequence[Case]) -> list[Attached]:
    """Files of scores from other tools, and how they met the chosen cases."""
    found: dict[str, Attached] = {}
    with st.expander("Add scores of Ragas, DeepEval, TruLens or Phoenix", key="run_scores_panel"):
        st.html(
            "<p class='gs-note'>What these tools export is read and stands beside the methods as a method of its own. A row "
            "belongs to the case with its id, or with its question and answer.</p>"
        )
        files = st.file_uploader(
            "Files of scores", type=["csv", "json", "jsonl", "parquet"], key="run_scores", accept_multiple_files=True
        )
        for file in files:
            read = _attached(file, tuple(cases))
            if isinstance(read, str):
                shell.notice("bad", f"{file.name}: {read}")
                continue
            recorded, methods, matched = read
            titles = ", ".join(a.method.title for a in methods) or "nothing that could be used"
            shell.notice(
                "info" if methods else "bad",
                f"{file.name}: {titles}. {matched.matched:,} of {len(recorded.rows):,} rows met one of the {len(cases):,} cases, "
                f"{matched.ambiguous:,} fit several and are left out, {len(recorded.rejected):,} could not be used.",
            )
            found |= {a.method.id: a for a in methods}
    return list(found.values())


def _title(group: str, split: str) -> str:
    return group if split == _ALL else f"{group}, {split}"


def _lacking(methods: Sequence[Method]) -> None:
    missing = [m.about.title for m in methods if m.missing]
    if missing:
        st.html(f"<p class='gs-note'>Not ready, and so not offered: {escape(', '.join(missing))}. The Methods page says why.</p>")


def _attached(file: Any, cases: tuple[Case, ...]) -> tuple[Recorded, list[Attached], Matched] | str:
    """A file's scores beside the cases, or why it cannot be read; read once, however often the page is drawn."""
    kept = run_state.scores()
    key = (file.file_id, cases)
    if key not in kept:
        while len(kept) >= _KEPT:
            kept.pop(next(iter(kept)))
        try:
            recorded = read_scores(file.name, file.getvalue())
            kept[key] = (recorded, *attach(recorded, cases))
        except DataError as error:
            kept[key] = str(error)
    found: tuple[Recorded, list[Attached], Matched] | str = kept[key]
    return found


def _offer(group: str, split: str, title: str, cases: Sequence[Case], named: Sequence[str], attached: Sequence[Attached]) -> None:
    found = {m: scoring.loaded(m) for m in named}
    here = {m: scorer for m, scorer in found.items() if scorer is not None}
    takes = _forecast(group, split, cases, here)
    if takes:
        st.html(_table(takes, len(cases)))
    addresses = sorted({f.address for f in takes if f.calls and asking.leaves(here[f.method])})
    limits = state.limits()
    asks = any(f.calls for f in takes)
    if asks:
        bounds = [] if limits.dollars is None else [money(limits.dollars)]
        bounds += [] if limits.calls is None else [f"{limits.calls:,} calls"]
        words = f"It stops before it goes over {' or '.join(bounds)}" if bounds else "It has no budget"
        st.html(
            f"<p class='gs-note'>{escape(words)}; the Methods page sets that. Replies are kept, so nothing is paid for twice.</p>"
        )
    if any(state.private(c) for c in cases[:1]):
        shell.notice(
            "info", "These cases were pasted or made here. A run keeps their texts in the data folder until you delete it."
        )
    label = f"Send to {', '.join(addresses)} and start" if addresses else "Start the run"
    if st.button(_plain(label), type="primary", key="run_start", disabled=any(f.missing for f in takes)):
        _start(title, group, cases, here, attached, keeps=not any(state.private(c) for c in cases[:1]))


def _plain(label: str) -> str:
    """Labels are markdown; a host's name has none."""
    return "".join(c if c.isalnum() or c in " .-,:" else " " for c in label)


def _forecast(group: str, split: str, cases: Sequence[Case], here: Mapping[str, Any]) -> list[Forecast]:
    """Kept for the session: prompts of hundreds of cases are counted, and earlier runs are read."""
    key = (group, split, len(cases), tuple(s.signature for s in here.values()), len(runs.shelf().entries))
    kept = run_state.forecasts()
    if key not in kept:
        while len(kept) >= _KEPT:
            kept.pop(next(iter(kept)))
        try:
            known = known_seconds(runs.store())
        except GroundscopeError:
            known = {}
        kept[key] = forecast(cases, here, known)
    found: list[Forecast] = kept[key]
    return found


def _table(takes: Sequence[Forecast], cases: int) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{escape(f.title)}</th>{''.join(f'<td>{escape(c)}</td>' for c in _cells(f))}</tr>" for f in takes
    )
    times = [f.seconds for f in takes]
    known = sum(t for t in times if t is not None)
    whole = f", about {spell(known)} in all" if None not in times else ""
    heads = ("Method", "Takes about", "Calls", "Tokens", "At most", "Texts go to")
    head = "".join(f"<th scope='col'>{h}</th>" for h in heads)
    return (
        f"<table class='gs-methods gs-forecast'><caption>What it takes for {cases:,} responses{whole}. Times come from earlier "
        "runs of the same method, perhaps on another machine.</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _cells(f: Forecast) -> tuple[str, ...]:
    if f.missing:
        return (f.missing, "", "", "", "")
    seconds = "not known yet" if f.seconds is None else spell(f.seconds)
    if not f.calls:
        return (seconds, "none", "", "", "stay here")
    cost = "price not known" if f.dollars is None else money(f.dollars)
    return (seconds, f"{f.calls:,}", f"{f.tokens:,}", cost, f.address or "stay here")


def _start(
    title: str, group: str, cases: Sequence[Case], here: Mapping[str, Any], attached: Sequence[Attached], *, keeps: bool
) -> None:
    limits = state.limits()
    methods = [method_run(m, scorer, asking.parameters(m)) for m, scorer in here.items()]
    try:
        planned = plan(title, group, cases, methods, keeps_replies=keeps, calls=limits.calls, dollars=limits.dollars)
        made = begin(runs.store(), planned, cases, attached)
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return
    if methods:
        runner().begin(made)
    st.rerun()
