"""Tiny models with random weights in the layouts that the publishers use: same architectures, key names and files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import PreTrainedModel

TEXT = (
    "The court of appeal dismissed the appeal in 2003. It held that the notice was served too late. Costs of 4,500 euros were "
    "awarded to the tenant, because the landlord had acted unreasonably. The landlord was awarded costs. Determine if the "
    "hypothesis is true given the premise? Premise Hypothesis a b c d e f 0 1 2 3 4 5 6 7 8 9 . , ? ! : ; ( ) [ ] < > / \\ # -"
)
T5_SIZES: dict[str, Any] = {
    "d_model": 32, "d_ff": 64, "d_kv": 16, "num_heads": 2, "num_layers": 2, "feed_forward_proj": "gated-gelu",
    "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0,
}  # fmt: skip
PROMPT = "<pad> Say whether the second text follows from the first.\n\nFirst: {text1}\n\nSecond: {text2}"


def seeded(model: PreTrainedModel, last: float = 0.4) -> PreTrainedModel:
    """Weights that differ enough between inputs for supports to spread over 0..1."""
    import torch

    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            scale = last if name.startswith("classifier") else 0.25 if parameter.dim() > 1 else 0.1
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * scale)
            if "norm" in name.lower() and name.endswith("weight"):
                parameter.add_(1.0)
    return model.eval()


def deberta(folder: Path, labels: int, **names: Any) -> Path:
    """As vectara's 1.0 and potsawee's model: DeBERTa-v3 with a sentencepiece vocabulary, the weights as a pickle."""
    import torch
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

    folder.mkdir(parents=True)
    spm = _sentencepiece(folder / "spm.model", ["[PAD]", "[CLS]", "[SEP]", "[UNK]"], bos=1, eos=2, unknown=3)
    config = DebertaV2Config(
        vocab_size=spm + 1,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
        relative_attention=True,
        position_buckets=256,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        max_relative_positions=-1,
        position_biased_input=False,
        type_vocab_size=0,
        pooler_dropout=0,
        pooler_hidden_act="gelu",
        pooler_hidden_size=32,
        num_labels=labels,
        pad_token_id=0,
        **names,
    )
    model = seeded(DebertaV2ForSequenceClassification(config))
    config.architectures = ["DebertaV2ForSequenceClassification"]
    config.save_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "added_tokens.json").write_text(json.dumps({"[MASK]": spm}), encoding="utf-8")
    special = {
        f"{k}_token": f"[{v}]" for k, v in {"cls": "CLS", "sep": "SEP", "pad": "PAD", "unk": "UNK", "mask": "MASK"}.items()
    }
    (folder / "special_tokens_map.json").write_text(json.dumps(special), encoding="utf-8")
    tokenizer = {
        "do_lower_case": False,
        "split_by_punct": False,
        "tokenizer_class": "DebertaV2Tokenizer",
        "vocab_type": "spm",
        **special,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder


def t5(folder: Path, foundation: Path) -> tuple[Path, Path]:
    """As vectara's 2.1: a wrapper's safetensors with the prefix `t5.`, a config that asks for remote code; flan-t5 apart."""
    from safetensors.torch import save_file
    from transformers import T5Config, T5ForTokenClassification

    folder.mkdir(parents=True)
    config = T5Config(vocab_size=len(tokenizer_of(t5_tokenizer(foundation))), tie_word_embeddings=False, **T5_SIZES)
    config.save_pretrained(foundation)
    model = seeded(T5ForTokenClassification(T5Config.from_dict({**config.to_dict(), "num_labels": 2})), last=0.12)
    tensors = {f"t5.{k}": v.clone() for k, v in model.state_dict().items() if k != "transformer.encoder.embed_tokens.weight"}
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    asked = {"AutoConfig": "configuration_hhem_v2.HHEMv2Config", "AutoModelForSequenceClassification": "modeling_hhem_v2.HHEMv2"}
    wrapper = {"architectures": ["HHEMv2ForSequenceClassification"], "auto_map": asked, "model_type": "HHEMv2"}
    (folder / "config.json").write_text(json.dumps(wrapper), encoding="utf-8")
    # Running it would leave a mark that a test looks for.
    code = (
        "from pathlib import Path\n\nPath(__file__).with_name('was_run').touch()\n\n\nclass HHEMv2Config:\n"
        f"    model_type = 'HHEMv2'\n    foundation = 'google/flan-t5-base'\n    prompt = {PROMPT!r}\n"
    )
    (folder / "configuration_hhem_v2.py").write_text(code, encoding="utf-8")
    return folder, foundation


def t5_tokenizer(folder: Path, spare: int = 4) -> Path:
    """flan-t5's tokenizer: sentencepiece, with some words to fill in."""
    folder.mkdir(parents=True)
    _sentencepiece(folder / "spiece.model", ["<pad>", "</s>", "<unk>"], bos=-1, eos=1, unknown=2)
    tokenizer = {
        "tokenizer_class": "T5Tokenizer",
        "extra_ids": spare,
        "pad_token": "<pad>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    return folder


def roberta(folder: Path, tokenizer: Path) -> tuple[Path, Path]:
    """As FactKB: RoBERTa without a tokenizer, its weights as a pickle; roberta-base's byte pairs apart."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaForSequenceClassification

    tokenizer.mkdir(parents=True)
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator([TEXT] * 4, 400, min_frequency=1, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    trained.save_model(str(tokenizer))
    (tokenizer / "tokenizer_config.json").write_text(
        '{"model_max_length": 512, "tokenizer_class": "RobertaTokenizer"}', encoding="utf-8"
    )
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = RobertaConfig(
        vocab_size=trained.get_vocab_size(), max_position_embeddings=514, type_vocab_size=1, num_labels=2, **sizes
    )
    config.save_pretrained(tokenizer)
    folder.mkdir(parents=True)
    config.architectures = ["RobertaForSequenceClassification"]
    config.save_pretrained(folder)
    state = seeded(RobertaForSequenceClassification(config)).state_dict()
    # Written by the transformers of its day, the file has this buffer too.
    state["roberta.embeddings.position_ids"] = torch.arange(514).unsqueeze(0)
    torch.save(state, folder / "pytorch_model.bin")
    return folder, tokenizer


def bert(folder: Path, *, positions: int = 512, limit: int | None = None, labels: int = 0) -> Path:
    """A BERT that knows the words of `TEXT`, its tokenizer beside it; a classifier of pairs where it has labels."""
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizer

    folder.mkdir(parents=True)
    words = sorted({w for w in TEXT.lower().replace(".", " . ").replace(",", " , ").split() if w.isalnum() or len(w) == 1})
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]) + "\n", encoding="utf-8")
    BertTokenizer(vocab=str(vocabulary), model_max_length=limit or positions).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(words) + 5,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=positions,
        num_labels=labels or 2,
    )
    seeded((BertForSequenceClassification if labels else BertModel)(config)).save_pretrained(folder)
    return folder


def bert_cross_encoder(folder: Path, labels: int = 1, positions: int = 128) -> Path:
    """As sentence-transformers saves a fine-tuned cross-encoder."""
    from sentence_transformers import CrossEncoder

    plain = bert(folder.with_name(f"{folder.name}-plain"), positions=positions, labels=labels)
    CrossEncoder(str(plain), device="cpu", num_labels=labels).save_pretrained(str(folder))
    return folder


def tokenizer_of(folder: Path) -> Any:
    """The tokenizer as transformers loads it."""
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(str(folder), local_files_only=True)


def byte_pairs(special: list[str], size: int, text: str = TEXT) -> Tokenizer:
    """A tokenizer of byte pairs, learned from a text, that begins with the special tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    backend.train_from_iterator([text] * 8, trainer)
    return backend


def quiet() -> None:
    """No progress bars or load reports among the test's output."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()


def _sentencepiece(path: Path, special: list[str], *, bos: int, eos: int, unknown: int) -> int:
    """Train a vocabulary on `TEXT` with the special tokens where the publisher has them; gives its size."""
    import sentencepiece

    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([TEXT] * 4),
        model_prefix=str(path.with_suffix("")),
        vocab_size=160,
        hard_vocab_limit=False,
        pad_id=0,
        pad_piece=special[0],
        bos_id=bos,
        eos_id=eos,
        unk_id=unknown,
        bos_piece="[CLS]",
        eos_piece=special[eos],
        unk_piece=special[unknown],
        minloglevel=2,
    )
    path.with_suffix(".vocab").unlink()
    return int(sentencepiece.SentencePieceProcessor(model_file=str(path)).get_piece_size())
