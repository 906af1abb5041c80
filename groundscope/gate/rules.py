"""The promises of a gate, read from TOML: what may be wrong in how many answers."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from groundscope.errors import DataError
from groundscope.files import typed
from groundscope.methods.advice import recommended
from groundscope.text.humanize import instead

FACT_KINDS = ("figures", "names", "quotes", "sources")
"""Amounts, dates, numbers and lengths of time; names; quoted words; sources and courts named for what stands in another."""
CHECKS = (*FACT_KINDS, "citations")


def choose(what: str, names: Sequence[str], allowed: tuple[str, ...] = CHECKS) -> tuple[str, ...]:
    """Read names of checks."""
    if unknown := next((name for name in names if name not in allowed), ""):
        raise ValueError(f"{what} has the unknown check {unknown!r}; {instead(unknown, allowed)}.")
    if not names:
        raise ValueError(f"{what} is empty; name at least one of {', '.join(allowed)}.")
    return tuple(name for name in allowed if name in names)


def _check_share(name: str, share: float) -> None:
    if not 0 <= share <= 1:
        percent = f" for {share:g} %" if 1 < share <= 100 else ""
        example = f"{share / 100:g}" if percent else "0.05"
        raise ValueError(f"{name} is a share from 0 to 1, it is {share:g}; write {example}{percent}.")


@dataclass(frozen=True, slots=True)
class ShareLimit:
    """A share that may be wrong, and its rise against the baseline that is no fault, 0..1; None = no limit but the baseline."""

    at_most: float | None = None
    worse_by: float = 0.0

    def __post_init__(self) -> None:
        _check_share("at_most", self.at_most or 0.0)
        _check_share("worse_by", self.worse_by)


@dataclass(frozen=True, slots=True)
class UnsupportedRule(ShareLimit):
    """The share of sentences that a method calls unsupported, by frozen `thresholds` of a name.

    An empty method = the one recommended here, empty thresholds = the threshold that the method starts with.
    """

    method: str = ""
    thresholds: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class FactsRule(ShareLimit):
    """The share of sentences in which an exact check finds something; `kinds` are of `FACT_KINDS`."""

    kinds: tuple[str, ...] = FACT_KINDS


@dataclass(frozen=True, slots=True)
class CitationsRule(ShareLimit):
    """The share of citations that the sources do not have; `different` = also those that they have with other parts."""

    different: bool = True


@dataclass(frozen=True, slots=True)
class InvalidRule:
    """The share of rows that cannot be read or judged."""

    at_most: float

    def __post_init__(self) -> None:
        _check_share("at_most", self.at_most)


@dataclass(frozen=True, slots=True)
class CoverageRule:
    """Shares that promises must assess at least, 0..1: of answers by any promise, and of `sentences` by each promise about these.

    `at_least` None = all answers but those that may be invalid.
    """

    at_least: float | None = None
    sentences: float = 0.0

    def __post_init__(self) -> None:
        _check_share("at_least", self.at_least or 0.0)
        _check_share("sentences", self.sentences)


@dataclass(frozen=True, slots=True)
class EffortLimit:
    """Seconds, or US dollars, of a response at most; `field` of the rows holds them, empty = those of the methods."""

    at_most: float
    field: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.at_most < math.inf:
            raise ValueError(f"at_most must be a finite number of 0 or more, such as 5.0, it is {self.at_most:g}.")


@dataclass(frozen=True, slots=True)
class BaselineRule:
    """Against a baseline: `level` = chance, over all promises, that a pipeline which did not change is called worse."""

    level: float = 0.05

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ValueError(f"level is a share between 0 and 1, it is {self.level:g}; write 0.05.")


@dataclass(frozen=True, slots=True)
class GateRules:
    """All promises, each a table of the file; None = not made, but `invalid` and `coverage` always are."""

    unsupported: tuple[UnsupportedRule, ...] = ()
    facts: FactsRule | None = None
    citations: CitationsRule | None = None
    invalid: InvalidRule = InvalidRule(0.0)
    coverage: CoverageRule = CoverageRule()
    latency: EffortLimit | None = None
    cost: EffortLimit | None = None
    baseline: BaselineRule = BaselineRule()

    @property
    def covered(self) -> float:
        """The share of answers that at least one promise must assess."""
        return 1 - self.invalid.at_most if self.coverage.at_least is None else self.coverage.at_least


def read_rules(name: str, data: bytes) -> GateRules:
    """Read the promises of a file; a DataError says which promise means nothing and what to write, or that there is none."""
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


def _rules(document: dict[str, Any]) -> GateRules:
    if isinstance(document.get("unsupported"), dict):
        document["unsupported"] = [document["unsupported"]]
    rules = typed.read(GateRules, document)
    if not document.keys() - {"baseline", "coverage"}:
        raise ValueError("it holds no promise; add a table, such as [facts] with at_most = 0.05.")
    unsupported = tuple(replace(rule, method=rule.method.strip() or recommended().method) for rule in rules.unsupported)
    names = [rule.method for rule in unsupported]
    if twice := next((n for n in names if names.count(n) > 1), None):
        raise ValueError(f"[[unsupported]] names {twice!r} twice; give each a name of its own, such as {twice}:strict.")
    for name, limit in (("latency", rules.latency), ("cost", rules.cost)):
        if limit and not limit.field and not unsupported:
            raise ValueError(
                f'[{name}] needs the field of the rows that holds it, such as field = "{name}", or an [unsupported] method '
                "of which it is measured."
            )
    facts = rules.facts and replace(rules.facts, kinds=choose("[facts] kinds", rules.facts.kinds, FACT_KINDS))
    return replace(rules, unsupported=unsupported, facts=facts)
