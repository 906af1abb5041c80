"""`fit-ensemble`: weigh several methods together on one's own labelled cases."""

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from commands import terminal
from commands.case_files import read_cases
from commands.new_run import loaded, methods_named
from commands.stopping import stop_event
from commands.terminal import DONE, STOPPED, say, show
from evaluation.ensemble_features import Table, table, unfit, usable
from evaluation.ensembles import Ensemble, fit, write
from evaluation.errors import Cancelled, DataError, ScorerUnavailable
from evaluation.labels import sentence_labels
from evaluation.own_models import own_ensemble
from evaluation.pair_figures import figures
from evaluation.training_data import parts
from evaluation.types import Case, Scorer, Status
from evaluation.verbatim import verbatim
from evaluation.words import spell


def run(given: argparse.Namespace) -> int:
    """Judge train and dev by the methods, fit on train's sentences, tune on dev's responses, and show what counted."""
    path = Path(given.out) if given.out else own_ensemble(given.name)
    if path.exists() and not given.replace:
        raise DataError(f"There is an ensemble {path.name} already; choose another name, or add --replace.")
    cases, source = read_cases(given.cases)
    found = parts(cases, given.split)
    methods = methods_named(given.methods)
    members = _members(methods)
    stop = stop_event(with_parent=False)
    try:
        tables = _tables((*found.train, *found.dev), members, stop.is_set, quiet=given.quiet)
        made = _fitted(found.train, tables, methods)
        figure = _on_dev(made, found.dev, tables)
        if stop.is_set():
            raise Cancelled
    except Cancelled:
        say("Stopped; nothing was kept.")
        return STOPPED
    about = {"data": source, "train": len(found.train), "dev": len(found.dev), "on_dev": figure}
    told = {**made.made, **about, "signatures": {m: scorer.signature for m, scorer in members.items()}}
    made = replace(made, threshold=figure["threshold"], made=told)
    write(made, path)
    rows = sorted(zip(made.names, made.weights, strict=True), key=lambda row: -abs(row[1]))
    say(terminal.table(("column", "weight"), [(name, f"{weight:+.3f}") for name, weight in rows]))
    say(f"dev: macro-F1 {figure['macro_f1']:.3f} at {figure['threshold']:.2f}, AUROC {figure['auroc']:.3f}.")
    show(str(path))
    return DONE


def _members(methods: Sequence[str]) -> dict[str, Scorer]:
    members = {m: loaded(m, {}) for m in methods}
    for method, scorer in members.items():
        check = getattr(scorer, "unavailable", None)
        if why := unfit(method, scorer):
            raise ValueError(why)
        if check and (note := str(check())):
            raise ScorerUnavailable(f"{method}: {note}")
    if not members:
        raise ValueError("--methods names no method")
    return members


def _tables(
    cases: Sequence[Case], members: Mapping[str, Scorer], stopped: Callable[[], bool], *, quiet: bool
) -> dict[str, Table]:
    line, began = terminal.Line(quiet=quiet), time.monotonic()
    found: dict[str, Table] = {}
    for i, case in enumerate(cases):
        if stopped():
            raise Cancelled
        judged = {m: scorer.score(case) for m, scorer in members.items()}
        if failed := next(((m, j) for m, j in judged.items() if j.status is Status.FAILED), None):
            raise DataError(f"{failed[0]} could not judge case {case.id}: {failed[1].note}")
        if all(map(usable, judged.values())) and (made := table(case, judged)).places:
            found[case.id] = made
        left = (time.monotonic() - began) / (i + 1) * (len(cases) - i - 1)
        line.show(f"{i + 1:,} of {len(cases):,} responses judged, about {spell(left)} left")
    return found


def _fitted(cases: Sequence[Case], tables: Mapping[str, Table], methods: Sequence[str]) -> Ensemble:
    used: list[Case] = []
    labels: list[NDArray[np.bool_]] = []
    for case in cases:
        gold = sentence_labels(case)
        if case.id in tables and gold is not None:
            used.append(case)
            labels.append(np.array([gold[i] for i in tables[case.id].places], dtype=np.bool_))
    if not used:
        raise DataError("No response says which of its sentences are wrong: ungrounded ones need error spans.")
    return fit([tables[c.id] for c in used], labels, [c.group or c.id for c in used], methods)


def _support(made: Ensemble, case: Case, found: Table) -> float:
    """A response's support, as the method says it: that of the lowest sentence which was not copied."""
    supports = zip(found.places, made.supports(found.values).tolist(), strict=True)
    copied = verbatim(case)
    return min((float(support) for place, support in supports if place not in copied), default=1.0)


def _on_dev(made: Ensemble, dev: Sequence[Case], tables: Mapping[str, Table]) -> dict[str, float]:
    judged = [(_support(made, c, tables[c.id]), bool(c.grounded)) for c in dev if c.id in tables]
    if len({grounded for _, grounded in judged}) < 2:
        raise DataError("The methods could not assess grounded and ungrounded responses of dev, which the threshold needs.")
    supports, labels = (np.array(column) for column in zip(*judged, strict=True))
    return figures(supports, labels)
