"""`fit-ensemble`: weigh several methods together on one's own labelled cases."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from groundscope.cases.gold import sentence_labels
from groundscope.commands import options, terminal
from groundscope.commands.case_files import CaseFiles, case_options
from groundscope.commands.stopping import stop_event
from groundscope.commands.terminal import DONE, STOPPED, say, show
from groundscope.errors import Cancelled, DataError, ScorerUnavailable
from groundscope.files.private import users_umask
from groundscope.grounding.chosen_parts import methods_named
from groundscope.methods import Method, registry
from groundscope.text.humanize import spell
from groundscope.text.verbatim import verbatim
from groundscope.training.data import parts
from groundscope.training.ensemble_features import Table, table, unfit, usable
from groundscope.training.ensembles import FittedEnsemble, fit, write
from groundscope.training.nested import EnsembleProof, as_json, in_words, prove
from groundscope.training.own_models import own_ensemble
from groundscope.training.pair_figures import figures
from groundscope.types import Case, Status


@click.command(cls=options.Verb)
@case_options()
@click.option("--name", required=True, help="what the ensemble is called: small letters, figures, hyphens")
@options.METHODS
@click.option("--split", metavar="NAME", default="train", help="the split to fit on; test is refused")
@click.option("--out", metavar="FILE", type=options.PATH, help="write it there instead of where the app finds it")
@click.option("--replace", "anyway", is_flag=True, help="put it in the place of the one of this name")
@options.WATCHED
def fit_ensemble(
    given: CaseFiles, name: str, methods: Sequence[str] | None, split: str, out: Path | None, anyway: bool, quiet: bool,
    with_parent: bool,
) -> int:  # fmt: skip
    """Fit an ensemble of methods on labelled cases.

    Fits a logistic regression over the methods' supports and the figures, names and negations that differ, on the sentences of
    train; tunes its threshold on dev. It appears as the method ensemble:NAME. Says whether it is better than the best of its
    methods, by nested cross-validation over the queries of train and dev.
    """
    path = out or own_ensemble(name)
    if path.exists() and not anyway:
        raise DataError(f"There is an ensemble {path.name} already; choose another name, or add --replace.")
    read, source = given.read()
    found = parts(read, split)
    named = methods_named(methods)
    members = _members(named)
    stop = stop_event(with_parent=with_parent)
    try:
        line = terminal.Line(quiet=quiet, often=with_parent)
        tables = _tables((*found.train, *found.dev), members, stop.is_set, line)
        made = fit(*_labelled(found.train, tables), named)
        proof = _proof((*found.train, *found.dev), tables, named)
        figure = _on_dev(made, found.dev, tables)
        if stop.is_set():
            raise Cancelled
    except Cancelled:
        say("Stopped; nothing was kept.")
        return STOPPED
    compared = as_json(proof)
    about = {"data": source, "train": len(found.train), "dev": len(found.dev), "on_dev": figure, "nested": compared}
    told = {**made.made, **about, "signatures": {m: scorer.signature for m, scorer in members.items()}}
    made = replace(made, threshold=figure["threshold"], made=told)
    # A file that the user named is for those whom her umask lets read it.
    with users_umask() if out else nullcontext():
        write(made, path)
    rows = sorted(zip(made.names, made.weights, strict=True), key=lambda row: -abs(row[1]))
    say(in_words(compared))
    say(terminal.table(("column", "weight"), [(column, f"{weight:+.3f}") for column, weight in rows]))
    say(f"dev: macro-F1 {figure['macro_f1']:.3f} at {figure['threshold']:.2f}, AUROC {figure['auroc']:.3f}.")
    show(str(path))
    return DONE


def _members(methods: Sequence[str]) -> dict[str, Method]:
    members = {m: registry.load(m) for m in methods}
    for method, scorer in members.items():
        if why := unfit(method, scorer):
            raise ValueError(why)
        if note := scorer.unavailable():
            raise ScorerUnavailable(f"{method}: {note}")
    if not members:
        raise ValueError("--methods names no method")
    return members


def _tables(
    cases: Sequence[Case], members: Mapping[str, Method], stopped: Callable[[], bool], line: terminal.Line
) -> dict[str, Table]:
    began = time.monotonic()
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


def _proof(cases: Sequence[Case], tables: Mapping[str, Table], methods: Sequence[str]) -> EnsembleProof | str:
    """The ensemble beside its best member; or why they cannot be compared."""
    try:
        return prove(*_labelled(cases, tables), methods)
    except DataError as error:
        return str(error)


def _labelled(cases: Sequence[Case], tables: Mapping[str, Table]) -> tuple[list[Table], list[NDArray[np.bool_]], list[str]]:
    """Tables, labels of their sentences, and queries of the cases that state which sentences are wrong."""
    used: list[Case] = []
    labels: list[NDArray[np.bool_]] = []
    for case in cases:
        gold = sentence_labels(case)
        if case.id in tables and gold is not None:
            used.append(case)
            labels.append(np.array([gold[i] for i in tables[case.id].places], dtype=np.bool_))
    if not used:
        raise DataError("No response says which of its sentences are wrong: ungrounded ones need error spans.")
    return [tables[c.id] for c in used], labels, [c.group or c.id for c in used]


def _support(made: FittedEnsemble, case: Case, found: Table) -> float:
    """A response's support, as the method says it: that of the lowest sentence which was not copied."""
    supports = zip(found.places, made.supports(found.values).tolist(), strict=True)
    copied = verbatim(case)
    return min((float(support) for place, support in supports if place not in copied), default=1.0)


def _on_dev(made: FittedEnsemble, dev: Sequence[Case], tables: Mapping[str, Table]) -> dict[str, float]:
    judged = [(_support(made, c, tables[c.id]), bool(c.grounded)) for c in dev if c.id in tables]
    if len({grounded for _, grounded in judged}) < 2:
        raise DataError("The methods could not assess grounded and ungrounded responses of dev, which the threshold needs.")
    supports, labels = (np.array(column) for column in zip(*judged, strict=True))
    return figures(supports, labels)
