"""What the scorers' tests share: the invariants that every judgement keeps, and cases from plain strings."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from groundscope.models.embedders import sentences
from groundscope.models.weights import files, memory
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Judgement, Passage, SentenceScore, Status
from tests.scorers import tiny

MakeCase = Callable[..., Case]
Check = Callable[[Judgement, Case], None]


@pytest.fixture(scope="session")
def case() -> MakeCase:
    def make(response: str, *passages: str, query: str = "What did the court decide?") -> Case:
        context = tuple(Passage(f"p{i}", text) for i, text in enumerate(passages))
        return Case("case", query, context, response)

    return make


@pytest.fixture(scope="session")
def check() -> Check:
    def check_judgement(judgement: Judgement, case: Case) -> None:
        assert isinstance(judgement, Judgement)
        assert (judgement.status is Status.SCORED) == (judgement.support is not None)
        assert judgement.support is None or 0.0 <= judgement.support <= 1.0
        assert judgement.status is Status.SCORED or judgement.note
        assert judgement.seconds >= 0.0
        assert 0.0 <= judgement.context_seen <= 1.0
        position = 0
        for sentence in judgement.sentences:
            assert sentence.start >= position
            position = sentence.end
            _check_sentence(sentence, case)
        if judgement.status is Status.SCORED:
            spans = [(s.start, s.end) for s in split(case.response)]
            assert [(s.start, s.end) for s in judgement.sentences] == spans
        _check_matrix(judgement, case)

    return check_judgement


def _check_sentence(sentence: SentenceScore, case: Case) -> None:
    assert sentence.end <= len(case.response)
    assert case.response[sentence.start : sentence.end].strip()
    assert sentence.support is None or 0.0 <= sentence.support <= 1.0
    supports = [m.support for m in sentence.matches]
    assert supports == sorted(supports, reverse=True)
    for match in sentence.matches:
        text = case.context[match.passage].text
        assert 0 <= match.passage < len(case.context)
        assert match.end <= len(text)
        assert text[match.start : match.end].strip()
        assert 0.0 <= match.support <= 1.0
    for start, end in sentence.verbatim:
        assert sentence.start <= start < end <= sentence.end


def _check_matrix(judgement: Judgement, case: Case) -> None:
    if judgement.matrix is None:
        return
    assert judgement.matrix.shape == (len(split(case.response)), len(context_sentences(case.context)))
    headings = [s.support is None for s in judgement.sentences]
    assert np.isfinite(judgement.matrix[np.logical_not(headings)]).all()
    known = judgement.matrix[~np.isnan(judgement.matrix)]
    assert ((known >= 0.0) & (known <= 1.0)).all()


@pytest.fixture(scope="session")
def cross_encoders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tiny models of the paper's cross-encoders in their publishers' layouts, where the methods look; copy before a change."""
    from tests.scorers.pair_methods.published import PUBLISHED

    tiny.quiet()
    root = tmp_path_factory.mktemp("cross-encoders")
    weights, tokenizers = ({method: root / p[i] for method, p in PUBLISHED.items()} for i in (0, 1))
    tiny.deberta(weights["hem_v1"], 1)
    tiny.t5(weights["hem_v2"], tokenizers["hem_v2"])
    tiny.roberta(weights["factkb"], tokenizers["factkb"])
    names = {"id2label": {0: "entailment", 1: "contradiction"}, "label2id": {"entailment": 0, "contradiction": 1}}
    tiny.deberta(weights["context_nli"], 2, **names)
    tiny.bert_cross_encoder(weights["grounding_classifier"])
    return root


@pytest.fixture
def none_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout without the weights that come with the project; the folder that they would lie in."""
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "shipped")
    return tmp_path / "shipped"


@pytest.fixture
def no_models_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models that a test loads are forgotten afterwards, and those loaded before are not used."""
    monkeypatch.setattr(sentences, "_loaded", {})
    monkeypatch.setattr(memory, "_loaded", {})
