"""Pairs of worlds: what supports what, as often under either label; files that are none, and the set that ships."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.types import ErrorType
from models.world_pairs import Group, World, pairs, read

FIELDS = {"id", "split", "area", "genre", "about", "worlds"}


def row(number: int, **parts: Any) -> dict[str, Any]:
    """A group as a line of a file; every text names its group and its world."""
    worlds = [
        {
            "edit": "" if a == 0 else f"procedural_error: point {a}",
            "full": [f"Group {number} holds the {name} way, wording {i}. It goes on so." for i in range(3)],
            "short": [f"Group {number} says {name} briefly, wording {s}." for s in range(2)],
        }
        for a, name in enumerate(("first", "second", "third"))
    ]
    return {"id": f"g-{number}", "split": "train", "area": "torts", "genre": "holding", "worlds": worlds, **parts}


def file_of(*rows: Any) -> bytes:
    return "".join(f"{json.dumps(r, ensure_ascii=False)}\n" for r in rows).encode()


def group(number: int, split: str = "train") -> Group:
    of = row(number)
    worlds = tuple(World(w["edit"], tuple(w["full"]), tuple(w["short"])) for w in of["worlds"])
    return Group(of["id"], split, of["area"], of["genre"], worlds)


GROUPS = [group(i) for i in range(5)]
FULL = {t: g.id for g in GROUPS for w in g.worlds for t in w.full}


@given(st.integers(0, 200))
def test_a_group_makes_72_pairs_in_which_a_text_supports_its_own_world_alone(seed: int) -> None:
    plain = pairs([GROUPS[0]], seed=seed, distracted=0.0)
    assert Counter(p.label for p in plain) == {1.0: 36, 0.0: 36}
    assert {(p.group, p.made_by) for p in plain} == {("g-0", "labelled")}
    assert len({(p.evidence, p.sentence) for p in plain}) == 72
    world = {t: a for a, w in enumerate(GROUPS[0].worlds) for t in (*w.full, *w.short)}
    for pair in plain:
        assert pair.evidence in FULL
        assert pair.evidence != pair.sentence
        assert (pair.label == 1.0) == (world[pair.evidence] == world[pair.sentence])


@given(st.integers(0, 200), st.floats(0, 1))
def test_each_statement_stands_as_often_under_either_label(seed: int, distracted: float) -> None:
    counts = Counter((p.sentence, p.label) for p in pairs(GROUPS, seed=seed, distracted=distracted))
    assert len(counts) == 2 * 15 * len(GROUPS)
    for world in (w for g in GROUPS for w in g.worlds):
        assert {counts[t, label] for t in world.full for label in (1.0, 0.0)} == {2}
        assert {counts[t, label] for t in world.short for label in (1.0, 0.0)} == {3}


def test_as_many_are_distracted_as_was_asked_for() -> None:
    many = [group(i) for i in range(60)]
    full = {t for g in many for w in g.worlds for t in w.full}
    for share in (0.0, 0.45, 1.0):
        distracted = [p.evidence not in full for p in pairs(many, distracted=share)]
        assert sum(distracted) / len(distracted) == pytest.approx(share, abs=0.03)
    firsts = {t.partition(". ")[0]: of for t, of in FULL.items()}
    for pair in pairs(GROUPS, distracted=1.0):
        assert len({of for first, of in firsts.items() if first in pair.evidence}) == 2, "the sentence beside is of another group"
    # One group alone has no other to be distracted with.
    assert {p.evidence for p in pairs([GROUPS[0]], distracted=1.0)} <= set(FULL)


def test_groups_are_read_with_their_splits() -> None:
    splits = ("train", "dev", "test", "train", "dev")
    assert read("worlds.jsonl", file_of(*(row(i, split=s) for i, s in enumerate(splits)))) == [
        group(i, s) for i, s in enumerate(splits)
    ]


BAD: dict[str, bytes] = {
    "no JSON": b"Okafor",
    "brackets without an end": b"[" * 100_000,
    "the same id": file_of(row(0)),
    "an unknown split": file_of(row(1, split="Okafor")),
    "two worlds": file_of(row(1, worlds=row(1)["worlds"][:2])),
    "a world that is a text": file_of(row(1, worlds=["Okafor"] * 3)),
}


@pytest.mark.parametrize("line", BAD.values(), ids=BAD)
def test_what_is_no_group_is_reported_with_its_row_and_without_its_text(line: bytes) -> None:
    with pytest.raises(DataError) as refused:
        read("worlds.jsonl", file_of(row(0)) + b"\n" + line + b"\n" + file_of(row(2)))
    assert re.match(r"worlds\.jsonl, row 3: [A-Z].+\.$", str(refused.value))
    assert "Okafor" not in str(refused.value)


def test_the_groups_that_ship_have_three_worlds_that_differ_by_a_typed_edit_and_no_text_twice() -> None:
    lines = (Path(__file__).resolve().parents[2] / "models" / "legal_worlds.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len({r["id"] for r in rows}) == len(rows) >= 800
    for of in rows:
        assert set(of) == FIELDS
        first, *edited = (world["edit"] for world in of["worlds"])
        assert (first, len(edited)) == ("", 2)
        for edit in edited:
            kind, _, what = edit.partition(":")
            assert kind in set(ErrorType), of["id"]
            assert what.strip()
    texts = [t for r in rows for w in r["worlds"] for t in (*w["full"], *w["short"])]
    assert len(set(texts)) == len(texts) == 15 * len(rows)
    for text in texts:
        assert text == " ".join(text.split())
        assert 4 <= len(text.split()) <= 80
