"""The set of worlds: its form, its splits, and that neither side of its pairs alone gives a label away."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from groundscope.types import ErrorType
from models import world_pairs

FOLDER = Path(__file__).resolve().parents[2] / "models"
FIELDS = {"id", "split", "area", "genre", "about", "worlds"}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / "legal_worlds.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_group_has_its_fields_and_three_worlds_that_differ_by_a_typed_edit(rows: list[dict[str, Any]]) -> None:
    assert len({r["id"] for r in rows}) == len(rows) >= 800
    for row in rows:
        assert set(row) == FIELDS
        first, *edited = row["worlds"]
        assert first["edit"] == ""
        assert len(edited) == 2
        for world in edited:
            kind, colon, what = world["edit"].partition(":")
            assert kind in set(ErrorType), row["id"]
            assert colon
            assert what.strip()


def test_no_text_stands_twice_and_all_are_of_one_line(rows: list[dict[str, Any]]) -> None:
    texts = [t for r in rows for w in r["worlds"] for t in (*w["full"], *w["short"])]
    assert len(set(texts)) == len(texts) == 15 * len(rows)
    for text in texts:
        assert text == " ".join(text.split())
        assert 4 <= len(text.split()) <= 80


def test_the_wordings_of_a_world_share_few_words(rows: list[dict[str, Any]]) -> None:
    shares = []
    for row in rows:
        for world in row["worlds"]:
            words = [set(re.findall(r"[a-z]{4,}", t.lower())) for t in world["full"]]
            shares += [len(a & b) / max(1, min(len(a), len(b))) for i, a in enumerate(words) for b in words[:i]]
    assert sum(shares) / len(shares) < 0.4


def test_every_text_stands_as_often_under_one_label_as_under_the_other() -> None:
    groups = world_pairs.read("legal_worlds.jsonl", (FOLDER / "legal_worlds.jsonl").read_bytes())
    made = world_pairs.pairs(groups, distracted=0.0)
    assert len(made) == 72 * len(groups)
    labels = Counter((p.sentence, p.label > 0.5) for p in made)
    for text in {p.sentence for p in made}:
        assert labels[text, True] == labels[text, False]


def test_the_cards_counts_are_those_of_the_file(rows: list[dict[str, Any]]) -> None:
    card = (FOLDER / "legal_worlds.md").read_text(encoding="utf-8")
    splits = Counter(r["split"] for r in rows)
    for figure in (len(rows), 15 * len(rows), *splits.values()):
        assert f"{figure:,}" in card
    kinds = Counter(w["edit"].partition(":")[0] for r in rows for w in r["worlds"][1:])
    for count in kinds.values():
        assert f" {count:,}" in card
