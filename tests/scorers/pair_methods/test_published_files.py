"""What the published files hold is read as their publishers read it: code, prompts, keys, vocabularies, special tokens."""

import json
from pathlib import Path

import numpy as np
import pytest
from sentencepiece import SentencePieceProcessor

from groundscope.models.pairs.encoders import TextPair
from groundscope.models.weights import checkpoint
from groundscope.types import Status
from scorers import hem_v1, hem_v2
from tests.scorers import tiny
from tests.scorers.conftest import MakeCase
from tests.scorers.pair_methods.published import CONTEXT, METHODS, PASSAGES, PUBLISHED, RESPONSE, Reference, load, matrix_of


def test_hem_v2_never_runs_the_code_beside_its_weights(copied: Path, case: MakeCase) -> None:
    folder = copied / hem_v2.WEIGHTS.name
    assert "auto_map" in json.loads((folder / "config.json").read_text())
    assert load("hem_v2").score(case(RESPONSE[0], *PASSAGES)).status is Status.SCORED
    assert not list(copied.rglob("was_run"))
    assert not list(copied.rglob("__pycache__"))
    # It would have left its mark.
    code = folder / "configuration_hhem_v2.py"
    exec(compile(code.read_text(), code, "exec"), {"__file__": str(code)})  # noqa: S102 - written by tiny.py
    assert (folder / "was_run").exists()


def test_hem_v2_takes_its_prompt_from_the_published_file(copied: Path, references: dict[str, Reference], case: MakeCase) -> None:
    prompt = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {text1}\n\nHypothesis: {text2}"
    code = copied / hem_v2.WEIGHTS.name / "configuration_hhem_v2.py"
    code.write_text(f"class HHEMv2Config:\n    other: str = 'x {{text2}}'\n    prompt: str = {prompt!r}\n", encoding="utf-8")
    expected = references["hem_v2"].grid(RESPONSE, CONTEXT, prompt=prompt)
    assert np.abs(matrix_of(load("hem_v2").score(case(" ".join(RESPONSE), *PASSAGES))) - expected).max() < 1e-5
    assert np.abs(references["hem_v2"].grid(RESPONSE, CONTEXT) - expected).max() > 1e-3


SHARED, EMBEDDED = "transformer.shared.weight", "transformer.encoder.embed_tokens.weight"


@pytest.mark.parametrize("prefix", ["t5.", ""])
@pytest.mark.parametrize("names", [(SHARED,), (EMBEDDED,), (SHARED, EMBEDDED)])
def test_hem_v2_reads_its_keys_with_and_without_the_wrapper_s_prefix_and_the_tied_matrix_under_either_name(
    prefix: str, names: tuple[str, ...], copied: Path, references: dict[str, Reference]
) -> None:
    from safetensors.torch import load_file, save_file

    file = copied / hem_v2.WEIGHTS.name / "model.safetensors"
    tensors = {name.removeprefix("t5."): tensor for name, tensor in load_file(file).items()}
    matrix = tensors.pop(SHARED)
    tensors |= {name: matrix.clone() for name in names}
    save_file({f"{prefix}{name}": tensor for name, tensor in tensors.items()}, file, {"format": "pt"})
    found = load("hem_v2").pairs([TextPair(RESPONSE[0], CONTEXT[1])]).support[0]
    assert found == pytest.approx(references["hem_v2"].support(RESPONSE[0], CONTEXT[1]), abs=1e-5)


@pytest.mark.parametrize(("method", "base"), [("hem_v1", "deberta"), ("factkb", "roberta"), ("context_nli", "deberta")])
def test_the_position_buffer_of_old_files_is_accepted(method: str, base: str, copied: Path) -> None:
    import torch

    file, buffer = copied / PUBLISHED[method].weights / "pytorch_model.bin", f"{base}.embeddings.position_ids"
    tensors = torch.load(file, weights_only=True)
    assert (buffer in tensors) == (method == "factkb")
    torch.save({**tensors, buffer: torch.arange(512).unsqueeze(0)}, file)
    load(method).prepare()


