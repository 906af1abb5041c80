"""Convert the errors of provider SDKs to errors of the project. No message quotes the server."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

import httpx2

from groundscope.chat.messages import Usage
from groundscope.errors import GroundscopeError, ModelUnavailable
from groundscope.paths import Variable
from groundscope.text.humanize import spell


class TransientError(Exception):
    """A fault that may be gone soon.

    `after`: seconds that the server wants to wait; None = not stated. `billed`: the call was sent and brought no usable
    answer, so it may be billed. `tried`: how it was tried when it is given up.
    """

    tried = "tried for a while"

    def __init__(
        self, why: str, after: float | None = None, *, crowded: bool = False, billed: bool = False, usage: Usage | None = None
    ) -> None:
        super().__init__(why)
        self.why, self.after, self.crowded, self.billed, self.usage = why, after, crowded, billed, usage


class UnreadableAnswer(TransientError):
    """An answer that came and is none, or not whole; it may be billed, so that it is asked for once more and no oftener."""

    tried = "asked twice"

    def __init__(self, why: str, usage: Usage | None = None) -> None:
        super().__init__(why, billed=True, usage=usage)


class OtherWay(Exception):
    """The server refused a call, maybe because of the way in which it was sent.

    `refusal`: the error if that was not the reason. `stream`: whether it is to be sent as a stream; else in the next form of
    JSON.
    """

    def __init__(self, refusal: ModelUnavailable, *, stream: bool = False) -> None:
        super().__init__(str(refusal))
        self.refusal, self.stream = refusal, stream


class ErrorInAnswer(Exception):
    """An error that came as if it were an answer; `body` is what came."""

    status_code = 200

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__("an error came in the place of an answer")
        self.body = body


_REFUSAL = re.compile(r"(?i)unsupported|not support|unrecogni|unknown|invalid|not permitted|deprecated|does not|only the default")
_STREAM = re.compile(r"(?i)\bstream(?:s|ed|ing)?\b")
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
    "invalid_api_key": 401,
    "context_length_exceeded": 413,
    "model_not_found": 404,
    "rate_limit_exceeded": 429,
}
_NO_FORM = re.compile(
    r"(?i)\b(?:not found|endpoints?|route|resource|response_format|json_(?:schema|object)|(?:structured|format).{0,9}output)\b"
    r"|output.format"
)
_NO_CREDIT = re.compile(r"insufficient_quota|credit balance is too low|Insufficient (?:Balance|credits)")
_PAGE = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_LONG = 60.0
"""Seconds of a wait that a server asks for from which on the user reads of it."""
_NO_MODEL = re.compile(r"(?i)model_not_found|no such model|\bmodel\b.{0,200}?\b(?:not found|not exist|doesn.t exist)")


def fault(
    error: Exception,
    who: str,
    *,
    forced: bool = False,
    unstreamed: bool = False,
    settings: Mapping[str, str] | None = None,
) -> Exception:
    """Convert what an SDK raised; a call that was forced into a schema, or not streamed, may be sent in another way."""
    if refused := next((cause for cause in _causes(error) if isinstance(cause, GroundscopeError)), None):
        return refused
    if isinstance(error, UnicodeEncodeError):
        return ModelUnavailable("The texts hold half characters (lone surrogates), which cannot be sent; remove them.")
    status, text = _status(error), said_by(error)
    if status is None:
        kind = type(error).__name__
        if not any(isinstance(cause, _LINE_FAULTS) for cause in _causes(error)):
            return UnreadableAnswer(f"The answer of {who} cannot be read ({kind}).")
        was_sent = not any(isinstance(cause, _NOT_SENT) for cause in _causes(error))
        return TransientError(f"The connection to {who} broke ({kind}).", billed=was_sent)
    headers = getattr(getattr(error, "response", None), "headers", {})
    in_answer = isinstance(error, ErrorInAnswer)
    answered = f"{who} sent an error instead of an answer ({status})" if in_answer else f"{who} answered {status}"
    # llama-cpp-python's server answers 500 where it does not know a form.
    if forced and status == 500 and "response_format" in text:
        return OtherWay(ModelUnavailable(f"{who} cannot be made to reply in JSON; choose another model."))
    if status == 402 or (status in (400, 403, 429) and _NO_CREDIT.search(text)):
        return ModelUnavailable(f"{answered}: the account has no credit left; add some, or choose another model.")
    if status in _PASSING or status >= 500:
        after = _wait(headers, text)
        waits = f" and asks to wait {spell(after)}" if after is not None and after >= _LONG else ""
        # An error in the place of an answer may come after some of it.
        return TransientError(f"{answered}{waits}.", after, crowded=status in _CROWDED, billed=in_answer)
    if 300 <= status < 400:
        return ModelUnavailable(f"{who} sends on to another address, where nothing was sent; check the address.")
    reasons = {
        401: f"the key is not valid; set a valid one ({Variable.SERVER_KEY} for a server of your own) and start the app again",
        403: "the key may not use this model; ask for access, or choose another model",
        404: "there is no such model or address; check both on the Methods page",
        413: "the texts are too long for it; choose a model with a larger window",
    }
    if _PAGE.match(text):
        # Neither the model nor its key is meant: a proxy or another program answered.
        return ModelUnavailable(f"{answered} with a web page, as a proxy or another program does; check the address.")
    if status == 400 and "API_KEY_INVALID" in text:
        status, answered = 401, f"{who} answered 401"
    if status in (400, 422) and (setting := _refused(error, text, settings or {})):
        return ModelUnavailable(
            f"{answered}: it does not take the {setting} that is set; clear it on the Methods page, or choose a "
            "model that takes it."
        )
    sent = f" {' and '.join(dict.fromkeys(settings.values()))} went with it." if settings and status not in reasons else ""
    refusal = ModelUnavailable(f"{answered}: {reasons.get(status, 'it does not take this call; choose another model')}.{sent}")
    # Streamed at last: a server that only streams need not say so.
    if unstreamed and status in (400, 405, 422) and (not forced or _STREAM.search(text)):
        return OtherWay(refusal, stream=True)
    # Some gateways look for a server that can force a form, and answer that there is none.
    is_form = status in (400, 415, 422) or (status == 404 and _NO_FORM.search(text) and not _NO_MODEL.search(text))
    return OtherWay(refusal) if forced and is_form else refusal


def status_of(error: Exception) -> int | None:
    """The status of an answer, as the SDKs state it; None where there was none."""
    statuses = (getattr(error, name, None) for name in ("status_code", "code"))
    return next((status for status in statuses if isinstance(status, int)), None)


def said_by(error: Exception) -> str:
    """What the server sent with an error; searched for known words, and never shown."""
    return str(getattr(error, "details", None) or getattr(error, "body", None) or "")


def _refused(error: Exception, text: str, settings: Mapping[str, str]) -> str:
    """The setting that a server refuses, as users call it; empty where it names none, or the words may be the prompt's."""
    named = str(getattr(error, "param", None) or "")
    for wire, name in settings.items():
        if named == wire or (not named and _REFUSAL.search(text) and re.search(rf"\b{wire}\b", text)):
            return name
    return ""


