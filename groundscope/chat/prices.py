"""Prices of chat models, from a table that users can edit: `prices.csv` in the data folder replaces the one that ships.

The table has the date on which each price was read. A model that is not in it has no known price, which is never counted as 0.
A model on this machine or in the local network costs nothing.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from groundscope.chat.messages import Usage
from groundscope.errors import DataError
from groundscope.paths import data_folder, replace_text

_SNAPSHOT = re.compile(r"[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")
_LONGEST_NUMBER = 12
_LONGEST_FIELD = 10_000
SHIPPED = Path(__file__).with_name("prices.csv")


@dataclass(frozen=True, slots=True)
class Price:
    """A model's price in US dollars per million tokens; it applies to prompts of more than `above` tokens, cached ones included.

    The model is named as its provider writes it, without the date of a snapshot; `date` is when the price was read, ISO 8601.
    """

    model: str
    above: int
    input: float
    output: float
    cache_read: float
    cache_write: float
    date: str = ""
    source: str = ""

    def of(self, usage: Usage) -> float:
        """Compute the cost of tokens; each count has its own price."""
        names = ("input", "output", "cache_read", "cache_write")
        total: float = sum(getattr(usage, name) * getattr(self, name) for name in names)
        return total / 1e6


def own_table() -> Path:
    """Locate the user's own table."""
    return data_folder() / "prices.csv"


def prices() -> tuple[Price, ...]:
    """Read the user's table if there is one, else the one that ships; `DataError` names the file, and the line that is wrong."""
    path = own_table()
    if not path.exists():
        return shipped()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise DataError(f"{path.name}: it cannot be read as text in UTF-8; save it so, or delete it.") from None
    return read(text, path.name)


def shipped() -> tuple[Price, ...]:
    """Read the table that ships."""
    return read(SHIPPED.read_text(encoding="utf-8"), SHIPPED.name)


def price_of(model: str, prompt_tokens: int = 0) -> Price | None:
    """Find a model's price."""
    name = _SNAPSHOT.sub("", model.lower())
    matching = [p for p in prices() if p.model.lower() in (name, model.lower()) and (p.above == 0 or prompt_tokens > p.above)]
    return max(matching, key=lambda p: (len(p.model), p.above), default=None)


def read(text: str, name: str) -> tuple[Price, ...]:
    """Parse a table of prices."""
    rows = csv.DictReader(io.StringIO(text))
    columns = [f.name for f in fields(Price)]
    try:
        if list(rows.fieldnames or ()) != columns:
            raise DataError(f"{name}: the first line must be {','.join(columns)}.")
        return tuple(_price(row, f"{name}, line {rows.line_num}") for row in rows)
    except csv.Error:
        raise DataError(f"{name}, line {rows.reader.line_num}: this is not a line of a CSV table.") from None


def _price(row: dict[Any, Any], where: str) -> Price:
    if any(isinstance(v, str) and len(v) > _LONGEST_FIELD for v in row.values()):
        # The csv module's own limit is global, and readers of large tables raise it.
        raise DataError(f"{where}: this is not a line of a CSV table.")
    if None in row or None in row.values():
        # A decimal comma shifts every price after it.
        raise DataError(f"{where}: it must have {len(fields(Price))} fields; write numbers with a decimal point.")
    numbers = {}
    for field in ("input", "output", "cache_read", "cache_write"):
        try:
            numbers[field] = float(row[field])
        except ValueError:
            raise DataError(f"{where}: {field} is not a number.") from None
        if not math.isfinite(numbers[field]) or numbers[field] < 0:
            raise DataError(f"{where}: {field} must be a price of 0 or more.")
    model, above = row["model"].strip(), row["above"].strip() or "0"
    if not model:
        raise DataError(f"{where}: the model's name is missing.")
    if not (above.isascii() and above.isdigit() and len(above) <= _LONGEST_NUMBER):
        raise DataError(f"{where}: above must be a number of tokens.")
    return Price(model, int(above), date=row["date"], source=row["source"], **numbers)


def keep(table: Iterable[Price]) -> None:
    """Save a table as the user's own."""
    path, text = own_table(), written(tuple(table))
    read(text, path.name)
    replace_text(path, text)


def restore() -> None:
    """Delete the user's own table, so that the default prices count again."""
    own_table().unlink(missing_ok=True)


def written(table: Sequence[Price]) -> str:
    """Write a table as CSV, one price a line under the columns' names; line breaks inside a text become spaces."""
    out = io.StringIO()
    writer = csv.DictWriter(out, [f.name for f in fields(Price)], lineterminator="\n")
    writer.writeheader()
    for price in table:
        row = {name: re.sub(r"[\r\n]", " ", value) if isinstance(value, str) else value for name, value in asdict(price).items()}
        writer.writerow(row)
    return out.getvalue()
