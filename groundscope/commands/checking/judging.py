"""What a check measures: judgements of the answers, the shares of its rules here and in the baseline, seconds and money."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.cases.dataset import LoadedDataset
from groundscope.chat.budget import Limits
from groundscope.commands import jobs
from groundscope.commands.run import RUNNER
from groundscope.commands.terminal import DONE, NOTHING, REFUSED, Line, say
from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.files.private import users_umask
from groundscope.files.rows import Row, read_rows
from groundscope.gate.findings import CheckedAnswer, checked_answer
from groundscope.gate.matching import PairedQuestions, pair_questions
from groundscope.gate.measuring import (
    MeasuredShare,
    citations_share,
    dollars_of,
    facts_share,
    lost_answers,
    seconds_of,
    unsupported_share,
)
from groundscope.gate.outcomes import (
    PromiseOutcome,
    SharePromise,
    cost_outcome,
    coverage_outcome,
    invalid_outcome,
    latency_outcome,
)
from groundscope.gate.rules import FACT_KINDS, GateRules, ShareLimit, UnsupportedRule
from groundscope.grounding.parts import parts_here
from groundscope.grounding.rules.run_with_rules import frozen_decision
from groundscope.grounding.runs import listing, planning
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.folder import export
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.tuning import Rule
from groundscope.methods import Method
from groundscope.text.humanize import plural
from groundscope.types import Case


@dataclass(frozen=True)
class RuledMethod:
    """A method of a check, with the rule by which a sentence counts as unsupported."""

    promise: UnsupportedRule
    part: Part
    method: Method
    rule: Rule


@dataclass(frozen=True)
class JudgingOptions:
    """How methods are asked: as the options of a run. `keeps`: the run of the answers stays, as the next baseline."""

    limits: Limits
    yes: bool = False
    quiet: bool = False
    keeps: bool = False


def ruled_methods(promises: Sequence[UnsupportedRule], model: str | None, baseline: str | None) -> list[RuledMethod]:
    """The methods that promises name, each with its threshold.

    Raises `DataError` where one has none, and `ValueError` where a name or a parameter means nothing. Thresholds that came with
    the baseline are found too.
    """
    if not promises:
        return []
    options = ((p.method, name, value) for p in promises for name, value in p.options.items())
    settings = [f"{method}.{name}={str(value).lower() if isinstance(value, bool) else value}" for method, name, value in options]
    parts = parts_here([p.method for p in promises], settings, (), model)
    return [RuledMethod(p, *one, _rule(p, one[0], baseline)) for p, one in zip(promises, parts, strict=True)]


def _rule(promise: UnsupportedRule, part: Part, baseline: str | None) -> Rule:
    if not promise.thresholds:
        if part.threshold is None:
            raise DataError(
                f"{part.id} starts with no threshold; tune one on a run (`tune RUN --freeze NAME`) and add "
                'thresholds = "NAME" to its table.'
            )
        return Rule("own", part.threshold)
    decision = frozen_decision(promise.thresholds, *([baseline] if baseline else []))
    if part.id not in decision.tuned or decision.signatures.get(part.id) != part.signature:
        raise DataError(
            f"{promise.thresholds} was not made for {part.id} as it stands here ({part.signature}); tune it on a run of it."
        )
    return decision.tuned[part.id].rule


def judged(
    name: str, source: str, cases: Sequence[Case], methods: Sequence[RuledMethod], how: JudgingOptions, out: Path | None = None
) -> tuple[RunData | None, int]:
    """Have answers judged, and give the run with the exit code; no run where the work did not come to its end.

    Without a method a run is made only where it is kept or written to `out`: it holds nothing but the answers. One that was
    stopped stays, to be resumed.
    """
    parts = [(m.part, m.method) for m in methods]
    if parts:
        say(f"{len(cases):,} answers of {source}.")
        if not jobs.offered(list(planning.forecast(cases, parts, planning.known_seconds()).values()), yes=how.yes):
            return None, REFUSED
    elif not (out or how.keeps):
        return None, DONE
    run_id = planning.begin(name, source, cases, [m.part for m in methods], limits=how.limits)
    with closing(FOLDER.open(run_id)) as file:
        if parts:
            words = partial(_say_where, run_id, out, how)
            code = jobs.go(RUNNER, file, out, quiet=how.quiet, with_parent=False, words=words, stays=how.keeps)
            if code != NOTHING:
                return (listing.find(run_id), code) if code == DONE else (None, code)
        else:
            code = DONE
            with users_umask():
                _say_where(run_id, out, how, str(export(file, out)) if out else "")
            if how.keeps:
                return None, code
    FOLDER.delete(run_id)
    return None, code


def _say_where(run: str, out: Path | None, how: JudgingOptions, folder: str) -> None:
    places = [f"run {run}"] * how.keeps + [folder] * bool(out)
    if places:
        several = "; name one of the two" if len(places) > 1 else "; name it"
        say(f"These answers are kept as {', in '.join(places)}{several} with --baseline in the next check.")


def forget(*runs: RunData | None) -> None:
    """Delete runs that were made for this check alone."""
    for run in filter(None, runs):
        FOLDER.delete(run.id)


class Baseline(NamedTuple):
    """A run to compare with: its answers, and the questions that they share with the new ones."""

    run: RunData
    cases: list[Case]
    pairs: PairedQuestions


def baseline_of(named: str, read: LoadedDataset) -> Baseline:
    """The run that a user names, and its questions paired with those of a file; raises `DataError` where they are others."""
    run = listing.find(named)
    there = run.read_cases(range(len(run.ids)))
    return Baseline(run, there, pair_questions(read.cases, there, len(read.rejected)))


def judged_again(before: Baseline, methods: Sequence[RuledMethod], how: JudgingOptions) -> tuple[RunData | None, int]:
    """Judge the baseline's answers by those methods that judged them with other parameters, or not at all."""
    left = [m for m in methods if _place(before.run, m) is None]
    if not left:
        return None, DONE
    names = ", ".join(m.part.title for m in left)
    say(f"The baseline was not judged by {names} as {'it stands' if len(left) == 1 else 'they stand'} here: it is judged again.")
    return judged(f"{before.run.name}, judged again", before.run.source, before.cases, left, replace(how, keeps=False))


