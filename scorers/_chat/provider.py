"""Interface of all providers of chat models, and what their SDKs share. The SDKs do not retry; `model` does."""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import httpx2

from groundscope.chat.messages import MessagePart, Reply
from scorers._chat.transport import Guarded

Form = Literal["json_schema", "json_object", "tags"]
"""Ways to get JSON: OpenAI's and Anthropic's, that of llama-cpp-python's server, and asking for it between tags."""


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """A prompt with its marker, as it is sent.

    Attributes:
        schema: JSON schema that the reply is forced into; None = free text.
        form: how the schema is passed to the server.
        seconds: timeout.
    """

    system: str
    parts: Sequence[MessagePart]
    schema: Mapping[str, Any] | None
    form: "Form"
    max_tokens: int
    stream: bool
    seconds: float


class Provider(Protocol):
    """A provider with one model."""

    address: str
    """The host that texts go to."""
    forms: tuple[Form, ...]
    """Ways to get JSON from it, the best first, `tags` last."""
    room: int
    """Tokens that may be written, and paid, beyond a call's limit."""

    def missing(self) -> str:
        """Look for the package, key and settings that it needs here; nothing is sent.

        Returns:
            A sentence that says what is missing and what to do; empty if nothing is.
        """
        ...

    def send(self, call: ProviderCall) -> Reply:
        """Send one call, once.

        Args:
            call: what to send, with its timeout in seconds.

        Returns:
            The reply without cost, marker and time.

        Raises:
            Passing: a fault that may be gone at the next try.
            NoSchema: the server may not be able to force the call's schema.
            ModelUnavailable: a permanent fault.
        """
        ...

    def models(self) -> list[str]:
        """List the names of the available models; nothing of a case is sent.

        Returns:
            Names as a spec writes them; empty if the provider does not list them.

        Raises:
            Passing: a fault that may be gone at the next try.
            ModelUnavailable: a permanent fault.
        """
        ...


def client() -> httpx2.Client:
    """Make an HTTP client that checks every address it connects to.

    Returns:
        A client that uses the environment's proxies and follows no redirects.
    """
    return httpx2.Client(transport=Guarded(), follow_redirects=False)


def quiet(*names: str) -> None:
    """Keep SDKs from printing what they send, whatever the environment says: texts never go to a log.

    Args:
        *names: names of their loggers, such as `openai`; variables such as `OPENAI_LOG` are removed from this process.
    """
    for name in names:
        os.environ.pop(f"{name.upper()}_LOG", None)
        logging.getLogger(name).setLevel(logging.WARNING)


def lacking_key(keys: Sequence[str]) -> str:
    """Look for a key in the environment.

    Args:
        keys: variables of which one must hold a key, the usual one first; empty = none is needed.

    Returns:
        A sentence that says what to do; empty if a key is there or none is needed.
    """
    if not keys or any(os.environ.get(name, "").strip() for name in keys):
        return ""
    return f"Set {keys[0]} in the environment or in Streamlit's secrets, and start the app again."


def count(value: object) -> int:
    """Read a token count, of which some servers send 12.0 and some nothing.

    Args:
        value: as the server sent it.

    Returns:
        A whole number of at least 0; 0 for what is no number, negative, or 10**12 or more.
    """
    return int(value) if isinstance(value, int | float) and 0 <= value < 10**12 else 0
