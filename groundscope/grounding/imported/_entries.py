"""What the readers of other tools' scores share: entries, numbers and texts, and which way a metric runs."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from groundscope.cases.formats import Values
from groundscope.files import fields
from groundscope.files.rows import Rejected, Row

_Mark = TypeVar("_Mark")
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class MetricScore:
    """One metric of one answer, as the file has it.

    `falling`: what this entry says of the metric's direction: True = lower is better; None = nothing.
    """

    value: object
    reason: str = ""
    falling: bool | None = None
    seconds: object = None
    cost: object = None


@dataclass(frozen=True, slots=True)
class ScoredAnswer(Generic[_Mark]):
    """One answer and its marks by metric; what the export does not have of the case is empty."""

    number: int
    query: str
    response: str
    case_id: str
    marks: Mapping[str, _Mark]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool whose exports are read.

    `with_cases`: whether its files hold the cases too, so that the scores belong to every run of them.
    """

    name: str
    title: str
    fits: Callable[[Values], bool]
    entries: Callable[[str, Sequence[Row]], Iterator[ScoredAnswer[MetricScore] | Rejected]]
    with_cases: bool = False


def each(
    file: str, rows: Iterable[tuple[int, _Row]], read: Callable[[int, _Row], ScoredAnswer[MetricScore]]
) -> Iterator[ScoredAnswer[MetricScore] | Rejected]:
    """An entry of each numbered row; one that cannot be read is rejected with the reason."""
    for number, row in rows:
        try:
            yield read(number, row)
        except ValueError as error:
            yield Rejected(file, number, str(error))


_MISSING = {"", "nan", "none", "null", "na", "n/a", "<na>"}
_FALLING = re.compile(
    r"hallucinat|toxic|bias|harmful|malicious|stereotyp|criminal|misogyn|insensitiv|profan|unfaithful|ungrounded|unsupported"
    r"|contradict|noise_sensitivity"
)
_NEGATED = {"no", "non", "not", "free", "without", "absence", "anti", "lack"}


def number(value: object) -> float | None:
    """A score, 0 to 1; None where the tool has none. Raises `ValueError`, whose message continues after the metric's name."""
    score = any_number(value)
    if score is not None and not 0 <= score <= 1:
        raise ValueError("lies outside 0 to 1.")
    return score


def any_number(value: object) -> float | None:
    """As `number`, on whatever scale."""
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"must be a number, it is {fields.kind(value)}.")
    try:
        parsed = float(value)
    except (ValueError, OverflowError):
        raise ValueError("must be a number.") from None
    return None if math.isnan(parsed) else parsed


def amount(value: object) -> float | None:
    """Seconds or dollars; None where the file has none, or something else than a number from 0."""
    try:
        parsed = any_number(value)
    except ValueError:
        return None
    return parsed if parsed is not None and 0 <= parsed < math.inf else None


def falls(name: str, votes: Iterable[bool | None]) -> bool:
    """Whether lower is better in a metric: by the majority of its marks' votes; without one, by its name."""
    told = [vote for vote in votes if vote is not None]
    if told and sum(told) * 2 != len(told):
        return sum(told) * 2 > len(told)
    words = re.findall(r"[a-z_]+", name.lower())
    split = {part for word in words for part in word.split("_")}
    return any(_FALLING.match(part) for word in words for part in (word, *word.split("_"))) and not split & _NEGATED


def words(value: object) -> str:
    """A text that may be missing, without NUL and lone surrogates; empty where the value is no text."""
    return fields.clean(value) if isinstance(value, str) else ""


def text(values: Values, names: Sequence[str]) -> str:
    """The first of several fields that is there, the preferred one first; raises `ValueError` where it is none, or no text."""
    for name in names:
        value = values.get(name)
        if isinstance(value, str):
            return fields.clean(value)
        if value is not None:
            raise ValueError(f"'{name}' must be text, it is {fields.kind(value)}.")
    raise ValueError(f"'{names[0]}' is missing.")


def name_of(values: Values, names: Sequence[str] = ("case_id", "id")) -> str:
    """The first of several fields that names the case, by a text or a number; empty without one."""
    for name in names:
        value = values.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
            return fields.clean(str(value))
    return ""
