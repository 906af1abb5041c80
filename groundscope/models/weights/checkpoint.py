"""Load the model and tokenizer of a folder of published weights, or report in one sentence what is wrong with it.

Nothing in the folder is trusted: its config may not bring code and must name an architecture that the method knows; every layer
must come from the file; pickles are read only if the publisher offers nothing else, and then without running code
(`weights_only`).
"""

import json
import pickle
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from groundscope.errors import OutOfMemory, ScorerUnavailable
from groundscope.models.weights.files import json_object
from groundscope.models.weights.memory import import_transformers

_TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "spm.model", "spiece.model", "vocab.json", "sentencepiece.bpe.model")
COUNTED_AFTER_PADDING = ("roberta", "xlm-roberta", "mpnet")
"""The first token has the position after the padding's number, so that the last positions are never reached."""
_BUFFERS = ("position_ids",)
"""Entries of older checkpoints that hold no weights and that today's code makes itself."""


@dataclass(frozen=True, slots=True)
class ExpectedCheckpoint:
    """What a folder must hold.

    `labels`: number of outputs of the classifier; 0 for a model that is none. `label_names`: one word an output, which must be
    part of its label if config.json has real names.
    """

    name: str
    model_types: tuple[str, ...]
    labels: int
    pickled: bool = False
    label_names: tuple[str, ...] = ()


def config(folder: Path, name: str) -> dict[str, Any]:
    """Read a folder's config.json, not checked; `name` of the weights is for messages."""
    try:
        content = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except OSError:
        raise ScorerUnavailable(f"The folder with the weights of {name} has no config.json; get them again.") from None
    except (ValueError, RecursionError):
        raise ScorerUnavailable(f"The config.json of {name} is no JSON; get the weights again.") from None
    if not isinstance(content, dict):
        raise ScorerUnavailable(f"The config.json of {name} is not an object; get the weights again.")
    return content


def check_config(content: dict[str, Any], expected: ExpectedCheckpoint) -> None:
    """Refuse a config that brings code or describes another model: `ScorerUnavailable` says what to do."""
    if "auto_map" in content:
        raise ScorerUnavailable(
            f"The config.json of {expected.name} asks to run code from its own folder (auto_map), which is refused; "
            "get the published weights again."
        )
    kind = content.get("model_type")
    if kind not in expected.model_types:
        raise ScorerUnavailable(
            f"The folder with the weights of {expected.name} holds a model of type {_shown(kind)}, "
            f"not {' or '.join(expected.model_types)}; "
            "get the published weights again."
        )
    names = _label_names(content)
    count = len(names) if names else content.get("num_labels", 2)
    if expected.labels and count != expected.labels:
        raise ScorerUnavailable(
            f"The model in the folder for {expected.name} has {_shown(count)} outputs, not {expected.labels}; "
            "get the published weights again."
        )
    for i, part in enumerate(expected.label_names):
        label = names.get(i, "").lower()
        if label and not label.startswith("label_") and part not in label:
            raise ScorerUnavailable(
                f"Output {i} of the model in the folder for {expected.name} is called {_shown(label)}, not {part}; "
                "get the published weights again."
            )


def _label_names(content: dict[str, Any]) -> dict[int, str]:
    names = content.get("id2label")
    if not isinstance(names, dict):
        return {}
    return {int(k): str(v) for k, v in names.items() if k.isdecimal() and len(k) < 10}


def _shown(value: object) -> str:
    """A value of a foreign file in a message: short, and printable signs only."""
    text = "".join(c for c in str(value) if c.isalnum() or c in " -_.")[:40]
    return repr(text)


def weights_file(folder: Path, expected: ExpectedCheckpoint) -> Path:
    """Choose the file to read: safetensors, or a pickle if the publisher offers nothing else."""
    safe, pickled = folder / "model.safetensors", folder / "pytorch_model.bin"
    if safe.is_file():
        return safe
    if pickled.is_file() and expected.pickled:
        return pickled
    if pickled.is_file():
        raise ScorerUnavailable(
            f"The folder with the weights of {expected.name} holds a pickle (pytorch_model.bin), which can run code "
            "when it is read; get model.safetensors."
        )
    raise ScorerUnavailable(f"The folder with the weights of {expected.name} has no model.safetensors; get them again.")


