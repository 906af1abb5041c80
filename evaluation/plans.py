"""What a run is to do and how far it is: the nouns of `evaluation.store`."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from evaluation._fields import clean
from evaluation.run_data import MethodRun
from evaluation.types import Judgement


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run judges by what.

    Attributes:
        name: for people.
        source: where the cases come from.
        data_hash: of all cases.
        cases: how many.
        methods: in the order of the tables.
        keeps_replies: whether replies of chat models are kept on disk.
        calls: at most; None = no limit.
        dollars: at most; None = no limit.
    """

    name: str
    source: str
    data_hash: str
    cases: int
    methods: tuple[MethodRun, ...]
    keeps_replies: bool = True
    calls: int | None = None
    dollars: float | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A run as lists show it.

    Attributes:
        id: names it in links and commands.
        created: ISO time.
        finished: ISO time; empty while something is left to judge.
        plan: what it judges by what.
        done: judgements so far, by method.
        failed: of these, how many could not run.
    """

    id: str
    created: str
    finished: str
    plan: Plan
    done: tuple[int, ...]
    failed: tuple[int, ...]


class Kept(NamedTuple):
    """A judgement as it is kept: its place, whether its seconds count, and the judgement without its matrix."""

    method: int
    row: int
    timed: bool
    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Start:
    """A time that work on a run began: when, on what machine, the cold starts measured then by method id, judgements before."""

    started: str
    machine: tuple[str, ...]
    cold: Mapping[str, float] = field(default_factory=dict)
    done: tuple[int, ...] = ()


_TELLING = 3
"""Judgements of a method before which nothing is said of its time."""


def seconds_left(listed: Listed, start: Start, now: datetime) -> tuple[float | None, ...]:
    """Expected seconds until each method is done, at the pace since work began; None = not known yet."""
    seconds = (now - datetime.fromisoformat(start.started)).total_seconds()
    before = start.done or (0,) * len(listed.done)
    fresh = [done - earlier for done, earlier in zip(listed.done, before, strict=True)]
    left = [listed.plan.cases - done for done in listed.done]
    return tuple(
        0.0 if not to_do else seconds / made * to_do if made >= _TELLING else None
        for made, to_do in zip(fresh, left, strict=True)
    )


def plan_to_json(plan: Plan) -> str:
    """As `plan_from_json` reads it."""
    return json.dumps(asdict(plan))


def plan_from_json(text: str) -> Plan:
    """Read a plan."""
    content = json.loads(text)
    content["methods"] = tuple(MethodRun(**m) for m in content["methods"])
    return Plan(**content)


def packed(judgement: Judgement) -> dict[str, Any]:
    """Without the matrix, and with the best match of each sentence alone: the heatmap makes the rest anew."""
    found = {name: getattr(judgement, name) for name in _PLAIN}
    found["sentences"] = [
        [s.start, s.end, s.support, [[m.passage, m.start, m.end, m.support] for m in s.matches[:1]]] for s in judgement.sentences
    ]
    found["claims"] = [{**asdict(c), "text": clean(c.text), "reason": clean(c.reason)} for c in judgement.claims]
    # What a model wrote may hold half a character, which no file takes.
    found["note"], found["raw"] = clean(judgement.note), clean(judgement.raw)
    return found


_PLAIN = ("status", "support", "seconds", "calls", "tokens", "cost", "context_seen", "cached", "note", "raw")
