"""The page Live: what share of a system's answers stands on its sources, by day and version, and the worst answers first."""

import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import pandas as pd
import streamlit as st

from components import figure, shell
from components.charts.live import days as days_chart
from components.controls import errors_shown, needs, select_one
from components.live import worst
from groundscope.drawing.html import region, table, tag
from groundscope.errors import GroundscopeError
from groundscope.methods import registry
from groundscope.paths import PROGRAMS
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import money, plural, shortened, spell
from groundscope.traces import store as feeds
from groundscope.traces.answers import AnswerState
from groundscope.traces.measuring import DRIFT_LEVEL, LiveShare, by_day, by_version, drift
from groundscope.traces.store import LiveStore

_POLL = 10.0
_DAYS_FROM = 48 * 3600
"""Seconds from which a time that has passed is said in days."""
_WORST = 100
_CUT = 40
_NAMED = 8
"""Versions that the chart names, the newest ones."""


def show() -> None:
    """The chosen feed; without any, how to make one."""
    shell.show_said("live")
    names = feeds.names()
    if not names:
        _empty()
        return
    name = select_one(st, "Feed", {n: n for n in names}, "live_feed", names[0], width=420) if len(names) > 1 else names[0]
    with errors_shown():
        with closing(feeds.opened(name)) as feed:
            busy = feed.busy()
        # It grows while a process reads for it.
        st.fragment(_feed, run_every=_POLL if busy else None)(name, busy)
        _manage(name)


def _empty() -> None:
    shell.notice("info", "No feed is here yet. Read the traces of your system once, or go on reading as they are written:")
    st.code(
        f"{PROGRAMS}python -m groundscope live spans.jsonl\n"
        f"{PROGRAMS}python -m groundscope live /var/log/traces --name support-bot --follow --rate 0.1",
        language=None,
        wrap_lines=True,
    )
    st.html(
        "<p class='gs-note gs-measure'>It reads spans of OpenTelemetry and OpenInference: the JSON that the collector's file "
        "exporter writes, spans that the Python SDK prints, and rows that Phoenix exports. Answers are judged on this machine, "
        "and only numbers are kept, unless you add --keep-texts.</p>"
    )


def _feed(name: str, busy: bool) -> None:
    with errors_shown(), closing(feeds.opened(name)) as feed:
        if busy != feed.busy():
            st.rerun()
        there = feed.methods()
        _facts(feed, busy)
        if not there:
            shell.notice("info", "No answer is judged yet." if busy else "No answer was judged. See below why, and read again.")
            return
        titles = {f"{method} {signature}": _title(method, signature, there) for method, signature in there}
        chosen = select_one(st, "Judged by", titles, f"live_method_{name}", width=420) if len(there) > 1 else next(iter(titles))
        method, signature = there[list(titles).index(chosen)]
        rows = feed.shares(method, signature)
        found = drift(rows, titles[chosen])
        st.html(f'<p class="gs-lead gs-measure">{escape(found.words)}</p>')
        st.html(
            f"<p class='gs-note gs-measure'>The drift has a {100 * DRIFT_LEVEL:g} % interval, since it is looked at every day: "
            "with a 95 % interval, three of four feeds would show one within 60 days in which nothing changes. A share is what "
            "the method says, mistakes included, and a change of what users ask moves it, too. Days are those of UTC.</p>"
        )
        versions = by_version(rows)
        _days(name, by_day(rows), versions)
        shell.section("By version")
        st.html(_versions(versions))
        shell.section("The worst answers")
        worst.show(feed, method, signature, [one.name for one in versions])


def _title(method: str, signature: str, there: list[tuple[str, str]]) -> str:
    try:
        title = registry.find(method.partition(":")[0]).about.title
    except (ValueError, KeyError):
        title = method
    alone = sum(m == method for m, _ in there) == 1
    named = title if alone else f"{title}, as it was: {signature[-12:]}"
    return named if ":" not in method else f"{named} ({method.partition(':')[2]})"


