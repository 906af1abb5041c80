"""What the shipped classifier learns from: never a text of a test part."""

import gzip
import json
from itertools import chain

import numpy as np
import pytest

from evaluation.dataset import read
from evaluation.sentences import split
from evaluation.types import Matrix
from models import public
from models.data import DEV, EVIDENCE, FOLDER, STAGE_ONE, STAGE_TWO, Parts, contrasts, documents, edits, entailment
from models.parts import part_of


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


@pytest.fixture(scope="module")
def stages() -> dict[str, Parts]:
    return {stage.__name__: stage(_embed, 0) for stage in (contrasts, edits, entailment)}


@pytest.mark.parametrize("stage", ["contrasts", "edits", "entailment"])
def test_nothing_of_a_test_part_is_learned_from(stage: str, stages: dict[str, Parts]) -> None:
    test = _test_texts()
    assert len(test) > 1_500
    learned = set(chain.from_iterable(documents())) | {" ".join(d) for d in documents()}
    train, dev = stages[stage]
    assert min(len(train), len(dev)) > 1_000
    learned |= {text for p in (*train, *dev) for text in (p.sentence, p.evidence)}
    assert not learned & test
    assert not {p.group for p in train} & {p.group for p in dev}


@pytest.mark.parametrize("stage", ["contrasts", "edits", "entailment"])
def test_both_labels_are_even(stage: str, stages: dict[str, Parts]) -> None:
    for pairs in stages[stage]:
        assert 0.45 < sum(p.label > 0.5 for p in pairs) / len(pairs) < 0.52


def test_all_sources_are_there_and_wrong_words_are_told(stages: dict[str, Parts]) -> None:
    train, _ = stages["entailment"]
    assert {p.made_by for p in train} == {"labelled", "response", "edit", "contrast"}
    assert len(stages["contrasts"][0]) == STAGE_ONE
    assert len(stages["contrasts"][1]) == DEV
    assert 0.6 * DEV < len(stages["edits"][1]) <= 1.1 * DEV
    for stage in ("contrasts", "edits"):
        wrong = [p for p in stages[stage][0] if p.label < 0.5]
        assert sum(p.wrong is not None for p in wrong) > 0.4 * len(wrong)
    assert 0.7 * STAGE_TWO < len(stages["edits"][0]) < 1.1 * STAGE_TWO


def test_documents_fall_into_parts_by_their_group_alone() -> None:
    parts = [part_of(f"document {i}") for i in range(2_000)]
    assert parts == [part_of(f"document {i}") for i in range(2_000)]
    for part, share in (("train", 0.7), ("dev", 0.1), ("test", 0.2)):
        assert abs(parts.count(part) / 2_000 - share) < 0.04


def _public_rows() -> list[dict[str, object]]:
    return [json.loads(line) for line in gzip.decompress(public.FILE.read_bytes()).decode("utf-8").splitlines()]


def test_of_public_documents_those_for_tests_are_not_even_here() -> None:
    parts = {part_of(str(r["group"])) for r in _public_rows()}
    assert parts == {"train", "dev"}


def test_terms_that_weights_may_be_given_away_under_are_the_only_ones() -> None:
    assert {str(r["license"]) for r in _public_rows()} == {"Apache-2.0", "CC-BY-4.0"}


@pytest.mark.parametrize("part", ["train", "dev"])
def test_of_a_public_summary_the_sentence_that_was_edited_is_learned_from(part: str) -> None:
    found = public.pairs(part, _embed, EVIDENCE)
    groups = {str(r["group"]) for r in _public_rows() if part_of(str(r["group"])) == part}
    assert {p.group for p in (*found.labelled, *found.supported)} <= groups
    assert all(p.label > 0.5 for p in found.supported)
    told = [p for p in found.labelled if p.wrong]
    assert len(told) > 0.1 * len(found.labelled)
    for pair in told:
        assert pair.label < 0.5
        start, end = pair.wrong or (0, 0)
        assert 0 <= start <= end <= len(pair.sentence)
        assert end - start <= 0.4 * len(pair.sentence)


def test_the_wrong_words_are_those_that_the_edit_changed() -> None:
    change = public._difference("The court in Sydney met on Monday.", "The court in Perth met on Monday.")
    assert change == (13, 18)
    assert public._difference("All of it is new.", "Nothing here was left alone!") is None
