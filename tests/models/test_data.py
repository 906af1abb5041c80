"""What the shipped adapter learns from, also of pairs that people labelled elsewhere: never a text of a test part."""

import gzip
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from groundscope.cases.dataset import read
from groundscope.errors import DataError
from groundscope.text.sentences import split
from groundscope.types import Matrix
from models import public
from models.data import EVIDENCE, MODELS, SAMPLES, Parts, adapter
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


# Pairs that people labelled elsewhere, from the user's folder


DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


SOURCES = {
    "SummEdits/news": "Apache-2.0",
    "CUAD (LegalBench form)": "CC-BY-4.0",
    "RAGBench/emanual": "CC-BY-4.0",
    "RAGBench/expertqa": "CC-BY-4.0",
    "CUAD (shared alike)": "CC-BY-SA",
}
"""The last two are not learned from."""


def test_documents_for_tests_and_texts_under_other_terms_are_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = [next(g for i in range(99) if part_of(g := f"document {i}") == part) for part in ("train", "dev", "test")]
    texts = {"claim": "The council of Leeds granted the permit.", "context": ["It granted the permit."], "annotator": "a person"}
    rows = [
        {"id": f"{group}_og-1", "source": source, "license": terms, "group": group, "grounded": True, "edit_types": [], **texts}
        for group in groups
        for source, terms in SOURCES.items()
    ]
    path = tmp_path / public.NAME
    path.write_bytes(gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode()))
    monkeypatch.setenv(public.FOLDER, str(tmp_path))
    read = public._rows(path)
    assert {part_of(r["group"]) for r in read} == {"train", "dev"}
    assert {r["source"] for r in read} == set(list(SOURCES)[:3])
    assert {r["license"] for r in read} == set(public.TERMS)
    assert public.pairs("test", by_letters, EVIDENCE) == ([], [])
    assert public.pairs("train", by_letters, EVIDENCE) != ([], [])


def test_without_a_folder_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(public.FOLDER, raising=False)
    assert public.pairs("train", by_letters, EVIDENCE) == ([], [])


@pytest.mark.parametrize("content", [None, "", "no json", "[1]\n"])
def test_a_folder_that_cannot_be_read_stops_the_training(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(public.FOLDER, str(tmp_path))
    if content is not None:
        (tmp_path / public.NAME).write_bytes(gzip.compress(content.encode()) if content else b"no gzip")
    with pytest.raises(DataError, match=public.FOLDER):
        public.pairs("train", by_letters, EVIDENCE)


def test_the_wrong_words_are_those_that_the_edit_changed() -> None:
    change = public._difference("The court in Sydney met on Monday.", "The court in Perth met on Monday.")
    assert change == (13, 18)
    assert public._difference("All of it is new.", "Nothing here was left alone!") is None


@pytest.fixture(scope="module")
def real() -> Path:
    if not (DATA / public.NAME).exists():
        pytest.skip(f"{DATA / public.NAME} is not there: the shared data folder is not part of the repository")
    return DATA


def test_with_public_pairs_both_labels_are_even(real: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(public.FOLDER, str(real))
    for pairs in adapter(by_letters, 0):
        assert 0.45 < sum(p.label > 0.5 for p in pairs) / len(pairs) < 0.52
        assert {part_of(p.group) for p in pairs if p.group.startswith("document")} <= {"train", "dev"}
