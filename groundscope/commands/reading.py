"""`runs`, `export`, `tune`, `report`, `compare`: read results of runs. They go to standard output."""

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import TYPE_CHECKING, get_args

import click

from groundscope.commands import options, terminal
from groundscope.commands.case_files import write
from groundscope.commands.terminal import DONE, REFUSED, say, show, table
from groundscope.errors import DataError, GroundscopeError
from groundscope.experiments.listing import listed
from groundscope.files.private import users_umask
from groundscope.grounding import tables
from groundscope.grounding.comparing.comparisons import p_words
from groundscope.grounding.comparing.two_runs import RunSide, TwoRuns, sides_of, two_runs
from groundscope.grounding.latency import latencies
from groundscope.grounding.misclassified.calls import calls
from groundscope.grounding.misclassified.table import error_notes, error_table, frame, printed_errors
from groundscope.grounding.paper_tables import paper_order
from groundscope.grounding.result_columns import MISSING, interval, seconds, share
from groundscope.grounding.results import beyond_words, rule_words
from groundscope.grounding.rules import frozen_rules
from groundscope.grounding.rules.frozen_rules import STARTING, Decision
from groundscope.grounding.rules.promises import (
    MEANING,
    keep_promises,
    made_here,
    other_cases,
    promised_rules,
    seek_promises,
    what_instead,
    why_none,
)
from groundscope.grounding.rules.run_with_rules import RunWithRules, labelled_rows, read_by
from groundscope.grounding.run_findings import findings_lines
from groundscope.grounding.runs import listing
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.folder import export
from groundscope.grounding.runs.store import FOLDER, KIND
from groundscope.grounding.sensitivity import matrix as sensitivity
from groundscope.grounding.sensitivity.pairs import SOURCE as PAIRS_SOURCE
from groundscope.grounding.stability import figures as stability
from groundscope.grounding.stability.copies import SOURCE as READINGS_SOURCE
from groundscope.grounding.three_answers import answers_frame, answers_notes, printed_answers, three_answers
from groundscope.grounding.tuning import How, Objective, Rule, Tuned, chosen, not_swept, rejected, select, tune_all, verdicts
from groundscope.statistics.decision import check_choice
from groundscope.statistics.risk import MissLimit, MissRate, Promise
from groundscope.storage.sqlite import now

if TYPE_CHECKING:
    import pandas as pd

_WRITE = MappingProxyType({"markdown": tables.markdown_table, "html": tables.html_table, "latex": tables.latex_table})
_PERCENT = options.Finite(0, 100, min_open=True, max_open=True)


@click.command()
@click.option("--add", metavar="DIR", type=options.PATH, help="put the run in this folder on the list of everyone")
@click.option("--drop", metavar="DIR", type=options.PATH, help="take a folder off the list; nothing in it is touched")
def runs(add: Path | None, drop: Path | None) -> int:
    """List all runs with their progress."""
    if drop and not listing.drop_from_list(drop.resolve()):
        raise DataError(f"{drop} is not on the list.")
    if add:
        listing.put_on_list(add)
    jobs, problems = listed(KIND)
    for problem in problems:
        say(problem)
    rows = []
    for job in jobs:
        state = "finished" if job.finished else f"{100 * job.done // max(1, job.wanted)} %"
        failed = f"{job.failed:,}" if job.failed else ""
        rows.append((job.id, job.name, f"{job.plan.cases:,}", str(len(job.parts)), state, failed))
    shelf, troubles = listing.entries()
    for trouble in set(troubles) - set(problems):
        say(trouble)
    for entry in (e for e in shelf if e.folder and (e.comes_with_app or e.id == str(e.folder))):
        try:
            run = listing.read(entry)
        except GroundscopeError as error:
            say(str(error))
            continue
        state = "comes with the app" if entry.comes_with_app else "on the list"
        rows.append((entry.id, run.name, f"{len(run.ids):,}", str(len(run.methods)), state, ""))
    show(terminal.table(("run", "name", "responses", "methods", "state", "failed"), rows))
    return DONE


@click.command()
@click.argument("run", metavar="RUN", help="a run's id")
@click.option("--out", metavar="DIR", type=options.PATH, required=True, help="a new folder")
@click.option("--findings", is_flag=True, help="also write findings.jsonl: the findings of each response, as on its heatmap")
def export_run(run: str, out: Path, findings: bool) -> int:
    """Write a finished run as Parquet files with a manifest. Nothing is ever overwritten; your umask says who may read them."""
    entry = listing.entry_of(run)
    if entry.comes_with_app or entry.id == str(entry.folder):
        raise DataError(f"This run is a folder already: {entry.folder}")
    with closing(FOLDER.open(run)) as file, users_umask():
        folder = export(file, out)
        if findings:
            write(folder / "findings.jsonl", "".join(f"{line}\n" for line in findings_lines(listing.find(run))).encode())
        show(str(folder))
    return DONE


