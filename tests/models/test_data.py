"""What the shipped classifier learns from: never a text of a test part."""

import json
from itertools import chain

import numpy as np

from evaluation.dataset import read
from evaluation.sentences import split
from evaluation.types import Matrix
from models.data import FOLDER, documents, entailment, part_of


def _embed(texts: list[str]) -> Matrix:
    """Vectors that tell texts apart; which context sentence is nearest does not matter here."""
    found = np.array([[len(t), t.count("e") + 1, t.count("a") + 1, t.count(" ") + 1] for t in texts], dtype=np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def _test_texts() -> set[str]:
    found: set[str] = set()
    for case in read("legal_qa.jsonl", (FOLDER / "legal_qa.jsonl").read_bytes()).cases:
        if case.split == "test":
            texts = [case.response, *(p.text for p in case.context)]
            found |= {t[s.start : s.end] for t in texts for s in split(t)}
    for name, fields in (("legal_nli.jsonl", ("evidence", "statement")),):
        rows = map(json.loads, (FOLDER / name).read_text(encoding="utf-8").splitlines())
        found |= {r[f] for r in rows if r["split"] == "test" for f in fields}
    worlds = map(json.loads, (FOLDER / "legal_worlds.jsonl").read_text(encoding="utf-8").splitlines())
    found |= {t for r in worlds if r["split"] == "test" for w in r["worlds"] for t in (*w["full"], *w["short"])}
    # "The Supreme Court reversed." stands in many digests.
    return {t for t in found if len(t.split()) > 5}


def test_nothing_of_a_test_part_is_learned_from() -> None:
    test = _test_texts()
    assert len(test) > 1_500
    learned = set(chain.from_iterable(documents())) | {" ".join(d) for d in documents()}
    train, dev = entailment(_embed, seed=0)
    assert min(len(train), len(dev)) > 1_000
    learned |= {text for p in (*train, *dev) for text in (p.sentence, p.evidence)}
    assert not learned & test
    assert not {p.group for p in train} & {p.group for p in dev}


def test_both_labels_are_even_and_all_sources_are_there() -> None:
    train, _ = entailment(_embed, seed=0)
    supported = sum(p.label > 0.5 for p in train)
    assert 0.48 < supported / len(train) < 0.52
    assert {p.made_by for p in train} == {"labelled", "response", "edit"}


def test_documents_fall_into_parts_by_their_group_alone() -> None:
    parts = [part_of(f"document {i}") for i in range(2_000)]
    assert parts == [part_of(f"document {i}") for i in range(2_000)]
    for part, share in (("train", 0.7), ("dev", 0.1), ("test", 0.2)):
        assert abs(parts.count(part) / 2_000 - share) < 0.04
