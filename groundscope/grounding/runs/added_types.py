"""Error types added to a finished run: matched to its cases by their texts, and stored beside the judgements.

Types are labels for people: no support, no label grounded or not, no signature and no hash of a run depends on them. They lie in
the run's own file and, where the run is written to a folder, in `types.json` beside the tables that never change.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from groundscope.cases.error_types import TITLES
from groundscope.cases.error_typing import Typed
from groundscope.cases.own_format import typed_errors
from groundscope.errors import DataError
from groundscope.files.fields import clean
from groundscope.grounding.runs.arrays import TYPES, AddedTypes, RunData
from groundscope.paths import replace_text
from groundscope.storage.sqlite import now
from groundscope.text.humanize import plural
from groundscope.types import Case, ErrorType

FILE = "types.json"
"""Beside the tables of a run's folder."""
_FORMAT, _VERSION = "groundscope-types", 1

Kinds = tuple[tuple[ErrorType, str], ...]
"""(type, why) of a response, the reason empty where there is none."""


@dataclass(frozen=True, slots=True)
class MatchedTypes:
    """Error types of other cases, matched to a run's responses."""

    types: Mapping[str, Kinds]
    problems: tuple[str, ...]
    already: int

    def named(self, source: str) -> AddedTypes:
        """Say where the types come from, and that they are added now."""
        return AddedTypes(" ".join(clean(source).split()), now(), self.types)


def added_by_models(run: RunData, typed: Iterable[Typed], source: str) -> AddedTypes:
    """Make types that are added now of what two models chose; a response that got types meanwhile keeps those alone."""
    untyped = {str(name) for name in run.ids[~run.types.any(axis=1)]}
    chosen = [t for t in typed if t.kept and t.case_id in untyped]
    kinds = {t.case_id: tuple((kind, "") for kind in TYPES if kind in t.kept) for t in chosen}
    return AddedTypes(" ".join(clean(source).split()), now(), kinds)


def without_types(run: RunData) -> int:
    """Count the ungrounded responses of a run that have no error type."""
    return int(((run.gold == 0) & ~run.types.any(axis=1)).sum())


def matched(run: RunData, cases: Sequence[Case], source: str) -> MatchedTypes:
    """Match typed cases to a run's responses: same question, sources and answer; of several, the one with the same id."""
    typed = [c for c in cases if c.types]
    if not typed:
        raise DataError(f"{source} has no error types; let two models choose some: `error-types`, or the Errors page.")
    rows: dict[str, list[int]] = {}
    for at, judged in enumerate(run.read_cases(range(len(run.ids)))):
        rows.setdefault(_texts(judged), []).append(at)
    kinds_by_row: dict[int, Kinds] = {}
    problems: list[str] = []
    twice: set[int] = set()
    strangers = 0
    for case in typed:
        same = rows.get(_texts(case), [])
        strangers += not same
        # Of the rows with the same texts the one with this id, else the first.
        row = next((i for i in same if run.ids[i] == case.id), next(iter(same), None))
        if row is None or run.gold[row] != 0:
            problems.append(f"Case {case.id}: {_why_not(run, row)}")
        elif _kinds(kinds_by_row.setdefault(row, case.typed)) != _kinds(case.typed):
            twice.add(row)
    if strangers == len(typed):
        raise DataError(f"{source} belongs to another set: this run has none of its {plural(strangers, 'typed case')}.")
    problems += [f"Case {run.ids[row]}: {source} gives it two different sets of types; keep one." for row in sorted(twice)]
    return _new(run, {row: kinds for row, kinds in kinds_by_row.items() if row not in twice}, problems)


def _why_not(run: RunData, row: int | None) -> str:
    if row is None:
        return "the run has no response with this question, these sources and this answer."
    label = "labels it grounded" if run.gold[row] == 1 else "has no label for it"
    return f"the run {label}, and error types belong to ungrounded responses."