@click.command()
@options.RUN
@click.option(
    "--split", metavar="NAME", help="tune on this split", show_default="each method's own: dev, or train for SelfCheckGPT"
)
@click.option(
    "--missed", metavar="R", type=options.AMOUNT, help="a missed error costs R false alarms", show_default="the best macro-F1"
)
@click.option(
    "--how",
    type=options.NAMES,
    default="own,min,mean",
    help="ways to make a response's support, where its paper leaves them open: own, min, mean, share_below",
)
@click.option("--beyond-paper", is_flag=True, help="also tune what a method's paper fixes, such as a model's verdicts")
@click.option("--promise", metavar="P", type=_PERCENT, help="find thresholds that miss at most P % of what is wrong in a query")
@click.option("--confidence", metavar="C", type=_PERCENT, help="of the promise, in %", show_default="90")
@click.option("--freeze", metavar="NAME", help="keep the thresholds under this name; they can then be read on the test split")
@click.option(
    "--out",
    metavar="FILE",
    type=options.PATH,
    help="write the thresholds there as JSON instead, named by --freeze or after the run",
)
def tune(
    run: str, split: str | None, missed: float | None, how: Sequence[str], beyond_paper: bool, promise: float | None,
    confidence: float | None, freeze: str | None, out: Path | None,
) -> int:  # fmt: skip
    """Find each method's threshold on a split. Without --freeze or --out they are shown and not kept."""
    read, objective = listing.find(run), Objective(missed)
    ways: list[How] = []
    left_out: tuple[str, ...] = ()
    failed: Mapping[str, str] = {}
    promises: Mapping[str, Promise] = {}
    if promise is not None and beyond_paper:
        raise DataError("--beyond-paper tunes for the highest macro-F1 or the lowest cost; a promise has a way of its own.")
    if limit := limit_of(promise, confidence, missed):
        tuned, promises = promised(read, limit, split_of(split))
    else:
        ways = _ways(how)
        tuned, failed = tune_all(read, objective, ways, split_of(split), beyond_paper)
        left_out = rejected(read.methods, tuned, objective)
    signatures = {m.id: m.signature for m in read.methods}
    about = freeze or read.name, now(), read.name, read.data_hash
    decision = Decision(*about, objective, tuned, signatures, left_out, tuple(ways), promises, beyond_paper)
    if not limit:
        show_tuned(read, decision, failed)
    if not tuned:
        return REFUSED
    if out:
        try:
            write(out, frozen_rules.to_json(decision).encode(), "; name a file elsewhere", "xb")
        except FileExistsError:
            raise DataError(f"{out} already exists, and thresholds are never overwritten; name a new file.") from None
    elif freeze:
        frozen_rules.freeze(decision)
        say(f"Frozen as {freeze}. Now: python -m groundscope report {quote(run)} --rules {quote(freeze)} --split test")
    return DONE


def show_tuned(read: RunData, decision: Decision, failed: Mapping[str, str]) -> None:
    """Show every method's rule, and say what could not be tuned, or was not chosen of a sweep."""
    tuned, objective = decision.tuned, decision.objective
    titles = {m.id: m.title for m in read.methods}
    by_id = {m.id: m for m in read.methods}
    rows = [
        (titles[m], t.split or "no split", f"{t.responses:,}", f"{t.value:.3f}", rule_words(t.rule, by_id[m]))
        for m, t in tuned.items()
    ]
    if tuned:
        head = ("method", "tuned on", "responses", objective.words.partition(",")[0], "grounded if")
        show(terminal.table(head, rows))
    warnings = {m: t.warning for m, t in tuned.items() if t.warning}
    for method, why in (*warnings.items(), *failed.items(), *not_swept(read.methods).items()):
        say(f"{titles[method]}: {why}")
    for sweep, title in chosen(read.methods, decision.rejected).items():
        say(f"Of the sweep {sweep} {title} is chosen; its other parts are not read under these thresholds.")


def _ways(names: Sequence[str]) -> list[How]:
    """Ways to make a response's support, in their usual order; refuses none at all, and one that means nothing."""
    for how in names or [""]:
        check_choice("--how", how, get_args(How))
    return [how for how in get_args(How) if how in names]


def split_of(named: str | None) -> str | None:
    """The split that a user names: `none` are the responses without one, which is an empty name; None = all."""
    return "" if named == "none" else named


