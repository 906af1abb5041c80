"""A new run: what is judged by what, and what that will take, before anything begins."""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import scorers
from commands import terminal
from commands.case_files import read_cases, read_files, tell_rejected
from commands.terminal import say
from evaluation import planning, run_list
from evaluation.chat_spec import VARIABLE
from evaluation.default_methods import DEFAULTS, ready
from evaluation.errors import DataError
from evaluation.recorded import read_scores
from evaluation.recorded_methods import Attached, attach
from evaluation.store import Store
from evaluation.types import Case, Scorer
from evaluation.words import money, spell


def planned(given: argparse.Namespace, store: Store) -> str:
    """The id of a new run; empty where it was not wanted after all.

    Raises:
        DataError: the files or the split hold no case.
        ValueError: a method or a parameter means nothing.
        StoreError: the run cannot be kept.
    """
    if given.batches and given.no_keep:
        raise ValueError("--batches reads replies from kept ones, and --no-keep keeps none; leave one of the two out")
    cases, source = read_cases(given.cases)
    cases = planning.chosen(cases, given.split or "", given.limit)
    options = _options(given.set or [])
    named = methods_named(given.methods)
    if strange := sorted(set(options) - set(named)):
        raise ValueError(f"--set names {', '.join(strange)}, which --methods does not")
    chosen = {m: _with_model(m, options.get(m, {}), given.model) for m in named}
    here = {m: loaded(m, found) for m, found in chosen.items()}
    attached = _attached(given.scores or [], cases)
    if not here and not attached:
        raise ValueError("there is nothing to judge by: name a method with --methods, or a tool's scores with --scores")
    if here and not _told(cases, source, here, store, yes=given.yes):
        return ""
    plan = planning.plan(
        given.name or Path(source).stem + (f", {given.split}" if given.split else ""),
        source,
        cases,
        [planning.method_run(m, scorer, chosen[m]) for m, scorer in here.items()],
        keeps_replies=not given.no_keep,
        calls=given.calls,
        dollars=given.dollars,
    )
    return planning.begin(store, plan, cases, attached)


def methods_named(line: str | None) -> list[str]:
    """The method ids of `--methods`; where it was not given, those that are used by default and can run here."""
    if line is None:
        return list(ready(DEFAULTS, scorers.load))
    return list(dict.fromkeys(m.strip() for m in line.split(",") if m.strip()))


def loaded(method: str, options: Mapping[str, Any]) -> Scorer:
    """A method with its options.

    Raises:
        ValueError: no such method, or its options mean nothing.
        ScorerUnavailable: its file cannot be imported.
    """
    try:
        return scorers.load(method, **options)
    except TypeError as error:
        raise ValueError(f"{method} cannot take these parameters: {error}") from None


def _attached(paths: Sequence[str], cases: Sequence[Case]) -> list[Attached]:
    found: list[Attached] = []
    for name, data in read_files([Path(p) for p in paths]):
        recorded = read_scores(name, data)
        tell_rejected(recorded.rejected)
        methods, matched = attach(recorded, cases)
        rows = len(recorded.rows)
        say(f"{name}, {recorded.title}: {matched.matched:,} of {rows:,} rows met a case, {matched.ambiguous:,} fit several.")
        found += methods
    if len({a.method.id for a in found}) < len(found):
        raise DataError("Two files hold the same metric of the same tool; give one of them.")
    return found


def _told(cases: Sequence[Case], source: str, here: Mapping[str, Scorer], store: Store, *, yes: bool) -> bool:
    """Say what it will take; whether it may begin."""
    found = planning.forecast(cases, here, run_list.known_seconds(store))
    if missing := [f"{f.title}: {f.missing}" for f in found if f.missing]:
        say("\n".join(missing))
        return False
    say(f"{len(cases):,} responses of {source}.")
    head = ("method", "calls", "tokens", "at most", "text goes to", "takes about")
    rows = [
        (
            f.method,
            f"{f.calls:,}",
            f"{f.tokens:,}",
            "price not known" if f.dollars is None else money(f.dollars),
            f.address or "nowhere",
            "not known" if f.seconds is None else spell(f.seconds),
        )
        for f in found
    ]
    say(terminal.table(head, rows))
    if any(f.calls and f.address for f in found) and not (yes or terminal.agreed()):
        say("Nothing was sent. Add --yes to send it.")
        return False
    return True


def _with_model(method: str, options: Mapping[str, Any], model: str | None) -> dict[str, Any]:
    """The options, with the model where the method asks one: a run names it, so that another environment changes nothing."""
    line = model or os.environ.get(VARIABLE)
    if line and "model" in scorers.parameters(method):
        return {"model": line, **options}
    return dict(options)


def _options(settings: Sequence[str]) -> dict[str, dict[str, Any]]:
    """`METHOD.NAME=VALUE`, the value as JSON or as it is, by method.

    Raises:
        ValueError: one is not of this form.
    """
    found: dict[str, dict[str, Any]] = {}
    for setting in settings:
        place, equals, value = setting.partition("=")
        method, dot, name = place.rpartition(".")
        if not equals or not dot:
            raise ValueError(f"--set takes METHOD.NAME=VALUE, got {setting!r}")
        found.setdefault(method, {})[name] = _value(value)
    return found


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
