"""Interface of all providers of chat models, and the meaning of their faults. The SDKs do not retry; `model` does."""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Literal, Protocol

import httpx2

from groundscope.chat.budget import CallCost
from groundscope.chat.messages import MessagePart, Reply, Usage
from groundscope.chat.model_spec import SERVER_KEY
from groundscope.errors import GroundscopeError, ModelUnavailable
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


class Passing(Exception):
    """A fault that may be gone soon.

    Attributes:
        why: a sentence for the user.
        after: seconds that the server wants to wait; None = not stated.
        crowded: the server is overloaded; nothing else is wrong.
        billed: whether the call may be billed: it was sent and brought no usable answer.
        usage: tokens, if the unusable answer stated them.
    """

    def __init__(
        self, why: str, after: float | None = None, *, crowded: bool = False, billed: bool = False, usage: Usage | None = None
    ) -> None:
        """Keep what is wrong."""
        super().__init__(why)
        self.why, self.after, self.crowded, self.billed, self.usage = why, after, crowded, billed, usage


class NoSchema(Exception):
    """The server refused the call, maybe because it cannot force a schema; `refusal` is the error if that was not the reason."""

    def __init__(self, refusal: ModelUnavailable) -> None:
        """Keep what to say where that was not the reason."""
        super().__init__(str(refusal))
        self.refusal = refusal


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


_CROWDED = {429, 503, 529}
_PASSING = {408, 409, 425, *_CROWDED}
_KINDS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


def fault(error: Exception, who: str, *, forced: bool = False) -> Exception:
    """Convert an SDK's error to one of the project. The message never quotes the server.

    Args:
        error: what the SDK raised.
        who: the model and its address, for users.
        forced: whether the call forced a schema.

    Returns:
        `Passing` if the next try may succeed, `NoSchema` if the schema may be the reason, else `ModelUnavailable`; or an error of
        the project's own that the SDK wrapped.
    """
    if refused := _own(error):
        return refused
    if isinstance(error, UnicodeEncodeError):
        return ModelUnavailable("The texts hold half characters (lone surrogates), which cannot be sent; remove them.")
    status = _status(error)
    if status is None:
        return Passing(f"The connection to {who} broke ({type(error).__name__}).", billed=_was_sent(error))
    headers = getattr(getattr(error, "response", None), "headers", {})
    # llama-cpp-python's server answers 500 where it does not know a form.
    if forced and status == 500 and "response_format" in str(getattr(error, "body", "")):
        return NoSchema(ModelUnavailable(f"{who} cannot be made to reply in JSON; choose another model."))
    if status in _PASSING or status >= 500:
        return Passing(f"{who} answered {status}.", _wait(headers), crowded=status in _CROWDED)
    if 300 <= status < 400:
        return ModelUnavailable(f"{who} sends on to another address, where nothing was sent; check the address.")
    reasons = {
        401: f"the key is not valid; set a valid one ({SERVER_KEY} for a server of your own) and start the app again",
        403: "the key may not use this model; ask for access, or choose another model",
        404: "there is no such model or address; check both on the Methods page",
        413: "the texts are too long for it; choose a model with a larger window",
    }
    refusal = ModelUnavailable(
        f"{who} answered {status}: {reasons.get(status, 'it does not take this call; choose another model')}."
    )
    return NoSchema(refusal) if forced and status in (400, 415, 422, 501) else refusal


def _status(error: Exception) -> int | None:
    """The status of an answer; of an error that came within a stream, which had begun well, the one that stands for it."""
    status = getattr(error, "status_code", None)
    if not isinstance(status, int) or status >= 300:
        return status if isinstance(status, int) else None
    body = getattr(error, "body", None)
    inner = body.get("error") if isinstance(body, dict) else None
    kind = inner.get("type") if isinstance(inner, dict) else None
    return _KINDS.get(str(kind), 500)


def settle(spent: CallCost, fault: Exception, most: float | None, price: Callable[[Usage], float | None]) -> None:
    """Record the cost of a try without a usable answer.

    Args:
        spent: record of the try.
        fault: why it failed.
        most: highest cost in US dollars; None = not known.
        price: cost of tokens in US dollars; None = not known.
    """
    if not isinstance(fault, Passing) or fault.crowded:
        return
    if fault.usage is not None:
        spent.answered(fault.usage.total, price(fault.usage))
    elif fault.billed:
        spent.unanswered(most)
    else:
        spent.refused()


_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, ConnectionRefusedError)


def _was_sent(error: BaseException | None) -> bool:
    """Whether a request left this machine before its connection broke."""
    while error is not None:
        if isinstance(error, _NOT_SENT):
            return False
        error = error.__cause__ or error.__context__
    return True


def _own(error: BaseException | None) -> GroundscopeError | None:
    """The project's own error inside an SDK's error, if any."""
    while error is not None:
        if isinstance(error, GroundscopeError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server wants to wait, from any header that states it."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) / unit
            return seconds if 0 <= seconds < float("inf") else None
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time())
    return None
