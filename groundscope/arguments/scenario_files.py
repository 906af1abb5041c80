"""Scenarios as JSONL, one a line, which anybody can read: factors as they are written in prompts.

Read back, numbers alone (4 or "F4") do as well; what is written beside a number must fit the catalogue.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from groundscope.arguments.catalogue import normal, side_of
from groundscope.arguments.scenarios import broken
from groundscope.arguments.types import Catalogue, Precedent, Scenario, Test
from groundscope.errors import DataError
from groundscope.files.fields import clean, items, optional, whole
from groundscope.files.rows import Rejected, read_rows

_FACTOR = re.compile(r"[Ff]?(\d{1,4})(?:\s+(.{1,200}?))?(?:\s*\(([PDpd])\))?")
_LONGEST_ID = 120
_MOST_COMPLEX = 10_000


class Read(NamedTuple):
    """Scenarios of a file, and the rows that could not be used."""

    scenarios: tuple[Scenario, ...]
    rejected: tuple[Rejected, ...]


def to_row(scenario: Scenario, catalogue: Catalogue) -> dict[str, Any]:
    """Write a scenario as a JSON object."""

    def written(numbers: Sequence[int]) -> list[str]:
        return [catalogue.by_number[n].written for n in numbers]

    precedents = {
        name: {"factors": written(case.factors), "winner": case.winner.value}
        for name, case in (("tsc1", scenario.tsc1), ("tsc2", scenario.tsc2))
    }
    about = {"catalogue": catalogue.name, "complexity": scenario.complexity or None, "draw": scenario.draw}
    return {"id": scenario.id, "test": scenario.test.value, "current": written(scenario.current), **precedents, **about}


def to_jsonl(scenarios: Sequence[Scenario], catalogue: Catalogue) -> str:
    """Write scenarios as JSONL."""
    return "".join(json.dumps(to_row(s, catalogue), ensure_ascii=False) + "\n" for s in scenarios)


def read_scenarios(name: str, data: bytes, catalogue: Catalogue) -> Read:
    """Read scenarios of a catalogue."""
    scenarios: dict[str, Scenario] = {}
    rejected: list[Rejected] = []
    for row in read_rows(name, data):
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        try:
            scenario = from_row(row.values, catalogue)
            if scenario.id in scenarios:
                raise ValueError("Its id is that of an earlier row.")
            scenarios[scenario.id] = scenario
        except ValueError as error:
            rejected.append(Rejected(name, row.number, str(error)))
    if not scenarios:
        raise DataError(f"{name}, row {rejected[0].row}: {rejected[0].reason}" if rejected else f"{name} holds no row.")
    return Read(tuple(scenarios.values()), tuple(rejected))


def from_row(row: dict[str, Any], catalogue: Catalogue) -> Scenario:
    """Read one scenario."""
    id_, draw = optional(row, "id"), optional(row, "draw")
    if id_ is None or not id_.strip() or len(id_) > _LONGEST_ID:
        raise ValueError(f"'id' is missing, or longer than {_LONGEST_ID} characters.")
    kind = optional(row, "test")
    if kind not in set(Test):
        raise ValueError(f"'test' must be one of {', '.join(Test)}.")
    complexity = 0 if row.get("complexity") is None else row["complexity"]
    if not whole(complexity) or not 0 <= complexity <= _MOST_COMPLEX:
        raise ValueError(f"'complexity' must be a whole number from 0 to {_MOST_COMPLEX:,}.")
    first, second = (_precedent(row.get(name), name, catalogue) for name in ("tsc1", "tsc2"))
    current = _numbers(row, "current", catalogue)
    scenario = Scenario(" ".join(id_.split()), Test(kind), current, first, second, complexity, draw or id_)
    if why := broken(scenario, catalogue):
        raise ValueError(why)
    return scenario


def _precedent(value: object, name: str, catalogue: Catalogue) -> Precedent:
    if not isinstance(value, dict):
        raise ValueError(f"'{name}' must be an object with factors and winner.")
    winner = side_of(value.get("winner"))
    if winner is None:
        raise ValueError(f"'winner' of '{name}' must be P or D (plaintiff or defendant).")
    return Precedent(_numbers(value, "factors", catalogue, name), winner)


def _numbers(row: dict[str, Any], field: str, catalogue: Catalogue, owner: str = "") -> tuple[int, ...]:
    where = f"'{field}' of '{owner}'" if owner else f"'{field}'"
    numbers = []
    for value in items(row, field):
        text = str(value).strip() if isinstance(value, str) or whole(value) else ""
        read = _FACTOR.fullmatch(clean(text))
        factor = catalogue.by_number.get(int(read[1])) if read else None
        if read is None or factor is None:
            raise ValueError(f"An entry of {where} is no factor of the catalogue {catalogue.name}.")
        if (read[2] and normal(read[2]) != normal(factor.name)) or (read[3] and read[3].upper() != factor.side.value):
            raise ValueError(f"{factor.key} in {where} has another name or side than in the catalogue {catalogue.name}.")
        numbers.append(factor.number)
    return tuple(sorted(numbers))
