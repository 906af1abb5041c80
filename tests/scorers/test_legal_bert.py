"""COS_SIM's own model, by the path that loads legal-bert, on a tiny BERT that is made here."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from groundscope.types import Judgement, Status
from scorers.cos_sim import LEGAL_BERT, CosSim
from tests.groundscope.models.model_folders.folders import Damage, cut_in_half, without, without_a_layer, write
from tests.scorers import tiny
from tests.scorers.conftest import MakeCase
from tests.scorers.pair_methods.published import matrix_of

RESPONSE = ["The court dismissed the appeal.", "Costs were awarded."]
CONTEXT = ["The appeal, dismissed.", "Costs were awarded to the tenant, to a court."]

pytestmark = pytest.mark.usefixtures("no_models_loaded")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A BERT with random weights, as `save_pretrained` leaves it, where the scorer looks for it."""
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(tmp_path))
    tiny.quiet()
    return tiny.bert(tmp_path / LEGAL_BERT.model)


def _mean_pooled(folder: Path, sentences: list[str]) -> NDArray[np.float32]:
    """Masked mean over the last hidden state, special tokens included; each text alone, cut at 512 tokens."""
    import torch
    from transformers import BertModel

    model = BertModel.from_pretrained(folder).eval()
    vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
    rows = []
    for sentence in sentences:
        words = [vocabulary.index(word) for word in re.findall(r"\w+|[.,]", sentence.lower())]
        ids = [2, *words[:510], 3]
        with torch.inference_mode():
            hidden = model(input_ids=torch.tensor([ids])).last_hidden_state[0]
        pooled = hidden.sum(dim=0) / len(ids)
        rows.append((pooled / pooled.norm()).numpy())
    return np.stack(rows)


def _score(case: MakeCase, response: str = " ".join(RESPONSE), *context: str) -> Judgement:
    return CosSim(precision="fp32").score(case(response, *(context or CONTEXT)))


def test_the_matrix_is_the_cosine_of_mean_pooled_sentences(folder: Path, case: MakeCase) -> None:
    judgement = _score(case)
    expected = np.clip(_mean_pooled(folder, RESPONSE) @ _mean_pooled(folder, CONTEXT).T, 0.0, 1.0)
    assert np.abs(matrix_of(judgement) - expected).max() < 1e-5
    assert judgement.support == pytest.approx(float(expected.max(axis=1).min()), abs=1e-5)
    assert judgement.context_seen == 1.0


def test_what_is_cut_at_512_tokens_is_counted_in_context_seen(folder: Path, case: MakeCase) -> None:
    long = "a b " * 400 + "court."
    judgement = _score(case, RESPONSE[0], long, CONTEXT[0])
    # 800 letters, "court", the full stop, [CLS] and [SEP] are 804 tokens; "The appeal, dismissed." has 7.
    assert judgement.context_seen == pytest.approx((512 + 7) / (804 + 7))
    expected = _mean_pooled(folder, RESPONSE[:1]) @ _mean_pooled(folder, [long, CONTEXT[0]]).T
    assert np.abs(matrix_of(judgement) - np.clip(expected, 0.0, 1.0)).max() < 1e-5


def test_a_folder_without_the_organisation_s_name_is_found(folder: Path, case: MakeCase) -> None:
    expected = _score(case).support
    folder.rename(folder.parents[1] / folder.name)
    folder.parent.rmdir()
    assert CosSim().unavailable() == ""
    assert _score(case).support == expected


def test_the_layout_of_the_hub_is_read(folder: Path, case: MakeCase) -> None:
    """There, the weights are a pickle of the pretraining model and the tokenizer is a vocabulary alone."""
    import torch
    from transformers import BertForPreTraining, BertModel

    expected = _score(case)
    model = BertForPreTraining(BertModel.from_pretrained(folder).config)
    model.bert.load_state_dict(BertModel.from_pretrained(folder).state_dict(), strict=False)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    for name in ("model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    judgement = _score(case)
    assert judgement.status is Status.SCORED
    assert judgement.support == pytest.approx(expected.support, abs=1e-5)


DAMAGES: dict[str, Damage] = {
    "half a weights file": cut_in_half,
    "weights that lack a layer": without_a_layer,
    "a config that is no JSON": write("config.json", "{"),
    "no tokenizer": without("vocab.txt", "tokenizer.json", "tokenizer_config.json"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_weights_fail_in_one_sentence_and_give_no_numbers(damage: str, folder: Path, case: MakeCase) -> None:
    DAMAGES[damage](folder)
    judgement = _score(case)
    assert judgement == Judgement(Status.FAILED, note=judgement.note, context_seen=0.0)
    assert LEGAL_BERT.model in judgement.note
    assert judgement.note.endswith(".")
    assert not re.search(r"[.!?]\s", judgement.note)
    assert re.search(r"get (them|the published weights) again", judgement.note)


def test_absent_weights_are_named_with_two_ways_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: MakeCase
) -> None:
    monkeypatch.delenv("GROUNDSCOPE_MODELS", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    judgement = CosSim().score(case(RESPONSE[0], *CONTEXT))
    assert judgement == Judgement(Status.FAILED, note=CosSim().unavailable(), context_seen=0.0)
    assert f"hf download {LEGAL_BERT.model} --revision {LEGAL_BERT.revision}" in judgement.note
    assert "GROUNDSCOPE_MODELS" in judgement.note
