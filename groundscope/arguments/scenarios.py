"""Scenarios: seeded triples for three tests, drawn again if a draw does not meet its conditions (Zhang et al. 2025), in files.

Arguable: each side has a precedent that it won and that shares at least one factor with the current case that favours it.
Reordered: an arguable triple with TSC1 and TSC2 and their outcomes swapped. Non-arguable: no precedent shares any factor.

Where the paper leaves a choice: a reordered triple is the arguable one of the same number, so that what the order does is seen
on the same cases, and both are resampled together; precedents are filled up from all factors they lack, also those of the
current case; a size that would leave a side without a factor is drawn again with the whole triple.

Files are JSONL, one a line, which anybody can read: factors as they are written in prompts. Read back, numbers alone (4 or "F4")
do as well; what is written beside a number must fit the catalogue.
"""

import json
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from groundscope.arguments.catalogue import normal, side_of
from groundscope.arguments.types import Catalogue, Precedent, Scenario, Side, Test
from groundscope.errors import DataError
from groundscope.files.fields import clean, items, optional, whole
from groundscope.files.rows import Rejected, read_rows

MOST_SHARED = 3
"""Factors that are taken at once from the current case."""
FURTHER = 0.7
"""How likely a precedent takes further factors of the current case."""
MOST = 1_000
"""Scenarios a test and complexity."""
_TRIES = 10_000


def least_and_most(catalogue: Catalogue) -> tuple[int, int]:
    """Find the complexities that a catalogue allows: two cases may have to be disjoint."""
    return 2, max(2, (len(catalogue.factors) - 2) // 2)


def make(catalogue: Catalogue, test: Test, count: int, complexity: int = 5, seed: int = 0) -> list[Scenario]:
    """Make scenarios; the same arguments give the same ones, and a larger count begins with those of a smaller one."""
    low, high = least_and_most(catalogue)
    if not 1 <= count <= MOST:
        raise ValueError(f"The number of scenarios must be from 1 to {MOST:,}, got {count!r}.")
    if not low <= complexity <= high:
        raise ValueError(f"Complexity must be from {low} to {high} with {len(catalogue.factors)} factors, got {complexity!r}.")
    # The largest cases: non-arguable ones have no factor in common.
    needed = (complexity + 1) * (2 if test is Test.NON_ARGUABLE else 1)
    if len(catalogue.factors) < needed:
        raise DataError(
            f"{test.value.capitalize()} triples of complexity {complexity} need at least {needed} factors, and {catalogue.name} "
            f"has {len(catalogue.factors)}; add factors to it."
        )
    return [_scenario(catalogue, test, i, complexity, seed) for i in range(1, count + 1)]


def make_all(
    catalogue: Catalogue, tests: Sequence[Test], count: int, complexities: Sequence[int], seed: int = 0
) -> list[Scenario]:
    """Make scenarios for every test and complexity."""
    return [s for test in tests for k in complexities for s in make(catalogue, test, count, k, seed)]


def _scenario(catalogue: Catalogue, test: Test, number: int, complexity: int, seed: int) -> Scenario:
    name = f"k{complexity}-s{seed}-{number:03d}"
    draw = name if test is not Test.NON_ARGUABLE else f"non-arguable-{name}"
    # A text seeds the same in every version of Python; a tuple does not.
    rng = Random(draw)  # noqa: S311 - no secret
    for _ in range(_TRIES):
        drawn = _apart(catalogue, complexity, rng) if test is Test.NON_ARGUABLE else _joined(catalogue, complexity, rng)
        if drawn is None:
            continue
        first, second = drawn[1:] if test is not Test.REORDERED else drawn[:0:-1]
        won = (Side.DEFENDANT, Side.PLAINTIFF) if test is Test.REORDERED else (Side.PLAINTIFF, Side.DEFENDANT)
        scenario = Scenario(
            f"{test.value}-{name}", test, drawn[0], Precedent(first, won[0]), Precedent(second, won[1]), complexity, draw
        )
        if not broken(scenario, catalogue):
            return scenario
    raise DataError(
        f"This catalogue cannot produce {test.value} scenarios of complexity {complexity}; it needs more factors on each side."
    )


def _size(complexity: int, rng: Random) -> int:
    return rng.randint(complexity - 1, complexity + 1)


def _joined(catalogue: Catalogue, complexity: int, rng: Random) -> tuple[tuple[int, ...], ...] | None:
    """A current case and the precedents of plaintiff and defendant; None where a side has nothing to share."""
    everything = catalogue.numbers()
    current = rng.sample(everything, _size(complexity, rng))
    cases = [tuple(sorted(current))]
    for side in (Side.PLAINTIFF, Side.DEFENDANT):
        size = _size(complexity, rng)
        favouring = [n for n in current if catalogue.by_number[n].side is side]
        if not favouring:
            return None
        taken = rng.sample(favouring, rng.randint(1, min(MOST_SHARED, len(favouring), size)))
        rest = [n for n in current if n not in taken]
        further = min(MOST_SHARED, len(rest), size - len(taken))
        if further and rng.random() < FURTHER:
            taken += rng.sample(rest, rng.randint(1, further))
        others = [n for n in everything if n not in taken]
        cases.append(tuple(sorted(taken + rng.sample(others, size - len(taken)))))
    return tuple(cases)


def _apart(catalogue: Catalogue, complexity: int, rng: Random) -> tuple[tuple[int, ...], ...]:
    everything = catalogue.numbers()
    current = rng.sample(everything, _size(complexity, rng))
    outside = [n for n in everything if n not in current]
    precedents = (rng.sample(outside, _size(complexity, rng)) for _ in range(2))
    return tuple(tuple(sorted(case)) for case in (current, *precedents))


def broken(scenario: Scenario, catalogue: Catalogue) -> str:
    """Say in a sentence which promise of its test a scenario does not keep, the first one; empty where it keeps all."""
    return next(_problems(scenario, catalogue), "")


def _problems(scenario: Scenario, catalogue: Catalogue) -> Iterator[str]:
    for title, numbers in zip(("The current case", "TSC1", "TSC2"), scenario.cases, strict=True):
        if not numbers:
            yield f"{title} has no factor."
        if len(set(numbers)) < len(numbers):
            yield f"{title} names a factor twice."
        if not set(numbers) <= set(catalogue.by_number):
            yield f"{title} has a factor that is not in the catalogue {catalogue.name}."
    winners = (Side.DEFENDANT, Side.PLAINTIFF) if scenario.test is Test.REORDERED else (Side.PLAINTIFF, Side.DEFENDANT)
    if (scenario.tsc1.winner, scenario.tsc2.winner) != winners:
        kind = f"{'an' if scenario.test is Test.ARGUABLE else 'a'} {scenario.test.value}"
        yield f"In {kind} scenario TSC1 is won by the {winners[0].party} and TSC2 by the {winners[1].party}."
        return
    for name, winner in (("tsc1", scenario.tsc1.winner), ("tsc2", scenario.tsc2.winner)):
        shared = scenario.shared(name)
        if scenario.test is Test.NON_ARGUABLE:
            if shared:
                yield f"{name.upper()} shares a factor with the current case, so the scenario is not non-arguable."
        elif not any(catalogue.by_number[n].side is winner for n in shared if n in catalogue.by_number):
            yield (
                f"{name.upper()} shares no factor with the current case that favours the {winner.party}, so the scenario is not "
                f"{scenario.test.value}."
            )


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