def ruled(run: RunData, name: str | None, *named: str) -> RunWithRules:
    """`read_by`; standard error names the thresholds where the user did not, and the methods that get no verdicts."""
    ruled_run, strangers = read_by(run, name, *named)
    if not name:
        say(f"Thresholds of {run.name}: {_why(ruled_run.decision, run)}")
    for method in strangers:
        lacks = f"{ruled_run.name} was not made for it as it stands in {run.name}"
        say(f"{method}: {lacks}; it gets no verdicts. Tune it on this run.")
    return ruled_run


def _why(decision: Decision | None, run: RunData) -> str:
    if decision is None:
        return "those that methods start with, since no frozen ones hold for all of its methods."
    holds = "hold for all of its methods" if decision.covers(run) else "were frozen on it"
    return f"frozen as {decision.name}, the newest that {holds}; --rules {STARTING} reads those that methods start with."


@click.command()
@options.RUN
@options.READING
@click.option("--format", "form", type=click.Choice([*_WRITE, "csv"]), default="markdown", help="what it is written as")
@click.option("--order", type=click.Choice(["run", "paper"]), default="run", help="of the rows: paper is that of its table 3")
@click.option("--errors", is_flag=True, help="the misclassified responses by error type instead: the paper's table 4")
@click.option("--three", is_flag=True, help="three answers instead: supported, not stated, contradicted")
@click.option("--out", metavar="FILE", type=options.PATH, help="write it there instead of to standard output")
def report(
    run: str, rules: str | None, split: str | None, form: str, order: str, errors: bool, three: bool, out: Path | None
) -> int:
    """Show the results table: Markdown, HTML, LaTeX or CSV. Of a run of `sensitivity` or `stability`, its own table."""
    split_name = split_of(split)
    read, *_ = ruled_run = ruled(listing.find(run), rules, run)
    if order == "paper":
        read = select(read, paper_order(read.methods))
    if errors and three:
        raise DataError("--errors and --three are two tables; name one of them.")
    rules_used, split_words = ruled_run.rules, "all labelled responses" if split is None else f"split {split_name or 'none'}"
    if errors:
        misses = error_table(calls(read, rules_used, verdicts(read, rules_used), labelled_rows(read, split_name)))
        data, cells, notes = frame(read, rules_used, misses), printed_errors(read, misses), error_notes(read, split_words)
        notes += filter(None, [beyond_words(read, rules_used)])
    elif three:
        answers = three_answers(read, rules_used, labelled_rows(read, split_name))
        data, cells = answers_frame(answers), printed_answers(answers)
        notes = [f"Run {read.name}, {split_words}.", *answers_notes(answers)]
    elif split is None and (copies := _copies(read, rules_used)):
        data, cells, notes = *copies, [f"Run {read.name}."]
    else:
        results = ruled_run.results(split_name, read)
        data, cells, notes = tables.frame(results), tables.printed(results), [tables.caption(results), *results.notes]
    text = tables.frame_csv(data).decode("utf-8") if form == "csv" else _WRITE[form](cells, notes)
    if ruled_run.decision:
        say_kept(read, ruled_run.decision, split_name)
    if out:
        write(out, text.encode(), "; name a file elsewhere")
    else:
        show(text)
    return DONE


def show_copies(run: str) -> None:
    """Show the table of a run over copies of cases."""
    read, rules, *_ = ruled(listing.find(run), None, run)
    if copies := _copies(read, rules):
        show(tables.markdown_table(copies[1], [f"Run {read.name}."]))


def _copies(run: RunData, rules: Mapping[str, Rule]) -> tuple["pd.DataFrame", list[list[str]]] | None:
    """The figures of a run over copies of cases, as data and for people; None of any other run."""
    judged = verdicts(run, rules)
    if run.source.startswith(PAIRS_SOURCE) and (edits := sensitivity.measured(run, judged)):
        return sensitivity.frame(run, edits), sensitivity.printed(run, edits)
    if run.source.startswith(READINGS_SOURCE) and (readings := stability.measured(run, judged, rules)):
        return stability.frame(run, readings), stability.printed(run, readings)
    return None


def limit_of(promise: float | None, confidence: float | None, missed: float | None) -> MissLimit | None:
    """What is to be promised, of percents; None = nothing. Refuses options that do not go together."""
    if promise is None and confidence is not None:
        raise DataError("--confidence goes with --promise; add how much may be missed.")
    if promise is not None and missed is not None:
        raise DataError("--missed asks for the lowest cost and --promise for a promise; name one of them.")
    return None if promise is None else MissLimit(promise / 100, 0.9 if confidence is None else confidence / 100)


