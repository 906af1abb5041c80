"""The set of worlds: its form, its splits, and that neither side of its pairs alone gives a label away."""

import json
from pathlib import Path
from typing import Any

import pytest

from groundscope.types import ErrorType

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
