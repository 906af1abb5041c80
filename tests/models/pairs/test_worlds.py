"""Pairs of worlds: what supports what, as often under either label; and files that are none."""

import json
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.training.pairs import Pair
from models.world_pairs import Group, pairs, read
from tests.models.pairs.documents import by_label
from tests.models.pairs.worlds import file_of, group, row, texts

GROUPS = [group(i) for i in range(5)]


def _plain(groups: list[Group], seed: int = 0) -> list[Pair]:
    return pairs(groups, seed=seed, distracted=0.0)


@given(st.integers(0, 200))
def test_a_group_makes_72_pairs_half_of_them_supported(seed: int) -> None:
    found = _plain([GROUPS[0]], seed)
    assert len(found) == 72
    assert Counter(p.label for p in found) == {1.0: 36, 0.0: 36}
    assert {(p.group, p.made_by) for p in found} == {("g-0", "labelled")}
    assert len(set(found)) == len({(p.evidence, p.sentence) for p in found}) == 72


@given(st.integers(0, 200), st.floats(0, 1))
def test_each_statement_stands_as_often_under_either_label(seed: int, distracted: float) -> None:
    found = pairs(GROUPS, seed=seed, distracted=distracted)
    counts = by_label((p.sentence, p.label) for p in found)
    assert set(counts) == {t for g in GROUPS for t in texts(g)}
    for of in GROUPS:
        for world in of.worlds:
            assert {counts[t] for t in world.full} == {(2, 2)}
            assert {counts[t] for t in world.short} == {(3, 3)}


@given(st.integers(0, 200))
def test_a_text_supports_its_own_world_alone_and_never_itself(seed: int) -> None:
    where = texts(GROUPS[0])
    full = {t for w in GROUPS[0].worlds for t in w.full}
    for pair in _plain([GROUPS[0]], seed):
        assert pair.evidence in full
        assert pair.evidence != pair.sentence
        assert (pair.label == 1.0) == (where[pair.evidence] == where[pair.sentence])


def _distraction(pair: Pair) -> tuple[str, str]:
    """The evidence that a pair was made of, and the sentence that was put beside it."""
    (own,) = [t for g in GROUPS if g.id == pair.group for w in g.worlds for t in w.full if t in pair.evidence]
    return own, pair.evidence.replace(own, "").strip()


@given(st.integers(0, 200))
def test_the_sentence_beside_is_of_another_group(seed: int) -> None:
    every = {t.partition(". ")[0] + ".": g.id for g in GROUPS for w in g.worlds for t in w.full}
    found = [(_distraction(p), p) for p in pairs(GROUPS, seed=seed, distracted=1.0)]
    for (own, beside), pair in found:
        assert every[beside] != pair.group
        assert pair.evidence in (f"{own} {beside}", f"{beside} {own}")
    assert 0.3 < sum(p.evidence.startswith(own) for (own, _), p in found) / len(found) < 0.7


def test_as_many_are_distracted_as_was_asked_for() -> None:
    many = [group(i) for i in range(60)]
    own = {t for g in many for w in g.worlds for t in w.full}
    for share in (0.0, 0.2, 0.45, 1.0):
        found = pairs(many, distracted=share)
        assert sum(p.evidence not in own for p in found) / len(found) == pytest.approx(share, abs=0.03)


def test_one_group_alone_has_no_other_to_distract_with() -> None:
    own = {t for w in GROUPS[0].worlds for t in w.full}
    assert {p.evidence for p in pairs([GROUPS[0]], distracted=1.0)} <= own
    assert pairs([]) == []


def test_the_same_seed_makes_the_same_pairs() -> None:
    assert pairs(GROUPS, seed=3) == pairs(GROUPS, seed=3)
    assert pairs(GROUPS, seed=3) != pairs(GROUPS, seed=4)
    assert {p.sentence for p in pairs(GROUPS, seed=3)} == {p.sentence for p in pairs(GROUPS, seed=4)}


# Files


def test_groups_are_read_with_their_splits() -> None:
    splits = ("train", "dev", "test", "train", "dev")
    found = read("worlds.jsonl", file_of(*(row(i, split=split) for i, split in enumerate(splits))))
    assert found == [group(i, split) for i, split in enumerate(splits)]
    assert [len(_plain([g for g in found if g.split == split])) for split in ("train", "dev", "test")] == [144, 144, 72]


def test_what_a_text_may_hold_is_kept() -> None:
    worlds = row(0)["worlds"]
    worlds[0]["full"][0] = "One line,\u2028\x85 and <b>the</b> next; “quoted” é 👍."
    data = b"\xef\xbb\xbf" + file_of(row(0, worlds=worlds)).replace(b"\n", b"\r\n") + b"\n  \n" + file_of(row(1)).rstrip()
    found = read("worlds.jsonl", data)
    assert [g.id for g in found] == ["g-0", "g-1"]
    assert found[0].worlds[0].full[0] == worlds[0]["full"][0]
    # No browser and no model takes these.
    worlds[0]["full"][0] = "a\x00b\ud800c"
    again = read("worlds.jsonl", (json.dumps(row(0, worlds=worlds)) + "\n").encode())
    assert again[0].worlds[0].full[0] == "a\ufffdb\ufffdc"
    assert read("worlds.jsonl", b"") == read("worlds.jsonl", b"\n\n") == []


def _worlds(place: str, value: Any, world: int = 1) -> dict[str, Any]:
    worlds = row(1)["worlds"]
    worlds[world][place] = value
    return row(1, worlds=worlds)


PARTY = "Okafor"
BAD: dict[str, bytes] = {
    "no JSON": PARTY.encode(),
    "bytes that are not UTF-8": b'{"id": "\xff"}',
    "a list": b"[1]",
    "brackets without an end": b"[" * 100_000,
    "the same field twice": file_of(row(1)).rstrip()[:-1] + b', "id": "g-9"}',
    "the same id": file_of(row(0)),
    **{f"no {name}": file_of(row(1, **{name: ...})) for name in ("id", "split", "area", "genre", "worlds")},
    "an id that is a number": file_of(row(1, id=7)),
    "an unknown split": file_of(row(1, split=PARTY)),
    "two worlds": file_of(row(1, worlds=row(1)["worlds"][:2])),
    "a world that is a text": file_of(row(1, worlds=[PARTY] * 3)),
    "two full texts": file_of(_worlds("full", [PARTY] * 2)),
    "a blank full text": file_of(_worlds("full", [PARTY, PARTY, " "])),
    "a short text that is null": file_of(_worlds("short", [PARTY, None], world=0)),
}


@pytest.mark.parametrize("line", BAD.values(), ids=BAD)
def test_what_is_no_group_is_reported_with_its_row_and_without_its_text(line: bytes) -> None:
    with pytest.raises(DataError) as refused:
        read("worlds.jsonl", file_of(row(0)) + b"\n" + line + b"\n" + file_of(row(2)))
    assert re.match(r"worlds\.jsonl, row 3: [A-Z].+\.$", str(refused.value))
    assert PARTY not in str(refused.value)


def test_the_rows_that_the_bad_ones_are_made_of_are_good() -> None:
    assert read("worlds.jsonl", file_of(row(0), row(1, shared=...), _worlds("edit", "") | {"id": "g-2"}))[2].worlds[1].edit == ""
