"""Files of reference and generated analyses -> rows to score, with every rejected row named."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from groundscope.errors import DataError
from groundscope.files.fields import clean, optional
from groundscope.files.rows import Rejected, Row, read_rows

_REFERENCE = ("reference", "gold", "reference_analysis", "target")
_GENERATED = ("generated", "response", "answer", "prediction", "generated_analysis")
_RATING = ("rating", "human_rating", "human")
MAX_CHARACTERS = 1_500_000
"""Of one text."""
MAX_ROWS = 2_000


class AnalysisEntry(NamedTuple):
    """One generated text beside its reference, whose `id` several systems may share; `rating` by a human, higher = better."""

    id: str
    system: str
    reference: str
    generated: str
    rating: float | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What was read from a file: good rows, one of id and system each, and the others with the reason."""

    name: str
    entries: tuple[AnalysisEntry, ...]
    rejected: tuple[Rejected, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """In the order of their first rows."""
        return tuple(dict.fromkeys(e.system for e in self.entries))

    @property
    def ids(self) -> tuple[str, ...]:
        """In the order of their first rows."""
        return tuple(dict.fromkeys(e.id for e in self.entries))


def read_batch(name: str, data: bytes, *, claims: bool = False) -> Batch:
    """Read rows with `reference` and `generated`, and optionally `id`, `system` and `rating`.

    Rows of `claims` are pairs of claims: an id names what is drawn together, so pairs may share it.
    """
    entries: list[AnalysisEntry] = []
    rejected: list[Rejected] = []
    seen: set[tuple[str, str]] = set()
    ids: dict[str, str] = {}
    references: dict[str, tuple[str, int]] = {}
    for row in read_rows(name, data, max_rows=MAX_ROWS):
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        try:
            entry = _entry(row, ids)
            same, number = references.get(entry.id, (entry.reference, row.number))
            if not claims and same.split() != entry.reference.split():
                raise ValueError(f"Row {number} has the same id and another reference; give each reference its own id.")
            if not claims and (entry.id, entry.system) in seen:
                raise ValueError("This id and system are already in the file.")
        except ValueError as error:
            rejected.append(Rejected(name, row.number, str(error)))
            continue
        seen.add((entry.id, entry.system))
        references.setdefault(entry.id, (entry.reference, row.number))
        entries.append(entry)
    if not entries:
        reason = f"Row {rejected[0].row}: {rejected[0].reason}" if rejected else "It has no rows."
        raise DataError(f"No row can be used. {reason} Each needs the texts `reference` and `generated`.")
    return Batch(name, tuple(entries), tuple(rejected))


def with_answer(batch: Batch, reference: str, generated: str, system: str = "") -> Batch:
    """Add another system's text to a batch with a single reference."""
    first = batch.entries[0]
    if reference.strip() and clean(reference).split() != first.reference.split():
        raise DataError("This reference differs from the one you pasted first. Leave it empty, or start a new comparison.")
    name = system.strip() or f"System {len(batch.entries) + 1}"
    if name in batch.systems:
        raise DataError("This system already has a text; give this one another name.")
    row = Row(len(batch.entries) + 1, {"id": first.id, "system": name, "reference": first.reference, "generated": generated})
    try:
        entry = _entry(row, {})
    except ValueError as error:
        raise DataError(str(error)) from None
    return Batch(batch.name, (*batch.entries, entry), batch.rejected)


def _entry(row: Row, ids: dict[str, str]) -> AnalysisEntry:
    values = row.values
    reference, generated = _text(values, _REFERENCE), _text(values, _GENERATED)
    # Rows without an id that share a reference are answers to one.
    id_ = optional(values, "id") or ids.setdefault(reference, f"row {row.number}")
    return AnalysisEntry(
        id_, optional(values, "system") or optional(values, "model") or "system", reference, generated, _rating(values)
    )


def _text(values: dict[str, Any], names: Sequence[str]) -> str:
    for name in names:
        value = values.get(name)
        if isinstance(value, str):
            if len(value) > MAX_CHARACTERS:
                raise ValueError(f"'{name}' has {len(value):,} characters; a text may have {MAX_CHARACTERS:,}.")
            return clean(value)
        if value is not None:
            raise ValueError(f"'{name}' must be text.")
    raise ValueError(f"'{names[0]}' is missing.")


def _rating(values: dict[str, Any]) -> float | None:
    for name in _RATING:
        value = values.get(name)
        if value is None or value == "":
            continue
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if isinstance(value, bool) or not isfinite(number):
            raise ValueError(f"'{name}' must be a number.")
        return number
    return None
