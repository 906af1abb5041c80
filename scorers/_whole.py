"""Whether a server read all that it was sent: some cut long texts and say nothing."""

from evaluation.chat import Prompt, Reply
from evaluation.errors import ModelUnavailable

_SURELY_READ = 12.0
"""Characters a token that no tokenizer reaches on text: a server that counts fewer tokens has not read all of it."""


def whole(prompt: Prompt, reply: Reply) -> Reply:
    """A reply, where it is one to the whole prompt.

    Raises:
        ModelUnavailable: it cannot have been read whole.
    """
    if not is_whole(prompt, reply):
        raise ModelUnavailable(
            f"The server read {_read(reply):,} tokens of about {prompt.tokens():,}: it cuts long texts. Give it a larger "
            "window, and state that window on the Methods page."
        )
    return reply


def is_whole(prompt: Prompt, reply: Reply) -> bool:
    """Whether the reply may be one to the whole prompt."""
    return not (read := _read(reply)) or prompt.characters() / read <= _SURELY_READ


def _read(reply: Reply) -> int:
    return reply.usage.input + reply.usage.cache_read + reply.usage.cache_write