def _status(error: Exception) -> int | None:
    """The status of an answer; of an error that came within a stream, which had begun well, the one that stands for it."""
    status = status_of(error)
    if status is None or status >= 300:
        return status
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    words = [str(inner.get(name)) for name in ("status", "status_code", "code", "type")] if isinstance(inner, dict) else []
    statuses = [int(word) if re.fullmatch("[45][0-9]{2}", word) else _KINDS.get(word) for word in words]
    return next(filter(None, statuses), 404 if _NO_MODEL.search(said_by(error)) else 500)


_LINE_FAULTS = (httpx2.HTTPError, httpx2.StreamError, OSError)
_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, ConnectionRefusedError)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it was raised from, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def asked_to_wait(text: str) -> float | None:
    """Seconds that Google asks to wait: in the body, as `'retryDelay': '27s'`."""
    after = text.partition("'retryDelay': '")[2].partition("s'")[0]
    with suppress(ValueError):
        return seconds if 0 <= (seconds := float(after)) < float("inf") else None
    return None


def _wait(headers: Mapping[str, str], text: str = "") -> float | None:
    """Seconds that a server wants to wait, from any header that states it, or from what it sent."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        with suppress(ValueError):
            seconds = float(headers.get(name, "")) / unit
            return seconds if 0 <= seconds < float("inf") else None
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time())
    return asked_to_wait(text)