@contextmanager
def quietly() -> Iterator[None]:
    """Import transformers; no progress bars of it, no load reports."""
    import_transformers()
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        logging.set_verbosity(level)


@contextmanager
def readable(name: str, *, plain: bool = False) -> Iterator[None]:
    """Convert whatever a library raises on damaged files to one sentence; `plain` does without transformers."""
    try:
        with nullcontext() if plain else quietly():
            yield
    except ScorerUnavailable:
        raise
    except MemoryError:
        raise OutOfMemory(f"There is not enough memory to load {name}; close other programs and score again.") from None
    except Exception as error:  # damaged files make every library fail in its own way
        raise ScorerUnavailable(f"The weights of {name} cannot be read ({type(error).__name__}); get them again.") from error


_SPECIAL = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


def settings_in(path: Path, default: Any = MappingProxyType({})) -> Any:
    """The JSON in a file, or what stands for a file that is not there; raises what `readable` converts."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else default


def whole_tokenizer(folder: Path) -> Any:
    """The tokenizer of a folder's tokenizer.json, set to cut and to pad nothing."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class FileTokenizer:
    """The tokenizer of a folder, with what is used of the interface that transformers gives it, whose import it does without."""

    def __init__(self, folder: Path) -> None:
        self.backend_tokenizer = whole_tokenizer(folder)
        settings = settings_in(folder / "tokenizer_config.json")
        tokens = {part: settings[f"{part}_token"] for part in _SPECIAL if settings.get(f"{part}_token")}
        self.all_special_tokens = list(dict.fromkeys(tokens.values()))
        self.pad_token_id, self.bos_token_id = (
            self.backend_tokenizer.token_to_id(tokens.get(part, "")) for part in ("pad", "bos")
        )
        self.model_max_length: int = settings["model_max_length"]

    def __call__(
        self, text: str | Sequence[str], *, add_special_tokens: bool = True, max_length: int | None = None, **_: Any
    ) -> dict[str, Any]:
        """Give `input_ids`: of a text, or of each of several; of one cut to `max_length` the last token stays."""
        if not isinstance(text, str):
            encoded = self.backend_tokenizer.encode_batch(list(text), add_special_tokens=add_special_tokens)
            return {"input_ids": [encoding.ids for encoding in encoded]}
        ids = self.backend_tokenizer.encode(text, add_special_tokens=add_special_tokens).ids
        return {"input_ids": ids if max_length is None or len(ids) <= max_length else [*ids[: max_length - 1], ids[-1]]}


def load_classifier(folder: Path, expected: ExpectedCheckpoint, kind: str = "SequenceClassification") -> Any:
    """Load the model of a folder on the processor, in fp32 and evaluation mode."""
    check_config(config(folder, expected.name), expected)
    file = weights_file(folder, expected)
    with readable(expected.name):
        import torch
        import transformers

        model, info = getattr(transformers, f"AutoModelFor{kind}").from_pretrained(
            str(folder),
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=file.suffix == ".safetensors",
            weights_only=True,
            output_loading_info=True,
            dtype=torch.float32,
        )
    check_keys(expected.name, info["missing_keys"], info["unexpected_keys"])
    return model.eval()


def check_keys(name: str, missing: Sequence[str], unexpected: Sequence[str]) -> None:
    """Refuse a file that lacks layers, which would then be random, or holds another model's: `ScorerUnavailable` names one."""
    strange = [key for key in unexpected if not key.endswith(_BUFFERS)]
    for keys, words in ((missing, "lacks {} layers, such as {}"), (strange, "holds {} layers of another model, such as {}")):
        if keys:
            what = words.format(len(keys), _shown(min(keys)))
            raise ScorerUnavailable(f"The weights file of {name} {what}; get the published weights again.")


def without_pooler(keys: Sequence[str]) -> list[str]:
    """The layers that an embedder cannot do without: hardly any pooling uses a pooler."""
    return [key for key in keys if not key.startswith("pooler.")]


