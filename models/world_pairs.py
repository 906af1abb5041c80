"""The set of worlds -> pairs: each text says all of its world in other words, and worlds differ in one point of law or fact.

Every full text is supported by the other wordings of its world and not by those of the other two; a short statement follows from
every full text of its world. Both labels fall equally on every text, so that neither side alone gives the label away.
"""

import io
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from groundscope.errors import DataError
from groundscope.files.fields import clean
from groundscope.files.literals import parse_json
from groundscope.training.pairs import Pair

WORLDS, FULL, SHORT = 3, 3, 2
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class World:
    """One state of affairs.

    Attributes:
        edit: `error_type: what differs from the first world`; empty for the first.
        short: two statements that follow from each of them. Those of the second and third world follow from no text of another
            world; the first one's first is not supported in the second world, its second not in the third.
    """

    edit: str
    full: tuple[str, ...]
    short: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Three worlds that differ in one point each."""

    id: str
    split: str
    area: str
    genre: str
    worlds: tuple[World, ...]


def read(name: str, data: bytes) -> list[Group]:
    """Read groups: one JSON object a line."""
    groups: dict[str, Group] = {}
    for number, line in enumerate(io.BytesIO(data.removeprefix(b"\xef\xbb\xbf")), 1):
        if not line.strip():
            continue
        try:
            group = _group(parse_json(line))
            if group.id in groups:
                raise ValueError("Another group has the same id.")
        except (KeyError, TypeError):
            raise DataError(f"{name}, row {number}: It is no group of worlds.") from None
        except ValueError as error:
            raise DataError(f"{name}, row {number}: {error}") from None
        groups[group.id] = group
    return list(groups.values())


def _group(row: Any) -> Group:
    worlds = tuple(World(_text(w["edit"], empty=True), _texts(w["full"]), _texts(w["short"])) for w in row["worlds"])
    if len(worlds) != WORLDS or any(len(w.full) != FULL or len(w.short) != SHORT for w in worlds):
        raise ValueError(f"It needs three worlds of {FULL} full texts and {SHORT} short ones.")
    if row["split"] not in SPLITS:
        raise ValueError(f"Its split is none of {', '.join(SPLITS)}.")
    return Group(_text(row["id"]), row["split"], _text(row["area"]), _text(row["genre"]), worlds)


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError("no list")
    return tuple(map(_text, values))


def _text(value: Any, *, empty: bool = False) -> str:
    if not isinstance(value, str) or not (empty or value.strip()):
        raise TypeError("no text")
    return clean(value)


def pairs(groups: Sequence[Group], *, seed: int = 0, distracted: float = 0.45) -> list[Pair]:
    """Make pairs of groups: 72 a group, half of them supported."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    labelled = []
    for at, group in enumerate(groups):
        for evidence, statement, supported in (*_of_full(group, draw), *_of_short(group, draw)):
            shown = evidence
            if len(groups) > 1 and draw.random() < distracted:
                other = groups[(at + draw.randrange(1, len(groups))) % len(groups)]
                shown = _with_distraction(evidence, draw.choice(draw.choice(other.worlds).full), draw)
            labelled.append(Pair(shown, statement, float(supported), group.id, "labelled"))
    return labelled


def _of_full(group: Group, draw: random.Random) -> Iterator[tuple[str, str, bool]]:
    for a, world in enumerate(group.worlds):
        others = [w for b, w in enumerate(group.worlds) if b != a]
        for j, statement in enumerate(world.full):
            for i, evidence in enumerate(world.full):
                if i != j:
                    yield evidence, statement, True
            # One text near in words, in the same place, and one that is not.
            yield draw.choice(others).full[j], statement, False
            yield draw.choice([t for w in others for i, t in enumerate(w.full) if i != j]), statement, False


def _of_short(group: Group, draw: random.Random) -> Iterator[tuple[str, str, bool]]:
    for a, world in enumerate(group.worlds):
        for s, statement in enumerate(world.short):
            others = [group.worlds[1 + s]] if a == 0 else [w for b, w in enumerate(group.worlds) if b != a]
            for evidence in world.full:
                yield evidence, statement, True
            for evidence in draw.sample([t for w in others for t in w.full], FULL):
                yield evidence, statement, False


def _with_distraction(evidence: str, other: str, draw: random.Random) -> str:
    sentence = other.partition(". ")[0].rstrip(".") + "."
    return f"{evidence} {sentence}" if draw.random() < 0.5 else f"{sentence} {evidence}"
