"""What the shipped classifier learns from: never a text of a test part."""

import json
from collections.abc import Iterator
from functools import cache
from itertools import chain

import numpy as np
import pytest

from groundscope.cases.dataset import read
from groundscope.text.sentences import split
from groundscope.types import Matrix
from models import data, public
from models.data import FOLDER, Parts, contrasts, documents, edits, entailment
from models.parts import part_of

SMALLER = {"STAGE_ONE": 3_000, "DEV": 500, "STAGE_TWO": 8_000, "STAGE_THREE": 9_000}
SMALLER |= {"SAMPLE_TIMES": 1, "NLI_TIMES": 1, "PUBLIC_TIMES": 1}


def by_letters(texts: list[str]) -> Matrix:
    """Vectors that tell texts apart; which context sentence is nearest does not matter here."""
    found = np.array([[len(t), t.count("e") + 1, t.count("a") + 1, t.count(" ") + 1] for t in texts], dtype=np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


@cache
def _test_texts() -> frozenset[str]:
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
    return frozenset(t for t in found if len(t.split()) > 5)


@pytest.fixture(scope="module")
def stages() -> Iterator[dict[str, Parts]]:
    """The three stages, each of all its sources, with an eighth of the pairs: what they are made of is the same."""
    some = documents()[::8]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data, "documents", lambda: some)
        for name, value in SMALLER.items():
            patch.setattr(data, name, value)
        patch.delenv(public.FOLDER, raising=False)
        yield {stage.__name__: stage(by_letters, 0) for stage in (contrasts, edits, entailment)}


@pytest.mark.parametrize("stage", ["contrasts", "edits", "entailment"])
def test_nothing_of_a_test_part_is_learned_from(stage: str, stages: dict[str, Parts]) -> None:
    test = _test_texts()
    assert len(test) > 1_500
    learned = set(chain.from_iterable(documents())) | {" ".join(d) for d in documents()}
    train, dev = stages[stage]
    assert min(len(train), len(dev)) > 400
    learned |= {text for p in (*train, *dev) for text in (p.sentence, p.evidence)}
    assert not learned & test
    assert not {p.group for p in train} & {p.group for p in dev}


@pytest.mark.parametrize("stage", ["contrasts", "edits", "entailment"])
def test_both_labels_are_even(stage: str, stages: dict[str, Parts]) -> None:
    for pairs in stages[stage]:
        assert 0.45 < sum(p.label > 0.5 for p in pairs) / len(pairs) < 0.52


def test_all_sources_are_there_and_wrong_words_are_reported(stages: dict[str, Parts]) -> None:
    train, _ = stages["entailment"]
    assert {p.made_by for p in train} == {"labelled", "response", "edit", "contrast"}
    assert len(stages["contrasts"][0]) == data.STAGE_ONE
    assert len(stages["contrasts"][1]) == data.DEV
    assert 0.6 * data.DEV < len(stages["edits"][1]) <= 1.1 * data.DEV
    for stage in ("contrasts", "edits"):
        wrong = [p for p in stages[stage][0] if p.label < 0.5]
        assert sum(p.wrong is not None for p in wrong) > 0.4 * len(wrong)
    assert 0.7 * data.STAGE_TWO < len(stages["edits"][0]) < 1.1 * data.STAGE_TWO


def test_documents_fall_into_parts_by_their_group_alone() -> None:
    parts = [part_of(f"document {i}") for i in range(2_000)]
    assert parts == [part_of(f"document {i}") for i in range(2_000)]
    for part, share in (("train", 0.7), ("dev", 0.1), ("test", 0.2)):
        assert abs(parts.count(part) / 2_000 - share) < 0.04
