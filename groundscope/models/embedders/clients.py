"""The providers' SDKs; each sends one request once. They do not retry: `remote` does.

The packages are optional, so they are imported by name and only when they are used.
"""

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, Protocol

import httpx2

from groundscope.chat.addresses import check_address
from groundscope.chat.clients.faults import TransientError, UnreadableAnswer, fault, said_by, status_of
from groundscope.chat.clients.provider import client, count, install_command, lacking_key, lacking_package, quiet
from groundscope.chat.clients.transport import CheckedTransport
from groundscope.errors import GroundscopeError, ModelUnavailable
from groundscope.models.embedders.services import EmbedderSpec
from groundscope.models.embedders.vectors import EmbeddingReply
from groundscope.paths import Variable

Kind = Literal["passage", "question"]


class HttpxTransport:
    """Transport for an `httpx.Client`; see `groundscope.chat.clients.transport.CheckedTransport`, whose errors it raises."""

    def __init__(self) -> None:
        self._guarded = CheckedTransport()
        # Only where an SDK brought it along.
        self._httpx: Any = import_module("httpx")

    def handle_request(self, request: Any) -> Any:
        """Send one `httpx.Request` and read its whole response, as it came over the wire, which may be compressed."""
        asked = httpx2.Request(
            request.method, str(request.url), headers=request.headers.raw, content=request.read(), extensions=request.extensions
        )
        answer = self._guarded.handle_request(asked)
        try:
            stream: Any = answer.stream
            # As it came over the wire: the caller unpacks it.
            body = b"".join(stream)
        finally:
            answer.close()
        return self._httpx.Response(answer.status_code, headers=answer.headers.raw, stream=self._httpx.ByteStream(body))

    def close(self) -> None:
        """Close all connections."""
        self._guarded.close()


class Client(Protocol):
    """A provider's SDK with one model."""

    def send(self, texts: Sequence[str], kind: Kind, seconds: float) -> EmbeddingReply:
        """Send one request, once; vectors are as the server states them. It raises what the SDK raises, see `refusal`."""


def base(spec: EmbedderSpec) -> str:
    """The address that requests go to, not checked: the spec's, else the environment's, else the provider's usual one."""
    return spec.address or os.environ.get(spec.service.variable, "").strip() or spec.service.base


def host(spec: EmbedderSpec) -> str:
    """The host that receives the texts; the whole address if it is not valid."""
    try:
        return httpx2.URL(base(spec)).host
    except httpx2.InvalidURL:
        return base(spec)


def missing(spec: EmbedderSpec) -> str:
    """The package, address or key that a model lacks here, and what to do; empty if nothing. Imports no SDK."""
    if lacking := lacking_package(spec.service.package, spec.service.installed):
        return lacking
    try:
        check_address(base(spec))
    except ValueError as error:
        return f"The address {'' if spec.address else f'in {spec.service.variable} '}{error}."
    return "" if spec.address else lacking_key(spec.service.keys)


def make(spec: EmbedderSpec) -> Client:
    """Build a client that does not retry; `missing` must be empty. `ModelUnavailable` if the SDK cannot be used."""
    try:
        sdk_client: Client = _CLIENTS[spec.service.id](spec, _key(spec), check_address(base(spec)))
        return sdk_client
    except Exception as error:
        # Of many kinds: an incomplete installation, or a setting of the environment that the SDK does not take.
        package = spec.service.installed
        raise ModelUnavailable(
            f"The package {package} cannot be used ({type(error).__name__}); run `{install_command(package)}` and start again."
        ) from None


def _key(spec: EmbedderSpec) -> str:
    """The key; another provider's key never goes to an address that a user typed."""
    if spec.address:
        return Variable.SERVER_KEY.read() or "none"
    return next(key for name in spec.service.keys if (key := os.environ.get(name, "").strip()))


class _OpenAI:
    """The embeddings API of OpenAI, which many servers speak."""

    def __init__(self, spec: EmbedderSpec, key: str, address: str) -> None:
        sdk: Any = import_module("openai")
        quiet("openai", "httpx2", "httpcore2")
        self._model, self._dimensions = spec.model, spec.dimensions
        self._client: Any = sdk.OpenAI(api_key=key, base_url=address, max_retries=0, http_client=client())
        if spec.address:
            # Both are meant for OpenAI, and OPENAI_CUSTOM_HEADERS may hold a key.
            self._client.organization = self._client.project = None
            self._client._custom_headers = {}

    def send(self, texts: Sequence[str], kind: Kind, seconds: float) -> EmbeddingReply:
        """Embed texts; passages and questions are the same. Floats, since not every server can write base64."""
        size = {"dimensions": self._dimensions} if self._dimensions else {}
        reply = self._client.embeddings.create(
            model=self._model, input=list(texts), encoding_format="float", timeout=seconds, **size
        )
        return _answer(getattr(reply, "data", None), getattr(getattr(reply, "usage", None), "prompt_tokens", 0))


