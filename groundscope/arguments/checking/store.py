"""What people said stands in arguments, in one file of the data folder, a line a check; no text of an argument is in it.

A check counts until the same person checks the same argument again; the older ones stay in the file.
"""

import json
import os
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from groundscope.arguments.types import CASES
from groundscope.errors import StoreError
from groundscope.paths import data_folder
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role

_FILE = "argument_checks.jsonl"


@dataclass(frozen=True, slots=True)
class FactorCheck:
    """What one person says of one argument.

    Attributes:
        sets: keys of the factors that the text says each case has, in the order of `CASES`.
    """

    argument: str
    person: str
    sets: tuple[frozenset[str], ...]
    time: str = ""

    def __post_init__(self) -> None:
        """Refuse sets that are not one a case."""
        if len(self.sets) != len(CASES):
            raise ValueError(f"a check needs {len(CASES)} sets, one a case, got {len(self.sets)}")


def keep_check(check: FactorCheck) -> None:
    """Keep a check; it is on disk when this returns."""
    require(Role.REVIEWER, check.person)
    time = datetime.now(UTC).isoformat(timespec="seconds")
    row = {"argument": check.argument, "person": check.person, "time": time}
    line = json.dumps(row | {case: sorted(s) for case, s in zip(CASES, check.sets, strict=True)}, ensure_ascii=False) + "\n"
    try:
        data_folder().mkdir(parents=True, exist_ok=True)
        with _path().open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(f"The check cannot be saved ({error.strerror}). Check the data folder and its free space.") from error


def kept_checks(arguments: Collection[str]) -> dict[str, dict[str, FactorCheck]]:
    """Read the checks that count."""
    found: dict[str, dict[str, FactorCheck]] = {}
    try:
        lines = _path().read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise StoreError("The file of checks in the data folder cannot be read.") from error
    wanted = frozenset(arguments)
    for line in lines:
        check = _read(line)
        if check is not None and check.argument in wanted:
            found.setdefault(check.person, {})[check.argument] = check
    return found


def _read(line: str) -> FactorCheck | None:
    """A line of the file; None for a line that a crash cut off."""
    try:
        row: Any = json.loads(line)
        sets = tuple(frozenset(map(str, row[case])) for case in CASES)
        return FactorCheck(str(row["argument"]), str(row["person"]), sets, str(row["time"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def _path() -> Path:
    return data_folder() / _FILE