def load_tokenizer(folder: Path, name: str, size: int) -> Any:
    """Load the fast tokenizer of a folder, with the normaliser that the model was trained with; the model knows `size` tokens."""
    if not any((folder / file).is_file() for file in _TOKENIZER_FILES):
        raise ScorerUnavailable(f"The weights of {name} came without tokenizer.json or a vocabulary; get them again.")
    if "auto_map" in (json_object(folder / "tokenizer_config.json") or {}):
        raise ScorerUnavailable(f"The tokenizer of {name} asks to run code from its own folder, which is refused; get it again.")
    with readable(name):
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False, use_fast=True)
        _as_published(tokenizer, folder)
        used = 1 + max(tokenizer.get_vocab().values())
        texts = {0, 1} <= set(tokenizer("first", "second").sequence_ids(0))
    # Models have some tokens to spare; a vocabulary that could not be read leaves little but the special tokens.
    if not size // 2 <= used <= size or tokenizer.pad_token_id is None or not texts:
        raise ScorerUnavailable(f"The tokenizer of {name} does not belong to its model; get the published files again.")
    return tokenizer


def _as_published(tokenizer: Any, folder: Path) -> None:
    """Give a sentencepiece tokenizer the normaliser that the model was trained with.

    transformers 5 leaves it out of DeBERTa's: no-break spaces, ligatures and full-width signs would be unknown tokens.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers

    backend = tokenizer.backend_tokenizer
    if not isinstance(backend.model, models.Unigram):
        return
    if (folder / "tokenizer.json").is_file():
        backend.normalizer = Tokenizer.from_file(str(folder / "tokenizer.json")).normalizer
    elif charsmap := _charsmap(folder):
        steps = [normalizers.Precompiled(charsmap), normalizers.Strip(), normalizers.Replace(Regex(" {2,}"), " ")]
        backend.normalizer = normalizers.Sequence(steps)


def _charsmap(folder: Path) -> bytes:
    """The normaliser inside a folder's sentencepiece vocabulary; empty where it has none."""
    from transformers.convert_slow_tokenizer import SentencePieceExtractor

    file = next(f for f in (folder / name for name in _TOKENIZER_FILES) if f.suffix == ".model" and f.is_file())
    charsmap: bytes = SentencePieceExtractor(str(file)).proto.normalizer_spec.precompiled_charsmap
    return charsmap


_TENSORS = {
    ("torch._utils", "_rebuild_tensor_v2"),
    ("torch._utils", "_rebuild_parameter"),
    ("torch", "FloatStorage"),
    ("torch", "HalfStorage"),
    ("torch", "BFloat16Storage"),
    ("torch", "LongStorage"),
    ("torch", "BoolStorage"),
}


class _Ignored(dict):  # type: ignore[type-arg]
    """Stands for an object of any other class: takes whatever the pickle does with it, and does nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def __call__(self, *_: Any, **__: Any) -> "_Ignored":
        return self

    def __setstate__(self, _: Any) -> None:
        pass

    def append(self, _: Any) -> None:
        pass

    def extend(self, _: Any) -> None:
        pass


class _Unpickler(pickle.Unpickler):
    """Builds only what tensors are made of; every other name in a training checkpoint becomes an inert dictionary."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) in _TENSORS:
            return super().find_class(module, name)
        return _Ignored


class _Reader:
    """What torch asks of a pickle module."""

    Unpickler = _Unpickler
    __name__ = "groundscope"


def tensors_of(path: Path, name: str) -> dict[str, Any]:
    """Read the tensors of a checkpoint's `state_dict`, on the processor."""
    with readable(name):
        import torch

        content = torch.load(path, map_location="cpu", weights_only=False, pickle_module=_Reader)
        state = content.get("state_dict") if isinstance(content, dict) else None
        tensors = {str(k): v.float() for k, v in state.items() if isinstance(v, torch.Tensor)} if isinstance(state, dict) else {}
    if not tensors:
        raise ScorerUnavailable(f"The checkpoint of {name} holds no weights under state_dict; get the published file again.")
    return tensors
