"""BARTScore: how likely BART is to write a text from another (Yuan, Neubig and Liu 2021, NeurIPS), by facebook/bart-large-cnn.

The mean over the written text's tokens, `<s>` and `</s>` among them, of the natural log of their probability, given the text that
is read and the tokens before; each text is cut at 1,024 tokens (github.com/neulab/BARTScore). Below 0; higher = more likely.

As a method it is the original's faithfulness: the sentence is written from a context unit, and support is e to that mean, the
geometric mean of the tokens' probabilities. The context unit with the highest counts, and the response's support is the minimum
over sentences. Citation recall compares whole texts by `likelihoods`.

Not in the paper of groundedness. Departs from the original: texts that look like special tokens are ordinary words.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from groundscope.citations.whole_texts import TokenLikelihood
from groundscope.errors import ScorerUnavailable
from groundscope.methods import About
from groundscope.models.pairs.encoders import Encoded, Ids, PlainText, TextPair, Window
from groundscope.models.pairs.method import PairMethod
from groundscope.models.pairs.models import LoadedModel, readable_length
from groundscope.models.weights import checkpoint
from groundscope.models.weights.files import WeightFiles, fingerprint
from groundscope.models.weights.memory import Precision
from groundscope.runtime.retention import keeping

if TYPE_CHECKING:
    import torch

LIMIT = 1_024
"""Tokens of each text at most, special ones included."""
_WRITTEN = 1
"""Segment of the text that is written; that of the text it is written from is 0."""
WEIGHTS = WeightFiles("facebook/bart-large-cnn", "37f520fa929c961707657b28798b30c003dd100b", megabytes=1_630)
PRINTED = ("This is interesting.", "This is fun.", -2.510652780532837)
"""The original's example: a text, what is written from it, and its score."""
_APART = 0.15


@dataclass(frozen=True)
class BartScore(PairMethod):
    """BARTScore; `precision` is `fp32` as in the original, or `bf16`, the parameters are otherwise those of `PairMethod`.

    What a sentence is written from, a `context_unit`, is shorter than what the model reads.
    """

    weights: WeightFiles = WEIGHTS
    precision: Precision = "fp32"
    context_unit: Literal["sentence", "window", "chunk", "nearest"] = "sentence"

    input = f"claim written from context|{LIMIT} tokens each"
    cut_words = "{} of {} response sentences, or the sources beside them, are longer than the model reads; ends were left out."

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        return About(
            title="BARTScore",
            measures="How likely a model that summarises is to write a sentence from its best source sentence, per token.",
            needs=f"the weights of {self.weights.name} ({self.weights.megabytes:,} MB)",
            licence="MIT",
        )

    def likelihoods(self, pairs: Sequence[tuple[str, str]]) -> list[TokenLikelihood]:
        """Score texts as the original does; see `groundscope.citations.whole_texts.WritesTexts`."""
        worded = [pair for pair in dict.fromkeys(pairs) if all(text.strip() for text in pair)]
        # A support that is kept beside its mark of a cut text has fewer digits.
        with keeping(False):
            scores = self.pairs([TextPair(claim=written, context=read) for read, written in worded])
        values = np.log(np.maximum(scores.support, np.finfo(np.float32).tiny).astype(np.float64)).tolist()
        by_pair = dict(zip(worded, map(TokenLikelihood, values, scores.cut.tolist()), strict=True))
        return [by_pair.get(pair, TokenLikelihood(math.nan)) for pair in pairs]

    def verify(self) -> None:
        """Load the weights and compare the score of the original's example; `ScorerUnavailable` if it is another model."""
        read, written, printed = PRINTED
        ((value, _),) = self.likelihoods([(read, written)])
        if abs(value - printed) > _APART:
            raise ScorerUnavailable(
                f"The weights of {self.weights.name} do not give the score that BARTScore prints for its example; get them again."
            )

    def _load(self) -> LoadedModel:
        return load(self.weights)


