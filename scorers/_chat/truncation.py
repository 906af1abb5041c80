"""Detects servers that silently cut a prompt."""

from groundscope.chat.messages import Prompt, Reply
from groundscope.errors import ModelUnavailable

_SURELY_READ = 12.0
"""Characters a token that no tokenizer reaches on text: a server that counts fewer tokens has not read all of it."""


def whole(prompt: Prompt, reply: Reply) -> Reply:
    """The same reply; `ModelUnavailable` if its token counts show that the server cut the prompt."""
    if not is_whole(prompt, reply):
        raise ModelUnavailable(
            f"The server read {_read(reply):,} tokens of about {prompt.tokens():,}: it cuts long texts. Give it a larger "
            "window, and state that window on the Methods page."
        )
    return reply


def is_whole(prompt: Prompt, reply: Reply) -> bool:
    """Whether the server may have read the whole prompt: not if it counts fewer tokens than any tokenizer makes of it."""
    return not (read := _read(reply)) or prompt.characters() / read <= _SURELY_READ


def _read(reply: Reply) -> int:
    return reply.usage.input + reply.usage.cache_read + reply.usage.cache_write