def _new(run: RunData, kinds_by_row: Mapping[int, Kinds], problems: list[str]) -> MatchedTypes:
    """Leave out types that the run has already, or that contradict its own."""
    types: dict[str, Kinds] = {}
    already = 0
    for row, kinds in sorted(kinds_by_row.items()):
        there = {TYPES[i] for i in np.flatnonzero(run.types[row])}
        if not there:
            types[run.ids[row]] = kinds
        elif there == _kinds(kinds):
            already += 1
        else:
            titles = ", ".join(TITLES[kind].lower() for kind in TYPES if kind in there)
            problems.append(f"Case {run.ids[row]}: it already has other types in the run ({titles}); these are kept.")
    return MatchedTypes(types, tuple(problems), already)


def _kinds(kinds: Kinds) -> set[ErrorType]:
    return {kind for kind, _ in kinds}


def _texts(case: Case) -> str:
    """A hash of what a method reads of a case."""
    texts = [case.query, case.response, *(p.text for p in case.context)]
    return blake2b(json.dumps([clean(t) for t in texts]).encode(), digest_size=16).hexdigest()


def with_added(run: RunData, added: Sequence[AddedTypes]) -> RunData:
    """Apply added types to a run, in its array of types and in each of its cases."""
    if not added:
        return run
    rows = {name: row for row, name in enumerate(run.ids)}
    whole: dict[str, Kinds] = {name: kinds for entry in added for name, kinds in entry.types.items()}
    types = run.types.copy()
    for name, kinds in whole.items():
        if name not in rows or run.gold[rows[name]] != 0:
            raise DataError(f"The added error types are not of this run (case {name[:80]}); delete {FILE} beside it.")
        for kind, _ in kinds:
            types[rows[name], TYPES.index(kind)] = max(1, types[rows[name], TYPES.index(kind)])
    read = run.read_cases

    def read_cases(places: Sequence[int]) -> list[Case]:
        return [_typed(case, whole.get(case.id, ())) for case in read(places)]

    return replace(run, types=types, read_cases=read_cases, added=tuple(added))


def _typed(case: Case, kinds: Kinds) -> Case:
    if not kinds:
        return case
    reasons = tuple((kind, why) for kind, why in kinds if why)
    return replace(case, error_types=tuple(kind for kind, _ in kinds), reasons=reasons)


def added_words(added: Iterable[AddedTypes]) -> str:
    """Say where added types come from."""
    each = [f"{plural(len(one.types), 'response')} from {one.source} ({one.added[:10]})" for one in added]
    return f"Error types were added to this run after it was judged: {', '.join(each)}." if each else ""


def added_to_json(added: Iterable[AddedTypes]) -> list[dict[str, Any]]:
    """Write added types as JSON can hold them."""
    return [
        {
            "source": entry.source,
            "added": entry.added,
            "types": {name: [{"type": kind.value, "why": why} for kind, why in kinds] for name, kinds in entry.types.items()},
        }
        for entry in added
    ]


def added_from_json(content: Any) -> tuple[AddedTypes, ...]:
    """Read what `added_to_json` wrote."""
    return tuple(
        AddedTypes(
            str(entry["source"]), str(entry["added"]), {str(name): typed_errors(kinds) for name, kinds in entry["types"].items()}
        )
        for entry in content
    )


def write(folder: Path, data_hash: str, added: Sequence[AddedTypes]) -> None:
    """Write added types beside the tables of a run, completely or not at all; without any, delete the file."""
    path = folder / FILE
    if not added:
        path.unlink(missing_ok=True)
        return
    content = {"format": _FORMAT, "version": _VERSION, "data_hash": data_hash, "added": added_to_json(added)}
    replace_text(path, json.dumps(content, indent=1) + "\n")


def read(folder: Path, data_hash: str) -> tuple[AddedTypes, ...]:
    """Read the types that lie beside the tables of a run."""
    path = folder / FILE
    if not path.exists():
        return ()
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["format"] != _FORMAT or content["version"] != _VERSION:
            raise ValueError("format")
        if content["data_hash"] != data_hash:
            raise DataError(f"{path} has error types of another run; delete this file.")
        return added_from_json(content["added"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"The added error types in {path} cannot be read ({type(error).__name__}); delete this file.") from None
