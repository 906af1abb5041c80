"""The bundled model: the very vectors of COS_SIM MiniLM, from the same copy in memory."""

import pytest

from groundscope.errors import Cancelled
from groundscope.methods import registry
from groundscope.models import embedders
from groundscope.models.embedders import sentences
from scorers.cos_sim import MINILM, CosSim
from tests.groundscope.models.embedders.conftest import ignore

TEXTS = [
    "The court dismissed the appeal.",
    "Bananas are rich in potassium.",
    "Überraschung 法院 \ud800 \x00",
    "word " * 300,
    "",
    "x",
]


@pytest.mark.usefixtures("no_models_loaded")
def test_vectors_are_those_of_cos_sim_minilm_from_the_same_copy() -> None:
    embedder = embedders.embedder("minilm")
    cos_sim = registry.load("cos_sim:minilm")
    assert isinstance(cos_sim, CosSim)
    assert cos_sim.embed(TEXTS).tobytes() == embedder.passages(TEXTS, ignore).tobytes()
    assert cos_sim.embed(TEXTS).tobytes() == embedder.questions(TEXTS, ignore).tobytes()
    assert [weights for weights, _ in sentences._loaded] == [MINILM]
    assert embedder.signature.endswith(f"|{cos_sim.precision}|mean-pooled|no prompts|length 1")


def test_tokens_and_what_is_cut_are_counted_as_the_model_counts_them() -> None:
    embedder = embedders.embedder("minilm")
    texts = [*(f"{'word ' * n}." for n in (1, 252, 253, 254, 255, 400)), *TEXTS]
    read = sentences.load(MINILM, registry.load("cos_sim:minilm").precision).embed(texts)  # type: ignore[attr-defined]
    assert embedder.cut(texts) == int((read.tokens_read < read.tokens_total).sum()) == 4
    assert (embedder.cut([]), embedder.reads()) == (0, 254)
    # Two special tokens belong to no text.
    assert [embedder.tokens(text) + 2 for text in texts] == read.tokens_total.tolist()
    assert embedder.tokens("word " * 5_000) == 5_000


def test_progress_is_reported_and_the_user_may_leave() -> None:
    heard: list[tuple[int, int]] = []
    many = [f"Clause {i} {'binds the tenant ' * 40}" for i in range(60)]

    def hear(done: int, total: int) -> None:
        heard.append((done, total))
        if done >= 20:
            raise Cancelled

    with pytest.raises(Cancelled):
        embedders.embedder("minilm").passages(many, hear)
    assert heard[0] == (0, 60)
    assert 20 <= heard[-1][0] < 60
    heard.clear()
    assert embedders.embedder("minilm").passages(many[:19], hear).shape == (19, 384)
    assert len(heard) > 2
    assert heard == sorted(heard)
    assert (heard[0], heard[-1]) == ((0, 19), (19, 19))
    assert embedders.embedder("minilm").passages([], ignore).shape == (0, 384)
