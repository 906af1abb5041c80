"""What is read of runs: `runs`, `methods`, `export`, `tune`, `report`. Results go to standard output."""

import argparse
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import get_args

import scorers
from commands import terminal
from commands.terminal import DONE, REFUSED, say, show
from evaluation import decisions, run_list, tables
from evaluation.decision import check_choice
from evaluation.decisions import Decision
from evaluation.errors import DataError, GroundscopeError
from evaluation.results import Results, results, rule_words
from evaluation.run_data import Integers, RunData
from evaluation.run_folder import export
from evaluation.store import Store, now
from evaluation.tuning import How, Objective, Rule, starting_rules, tune_all, verdicts

_FORMS: dict[str, Callable[[Results], str]] = {
    "markdown": tables.to_markdown,
    "html": tables.to_html,
    "latex": tables.to_latex,
    "csv": lambda found: tables.to_csv(found).decode("utf-8"),
}


def _runs(given: argparse.Namespace) -> int:
    store = Store()
    rows = []
    for listed in store.runs():
        judged, wanted = sum(listed.done), listed.plan.cases * len(listed.plan.methods)
        state = "finished" if listed.finished else f"{100 * judged // max(1, wanted)} %"
        failed = f"{sum(listed.failed):,}" if any(listed.failed) else ""
        rows.append((listed.id, listed.plan.name, f"{listed.plan.cases:,}", str(len(listed.plan.methods)), state, failed))
    for entry in run_list.samples():
        try:
            run = run_list.read(entry, store)
        except GroundscopeError as error:
            say(str(error))
            continue
        rows.append((entry.id, run.name, f"{len(run.ids):,}", str(len(run.methods)), "comes with the app", ""))
    show(terminal.table(("run", "name", "responses", "methods", "state", "failed"), rows))
    return DONE


def _methods(given: argparse.Namespace) -> int:
    rows = []
    for name in scorers.names():
        try:
            scorer = scorers.load(name)
            missing = scorer.unavailable() if hasattr(scorer, "unavailable") else ""
            title = getattr(getattr(scorer, "about", None), "title", name)
        except (GroundscopeError, ValueError) as error:
            title, missing = name, str(error)
        rows.append((name, title, missing or "ready"))
    show(terminal.table(("method", "title", "state"), rows))
    return DONE


def _export(given: argparse.Namespace) -> int:
    show(str(export(Store(), given.run, Path(given.out))))
    return DONE


def _tune(given: argparse.Namespace) -> int:
    run, objective = run_list.find(given.run, Store()), Objective(given.missed)
    tuned, failed = tune_all(run, objective, _ways(given.how), split_of(given.split))
    titles = {m.id: m.title for m in run.methods}
    rows = [
        (titles[m], t.split or "no split", f"{t.responses:,}", f"{t.value:.3f}", rule_words(t.rule)) for m, t in tuned.items()
    ]
    if tuned:
        head = ("method", "tuned on", "responses", objective.words.partition(",")[0], "grounded if")
        show(terminal.table(head, rows))
    for method, why in {**{m: t.warning for m, t in tuned.items() if t.warning}, **failed}.items():
        say(f"{titles[method]}: {why}")
    if not tuned:
        return REFUSED
    signatures = {m.id: m.signature for m in run.methods}
    decision = Decision(given.freeze or run.name, now(), run.name, run.data_hash, objective, tuned, signatures)
    if given.out:
        _written(given.out, decisions.to_json(decision), new=True)
    elif given.freeze:
        decisions.freeze(decision)
        report = f"python -m groundscope report {quote(given.run)} --rules {quote(given.freeze)} --split test"
        say(f"Frozen as {given.freeze}. Now: {report}")
    return DONE


def _ways(text: str) -> list[How]:
    """Ways to make a response's support, parted by commas.

    Raises:
        ValueError: there is none, or one that means nothing.
    """
    found = [how for how in map(str.strip, text.split(",")) if how]
    for how in found or [""]:
        check_choice("--how", how, get_args(How))
    return [how for how in get_args(How) if how in found]


def split_of(given: str | None) -> str | None:
    """The split that a user names: `none` are the responses without one."""
    return "" if given == "none" else given


def rules_of(run: RunData, name: str | None, *named: str) -> dict[str, Rule]:
    """The rules to read a run with: frozen ones, or those that the methods start with.

    Args:
        run: what is read.
        name: of the frozen rules; None = the starting ones.
        named: runs as the user names them; rules that came with one of them are found too.

    Raises:
        DataError: nothing is frozen under the name.
    """
    if not name:
        return starting_rules(run)
    there = {n: d for one in reversed(named) for n, d in decisions.frozen(run_list.folder_of(one)).items()}
    if name not in there:
        names = ", ".join(there) or "none yet: `tune RUN --freeze NAME` makes one"
        raise DataError(f"Nothing is frozen under the name {name!r}; there are {names}.")
    for method in there[name].strangers(run):
        say(f"{method}: {name} was not made for it as it stands in {run.name}; it gets no verdicts. Tune it on this run.")
    return there[name].rules(run)


def _report(given: argparse.Namespace) -> int:
    run, split = run_list.find(given.run, Store()), split_of(given.split)
    rows = _rows(run, split)
    rules = rules_of(run, given.rules, given.run)
    found = results(run, verdicts(run, rules), rules, rows, split)
    text = _FORMS[given.format](found)
    if given.out:
        _written(given.out, text)
    else:
        show(text)
    return DONE


def _rows(run: RunData, split: str | None) -> Integers:
    there = run.labelled_splits()
    if split is not None and split not in there:
        names = ", ".join(s or "none" for s in there) or "no labelled responses at all"
        raise DataError(f"No labelled response of the run has the split {split or 'none'}; there are {names}.")
    return run.rows(split)


def _written(path: str, text: str, *, new: bool = False) -> None:
    """Write a file; what lines end with stays as it is.

    Raises:
        DataError: it cannot be written, or is there already where it must be new.
    """
    try:
        with Path(path).open("x" if new else "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError:
        raise DataError(f"{path} is there already, and thresholds are never overwritten; name a new file.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be written ({error.strerror}); name a file elsewhere.") from None


VERBS: dict[str, Callable[[argparse.Namespace], int]] = {
    "runs": _runs,
    "methods": _methods,
    "export": _export,
    "tune": _tune,
    "report": _report,
}
