"""Token classifier: how likely each token of an answer is unsupported by its sources."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import ScorerUnavailable
from groundscope.models.pairs.encoders import PlainText
from groundscope.models.pairs.scoring import shares_of
from groundscope.models.weights import checkpoint, memory
from groundscope.models.weights.files import WeightFiles
from groundscope.models.weights.memory import Precision

UNSUPPORTED = 1


class ReadTokens(NamedTuple):
    """The tokens of an answer.

    `starts`: (n_tokens,) first characters, in the answer. `seen`: share of the tokens before the answer that were read, 0..1.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    unsupported: NDArray[np.float32]
    seen: float


class TokenClassifier:
    """A loaded model with its tokenizer; threads use it in turn."""

    def __init__(self, model: Any, tokenizer: Any, name: str, computing: Callable[[], AbstractContextManager[Any]]) -> None:
        """Store a transformers model with two outputs a token, its tokenizer, and the context in which it computes.

        `name` is that of the weights, for messages.
        """
        self._model, self._tokenizer, self._name, self._plain = model, tokenizer, name, PlainText(tokenizer)
        self._computing = computing
        self._lock = threading.Lock()

    def read(self, before: str, answer: str, limit: int) -> ReadTokens:
        """Read an answer after a text; of a text that does not fit the end is left out."""
        import torch

        places, text = self._spread(answer)
        with self._lock:
            inputs, whole = self._inputs(self._plain(before), text, limit)
            with torch.inference_mode(), self._computing():
                device = self._model.device
                tensors = {k: torch.tensor([inputs[k]], device=device) for k in ("input_ids", "attention_mask")}
                logits = self._model(**tensors).logits[0].float().cpu().numpy()
        if not np.isfinite(logits).all():
            raise ScorerUnavailable(
                f"The model in the folder for {self._name} gives no numbers; get the published weights again."
            )
        answer_tokens = [i for i, which in enumerate(inputs.sequence_ids(0)) if which == 1]
        offsets = np.array([inputs["offset_mapping"][i] for i in answer_tokens], np.int64).reshape(-1, 2)
        starts, ends = places[offsets[:, 0]], places[np.maximum(offsets[:, 1] - 1, 0)] + 1
        nonempty = offsets[:, 1] > offsets[:, 0]
        shares = shares_of(logits[answer_tokens])[:, UNSUPPORTED].astype(np.float32)
        read = sum(which == 0 for which in inputs.sequence_ids(0))
        return ReadTokens(starts[nonempty], ends[nonempty], shares[nonempty], min(1.0, read / max(1, whole)))

    def _spread(self, answer: str) -> tuple[NDArray[np.int64], str]:
        """For each character of the text that the model reads, and for its end, its place in the answer."""
        text = self._plain(answer)
        if text == answer:
            return np.arange(len(text) + 1), text
        places, at = [], 0
        for character in text:
            places.append(min(at, len(answer)))
            at += at < len(answer) and answer[at] == character
        return np.array([*places, len(answer)]), text

    def _inputs(self, before: str, answer: str, limit: int) -> tuple[Any, int]:
        """The inputs, and how many tokens the whole text before the answer has."""
        whole, answer_size = (
            len(ids) for ids in self._tokenizer([before, answer], add_special_tokens=False, verbose=False)["input_ids"]
        )
        special = len(self._tokenizer("", "")["input_ids"])
        if answer_size + special >= limit:
            raise ScorerUnavailable(
                f"The answer has {answer_size:,} tokens and {self._name} reads {limit:,} with its sources; judge it in parts."
            )
        inputs = self._tokenizer(
            before, answer, truncation="only_first", max_length=limit, return_offsets_mapping=True, verbose=False
        )
        return inputs, whole


def load(signature: str, weights: WeightFiles, kinds: tuple[str, ...], precision: Precision) -> TokenClassifier:
    """Load a model, or give the loaded one."""

    def build() -> tuple[TokenClassifier, int]:
        folder = weights.folder()
        expected = checkpoint.ExpectedCheckpoint(weights.name, kinds, labels=2)
        model = checkpoint.load_classifier(folder, expected, "TokenClassification")
        tokenizer = checkpoint.load_tokenizer(folder, weights.name, model.config.vocab_size)
        computing = memory.placed(model, bf16=precision == "bf16")
        return TokenClassifier(model, tokenizer, weights.name, computing), memory.size_of(model)

    return memory.held(signature, build)
