"""A language model with an adapter that answers whether evidence supports a claim: Yes, Maybe or No."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scorers._pairs.encoders import Encoded, Ids, PlainText, TextPair, Window, spans
from scorers._pairs.models import LoadedModel
from scorers._pairs.scoring import Supports, shares_of
from scorers._weights import checkpoint, smollm2
from scorers._weights.files import fingerprint

if TYPE_CHECKING:
    import torch

LIMIT = 1_024
"""Tokens of a question: four context sentences and a sentence are seldom more than 300."""
YES, NO = 0, 2


class EvidenceQuestion:
    """The input: the evidence, the claim, and the question after it; long evidence is read in windows."""

    def __init__(self, tokenizer: Any, limit: int) -> None:
        self._tokenizer, self.limit, self._plain = tokenizer, limit, PlainText(tokenizer)

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special ones."""
        return [len(self._ids(self._plain(text))) for text in texts]

    def encode(self, pairs: Sequence[TextPair]) -> list[Encoded]:
        """The questions; a claim that would leave the evidence less than half of the room is cut at its end."""
        return [self._encoded(self._plain(pair.claim), self._plain(pair.context)) for pair in pairs]

    def forget(self) -> None:
        """Nothing is kept."""

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def _encoded(self, claim: str, evidence: str) -> Encoded:
        before, asked = smollm2.question(self._tokenizer, evidence, claim)
        most = self.limit // 2
        cut = len(asked) > most
        if cut:
            after = self._ids(smollm2.AFTER)
            asked = asked[: most - len(after)] + after
        start = 1 + len(self._ids(smollm2.BEFORE))
        head, body = before[:start], before[start:]
        room = self.limit - len(asked) - len(head)
        return Encoded([_window([*head, *body[a:b], *asked]) for a, b in spans(len(body), room)], cut)


def _window(ids: Sequence[int]) -> Window:
    array: Ids = np.array(ids, np.int32)
    return Window(array, np.zeros_like(array))


def load(folder: Path, name: str) -> LoadedModel:
    """Load the base with the adapter of a folder, merged, in fp32.

    Raises:
        ScorerUnavailable: the base's package or the adapter is missing or damaged.
    """
    import torch

    base = smollm2.base(torch.float32)
    with checkpoint.readable(name), smollm2.quietly():
        from peft import PeftModel
        from transformers import AutoTokenizer

        model = PeftModel.from_pretrained(base, str(folder), local_files_only=True).merge_and_unload().eval()
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, trust_remote_code=False)
        answers = [ids[0] for ids in tokenizer(list(smollm2.ANSWERS), add_special_tokens=False)["input_ids"]]
    return LoadedModel(
        _answering(model, answers),
        EvidenceQuestion(tokenizer, LIMIT),
        tokenizer.pad_token_id,
        fingerprint(folder),
        read=_values,
        contradicts=True,
    )


def _values(logits: Supports) -> Supports:
    shares: Supports = shares_of(logits)[:, [YES, NO]].astype(np.float32)
    return shares


def _answering(model: Any, answers: Sequence[int]) -> "torch.nn.Module":
    """Logits (n, 3) of the answers after the last token, of `input_ids` and `attention_mask` (n, longest)."""
    import torch
    from transformers.modeling_outputs import SequenceClassifierOutput

    class AnswerHead(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network, self.config = model.model, model.config
            self.answers = torch.nn.Parameter(model.get_output_embeddings().weight[list(answers)].clone(), requires_grad=False)

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> SequenceClassifierOutput:
            hidden = self.network(input_ids=input_ids, attention_mask=attention_mask, use_cache=False).last_hidden_state
            last = hidden[torch.arange(len(hidden), device=hidden.device), attention_mask.sum(1) - 1]
            return SequenceClassifierOutput(logits=last @ self.answers.T)

    return AnswerHead().eval()
