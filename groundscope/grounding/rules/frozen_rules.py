"""Tuned rules frozen under a name: written once, read wherever the test split is shown, never changed after it was seen."""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, get_args

import sqlalchemy as sa

from groundscope.errors import DataError, NotSavedYet, StoreError
from groundscope.files.typed import stored
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tuning import How, Objective, Rule, Tuned, goes_beyond
from groundscope.methods import Method
from groundscope.statistics.risk import Promise
from groundscope.storage.database import METADATA, shared
from groundscope.storage.team import Role, audit, require

_VERSION = 1
_NAME = re.compile(r"[\w][\w .()-]{0,79}")
_MOST_BYTES = 240
"""Of a name: what file systems take, less an ending; downloads are called by it."""
STARTING = "starting"
"""Names the thresholds that methods start with, where frozen ones are named by theirs."""
_seen: dict[str, dict[str, str]] = {}
"""What a database had when it last answered."""
FROZEN = sa.Table(
    "frozen_rules",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "made", "content")),
)


@dataclass(frozen=True, slots=True)
class Decision:
    """Rules by method, and what they were found on.

    Attributes:
        rejected: parts of sweeps that tuning did not choose; they are not read on other splits.
        ways: ways to make the support that tuning tried, the preferred one first; empty = not known, from an older file.
        promises: what thresholds promise about misses, by method id; empty = they were tuned, and promise nothing.
        beyond: whether tuning also tried what the methods' papers fix.
    """

    name: str
    made: str
    run: str
    data_hash: str
    objective: Objective
    tuned: Mapping[str, Tuned]
    signatures: Mapping[str, str]
    rejected: tuple[str, ...] = ()
    ways: tuple[How, ...] = ()
    promises: Mapping[str, Promise] = field(default_factory=dict, hash=False)
    beyond: bool = False

    @property
    def aim(self) -> str:
        """What the rules were chosen for, in words."""
        limits = dict.fromkeys(p.limit.words for p in self.promises.values())
        return f"a promise about misses: {'; '.join(limits)}" if limits else self.objective.words

    def place(self, method: str) -> str:
        """Name the responses that a method's rule was found on."""
        return f"{self.tuned[method].split or 'no split'} of {self.run}"

    @property
    def promised(self) -> dict[str, str]:
        """What thresholds promise about misses, by method id, in a short phrase each; empty where they promise nothing."""
        return {m: f"{p.limit.phrase}, fixed on {self.place(m)}" for m, p in self.promises.items() if m in self.tuned}

    def rules(self, run: RunData) -> dict[str, Rule]:
        """Pick the rules that hold for a run."""
        return {m.id: self.tuned[m.id].rule for m in run.methods if self._fits(m.id, m.signature) and m.id not in self.rejected}

    def strangers(self, run: RunData) -> tuple[str, ...]:
        """Find methods of the run that were tuned with other parameters, or not at all."""
        return tuple(m.id for m in run.methods if not self._fits(m.id, m.signature) and m.id not in self.rejected)

    def covers(self, run: RunData) -> bool:
        """Whether it holds for all methods of a run."""
        return bool(self.rules(run)) and not self.strangers(run)

    def goes_beyond(self, run: RunData) -> bool:
        """Whether it was tuned beyond the papers, or has a rule for a method of the run that its paper does not allow."""
        rules = self.rules(run)
        return self.beyond or any(goes_beyond(m, rules[m.id]) for m in run.methods if m.id in rules)

    def offered(self, run: RunData) -> bool:
        """Whether a run can be read by it: it covers the run, or was made on it and holds for some of its methods."""
        return self.covers(run) or (bool(self.rules(run)) and (self.run, self.data_hash) == (run.name, run.data_hash))

    def _fits(self, method: str, signature: str) -> bool:
        return method in self.tuned and self.signatures.get(method) == signature


def default_decision(run: RunData, decisions: Iterable[Decision]) -> Decision | None:
    """Choose how a run is read by default: by the newest decision that covers its methods, else by the newest made on it.

    None = by the thresholds that methods start with. What goes beyond the papers is chosen by name alone. `decisions` are the
    newest first, as of `frozen`.
    """
    offered = [d for d in decisions if d.offered(run) and not d.goes_beyond(run)]
    return next((d for d in offered if d.covers(run)), next(iter(offered), None))


def to_json(decision: Decision) -> str:
    """Write a decision as `from_json` reads it."""
    content = {"format": "groundscope-decision", "version": _VERSION, **asdict(decision)}
    # A run may be named by text that no encoding takes, a lone surrogate; escaped it goes into any file.
    return json.dumps(content, ensure_ascii=True, indent=1) + "\n"