class _Isaacus:
    """The embeddings API of Isaacus; what is longer than the model reads is cut there."""

    def __init__(self, spec: EmbedderSpec, key: str, address: str) -> None:
        sdk: Any = import_module("isaacus")
        # Its SDK uses another HTTP library than the others; the checks of addresses are the same for all.
        http: Any = import_module("httpx")
        quiet("isaacus", "httpx", "httpcore", "httpcore2")
        self._model, self._dimensions = spec.model, spec.dimensions
        http_client = http.Client(transport=HttpxTransport(), follow_redirects=False)
        self._client: Any = sdk.Isaacus(api_key=key, base_url=address, max_retries=0, http_client=http_client)
        if spec.address:
            self._client._custom_headers = {}

    def send(self, texts: Sequence[str], kind: Kind, seconds: float) -> EmbeddingReply:
        task = "retrieval/document" if kind == "passage" else "retrieval/query"
        size = {"dimensions": self._dimensions} if self._dimensions else {}
        reply = self._client.embeddings.create(
            model=self._model, texts=list(texts), task=task, overflow_strategy="drop_end", timeout=seconds, **size
        )
        return _answer(getattr(reply, "embeddings", None), getattr(getattr(reply, "usage", None), "input_tokens", 0))


class _Google:
    """The Gemini API, never Vertex AI, whatever the environment says, so that texts go to the host that the user saw."""

    def __init__(self, spec: EmbedderSpec, key: str, address: str) -> None:
        sdk: Any = import_module("google.genai")
        quiet("google_genai", "httpx2", "httpcore2")
        self._model, self._dimensions = spec.model, spec.dimensions
        self._client: Any = sdk.Client(vertexai=False, api_key=key, http_options={"base_url": address, "httpx_client": client()})

    def send(self, texts: Sequence[str], kind: Kind, seconds: float) -> EmbeddingReply:
        """Embed texts, each as its own content: later models would make one vector of a list of texts."""
        contents = [{"role": "user", "parts": [{"text": text}]} for text in texts]
        config: dict[str, Any] = {"task_type": "RETRIEVAL_DOCUMENT" if kind == "passage" else "RETRIEVAL_QUERY"}
        config["http_options"] = {"timeout": int(seconds * 1000)}
        if self._dimensions:
            config["output_dimensionality"] = self._dimensions
        reply = self._client.models.embed_content(model=self._model, contents=contents, config=config)
        # It gives no places: the order is that of the texts.
        return EmbeddingReply(
            [(i, getattr(e, "values", None)) for i, e in enumerate(_listed(getattr(reply, "embeddings", None)))]
        )


_CLIENTS: Mapping[str, Any] = {"openai": _OpenAI, "isaacus": _Isaacus, "google": _Google}


def _answer(embeddings: object, tokens: object) -> EmbeddingReply:
    return EmbeddingReply(
        [(getattr(e, "index", None), getattr(e, "embedding", None)) for e in _listed(embeddings)], count(tokens)
    )


def _listed(embeddings: object) -> list[Any]:
    if not isinstance(embeddings, list):
        raise UnreadableAnswer("The server's answer is no list of embeddings.")
    return embeddings


def refusal(error: Exception, spec: EmbedderSpec, who: str) -> Exception:
    """Convert an SDK's error to one of the project. The message quotes neither texts, the server nor a key."""
    if isinstance(error, GroundscopeError | TransientError):
        return error
    status, text = status_of(error), said_by(error)
    variable = Variable.SERVER_KEY if spec.address else spec.service.keys[0]
    bad_key = f"the key is not valid; set {variable} to a valid one and start the app again"
    reasons = {
        400: "it does not take these texts; cut them shorter (;tokens=), send fewer at a time (;texts=), or choose another model",
        401: bad_key,
        403: "the key may not use this model; ask for access, or choose another embedder",
        404: "there is no such model or address; check both",
        413: "the request is too large; send fewer texts at a time, like ;texts=16",
        422: "it does not take this request; leave dimensions out, or choose another model",
    }
    if status == 400 and "API_KEY_INVALID" in text:
        return ModelUnavailable(f"{who} answered 400: {bad_key}.")
    if status == 429 and "insufficient_quota" in text:
        return ModelUnavailable(f"{who} answered 429: the account has no credit left; add some, or choose another embedder.")
    if status in reasons:
        return ModelUnavailable(f"{who} answered {status}: {reasons[status]}.")
    return fault(error, who)
