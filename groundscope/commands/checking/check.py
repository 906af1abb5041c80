"""`check`: hold answers to promises, in a pipeline."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from groundscope.chat.budget import Limits
from groundscope.commands import options, terminal
from groundscope.commands.case_files import MAP, check_place, content, read_sets, write
from groundscope.commands.checking.judging import (
    JudgingOptions,
    about_answers,
    baseline_of,
    forget,
    judged,
    judged_again,
    lines_of,
    ruled_methods,
    share_promises,
)
from groundscope.commands.run import free
from groundscope.commands.terminal import CHANGED, DONE, REFUSED, say, show
from groundscope.gate import forge
from groundscope.gate.forge import GateReport
from groundscope.gate.outcomes import share_outcomes, uncompared_outcomes
from groundscope.gate.rules import read_rules
from groundscope.text.humanize import plural
from groundscope.types import Case

_SHOWN = 5
"""Places of a broken promise on standard output; the reports have more."""
_SUMMARY = "GITHUB_STEP_SUMMARY"


@click.command()
@click.argument("cases", metavar="FILE", type=options.PATH, help="a file of answers with questions and sources, such as JSONL")
@click.option("--rules", metavar="FILE", type=options.PATH, required=True, help="the promises, TOML; the README has an example")
@click.option("--baseline", metavar="RUN", help="a run of answers to the same questions: an id, or the folder of an exported run")
@MAP
@click.option("--junit", metavar="FILE", type=options.PATH, help="write JUnit XML there, a test case a promise")
@click.option("--github", is_flag=True, help="annotations for GitHub on standard output, with file and line")
@click.option(
    "--summary",
    metavar="FILE",
    type=options.PATH,
    help="write a summary in Markdown there; in GitHub's actions it is always added",
)
@click.option("--html", metavar="FILE", type=options.PATH, help="write the whole report there, with every sentence to look at")
@click.option("--model", metavar="SPEC", help="the chat model for methods that ask one")
@options.YES
@click.option("--out", metavar="DIR", type=options.PATH, help="a new folder for this run's files: the next baseline")
@click.option("--keep", is_flag=True, help="keep the run of the answers in the data folder, for the app or as a baseline")
@options.BUDGET
@options.QUIET
def check(
    cases: Path, rules: Path, baseline: str | None, mapping: str | None, junit: Path | None, github: bool, summary: Path | None,
    html: Path | None, model: str | None, yes: bool, out: Path | None, keep: bool, calls: int | None, dollars: float | None,
    quiet: bool,
) -> int:  # fmt: skip
    """Hold answers to promises, in a pipeline.

    A promise that is broken, or cannot be checked, ends it with 1. One against a baseline is broken only where answers are shown
    to be worse, question by question, so that chance fails no build. Where rules, baseline or methods cannot be used, it ends
    with 2, and nothing is judged.

    Its run is deleted at the end unless --keep says otherwise; one that was stopped stays, to be resumed.
    """
    gate_rules = read_rules(rules.name, content(rules, "a file of rules"))
    if out:
        free(out)
    places = (junit, html, summary)
    for path in places:
        check_place(path, new=False)
    data = content(cases, "a file of cases")
    (read,) = read_sets([(cases.name, data)], mapping, quiet=True)
    methods = ruled_methods(gate_rules.unsupported, model, baseline)
    before = baseline_of(baseline, read) if baseline else None
    how = JudgingOptions(Limits(calls, dollars), yes=yes, quiet=quiet, keeps=keep)
    run, code = judged(f"check of {Path(cases.name).stem}", cases.name, read.cases, methods, how, out)
    again, ended = judged_again(before, methods, how) if before and code == DONE else (None, code)
    try:
        if ended != DONE:
            # Work that was stopped, or failed throughout, judged nothing: a build learns no more than that.
            return REFUSED
        promises, compared = share_promises(gate_rules, read.cases, methods, run, before, again, quiet=quiet)
        outcomes = share_outcomes(promises, before.pairs if before else None, gate_rules.baseline.level)
        notes = before.pairs.notes if before else ()
        if not before and any(p.limit.at_most is None for p in promises):
            if out or keep:
                notes = ("Promises without at_most are about a baseline: they are checked from the next time on.",)
            else:
                outcomes += uncompared_outcomes(promises)
        for note in notes:
            say(note)
        outcomes += about_answers(gate_rules, promises, read, run, data)
        stays = run.id if run and keep else ""
        report = GateReport(str(cases), tuple(outcomes), baseline or "", stays, notes, lines_of(read), compared)
        _write(report, read.cases, places, github=github)
        return DONE if report.held else CHANGED
    finally:
        forget(None if keep else run, again)


def _write(report: GateReport, cases: Sequence[Case], places: Sequence[Path | None], *, github: bool) -> None:
    """Show the table, and write the reports: JUnit, HTML and Markdown, as far as they have a place."""
    show(_text(report, cases))
    there = replace(report, file=_in_repository(report.file))
    if github:
        for line in forge.annotations(there, cases):
            show(line)
    summary = forge.to_summary(there, cases, os.environ).encode("utf-8", "replace")
    for path, data in zip(places, (forge.to_junit(there, cases), forge.to_page(there, cases), summary), strict=True):
        if path:
            write(path, data, "; name a file elsewhere")
    if added := os.environ.get(_SUMMARY):
        try:
            with Path(added).open("ab") as file:
                file.write(summary)
        except OSError as error:
            say(f"{_SUMMARY} cannot be written ({error.strerror}); the summary is left out.")


def _in_repository(file: str) -> str:
    """The file as GitHub names it, from the root of the repository, where it lies in one; else as the user names it."""
    root = os.environ.get("GITHUB_WORKSPACE")
    place = Path(file).resolve()
    return place.relative_to(Path(root).resolve()).as_posix() if root and place.is_relative_to(Path(root).resolve()) else file


def _text(report: GateReport, cases: Sequence[Case]) -> str:
    rows = [(o.state.value, o.title, o.measured, o.allowed, o.why) for o in report.outcomes]
    parts = [f"{report.file}: {report.words}", terminal.table(("outcome", "promise", "here", "allowed", "why"), rows)]
    parts += ["\n".join(report.compared)] if report.compared else []
    for outcome, findings in report.to_read:
        listed = forge.place_list(report, outcome, findings, cases, _SHOWN)
        if listed.places:
            head = f"{outcome.title}: {plural(len(listed.places) + listed.left, 'place')}"
            lines = [*(forge.place_line(report, p) for p in listed.places), *listed.rest]
            parts.append("\n  ".join([head, *lines]))
    return "\n\n".join(parts)