def _with_tokenizer_json(models: Path) -> None:
    """Write DeBERTa's tokenizer.json as it is published, with the vocabulary's normaliser, in the place of spm.model."""
    from tokenizers import Regex, normalizers
    from transformers.convert_slow_tokenizer import SentencePieceExtractor

    folder = models / hem_v1.WEIGHTS.name
    backend = tiny.tokenizer_of(folder).backend_tokenizer
    charsmap = SentencePieceExtractor(str(folder / "spm.model")).proto.normalizer_spec.precompiled_charsmap
    backend.normalizer = normalizers.Sequence(
        [normalizers.Strip(), normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    backend.save(str(folder / "tokenizer.json"))
    (folder / "spm.model").unlink()


def test_a_tokenizer_json_gives_the_published_numbers(copied: Path, references: dict[str, Reference], case: MakeCase) -> None:
    _with_tokenizer_json(copied)
    matrix = matrix_of(load("hem_v1").score(case(" ".join(RESPONSE), *PASSAGES)))
    assert np.abs(matrix - references["hem_v1"].grid(RESPONSE, CONTEXT)).max() < 1e-5


LEGAL = "The\u00a0tenant’s costs of\u202f4,500 € (§\u00a03, ﬁrst …)  were ½ of the landlord’s:\tＡ №\u00a05\nand\u2003ｂ."


@pytest.mark.parametrize(
    ("folder", "vocabulary", "as_json"),
    [
        (hem_v1.WEIGHTS.name, "spm.model", False),
        (hem_v1.WEIGHTS.name, "spm.model", True),
        (hem_v2.FOUNDATION.name, "spiece.model", False),
    ],
)
def test_legal_signs_are_read_as_sentencepiece_reads_them(folder: str, vocabulary: str, as_json: bool, copied: Path) -> None:
    pieces = SentencePieceProcessor(model_file=str(copied / folder / vocabulary))
    if as_json:
        _with_tokenizer_json(copied)
    size = json.loads((copied / folder / "config.json").read_text())["vocab_size"]
    tokenizer = checkpoint.load_tokenizer(copied / folder, folder, size)
    for text in (LEGAL, *RESPONSE, *CONTEXT):
        assert tokenizer(text, add_special_tokens=False)["input_ids"] == pieces.encode(text), text


@pytest.mark.parametrize("method", METHODS)
def test_special_tokens_in_a_text_are_plain_text(method: str, models: Path, references: dict[str, Reference]) -> None:
    reference, encoder = references[method], load(method)._load().encoder
    special = [token for token in reference.tokenizer.all_special_tokens if token not in ("[UNK]", "<unk>")]
    assert {"[SEP]", "</s>"} & set(special)
    ids = set(reference.tokenizer.convert_tokens_to_ids(special))

    def count(pair: TextPair) -> int:
        (window,) = encoder.encode([pair])[0].windows
        return sum(i in ids for i in window.ids.tolist())

    plain = count(TextPair(RESPONSE[0], CONTEXT[0]))
    for token in [*special, "[SEP]", "</s>", "<pad>", "{text1}", "{text2}"]:
        claim, context = f"The court {token} dismissed{token}.", f"{token} The appeal {token}{token} was late {{text2}}"
        assert count(TextPair(claim, context)) == plain
        wide = str.maketrans("[]<>/SEPpads", "［］＜＞／ＳＥＰｐａｄｓ")
        assert count(TextPair(claim.translate(wide), context.translate(wide))) == plain
        apart = f"{token[0]} {token[1:]}" if token in special else token
        expected = reference.support(claim.replace(token, apart), context.replace(token, apart))
        assert load(method).pairs([TextPair(claim, context)]).support[0] == pytest.approx(expected, abs=1e-5)
