"""The promises of a gate, read from TOML: what may be wrong in how many answers."""

import math
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from groundscope.errors import DataError
from groundscope.methods.advice import recommended
from groundscope.text.humanize import instead

FACT_KINDS = ("figures", "names", "quotes", "sources")
"""Amounts, dates, numbers and lengths of time; names; quoted words; sources and courts named for what stands in another."""
CITATIONS = "citations"
CHECKS = (*FACT_KINDS, CITATIONS)


def choose(what: str, names: Sequence[object], allowed: tuple[str, ...] = CHECKS) -> tuple[str, ...]:
    """Read names of checks."""
    _refuse_unknown(names, allowed, "check", what)
    if not names:
        raise ValueError(f"{what} is empty; name at least one of {', '.join(allowed)}.")
    return tuple(name for name in allowed if name in names)


LEVEL = 0.05
"""Chance that a pipeline which did not change is called worse."""


@dataclass(frozen=True, slots=True)
class ShareLimit:
    """A share that may be wrong.

    Attributes:
        worse_by: rise against the baseline that is no fault, 0..1.
    """

    at_most: float | None = None
    worse_by: float = 0.0


@dataclass(frozen=True, slots=True)
class UnsupportedRule:
    """The share of sentences that a method calls unsupported.

    Attributes:
        thresholds: name of frozen ones; empty = the threshold that the method starts with.
    """

    method: str
    limit: ShareLimit
    thresholds: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class FactsRule:
    """The share of sentences in which an exact check finds something; `kinds` are of `FACT_KINDS`."""

    limit: ShareLimit
    kinds: tuple[str, ...] = FACT_KINDS


@dataclass(frozen=True, slots=True)
class CitationsRule:
    """The share of citations that the sources do not have; `different` = also those that they have with other parts."""

    limit: ShareLimit
    different: bool = True


class CoverageRule(NamedTuple):
    """Shares that promises must assess at least, 0..1.

    Attributes:
        answers: those that at least one promise could assess; None = all but those that may be invalid.
        sentences: of each promise about sentences.
    """

    answers: float | None = None
    sentences: float = 0.0


class EffortLimit(NamedTuple):
    """Seconds, or US dollars, of a response at most; `field` of the rows holds them, empty = those of the methods."""

    at_most: float
    field: str = ""


@dataclass(frozen=True, slots=True)
class GateRules:
    """All promises; None = not made, but `invalid` and `coverage` always are.

    Attributes:
        invalid: share of rows that cannot be read or judged, 0..1.
        level: chance that a pipeline which did not change is called worse, over all promises.
    """

    unsupported: tuple[UnsupportedRule, ...] = ()
    facts: FactsRule | None = None
    citations: CitationsRule | None = None
    invalid: float = 0.0
    latency: EffortLimit | None = None
    cost: EffortLimit | None = None
    level: float = LEVEL
    coverage: CoverageRule = field(default_factory=CoverageRule)

    @property
    def covered(self) -> float:
        """The share of answers that at least one promise must assess."""
        return 1 - self.invalid if self.coverage.answers is None else self.coverage.answers


def read_rules(name: str, data: bytes) -> GateRules:
    """Read the promises of a file.

    Raises:
        DataError: it is no TOML, holds no promise, or one that means nothing; one sentence says which and what to write.
    """
    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is not UTF-8 (byte {error.start + 1}); save it as UTF-8.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError(f"{name} is not TOML: {str(error) or 'it is nested too deeply'}. Correct that place.") from None
    try:
        return _rules(document)
    except ValueError as error:
        raise DataError(f"{name}: {error}") from None


def _rules(document: Mapping[str, Any]) -> GateRules:
    _refuse_unknown(document, _TABLES, "table")
    if not document.keys() - {"baseline", "coverage"}:
        raise ValueError("it holds no promise; add a table, such as [facts] with at_most = 0.05.")
    methods = document.get("unsupported", [])
    tables = methods if isinstance(methods, list) else [methods]
    unsupported = tuple(_unsupported(_table(one, "unsupported")) for one in tables)
    names = [rule.method for rule in unsupported]
    if twice := next((n for n in names if names.count(n) > 1), None):
        raise ValueError(f"[[unsupported]] names {twice!r} twice; give each a name of its own, such as {twice}:strict.")
    rules: dict[str, Any] = {"unsupported": unsupported}
    for key, make in _MAKERS.items():
        if key in document:
            rules[key] = make(_table(document[key], key))
    for key in ("latency", "cost"):
        if key in rules and not rules[key].field and not unsupported:
            raise ValueError(
                f'[{key}] needs the field of the rows that holds it, such as field = "{key}", or an [unsupported] method '
                "of which it is measured."
            )
    level = _table(document.get("baseline", {}), "baseline").get("level", LEVEL)
    return GateRules(**rules, level=_share(level, "baseline", "level", above=True))


