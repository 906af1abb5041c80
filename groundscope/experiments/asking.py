"""What every part of a job that asks a chat model looks at before it sends anything."""

from groundscope.chat.messages import ChatModel, Prompt
from groundscope.errors import ModelUnavailable


def need_room(model: ChatModel, prompt: Prompt, what: str, instead: str) -> None:
    """Refuse a prompt that does not fit the model: nothing is cut silently.

    Args:
        model: its `window` is the limit, in tokens.
        prompt: estimated in tokens, with the longest reply that it allows.
        what: takes room beside the reply; begins the message.
        instead: what to do; ends the message.

    Raises:
        ModelUnavailable: it does not fit; the message gives both sizes.
    """
    size = prompt.tokens() + prompt.max_tokens
    if size > model.window:
        raise ModelUnavailable(
            f"{what} and the reply take about {size:,} tokens and the model has room for {model.window:,}{instead}"
        )
