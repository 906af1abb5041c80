"""Outputs on top of a network that transformers has no class for. Each is a module whose result has `logits`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def first_answer(model: Any, tokens: Sequence[int]) -> "torch.nn.Module":
    """Make the first token that an encoder-decoder would write a classifier.

    Args:
        model: a transformers model with an output over its vocabulary.
        tokens: the k tokens that may be written.

    Returns:
        A module that takes `input_ids` and `attention_mask` (n, longest); its logits are (n, k).
    """
    import torch
    from transformers.modeling_outputs import SequenceClassifierOutput

    class FirstAnswer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model, self.config = model, model.config
            self.register_buffer("tokens", torch.tensor(list(tokens)), persistent=False)

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> SequenceClassifierOutput:
            start = torch.full_like(input_ids[:, :1], self.config.decoder_start_token_id or 0)
            texts = {"input_ids": input_ids, "attention_mask": attention_mask}
            logits = self.model(**texts, decoder_input_ids=start, use_cache=False).logits
            return SequenceClassifierOutput(logits=logits[:, 0, self.tokens])

    return FirstAnswer().eval()


def pooled(network: Any, weight: "torch.Tensor", bias: "torch.Tensor") -> "torch.nn.Module":
    """Put one linear layer on the pooled output of an encoder.

    Args:
        network: a transformers encoder with a pooler.
        weight: (k, hidden).
        bias: (k,).

    Returns:
        A module that takes `input_ids` and `attention_mask` (n, longest); its logits are (n, k).
    """
    import torch
    from transformers.modeling_outputs import SequenceClassifierOutput

    class Pooled(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network, self.config = network, network.config
            self.layer = torch.nn.Linear(weight.shape[1], weight.shape[0])
            self.layer.load_state_dict({"weight": weight, "bias": bias})

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> SequenceClassifierOutput:
            output = self.network(input_ids=input_ids, attention_mask=attention_mask)
            return SequenceClassifierOutput(logits=self.layer(output.pooler_output))

    return Pooled().eval()


def state_of(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The tensors under a prefix, without it."""
    return {key.removeprefix(prefix): value for key, value in tensors.items() if key.startswith(prefix)}