def from_json(text: str) -> Decision:
    """Read what `to_json` wrote."""
    try:
        content: dict[str, Any] = json.loads(text)
        if content["format"] != "groundscope-decision":
            raise ValueError("format")
        if content["version"] > _VERSION:
            raise DataError("These thresholds were frozen by a newer Groundscope; update Groundscope to read them.")
        written = {field.name: content[field.name] for field in fields(Decision) if field.name in content}
        ways = [how for how in content.get("ways", ()) if how in get_args(How)]
        # Before it was stated, every way was tried for every method.
        return stored(Decision, {"beyond": True, **written, "ways": ways})
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        raise DataError("The file of frozen thresholds cannot be read; freeze them again.") from None


def freeze(decision: Decision) -> None:
    """Keep a decision under its name, in the database that people share; it is never overwritten."""
    require(Role.LEAD)
    if not _NAME.fullmatch(decision.name) or len(decision.name.encode()) > _MOST_BYTES:
        raise DataError("A name has letters, digits, spaces, dots and dashes, at most 80; choose another one.")
    if decision.name.casefold() == STARTING:
        raise DataError(f"{decision.name} names the thresholds that methods start with; choose another name.")
    database = shared()
    key = decision.name.casefold()
    row = sa.insert(FROZEN).values(key=key, name=decision.name, made=decision.made, content=to_json(decision))
    try:
        with database.writing() as connection:
            connection.execute(row)
            audit.record(connection, "froze thresholds", name=decision.name)
    except StoreError as error:
        if database.refuses_key(error):
            raise DataError("This name is taken, and what was frozen is never changed; choose another name.") from None
        raise


def freeze_dated(decision: Decision) -> Decision:
    """Keep a decision under its name and time, without signs that names cannot have; the same rules are kept once."""
    before = frozen()
    for there in before.values():
        if replace(there, name=decision.name, made=decision.made) == decision:
            return there
    words = re.sub(r"[^\w.()-]+", " ", decision.name).strip(" .()-")[:60].encode()[: _MOST_BYTES - 26].decode("utf-8", "ignore")
    when = decision.made[:19].replace("T", " ").replace(":", ".")
    name = f"{words} {when}".strip()
    # Two studies of one name may end in one second.
    number = next(n for n in count(1) if (name if n == 1 else f"{name} ({n})") not in before)
    dated = replace(decision, name=name if number == 1 else f"{name} ({number})")
    freeze(dated)
    return dated


def frozen(extra: Path | None = None) -> dict[str, Decision]:
    """Read all frozen decisions, those that come with a run from its own folder too."""
    decisions = {d.name: d for content in _kept()[0].values() if (d := _parsed(content))}
    with suppress(OSError, UnicodeDecodeError):
        if extra and (decision := _parsed((extra / "decision.json").read_text(encoding="utf-8"))):
            decisions.setdefault(decision.name, decision)
    return {d.name: d for d in sorted(decisions.values(), key=lambda d: d.made, reverse=True)}


def own_threshold(method: Method) -> tuple[float | None, str]:
    """Find the threshold by which a method's own support is read by default, and say in words where it is from.

    It is that of the newest frozen thresholds for these very parameters, or the starting one where there are none, or where they
    make a response's support in another way.
    """
    for decision in frozen().values():
        at = next((m for m in decision.tuned if not decision.beyond and decision.signatures.get(m) == method.signature), "")
        if at:
            rule = decision.tuned[at].rule
            if rule.how == "own":
                return rule.threshold, f"frozen as {decision.name}"
            break
    return method.about.threshold, "its starting threshold"


def problems() -> tuple[str, ...]:
    """Describe what `frozen` leaves out."""
    contents, fault = _kept()
    names = sorted(name for name, content in contents.items() if _parsed(content) is None)
    left_out = [f"These frozen thresholds cannot be read and are left out: {', '.join(names)}."] if names else []
    return (*([fault] if fault else []), *left_out)


def _kept() -> tuple[dict[str, str], str]:
    """Stored decisions by name, and the fault of the database; a frozen decision never changes."""
    try:
        database = shared()
        if not database.is_there():
            return {}, ""
        with database.reading() as connection:
            contents = {row.name: row.content for row in connection.execute(sa.select(FROZEN).order_by(FROZEN.c.key))}
    except NotSavedYet as error:
        return _seen.get(database.shown, {}), str(error)
    except StoreError as error:
        return {}, str(error)
    _seen[database.shown] = contents
    return contents, ""


@lru_cache(maxsize=64)
def _parsed(content: str) -> Decision | None:
    """What a text holds; pages ask at every redraw, and promises have thousands of figures."""
    try:
        return from_json(content)
    except DataError:
        return None


def forget(name: str) -> None:
    """Delete the user's frozen decision of this name; one that is not there is no error."""
    require(Role.LEAD)
    with shared().writing() as connection:
        connection.execute(sa.delete(FROZEN).where(FROZEN.c.name == name))
        audit.record(connection, "deleted frozen thresholds", name=name)