def promised(run: RunData, limit: MissLimit, split: str | None) -> tuple[dict[str, Tuned], dict[str, Promise]]:
    """Search every method's thresholds for one that carries a promise, and show what was found and what could not be."""
    searches, failed = seek_promises(run, limit, split)
    tuned, promises = promised_rules(run, searches)
    titles = {m.id: m.title for m in run.methods}
    if promises:
        head = ("method", "found on", "queries", "flagged below", "missed there, a query", "wrong ones missed", "false alarms")
        show(terminal.table(head, [_row(titles[m], searches[m].split, p) for m, p in promises.items()]))
        say(f"Promised: {'; '.join(dict.fromkeys(p.limit.words for p in promises.values()))}. {MEANING}")
    none = {
        m: f"{why_none(search.control, limit)} {what_instead(search.control)}"
        for m, search in searches.items()
        if m not in promises
    }
    for method, why in {**none, **failed}.items():
        say(f"{titles[method]}: {why}")
    return tuned, promises


def _row(title: str, split: str, promise: Promise) -> Sequence[str]:
    seen = promise.seen
    return title, split or "no split", f"{seen.queries:,}", f"{promise.threshold:.4f}", f"{100 * seen.rate:.1f} %", *_counts(seen)


def _counts(seen: MissRate) -> tuple[str, str]:
    return f"{seen.missed:,} of {seen.wrong:,}", f"{seen.alarms:,} of {seen.sound:,}"


def say_kept(run: RunData, decision: Decision, split: str | None) -> None:
    """Say of each promise whether it held on a split, and on other cases whether they are like those it was found on."""
    if not decision.promises:
        return
    if made_here(run, decision, split):
        say("These responses are, or include, those that the promises were found on; read them on others, such as --split test.")
        return
    titles: Mapping[str, str] = {m.id: m.title for m in run.methods}
    for method, outcome in keep_promises(run, decision, split).items():
        words = f"{titles[method]}: promised {outcome.promise.limit.words}; {outcome.words}"
        if seen := outcome.seen:
            missed, alarms = _counts(seen)
            ends = f"95 % interval {100 * seen.interval.low:.1f} to {100 * seen.interval.high:.1f} %"
            words += (
                f": {100 * seen.rate:.1f} % missed ({ends}, {seen.queries:,} queries), that is {missed} "
                f"{outcome.promise.limit.wrong}, with {alarms} sound ones flagged"
            )
        say(f"{words}.{f' These are other cases. {outcome.likeness.words}' if other_cases(run, decision) else ''}")


@click.command()
@click.argument("run", metavar="A", help="a run, or a method of one: RUN:METHOD")
@click.argument("other", metavar="B", help="the other one, such as RUN:quip:n=9")
@options.READING
def compare(run: str, other: str, rules: str | None, split: str | None) -> int:
    """Compare two runs, method by method.

    Differences are B less A, with 95 % intervals and an adjusted p by the paired bootstrap over queries; they are shown
    where both runs judged the same responses. A:quip B:quip:n=9 compares two methods, also of one run.
    """
    first, second = sides_of((run, other), rules, split_of(split), ruled)
    comparison = two_runs(first, second)
    if comparison.methods:
        show(f"A: {_name(first)}\nB: {_name(second)}\n\n{_table(comparison, first, second)}")
    for side, ids in ((first, comparison.only_first), (second, comparison.only_second)):
        if ids:
            say(f"Only in {side.run.name}: {', '.join(ids)}.")
    if comparison.note:
        say(comparison.note)
    return DONE


def _name(side: RunSide) -> str:
    return f"{side.run.name}, {len(side.rows):,} labelled responses of {side.run.source}"


def _table(comparison: TwoRuns, first: RunSide, second: RunSide) -> str:
    timings = [dict(zip((m.id for m in s.run.methods), latencies(s.run, s.rows), strict=True)) for s in (first, second)]
    head = ("method", "F1 A", "F1 B", "B less A", "95 % interval", "p, adjusted", "responses")
    times = ("mean s A", "p50 s A", "mean s B", "p50 s B")
    rows = []
    for both in comparison.methods:
        taken = timings[0][both.id], timings[1][both.other_id]
        rows.append(
            [
                both.title,
                *map(share, both.f1),
                MISSING if math.isnan(both.difference) else f"{both.difference:+.3f}",
                interval(both.interval),
                MISSING if math.isnan(both.adjusted_p) else p_words(both.adjusted_p).removeprefix("p ").removeprefix("= "),
                f"{both.shared:,}" if both.shared else MISSING,
                *(seconds(value) for took in taken for value in (took.mean, took.p50)),
                "the same" if both.same_signature else "differ",
            ]
        )
    return table((*head, *times, "parameters"), rows)