_WORSE = ("at_most", "worse_by")
_TABLES: dict[str, tuple[str, ...]] = {
    "unsupported": ("method", "thresholds", "options", *_WORSE),
    "facts": ("kinds", *_WORSE),
    "citations": ("different", *_WORSE),
    "invalid": ("at_most",),
    "coverage": ("at_least", "sentences"),
    "latency": ("at_most", "field"),
    "cost": ("at_most", "field"),
    "baseline": ("level",),
}


def _table(value: object, table: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{table} must be a table; write [{table}] on a line of its own and its values below.")
    _refuse_unknown(value, _TABLES[table], "key", f"[{table}]")
    return value


def _refuse_unknown(names: Iterable[object], allowed: Collection[str], what: str, where: str = "it") -> None:
    for name in names:
        if name not in allowed:
            raise ValueError(f"{where} has the unknown {what} {name!r}; {instead(name, allowed)}.")


def _unsupported(table: dict[str, Any]) -> UnsupportedRule:
    method = _text(table, "unsupported", "method").strip() or recommended().method
    options = table.get("options", {})
    if not isinstance(options, dict):
        raise ValueError("[unsupported] options must be a table of parameters, such as options = { n = 9 }.")
    return UnsupportedRule(method.strip(), _limit(table, "unsupported"), _text(table, "unsupported", "thresholds"), options)


def _facts(table: dict[str, Any]) -> FactsRule:
    kinds = table.get("kinds", list(FACT_KINDS))
    if not isinstance(kinds, list):
        raise ValueError('[facts] kinds must be a list, such as kinds = ["figures", "names"].')
    return FactsRule(_limit(table, "facts"), choose("[facts] kinds", kinds, FACT_KINDS))


def _citations(table: dict[str, Any]) -> CitationsRule:
    different = table.get("different", True)
    if not isinstance(different, bool):
        raise ValueError(f"[citations] different must be true or false, it is {different!r}.")
    return CitationsRule(_limit(table, "citations"), different)


def _limit(values: dict[str, Any], table: str) -> ShareLimit:
    most = values.get("at_most")
    return ShareLimit(
        None if most is None else _share(most, table, "at_most"), _share(values.get("worse_by", 0), table, "worse_by")
    )


def _share(value: object, table: str, key: str, *, above: bool = False) -> float:
    number = _number(value, table, key, "0.05")
    if not 0 <= number <= 1 or (above and not 0 < number < 1):
        percent = f" for {number:g} %" if 1 < number <= 100 else ""
        example = f"{number / 100:g}" if percent else "0.05"
        raise ValueError(f"[{table}] {key} is a share from 0 to 1, it is {number:g}; write {example}{percent}.")
    return number


def _number(value: object, table: str, key: str, example: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"[{table}] {key} must be a number, it is {value!r}; write {key} = {example}.")
    if not math.isfinite(value):
        raise ValueError(f"[{table}] {key} must be a finite number, it is {value}; write {key} = {example}.")
    return float(value)


def _text(values: dict[str, Any], table: str, key: str) -> str:
    value = values.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"[{table}] {key} must be text in quotation marks, it is {value!r}.")
    return value


def _required(values: dict[str, Any], table: str, example: str) -> float:
    if "at_most" not in values:
        raise ValueError(f"[{table}] needs at_most; write at_most = {example}.")
    number = _number(values["at_most"], table, "at_most", example)
    if number < 0:
        raise ValueError(f"[{table}] at_most must be 0 or more, it is {number:g}; write at_most = {example}.")
    return number


def _invalid(table: dict[str, Any]) -> float:
    return _share(_required(table, "invalid", "0.0"), "invalid", "at_most")


def _coverage(table: dict[str, Any]) -> CoverageRule:
    least = table.get("at_least")
    return CoverageRule(
        None if least is None else _share(least, "coverage", "at_least"),
        _share(table.get("sentences", 0), "coverage", "sentences"),
    )


def _effort(table: str, example: str) -> Callable[[dict[str, Any]], EffortLimit]:
    return lambda found: EffortLimit(_required(found, table, example), _text(found, table, "field"))


_MAKERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "facts": _facts,
    "citations": _citations,
    "invalid": _invalid,
    "coverage": _coverage,
    "latency": _effort("latency", "5.0"),
    "cost": _effort("cost", "0.01"),
}