def _place(run: RunData, ruled: RuledMethod) -> int | None:
    """Where a run has a method with the same parameters."""
    return next((i for i, m in enumerate(run.methods) if m.signature == ruled.part.signature), None)


def share_promises(
    rules: GateRules, cases: Sequence[Case], methods: Sequence[RuledMethod], run: RunData | None, before: Baseline | None,
    again: RunData | None, *, quiet: bool,
) -> tuple[list[SharePromise], tuple[str, ...]]:  # fmt: skip
    """The shares that promises are about, here and in the baseline, and what was looked up."""
    promises = []
    for m in methods:
        then = again if before and _place(before.run, m) is None else before.run if before else None
        sides = [_unsupported(side, m, named=side is run) for side in (run, then)]
        words = f"Sentences that {m.part.title} calls unsupported"
        promises.append(_share(m.part.title, words, "sentences", m.promise, *sides))
    read = (cases, before.cases if before else None) if rules.facts or rules.citations else (None, None)
    checked = [_checked(side, Line(quiet=quiet)) for side in read]
    if rules.facts:
        sides = [None if side is None else facts_share(side, rules.facts) for side in checked]
        kinds = "" if rules.facts.kinds == FACT_KINDS else f" ({', '.join(rules.facts.kinds)})"
        title = f"Sentences with facts that the sources lack{kinds}"
        promises.append(_share("facts", title, "sentences", rules.facts, *sides))
    if rules.citations:
        sides = [None if side is None else citations_share(side, rules.citations) for side in checked]
        promise = _share("citations", "Citations that the sources lack", "citations", rules.citations, *sides)
        promises.append(promise._replace(empty_holds=True))
    return promises, _compared(checked[0] or ()) if rules.facts else ()


def _share(
    name: str, title: str, unit: str, limit: ShareLimit, now: MeasuredShare | None, before: MeasuredShare | None
) -> SharePromise:
    if now is None:
        raise DataError("The answers were not judged; check again.")
    return SharePromise(title, unit, limit, now, before, name=name)


def _compared(answers: Iterable[CheckedAnswer]) -> tuple[str, ...]:
    """What exact checks looked up, with how many answers of each language where there are several."""
    counts = Counter(a.compared for a in answers)
    named = [(f", {plural(count, 'answer')}" if len(counts) > 1 else "", words) for words, count in counts.most_common()]
    return tuple(f"Exact checks{of}: {words}" for of, words in named)


def _unsupported(run: RunData | None, m: RuledMethod, *, named: bool) -> MeasuredShare | None:
    place = None if run is None else _place(run, m)
    return None if run is None or place is None else unsupported_share(run, place, m.rule, m.part.title, named=named)


def _checked(cases: Sequence[Case] | None, line: Line) -> list[CheckedAnswer] | None:
    if cases is None:
        return None
    answers = []
    for number, case in enumerate(cases, 1):
        # A small file takes no time, and a log of a build is better without such lines.
        if number % 100 == 0:
            line.show(f"{number:,} of {len(cases):,} answers checked")
        answers.append(checked_answer(case))
    return answers


def about_answers(
    rules: GateRules, promises: Sequence[SharePromise], read: LoadedDataset, run: RunData | None, data: bytes
) -> list[PromiseOutcome]:
    """The promises about rows, coverage, seconds and money."""
    lost = list(lost_answers(run, read.cases))
    lines = bool(lines_of(read))
    rejected = [(r.row if lines else 0, r.reason if lines else f"Row {r.row}: {r.reason}") for r in read.rejected]
    outcomes = [
        invalid_outcome(lost, rejected, len(read.cases) + len(rejected), rules.invalid.at_most),
        coverage_outcome(promises, lost, read.cases, rules),
    ]
    for limit, of_run, outcome in ((rules.latency, seconds_of, latency_outcome), (rules.cost, dollars_of, cost_outcome)):
        if limit:
            values = _field(read, data, limit.field) if limit.field else of_run(run) if run else np.empty(0)
            outcomes.append(outcome(values, limit))
    return outcomes


def _field(read: LoadedDataset, data: bytes, name: str) -> NDArray[np.float64]:
    """A number of each answer's row; NaN where there is none of 0 or more."""
    rows: Mapping[int, object] = {r.number: r.values.get(name) for r in read_rows(read.name, data) if isinstance(r, Row)}
    return np.array([_number(rows.get(number)) for number in read.numbers], dtype=np.float64)


def _number(value: object) -> float:
    if isinstance(value, str):
        # Cells of a table are texts.
        with suppress(ValueError):
            value = float(value)
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain and isfinite(value) and value >= 0 else float("nan")  # type: ignore[arg-type, operator]


def lines_of(read: LoadedDataset) -> tuple[int, ...]:
    """The lines of the answers, where rows are lines."""
    return read.numbers if Path(read.name).suffix.casefold() in (".jsonl", ".ndjson") else ()
