"""What the shipped adapter learns from: never a text of a test part."""

import json
from functools import cache

import numpy as np
import pytest

from groundscope.cases.dataset import read
from groundscope.text.sentences import split
from groundscope.types import Matrix
from models import public
from models.data import MODELS, SAMPLES, Parts, adapter
from models.public import part_of


def by_letters(texts: list[str]) -> Matrix:
    """Vectors that tell texts apart; which context sentence is nearest does not matter here."""
    found = np.array([[len(t), t.count("e") + 1, t.count("a") + 1, t.count(" ") + 1] for t in texts], dtype=np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


@cache
def _test_texts() -> frozenset[str]:
    found: set[str] = set()
    for case in read("legal_qa.jsonl", (SAMPLES / "legal_qa.jsonl").read_bytes()).cases:
        if case.split == "test":
            texts = [case.response, *(p.text for p in case.context)]
            found |= {t[s.start : s.end] for t in texts for s in split(t)}
    for name, fields in (("legal_nli.jsonl", ("evidence", "statement")),):
        rows = map(json.loads, (SAMPLES / name).read_text(encoding="utf-8").splitlines())
        found |= {r[f] for r in rows if r["split"] == "test" for f in fields}
    worlds = map(json.loads, (MODELS / "legal_worlds.jsonl").read_text(encoding="utf-8").splitlines())
    found |= {t for r in worlds if r["split"] == "test" for w in r["worlds"] for t in (*w["full"], *w["short"])}
    # "The Supreme Court reversed." stands in many digests.
    return frozenset(t for t in found if len(t.split()) > 5)


@pytest.fixture(scope="module")
def alone() -> Parts:
    """All pairs of this project's own texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(public.FOLDER, raising=False)
        return adapter(by_letters, 0)


def test_nothing_of_a_test_part_is_learned_from(alone: Parts) -> None:
    test = _test_texts()
    assert len(test) > 1_500
    train, dev = alone
    assert len(train) > 20_000
    assert len(dev) > 400
    assert not {text for p in (*train, *dev) for text in (p.sentence, p.evidence)} & test
    assert not {p.group for p in train} & {p.group for p in dev}


def test_both_labels_are_even_and_all_sources_are_there(alone: Parts) -> None:
    for pairs in alone:
        assert 0.45 < sum(p.label > 0.5 for p in pairs) / len(pairs) < 0.52
    assert {p.made_by for p in alone[0]} == {"labelled", "response", "edit", "contrast"}


def test_documents_fall_into_parts_by_their_group_alone() -> None:
    parts = [part_of(f"document {i}") for i in range(2_000)]
    assert parts == [part_of(f"document {i}") for i in range(2_000)]
    for part, share in (("train", 0.7), ("dev", 0.1), ("test", 0.2)):
        assert abs(parts.count(part) / 2_000 - share) < 0.04
