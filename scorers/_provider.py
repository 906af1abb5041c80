"""What every provider of chat models does, and what its faults mean. The SDKs do not retry: one place decides that."""

import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, Literal, Protocol

import httpx2

from evaluation.chat import Part, Reply
from evaluation.chat_spec import SERVER_KEY
from evaluation.errors import GroundscopeError, ModelUnavailable
from scorers._net import Guarded

Form = Literal["json_schema", "json_object", "tags"]
"""Ways to get JSON: OpenAI's and Anthropic's, that of llama-cpp-python's server, and asking for it between tags."""


@dataclass(frozen=True, slots=True)
class Call:
    """A prompt with its marker, as it is sent.

    Attributes:
        schema: what the reply is forced into; None = free text.
        form: how a server is told so, where there are several ways.
        seconds: that the call may take.
    """

    system: str
    parts: Sequence[Part]
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
        """What it lacks here, with the mend; empty = nothing."""
        ...

    def send(self, call: Call) -> Reply:
        """Send one call, once; without its cost, its marker and its time.

        Raises:
            Passing: a fault that may be gone at the next try.
            ModelUnavailable: one that will not.
        """
        ...

    def models(self) -> list[str]:
        """The names of the models that can be asked here; nothing of a case is sent.

        Raises:
            Passing: as above.
            ModelUnavailable: as above.
        """
        ...


class Passing(Exception):
    """A fault that may be gone soon.

    Attributes:
        why: a sentence for the user.
        after: seconds that the server asks to wait; None = it does not say.
        crowded: it has too much to do; nothing else is wrong.
    """

    def __init__(self, why: str, after: float | None = None, *, crowded: bool = False) -> None:
        """Say what is wrong."""
        super().__init__(why)
        self.why, self.after, self.crowded = why, after, crowded


class NoSchema(Exception):
    """The server refused the call, perhaps because it cannot force a schema."""

    def __init__(self, refusal: ModelUnavailable) -> None:
        """Keep what to say where that was not the reason."""
        super().__init__(str(refusal))
        self.refusal = refusal


def client() -> httpx2.Client:
    """An HTTP client that checks where it connects. Proxies of the environment are used, as everywhere."""
    return httpx2.Client(transport=Guarded(), follow_redirects=False)


def quiet(*names: str) -> None:
    """Keep SDKs from printing what they send, whatever the environment says: texts never go to a log."""
    for name in names:
        os.environ.pop(f"{name.upper()}_LOG", None)
        logging.getLogger(name).setLevel(logging.WARNING)


def lacking_key(keys: Sequence[str]) -> str:
    """What to do where none of the variables holds a key; empty where one does, or none is needed."""
    if not keys or any(os.environ.get(name, "").strip() for name in keys):
        return ""
    return f"Set {keys[0]} in the environment or in Streamlit's secrets, and start the app again."


def count(value: object) -> int:
    """A count of tokens as servers give it: some as 12.0, some not at all."""
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
    """What an SDK's error means: `Passing`, `NoSchema` or `ModelUnavailable`. None quotes what the server said of the prompt.

    Args:
        error: what the SDK raised.
        who: the model and its address, for people.
        forced: whether the call forced a schema.
    """
    if refused := _own(error):
        return refused
    if isinstance(error, UnicodeEncodeError):
        return ModelUnavailable("The texts hold half characters (lone surrogates), which cannot be sent; remove them.")
    status = _status(error)
    if status is None:
        return Passing(f"The connection to {who} broke ({type(error).__name__}).")
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


def _own(error: BaseException | None) -> GroundscopeError | None:
    """An error of ours that the SDK wrapped into its own."""
    while error is not None:
        if isinstance(error, GroundscopeError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait, by any of the ways it may say so."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) / unit
            return seconds if 0 <= seconds < float("inf") else None
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time())
    return None