def _facts(feed: LiveStore, busy: bool) -> None:
    about, states = feed.about(), feed.states()
    counts = {state: sum(n for _, _, s, n, _ in states if s == state.value) for state in AnswerState}
    last = max((at for *_, at in states if at), default=None)
    said = [f"Reads {about.get('path', '')}"]
    said += ["now" if busy else "not at the moment; start groundscope live again to go on"]
    if last:
        seconds = max(0.0, time.time() - last)
        ago = spell(seconds) if seconds < _DAYS_FROM else plural(int(seconds // 86_400), "day")
        said.append(f"last answer {datetime.fromtimestamp(last, UTC):%Y-%m-%d %H:%M} UTC, {ago} ago")
    answers = [f"{counts[AnswerState.JUDGED]:,} of {plural(sum(counts.values()), 'answer')} judged"]
    words = {
        AnswerState.LEFT_OUT: f"left out by chance (rate {about.get('rate', 1):g})",
        AnswerState.NO_SOURCES: "without sources in the trace",
        AnswerState.NO_ANSWER: "without an answer in the trace",
        AnswerState.NO_BUDGET: "beyond the day's budget: later answers of a day are missing then",
    }
    answers += [f"{counts[state]:,} {text}" for state, text in words.items() if counts[state]]
    spent, _ = feed.spent_today()
    answers += [f"{money(spent)} today"] * bool(spent)
    st.html(tag("p", " · ".join(said), class_="gs-note") + tag("p", " · ".join(answers), class_="gs-note"))
    if unread := feed.unread():
        with st.expander(f"{plural(len(unread), 'record')} could not be read", key="live_unread"):
            lines = [(Path(file).name, f"{line:,}", why) for file, line, why in unread[:_WORST]]
            st.html(region("Records", table(("File", "Line", "Why"), lines, caption="Records that could not be read")))


def _days(name: str, found: list[LiveShare], versions: list[LiveShare]) -> None:
    if not found:
        shell.notice("info", "No answer has a time, so there are no days to show.")
        return
    data = pd.DataFrame(
        {
            "day": [one.name for one in found],
            "share": [one.share for one in found],
            "low": [one.interval.low for one in found],
            "high": [one.interval.high for one in found],
            "verdicts": [one.verdicts for one in found],
            "without": [one.undecided for one in found],
        }
    )
    decided = [one for one in found if one.verdicts]
    ends = [f"{one.share:.0%} on {one.name}" for one in (decided[0], decided[-1])] if decided else []
    figure.show(
        days_chart(found, {one.name: one.first for one in versions[:_NAMED] if one.name and one.first}),
        key="live_days",
        name=f"Live {name}",
        alt=f"Share of answers that stand on their sources on each of {plural(len(found), 'day')}"
        f"{', from ' * bool(ends)}{' to '.join(ends)}, with 95 % intervals; "
        "the CSV has the figures.",
        data=data,
    )


def _versions(found: list[LiveShare]) -> str:
    heads = (
        "Version",
        "First day",
        "Last day",
        "Stand on their sources",
        "95 % interval",
        "Verdicts",
        "Without",
        "Against the one before",
    )
    rows = []
    for one in found:
        share, ends = (f"{one.share:.1%}", f"{one.interval.low:.1%} to {one.interval.high:.1%}") if one.verdicts else ("", "")
        rows.append(
            (
                shortened(one.name, _CUT) or "not known",
                one.first,
                one.last,
                share,
                ends,
                f"{one.verdicts:,}",
                f"{one.undecided:,}",
                _change(one),
            )
        )
    note = shell.note(
        f"Against the one before: points of difference, {100 * DRIFT_LEVEL:g} % interval; “no change shown” where it holds 0."
    )
    return region("Versions", table(heads, rows, caption="Answers by version"), css="gs-tables gs-wide") + note


def _change(one: LiveShare) -> str:
    low, high = 100 * one.change.low, 100 * one.change.high
    if low != low:
        return ""
    said = "lower" if high < 0 else "higher" if low > 0 else "no change shown"
    return f"{said}, {low:+.1f} to {high:+.1f}"


def _manage(name: str) -> None:
    with st.container(horizontal=True):
        with st.popover("Delete the texts", key="live_texts_panel"):
            st.html(shell.note("The texts that this feed keeps are deleted. Its numbers stay."))
            st.button(
                "Delete them",
                key="live_texts",
                on_click=_try,
                args=(name, LiveStore.forget_texts, "The texts are deleted."),
                **needs(Role.LEAD),
            )
        with st.popover("Delete this feed", key="live_delete_panel"):
            st.html(shell.note("All numbers and texts of this feed are deleted. The traces themselves stay."))
            st.button(
                "Delete it",
                key="live_delete",
                on_click=_try,
                args=(name, LiveStore.delete, f"{name} is deleted."),
                **needs(Role.LEAD),
            )


def _try(name: str, work: Callable[[LiveStore], None], done: str) -> None:
    try:
        with closing(feeds.opened(name)) as feed:
            work(feed)
        shell.say("live", "good", done)
    except GroundscopeError as error:
        shell.say("live", "bad", str(error))
