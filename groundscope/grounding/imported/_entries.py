"""What the readers of other tools' scores share: entries, tables of columns, numbers, and which way a metric runs."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from groundscope.cases.formats import Values
from groundscope.files import fields
from groundscope.files.rows import Rejected, Row


@dataclass(frozen=True, slots=True)
class MetricScore:
    """One metric of one answer, as the file has it.

    Attributes:
        value: whatever stands there.
        reason: the tool's explanation.
        falling: what this entry says of the metric's direction: True = lower is better; None = nothing.
    """

    value: object
    reason: str = ""
    falling: bool | None = None


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer and its marks by metric."""

    number: int
    query: str
    response: str
    case_id: str
    marks: dict[str, MetricScore] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose exports are read.

    Attributes:
        name: as method ids have it.
        title: for people.
        fits: whether a row is this tool's, by its fields.
        entries: of all rows of a file; given its name and the rows.
    """

    name: str
    title: str
    fits: Callable[[Values], bool]
    entries: Callable[[str, Sequence[Row]], Iterator[ScoredAnswer | Rejected]]


_MISSING = {"", "nan", "none", "null", "na", "n/a", "<na>"}
_INDEX = re.compile(r"(|unnamed: \d+|level_\d+)", re.IGNORECASE)
_NO_SCORE = {
    *("index", "rank", "row", "latency", "seconds", "duration", "time", "cost", "price", "token", "tokens", "count", "length"),
    *("temperature", "seed"),
}
_METRIC = re.compile(
    r"faithful|ground|relevan|correct|precision|recall|hallucin|similar|toxic|coheren|adheren|score", re.IGNORECASE
)
_FALLING = re.compile(
    r"hallucinat|toxic|bias|harmful|malicious|stereotyp|criminal|misogyn|insensitiv|profan|unfaithful|ungrounded|unsupported"
    r"|contradict|noise_sensitivity"
)
_NEGATED = {"no", "non", "not", "free", "without", "absence", "anti", "lack"}


def number(value: object) -> float | None:
    """Read a score.

    Args:
        value: as the file has it: a number, a number as text, null or a word for a missing number such as `NaN` or `n/a`.

    Returns:
        0 to 1; None where the tool has no number.

    Raises:
        ValueError: it is no number, or lies outside 0 to 1; the message continues after the metric's name.
    """
    found = _any_number(value)
    if found is not None and not 0 <= found <= 1:
        raise ValueError("lies outside 0 to 1.")
    return found


def _any_number(value: object) -> float | None:
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"must be a number, it is {fields.kind(value)}.")
    try:
        found = float(value)
    except (ValueError, OverflowError):
        raise ValueError("must be a number.") from None
    return None if math.isnan(found) else found


def falls(name: str, votes: Iterable[bool | None]) -> bool:
    """Find out whether lower is better in a metric: the majority of the votes decides; without one, the name does.

    Args:
        name: of the metric, as the file has it.
        votes: `Mark.falling` of its marks; None counts for neither side.

    Returns:
        True where 0 is the best score and 1 the worst.
    """
    told = [vote for vote in votes if vote is not None]
    if told and sum(told) * 2 != len(told):
        return sum(told) * 2 > len(told)
    words = re.findall(r"[a-z_]+", name.lower())
    split = {part for word in words for part in word.split("_")}
    return any(_FALLING.match(part) for word in words for part in (word, *word.split("_"))) and not split & _NEGATED


def words(value: object) -> str:
    """Read a text that may be missing.

    Args:
        value: of a field.

    Returns:
        The text without NUL and lone surrogates; empty where the value is no text.
    """
    return fields.clean(value) if isinstance(value, str) else ""


def text(values: Values, names: Sequence[str]) -> str:
    """Read the first of several fields that is there.

    Args:
        values: the row.
        names: of the fields, the preferred one first; a field with null counts as missing.

    Returns:
        The text without NUL and lone surrogates; may be empty.

    Raises:
        ValueError: it is no text, or none of them is there.
    """
    for name in names:
        value = values.get(name)
        if isinstance(value, str):
            return fields.clean(value)
        if value is not None:
            raise ValueError(f"'{name}' must be text, it is {fields.kind(value)}.")
    raise ValueError(f"'{names[0]}' is missing.")


def name_of(values: Values, names: Sequence[str] = ("case_id", "id")) -> str:
    """Read the first of several fields that names the case.

    Args:
        values: the row.
        names: of the fields, the preferred one first; texts and numbers count as names.

    Returns:
        The name as text; empty without one.
    """
    for name in names:
        value = values.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            return fields.clean(str(value))
    return ""


def score_columns(file: str, rows: Sequence[Row], known: Callable[[str], bool]) -> tuple[list[str], list[Rejected]]:
    """Find the columns that hold scores, and say why a column of numbers is none: its scale is another.

    A column without any number is taken only where its name is that of a metric: then the tool failed on every row.

    Args:
        file: name of the file, for messages.
        rows: of the whole file.
        known: whether a column of this name holds something other than scores.

    Returns:
        Names of the columns of scores, in the order of the file; and one rejection, with row 0, a column of another scale.
    """
    columns: list[str] = []
    rejected: list[Rejected] = []
    for name in dict.fromkeys(key for row in rows for key in row.values):
        if known(name) or _INDEX.fullmatch(name.strip()) or _last_word(name) in _NO_SCORE:
            continue
        numbers, texts = _numbers(row.values.get(name) for row in rows)
        if _other_scale(numbers):
            reason = f"'{fields.clean(name)[:40]}' was not read as a score: its values do not run from 0 to 1."
            rejected.append(Rejected(file, 0, reason))
        elif numbers or (not texts and _METRIC.search(name)):
            columns.append(name)
    return columns, rejected


def _numbers(values: Iterable[object]) -> tuple[list[float], int]:
    """The numbers among them, and how many are neither a number nor missing."""
    numbers, texts = [], 0
    for value in values:
        try:
            found = _any_number(value)
        except ValueError:
            texts += 1
        else:
            numbers += [] if found is None else [found]
    return numbers, texts


def _other_scale(numbers: Sequence[float]) -> bool:
    """Whether most lie outside 0..1, or the worst of a rating from 1 to 5 would be read as the best support."""
    outside = [n for n in numbers if not 0 <= n <= 1]
    inside = len(numbers) - len(outside)
    if any(0 < n < 1 for n in numbers):
        return len(outside) > inside
    return bool(outside) and (len(outside) >= inside or len(set(outside)) > 1)


def _last_word(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.lower()).split(" ")[-1]


def table(
    file: str, rows: Sequence[Row], query: str, response: str, known: Callable[[str], bool], reason: Callable[[Values, str], str]
) -> Iterator[ScoredAnswer | Rejected]:
    """Read a table with a column a metric.

    Args:
        file: name of the file, for messages.
        rows: of the whole file.
        query: name of the column of questions; a row without a text in it is rejected.
        response: name of the column of answers; likewise.
        known: whether a column of this name holds something other than scores.
        reason: finds the tool's explanation, given a row and a metric; empty without one.

    Yields:
        First the rejected columns; then an entry or a rejection for each row, in the order of the file.
    """
    columns, rejected = score_columns(file, rows, known)
    yield from rejected
    for row in rows:
        try:
            marks = {name: MetricScore(row.values[name], reason(row.values, name)) for name in columns if name in row.values}
            yield ScoredAnswer(row.number, text(row.values, (query,)), text(row.values, (response,)), name_of(row.values), marks)
        except ValueError as error:
            yield Rejected(file, row.number, str(error))
