"""What is looked at before anything is sent to a chat model: whether it fits, and what it takes."""

from collections.abc import Sequence

from groundscope.chat.messages import ChatModel, Estimate, Prompt
from groundscope.errors import ModelUnavailable


def need_room(model: ChatModel, prompt: Prompt, what: str, instead: str) -> None:
    """Refuse a prompt that does not fit the model: nothing is cut silently.

    Raises:
        ModelUnavailable: it does not fit; the message gives both sizes.
    """
    size = prompt.tokens() + prompt.max_tokens
    if size > model.window:
        raise ModelUnavailable(
            f"{what} and the reply take about {size:,} tokens and the model has room for {model.window:,}{instead}"
        )


def estimate_prompts(model: ChatModel, prompts: Sequence[Prompt]) -> Estimate:
    """Estimate what prompts take, before anything is sent.

    Raises:
        ModelUnavailable: the user's table of prices cannot be read.
    """
    costs = [model.most(p) for p in prompts]
    dollars = None if None in costs else sum(c for c in costs if c is not None)
    read, written = sum(p.tokens() for p in prompts), sum(p.max_tokens for p in prompts)
    return Estimate(len(prompts), read, written, dollars, model.address)