class WrittenFrom:
    """The input: the context that is read, then the claim that is written, each with special tokens and cut at its end."""

    def __init__(self, tokenizer: Any, most: int) -> None:
        """Read with a fast tokenizer, at most so many tokens of each text."""
        self._tokenizer, self._most, self._plain, self.limit = tokenizer, most, PlainText(tokenizer), 2 * most
        self._known: dict[str, tuple[Ids, bool]] = {}

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special ones."""
        encoded = self._tokenizer([self._plain(t) for t in texts], add_special_tokens=False, verbose=False) if texts else {}
        return [len(ids) for ids in encoded.get("input_ids", [])]

    def encode(self, pairs: Sequence[TextPair]) -> list[Encoded]:
        """One window a pair; it is cut where one of its texts is."""
        new = [text for text in dict.fromkeys(t for pair in pairs for t in pair) if text not in self._known]
        encoded = self._tokenizer([self._plain(t) for t in new], verbose=False)["input_ids"] if new else []
        for text, ids in zip(new, encoded, strict=True):
            fitted = ids if len(ids) <= self._most else [*ids[: self._most - 1], ids[-1]]
            self._known[text] = np.array(fitted, np.int32), len(fitted) < len(ids)
        return [self._encoded(*self._known[pair.context], *self._known[pair.claim]) for pair in pairs]

    def forget(self) -> None:
        """Drop the tokens of all texts."""
        self._known.clear()

    def _encoded(self, read: Ids, read_cut: bool, written: Ids, written_cut: bool) -> Encoded:
        types = np.concatenate([np.zeros(len(read), np.int32), np.full(len(written), _WRITTEN, np.int32)])
        return Encoded([Window(np.concatenate([read, written]), types)], read_cut or written_cut)


def load(weights: WeightFiles) -> LoadedModel:
    """Load a BART, or raise `ScorerUnavailable`; its logits (n, 1) are natural log-likelihoods per token."""
    folder = weights.folder()
    model = checkpoint.load_classifier(folder, checkpoint.ExpectedCheckpoint(weights.name, ("bart",), 0), "Seq2SeqLM")
    # The published model has no place for the tokenizer's last token, <mask>, which no text becomes here.
    tokenizer = checkpoint.load_tokenizer(folder, weights.name, model.config.vocab_size + 1)
    encoder = WrittenFrom(tokenizer, readable_length(model, tokenizer, LIMIT))
    pad, folder_hash = tokenizer.pad_token_id, fingerprint(folder)
    return LoadedModel(likelihood(model, pad), encoder, pad, folder_hash, lambda logits: np.exp(np.minimum(logits[:, 0], 0.0)))


def likelihood(model: Any, pad: int) -> "torch.nn.Module":
    """Make a BART of transformers, with an output over its vocabulary, say how likely it is to write a text.

    The module takes `input_ids`, `attention_mask` and `token_type_ids` (n, longest), as `WrittenFrom` makes them; `pad` fills
    shorter texts. Its logits (n, 1) are the mean over the tokens of the written text, `<s>` and `</s>` among them, of the natural
    log of their probability, each after those before it.
    """
    import torch
    from transformers.modeling_outputs import SequenceClassifierOutput

    class Likelihood(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model, self.config = model, SimpleNamespace(type_vocab_size=2)

        def forward(
            self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
        ) -> SequenceClassifierOutput:
            present = attention_mask.bool()
            read, sizes = present & (token_type_ids != _WRITTEN), (present & (token_type_ids == _WRITTEN)).sum(1)
            longest, starts = int(read.sum(1).max()), read.sum(1, keepdim=True)
            places = torch.arange(int(sizes.max()), device=input_ids.device)
            written = input_ids.gather(1, (starts + places).clamp(max=input_ids.shape[1] - 1))
            written = written.masked_fill(places >= sizes[:, None], pad)
            start = torch.full_like(written[:, :1], self.model.config.decoder_start_token_id)
            hidden = self.model.model(
                input_ids=input_ids[:, :longest],
                attention_mask=read[:, :longest].long(),
                decoder_input_ids=torch.cat([start, written[:, :-1]], 1),
                use_cache=False,
            ).last_hidden_state
            rows = zip(hidden, written, sizes.tolist(), strict=True)
            return SequenceClassifierOutput(logits=torch.stack([self._mean(h[:n], w[:n]) for h, w, n in rows])[:, None])

        def _mean(self, hidden: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
            # A text at a time: scores of all words for all tokens of a batch would take gigabytes.
            logits = (self.model.lm_head(hidden) + self.model.final_logits_bias).float()
            mean: torch.Tensor = (logits.gather(1, written[:, None])[:, 0] - logits.logsumexp(1)).mean()
            return mean

    return Likelihood().eval()
