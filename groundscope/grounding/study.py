"""A study: methods with their models, prompts and parameters over one set of cases, as a file that can be run again.

Its rows are tuned on one split and read once on another, as in Trautmann et al. 2024 (section 6), and stand in one table in the
form of the paper's table 3.
"""

import json
import tomllib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from typing import Any, NamedTuple, TypeVar, get_args

from groundscope.cases.splitting import sampled, with_splits
from groundscope.errors import DataError, GroundscopeError, StoreError
from groundscope.experiments.forecast import CostEstimate
from groundscope.experiments.plan import FAILED, Part, Stored
from groundscope.experiments.store import JobFile
from groundscope.grounding.paper_tables import TABLE_3
from groundscope.grounding.parts import loaded, swept_values, value_of
from groundscope.grounding.result_columns import MISSING, money, seconds, share
from groundscope.grounding.results import RunResults
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.planning import forecast, hash_of, known_seconds
from groundscope.grounding.runs.store import FOLDER, cases_of, judgements, plan_of
from groundscope.grounding.tables import Mark, Marks
from groundscope.grounding.tuning import WAYS, Objective, rejected, tune_all
from groundscope.methods import Method, registry
from groundscope.text.humanize import instead, joined, plural
from groundscope.types import Case

_Row = TypeVar("_Row")
_Read = TypeVar("_Read")
_KEPT = "study"
_LONGEST = 60
_SCORES = ("precision", "recall", "macro_f1", "accuracy")
_HEADS = ("P", "R", "F1", "Acc.")
_NAME_IT = "NAME-THE-MODEL"
_TRAINED = "grounding_classifier"
_KINDS: dict[str, type | tuple[type, ...]] = {
    "name": str, "cases": list, "splits": dict, "tune": str, "test": str, "seed": int, "limit": int, "missed": (int, float),
    "beyond_paper": bool, "calls": int, "dollars": (int, float), "row": list,
    "title": str, "method": str, "model": str, "prompt": str, "set": dict, "sweep": dict,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A row of a study.

    `sweep`: one parameter with its values, `"5..40"` or `"0.1,0.2"`: tuning chooses among them together with the threshold.
    """

    method: str
    title: str = ""
    model: str = ""
    prompt: str = ""
    set: Mapping[str, Any] = field(default_factory=dict, hash=False)
    sweep: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def name(self) -> str:
        """Its part of the run, or what its sweep is called by."""
        return f"{self.method}:{self.title}" if self.title else self.method

    def parts(self) -> list[Part]:
        """The parts of a run that it stands for."""
        options = dict(self.set) | {n: getattr(self, n) for n in ("model", "prompt") if getattr(self, n)}
        if not self.sweep:
            return [Part(self.name, method=self.method if self.title else "", options=options)]
        ((option, values),) = self.sweep.items()
        sweep = f"{self.name}.{option}"
        return [
            Part(f"{self.swept}{v}", method=self.method, options={**options, option: value_of(v)}, sweep=sweep)
            for v in swept_values(str(values))
        ]

    @property
    def swept(self) -> str:
        """How the parts of its sweep begin; empty where it has none."""
        return "".join(f"{self.name}{',' if self.title else ':'}{option}=" for option in self.sweep)


@dataclass(frozen=True, slots=True)
class Study:
    """What a file says; `splits` are shares by name, to cut cases by query that have none.

    Attributes:
        limit: about so many responses of each split, by whole queries; 0 = all.
        missed: the cost of a missed error in false alarms, which tuning then lowers; 0 = it raises macro-F1.
        beyond_paper: also tune what papers fix.
    """

    name: str
    rows: tuple[StudyRow, ...]
    cases: tuple[str, ...] = ()
    splits: Mapping[str, float] = field(default_factory=dict, hash=False)
    tune: str = "dev"
    test: str = "test"
    seed: int = 0
    limit: int = 0
    missed: float = 0.0
    beyond_paper: bool = False
    calls: int | None = None
    dollars: float | None = None

    def parts(self) -> list[tuple[Part, Method]]:
        """The parts of its run, each with its method."""
        return [pair for row in _each(lambda row: list(map(loaded, row.parts())), self.rows) for pair in row]

    def cases_of(self, cases: Sequence[Case]) -> list[Case]:
        """Choose its labelled cases: cut by query where it says so, and of each of its splits about as many as its limit."""
        cut = with_splits(cases, self.splits, self.seed) if self.splits else cases
        splits = (*(["train"] if self.needs_train() else []), self.tune, self.test)
        by_split = {split: [c for c in cut if c.split == split and c.grounded is not None] for split in splits}
        if lacking := [split for split in (self.tune, self.test) if not by_split[split]]:
            cut_them = "write splits = { train = 0.7, dev = 0.1, test = 0.2 } to cut them"
            raise DataError(f"No labelled case is in {' or '.join(lacking)}. Where cases have labels, {cut_them}.")
        return [c for some in by_split.values() for c in (sampled(some, self.limit, self.seed) if self.limit else some)]

    def needs_train(self) -> bool:
        """Whether a method is tuned on train, as its paper has it; then all rows judge that split, too."""
        return self.tune == "dev" and any(registry.find(row.method).about.tuned_on == "train" for row in self.rows)

    def decide(self, run: RunData, at: str) -> tuple[Decision, dict[str, str]]:
        """Tune every row; with a sentence for each that could not be tuned, by id. `at` is an ISO time."""
        objective = Objective(self.missed or None)
        tuned, failed = tune_all(run, objective, WAYS, None if self.tune == "dev" else self.tune, self.beyond_paper)
        about = self.name, at, run.name, run.data_hash, objective, tuned, {m.id: m.signature for m in run.methods}
        return Decision(*about, rejected(run.methods, tuned, objective), WAYS, beyond=self.beyond_paper), failed


def _each(read: Callable[[_Row], _Read], rows: Iterable[_Row]) -> list[_Read]:
    """Read every row of a study; one error names all rows that cannot be read."""
    results, problems = list[_Read](), defaultdict[str, list[str]](list)
    for number, row in enumerate(rows, 1):
        try:
            results.append(read(row))
        except (GroundscopeError, ValueError) as error:
            problems[str(error)].append(str(number))
    if problems:
        raise DataError("\n".join(f"Row{'s'[: len(n) > 1]} {joined(n)} of the study: {error}" for error, n in problems.items()))
    return results


class Earlier(NamedTuple):
    """What runs of studies here hold already: the `run` of these very parts over these cases, if any, and results by part."""

    run: str
    results: Mapping[int, Sequence[Stored]]

    def takes(self, cases: Sequence[Case], parts: Sequence[tuple[Part, Method]]) -> list[CostEstimate]:
        """Estimate what the rest takes: of each part the cases without a result; nothing of a part that has all."""
        takes: list[CostEstimate] = []
        seconds_each = known_seconds()
        for place, part in enumerate(parts):
            there = {s.place.row for s in self.results.get(place, ())}
            if left := [case for row, case in enumerate(cases) if row not in there]:
                takes += forecast(left, [part], seconds_each).values()
        return takes


def earlier(methods: Sequence[Part], cases: Sequence[Case]) -> Earlier:
    """Look for what need not be judged again, case by case, in the newest run first; faults are judged again."""
    same, results = (hash_of(cases), [(m.id, m.signature) for m in methods]), defaultdict[int, dict[int, Stored]](dict)
    rows = {_judged(case): row for row, case in enumerate(cases)}
    for job in FOLDER.files():
        # One that cannot be read has nothing to give.
        with closing(job), suppress(StoreError):
            plan = plan_of(job)
            if not text_of(job):
                continue
            if (plan.data_hash, [(m.id, m.signature) for m in plan.methods]) == same:
                return Earlier(job.id, {})
            places = {m.signature: place for place, m in enumerate(plan.methods)}
            both = [(place, places[m.signature]) for place, m in enumerate(methods) if m.signature in places]
            there = {old: rows.get(_judged(case)) for old, case in enumerate(cases_of(job))} if both else {}
            for place, old in both:
                for stored in judgements(job, old):
                    if stored.status != FAILED and (row := there.get(stored.place.row)) is not None:
                        results[place].setdefault(row, stored._replace(place=stored.place._replace(row=row)))
    return Earlier("", {place: list(of.values()) for place, of in results.items()})


def _judged(case: Case) -> str:
    """What a judgement is of; the split that a case is in changes none."""
    return hash_of([replace(case, split=None)])


def text_of(job: JobFile) -> str:
    """The file of the study that a run is of; empty where it is of none."""
    return str(job.about(_KEPT, "") or "")


def keep_text(job: JobFile, text: str) -> None:
    """Keep the file of a study with its run, in place of an earlier one."""
    job.set_about(_KEPT, text)


def read_study(text: str) -> Study:
    """Read the file of a study."""
    try:
        content = tomllib.loads(text)
    # A number of thousands of digits is a `ValueError` of its own.
    except (ValueError, RecursionError) as error:
        raise DataError(f"The study cannot be read: {error}.") from None
    _check(content, {f.name for f in fields(Study)} - {"rows"} | {"row"}, "The study")
    rows = tuple(_each(_row, content.pop("row", [])))
    names = [row.name for row in rows]
    if twice := next((n for n in names if names.count(n) > 1), ""):
        raise DataError(f"Two rows of the study are {twice}; give each a title of its own.")
    if not rows:
        raise DataError("The study has no row; write [[row]] and method = NAME below it for each.")
    content["cases"] = tuple(map(str, content.get("cases", ())))
    study = Study(**{"name": "Study", **content}, rows=rows)
    if study.tune == study.test:
        raise DataError(f"The study tunes on {study.tune} and reads it, too; name two splits.")
    if not 0 <= study.missed < float("inf"):
        raise DataError("missed is the cost of a missed error in false alarms: write a number above 0, or leave it out.")
    numbers = (study.limit, study.calls or 0, study.dollars or 0, *study.splits.values())
    if not all(isinstance(n, float | int) and n >= 0 for n in numbers):
        raise DataError("limit, calls, dollars and the shares of splits are numbers of 0 or more.")
    return study


def _row(row: Any) -> StudyRow:
    if not isinstance(row, dict):
        raise DataError("no table is there; write [[row]] above.")
    _check(row, {f.name for f in fields(StudyRow)}, "it")
    if "method" not in row:
        raise DataError("no method is named.")
    if _NAME_IT in row["method"] + row.get("model", ""):
        raise DataError("no model is named yet; name one, such as anthropic:NAME or server:NAME@ADDRESS.")
    _known(row["method"], registry.names(), "there is no method")
    if len(sweep := row.get("sweep", {})) > 1 or len(row.get("title", "")) > _LONGEST:
        raise DataError(f"it sweeps at most one parameter, and its title has at most {_LONGEST} characters.")
    if not all(swept_values(str(values)) for values in sweep.values()):
        raise DataError("its sweep has no value; write some, such as 9,15,21 or 5..40.")
    options = {*row.get("set", {}), *sweep, *({"model", "prompt"} & row.keys())}
    for option in sorted(options):
        _known(option, registry.parameters(row["method"]), f"{row['method']} has no parameter")
    return StudyRow(**row)


def _check(content: Mapping[str, Any], allowed: Collection[str], where: str) -> None:
    for key, value in content.items():
        _known(key, allowed, f"{where} has a word that means nothing:")
        if not isinstance(value, _KINDS[key]) or (isinstance(value, bool) and _KINDS[key] is not bool):
            raise DataError(f"{where}: {key} is {value!r}, which is of another kind than it takes.")


def _known(word: str, allowed: Collection[str], problem: str) -> None:
    if word not in allowed:
        raise DataError(f"{problem} {word!r}; {instead(word, allowed)}.")


def study_of(name: str, parts: Sequence[Part], **rest: Any) -> Study:
    """Make a study of the parts of a run; the values of a sweep are one row. `rest` are fields of `Study`."""
    rows: list[StudyRow] = []
    # Sweeps last: each bears the name of what it varies, which a row may have already.
    for (sweep, part), group in groupby(sorted(parts, key=lambda p: p.sweep), lambda p: (p.sweep, "" if p.sweep else p.id)):
        first, *others = group
        bears, _, option = sweep.rpartition(".")
        title = (bears or part).removeprefix(first.loads).removeprefix(":")[:_LONGEST]
        options = {n: v for n, v in first.options.items() if n != option and v is not None}
        texts = {n: str(options.pop(n)) for n in ("model", "prompt") if n in options}
        row = StudyRow(first.loads, title, **texts, set=options, sweep={option: ""} if sweep else {})
        if sweep:
            values = {option: ",".join(p.id.removeprefix(row.swept) for p in (first, *others))}
            twice = any(r.name == row.name for r in rows)
            row = replace(row, sweep=values, title=f"{title} {option} varied".strip() if twice else title)
        rows.append(row)
    return Study(name, tuple(rows), **rest)


def study_text(study: Study) -> str:
    """Write a study as `read_study` reads it, without what is so by default."""
    rows = (["", "[[row]]", *_lines(row)] for row in study.rows)
    return "\n".join([*_lines(study), *(line for row in rows for line in row), ""])


def _lines(entry: Study | StudyRow) -> list[str]:
    values = ((f, getattr(entry, f.name)) for f in fields(entry) if f.name != "rows")
    return [f"{f.name} = {_toml(v)}" for f, v in values if v not in (None, "", (), {}) and v != f.default]


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return (
            f"{{ {', '.join(f'{n if n.isidentifier() and n.isascii() else _toml(n)} = {_toml(v)}' for n, v in value.items())} }}"
        )
    # Texts, numbers, booleans and lists of them are written as in JSON, but for one sign that TOML takes only escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def preset() -> str:
    """Write the study of the paper's table 3: its rows, each with the model that you name, tuned on dev and read on test."""
    lines = ['name = "Table 3"', "cases = []  # files of cases with labels; empty: the sample set", "seed = 0", ""]
    for row in TABLE_3:
        if row.method == _TRAINED:
            # The paper's weights were not published, and no other model is called by their name.
            lines += ["# A classifier of your own, by its name: see docs/how-to/train.md", "[[row]]", f'title = "{row.name}"']
            lines += [f'method = "{_TRAINED}:{_NAME_IT}"', ""]
            continue
        variant = next(m for m in registry.names() if m.partition(":")[0] == row.method)
        model = _NAME_IT if "model" in registry.parameters(variant) else ""
        # The paper gave all models the message of Lynx (section 5.3).
        prompt = "lynx" if row.method == "direct" else ""
        lines += ["[[row]]", *_lines(StudyRow(variant, row.name, model, prompt, sweep=registry.grids(variant)))]
        lines.append("")
    return "\n".join(lines)


def table(study: Study, dev: RunResults, test: RunResults) -> tuple[list[list[str]], Marks]:
    """Lay out the paper's table: a row a method in the order of the study, dev beside test.

    Of a sweep the part that tuning chose stands there. Marked are the best and the second best figure of a column, by the digits
    that are shown.
    """
    ordered = [(row, m) for row in study.rows for m in test.methods if _belongs(m.id, row)]
    on_dev = {m.id: m for m in dev.methods}
    heads = ["Method", *(f"{split} {head}" for split in (study.tune, study.test) for head in _HEADS)]
    heads += ["Grounded if", f"n {study.tune}", f"n {study.test}", f"$ a response, {study.test}", f"s a response, {study.test}"]
    cells = [heads]
    for row, method in ordered:
        figures = [share(getattr(m.scores, name)) for m in (on_dev[method.id], method) for name in _SCORES]
        counts = [f"{on_dev[method.id].responses:,}", f"{method.responses:,}"]
        effort = [money(method.cost) if method.part.asks else MISSING, seconds(method.latency.mean)]
        chosen = "".join(f", {option}={method.id.removeprefix(row.swept)}" for option in row.sweep)
        cells.append([row.title or method.title, *figures, f"{method.rule or MISSING}{chosen}", *counts, *effort])
    marks: dict[tuple[int, int], Mark] = {}
    for column in range(1, 1 + 2 * len(_SCORES)):
        printed = [row[column] for row in cells[1:]]
        ranked = sorted({p for p in printed if p != MISSING}, reverse=True)
        for figure, mark in zip(ranked, get_args(Mark), strict=False):
            marks |= {(r, column): mark for r, p in enumerate(printed, 1) if p == figure}
    return cells, marks


def title_of(study: Study, part: str) -> str:
    """Find what the table calls a part of the run; empty = as the method is called."""
    return next((row.title for row in study.rows if _belongs(part, row)), "")


def _belongs(part: str, row: StudyRow) -> bool:
    return part.startswith(row.swept) if row.sweep else part == row.name


def about(study: Study, dev: RunResults, test: RunResults) -> str:
    """Say under the table what it is of."""
    read = (dev, study.tune), (test, study.test)
    sides = (f"{r.responses:,} responses to {plural(r.queries, 'query', 'queries')} of {split}" for r, split in read)
    beyond = " What papers fix was tuned, too." if study.beyond_paper else ""
    theirs = " (SelfCheckGPT's on train)" if study.needs_train() else ""
    return (
        f"{study.name}: {' and '.join(sides)}. Rules were tuned on {study.tune}{theirs} and read on "
        f"{study.test}.{beyond} Precision, recall and F1 are macro averages; bold is the best, underlined the second best."
    )
