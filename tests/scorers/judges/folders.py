"""Tiny judges of the field with random weights, in the layouts of their publishers."""

import json
import shutil
from pathlib import Path
from typing import Any

from tests.scorers import tiny

ORDERS = {
    "first": ("entailment", "neutral", "contradiction"),
    "last": ("contradiction", "neutral", "ENTAILMENT"),
    "german": ("Widerspruch", "neutral", "Folgerung"),
    "binary": ("not_entailment", "entailment"),
}


def labelled(labels: tuple[str, ...]) -> dict[str, Any]:
    return {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}


def entailment(folder: Path, labels: tuple[str, ...]) -> Path:
    """As cross-encoder/nli-deberta-v3-base: DeBERTa-v3 with safetensors."""
    return safe(tiny.deberta(folder, len(labels), **labelled(labels)))


def safe(folder: Path) -> Path:
    """The pickle of a folder as safetensors."""
    import torch
    from safetensors.torch import save_file

    pickled = folder / "pytorch_model.bin"
    state = {k: v.contiguous() for k, v in torch.load(pickled, weights_only=True).items() if "position_ids" not in k}
    save_file(state, folder / "model.safetensors", {"format": "pt"})
    pickled.unlink()
    return folder


def roberta(folder: Path) -> Path:
    """As MiniCheck's: RoBERTa with its tokenizer in one folder."""
    apart = folder.with_name(f"{folder.name}-tokenizer")
    tiny.roberta(folder, apart)
    for path in apart.iterdir():
        if path.name != "config.json":
            shutil.copy(path, folder / path.name)
    return folder


def flan_t5(folder: Path) -> Path:
    """As MiniCheck's Flan-T5: a whole encoder-decoder with tied embeddings and more words than its first answers take."""
    from transformers import T5Config, T5ForConditionalGeneration

    size = len(tiny.tokenizer_of(tiny.t5_tokenizer(folder, spare=140)))
    tiny.seeded(T5ForConditionalGeneration(T5Config(vocab_size=size, **tiny.T5_SIZES))).save_pretrained(folder)
    return folder


def bart(folder: Path) -> Path:
    """As facebook/bart-large-cnn: byte pairs, and a model whose vocabulary lacks the tokenizer's last token, <mask>."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import BartConfig, BartForConditionalGeneration

    tiny.quiet()
    folder.mkdir(parents=True)
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator([tiny.TEXT] * 4, 400, min_frequency=1, special_tokens=["<s>", "<pad>", "</s>", "<unk>"])
    trained.add_special_tokens(["<mask>"])
    trained.save_model(str(folder))
    words = json.loads((folder / "vocab.json").read_text("utf-8"))
    (folder / "vocab.json").write_text(json.dumps({**words, "<mask>": len(words)}), encoding="utf-8")
    sizes = {f"{side}_{name}": n for side in ("encoder", "decoder") for name, n in (("layers", 2), ("attention_heads", 2))}
    config = BartConfig(
        vocab_size=len(words),
        d_model=32,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=64,
        **sizes,
    )
    tiny.seeded(BartForConditionalGeneration(config)).save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    # Settings of its summaries, which change no likelihood, stand in the published configuration.
    published = json.loads((folder / "config.json").read_text("utf-8"))
    published |= {"num_beams": 4, "no_repeat_ngram_size": 3, "min_length": 56, "max_length": 142, "early_stopping": True}
    (folder / "config.json").write_text(json.dumps(published), encoding="utf-8")
    return folder


class Callback:
    """Stands for an object of training code in a checkpoint; building it leaves a mark that a test looks for."""

    built = 0

    def __init__(self) -> None:
        self.best = 0.5

    def __setstate__(self, state: dict[str, float]) -> None:
        type(self).built += 1
        self.__dict__.update(state)


def alignscore(folder: Path, foundation: Path, file: str) -> Path:
    """As AlignScore: a Lightning checkpoint with three heads, and objects that no one should build."""
    import torch
    from transformers import RobertaConfig, RobertaModel

    apart = folder.with_name("classifier")
    tiny.roberta(apart, foundation)
    shutil.rmtree(apart)
    network = tiny.seeded(RobertaModel(RobertaConfig.from_pretrained(foundation)))
    generator = torch.Generator().manual_seed(3)
    state = {f"base_model.{k}": v for k, v in network.state_dict().items()}
    for layer, outputs in (("bin_layer", 2), ("tri_layer", 3), ("reg_layer", 1)):
        state[f"{layer}.weight"] = torch.randn((outputs, 32), generator=generator)
        state[f"{layer}.bias"] = torch.randn(outputs, generator=generator)
    state["mlm_head.bias"] = torch.zeros(4)
    folder.mkdir(parents=True)
    torch.save({"state_dict": state, "callbacks": {"best": Callback()}, "epoch": 3}, folder / file)
    return folder


def modernbert(folder: Path) -> Path:
    """As LettuceDetect: ModernBERT with two outputs a token, byte pairs, [CLS] and [SEP]."""
    from tokenizers import processors
    from transformers import ModernBertConfig, ModernBertForTokenClassification, PreTrainedTokenizerFast

    backend = tiny.byte_pairs(["[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"], 420)
    pair = "[CLS] $A [SEP] $B:0 [SEP]:0"
    backend.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", pair, [("[CLS]", 0), ("[SEP]", 1)])
    names = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]", "mask_token": "[MASK]"}
    PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=8192, **names).save_pretrained(folder)
    config = ModernBertConfig(
        vocab_size=backend.get_vocab_size(),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=3,
        num_attention_heads=2,
        num_labels=2,
        pad_token_id=2,
        cls_token_id=0,
        sep_token_id=1,
        bos_token_id=0,
        eos_token_id=1,
    )
    tiny.seeded(ModernBertForTokenClassification(config)).save_pretrained(folder)
    return folder
