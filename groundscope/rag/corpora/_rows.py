"""Read a row as a passage or a question, and collect warnings about rows by number, without quoting their text."""

from collections.abc import Mapping
from typing import Any

from groundscope.files import fields
from groundscope.files.literals import parse_json
from groundscope.files.rows import Rejected, Row
from groundscope.rag.types import Question
from groundscope.types import Passage

MAX_PASSAGES = 100_000
"""Of a corpus."""
_NAMED = 12
"""Rows that a sentence names; it counts the others."""
_FIELDS = 12


class Complaints:
    """What is wrong with the rows of a file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._rows: dict[str, list[int]] = {}
        self._refused: dict[str, list[int]] = {}
        self._fields: dict[str, None] = {}

    def seen(self, row: Row) -> None:
        """Take note of the fields of a row that was read, whether or not it can be used."""
        self._fields |= dict.fromkeys(row.values)

    def refused(self, row: Rejected) -> None:
        """Take note of a row that could not be read; it may stand for all rows beyond the limit."""
        self._refused.setdefault(row.reason, []).append(row.row)

    def add(self, what: str, row: int) -> None:
        """Take note of what is wrong with a row."""
        self._rows.setdefault(what, []).append(row)

    def sentences(self) -> tuple[str, ...]:
        """Say what is wrong, one sentence a kind of complaint, rows that could not be read first; none quotes anything."""
        unread = [f"{self._file}, {_named(rows)}: {reason}" for reason, rows in self._refused.items()]
        has = ("has", "have")
        wrong = [f"{self._file}: {_named(rows)} {has[len(rows) > 1]} {what}." for what, rows in self._rows.items()]
        return (*unread, *wrong)

    def why(self, headline: str) -> str:
        """Say why nothing of the file could be used.

        The sentence begins with `headline`, which has no full stop; then come the fields that the rows have and the first
        complaint, or why no row could be read.
        """
        if self._fields:
            named = ", ".join(sorted(fields.clean(str(f))[:40] for f in self._fields)[:_FIELDS])
            return f"{headline}; its fields are: {named}{self._first()}."
        return next(iter(self.sentences()), f"{headline}; it has no row.")

    def _first(self) -> str:
        what, rows = next(iter(self._rows.items()), ("", [0]))
        return f"; row {rows[0]:,} has {what}" if what else ""


def _named(rows: list[int]) -> str:
    """Row 7; rows 7 and 9; rows 7, 9 and 4,711 others."""
    shown = [f"{row:,}" for row in rows[:_NAMED]]
    if more := len(rows) - _NAMED:
        shown += [f"{more:,} others"] if more > 0 else []
    return f"row {shown[0]}" if len(shown) == 1 else f"rows {', '.join(shown[:-1])} and {shown[-1]}"


def passage_of(row: Row, complaints: Complaints) -> Passage:
    """Read the passage of a row with `id`, `text`, and `title` or `source`; without an id it gets one such as `row-7`."""
    text = _text(row.values, ("text",))
    if not text:
        raise ValueError("no text (left out)")
    if len(text) > fields.MAX_CHARACTERS:
        raise ValueError(f"more than {fields.MAX_CHARACTERS:,} characters of text (left out)")
    if row.values.get("footnotes"):
        complaints.add("footnotes, which are neither embedded nor shown", row.number)
    return Passage(_id(row, complaints), text, _text(row.values, ("title", "source")).strip())


def question_of(row: Row, complaints: Complaints) -> Question:
    """Read the question of a row with `id`, `question`, `answer` or `reference`, and ids of relevant passages as they stand."""
    asked = _text(row.values, fields.ALIASES["query"]).strip()
    if not asked:
        raise ValueError("no question (left out)")
    reference = _text(row.values, ("answer", "reference"))
    if len(asked) + len(reference) > fields.MAX_CHARACTERS:
        raise ValueError(f"more than {fields.MAX_CHARACTERS:,} characters (left out)")
    try:
        relevant = _relevant(row.values)
    except ValueError:
        complaints.add("relevant passages that are neither an id nor a list of ids (ignored)", row.number)
        relevant = ()
    return Question(_id(row, complaints), asked, reference, relevant)


def _id(row: Row, complaints: Complaints) -> str:
    if name := name_of(row.values.get("id")):
        return name
    complaints.add("no id that can be used (given one by row number)", row.number)
    return f"row-{row.number}"


def _relevant(values: Mapping[str, Any]) -> tuple[str, ...]:
    value = next((values[n] for n in ("relevant_passage_id", "relevant_passage_ids", "relevant") if n in values), None)
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = parse_json(value)
    items = value if isinstance(value, list) else [value]
    names = [name_of(i) for i in items if i is not None and not (isinstance(i, str) and not i.strip())]
    if not all(names):
        raise ValueError("no id")
    return tuple(dict.fromkeys(names))


def name_of(value: object) -> str:
    """Read an id, also a number, `7.0` as `7`, without white space around it; empty if it is neither a text nor a number."""
    if isinstance(value, float) and value.is_integer():
        # What other programs make of a column of numbers with a gap.
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return fields.clean(str(value)).strip()


def _text(values: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of these fields that holds a text with something in it."""
    texts = (values[n] for n in names if isinstance(values.get(n), str))
    return next((fields.clean(text) for text in texts if text.strip()), "")
