"""Models behind the chat-completions API, by the `openai` SDK: OpenAI, Azure, and servers such as vLLM, Ollama and llama.cpp."""

import json
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from groundscope.chat.addresses import check_address, refused_url
from groundscope.chat.clients.faults import ErrorInAnswer, UnreadableAnswer
from groundscope.chat.clients.provider import Provider, ProviderCall, client, count, lacking_key, quiet
from groundscope.chat.json_reply import REASONING_ALONE
from groundscope.chat.messages import Reply, Stop, Usage
from groundscope.chat.model_spec import ModelSpec
from groundscope.chat.providers import PROVIDERS
from groundscope.paths import Variable
from groundscope.runtime.byte_cache import MEGABYTE

_REASONS = re.compile(r"o\d|gpt-[5-9]")
_STOPS: Mapping[str, Stop] = MappingProxyType(
    {
        **dict.fromkeys(("", "stop", "eos", "eos_token", "end_turn", "stop_sequence"), "end"),
        **dict.fromkeys(("length", "max_tokens"), "length"),
        "content_filter": "refusal",
    }
)
"""Some servers use other words than OpenAI's, or none."""
_REASONING = ("reasoning_content", "reasoning", "thinking")
"""Where servers put a model's reasoning, apart from its answer."""
_TEXTS = ("text", "output_text")
_EVENT = re.compile(r"\A\s*(?:(?:event|id|retry)?:[^\r\n]*[\r\n]+)*data:")
_BETWEEN, _LINES = re.compile(r"\r\n\r\n|\n\n|\r\r"), re.compile(r"\r\n|\n|\r")
_LARGEST = 64 * MEGABYTE


class OpenAI(Provider):
    """One model behind the chat-completions API."""

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__(spec, thinks=spec.provider != "server" and bool(_REASONS.match(spec.model)))
        if spec.provider == "server":
            self.forms = ("json_schema", "json_object", "tags")
        usual = "https://api.openai.com" if spec.provider == "openai" else ""
        self.url = str(self._client.base_url) if self._client is not None else usual

    def _make(self) -> str:
        provider = PROVIDERS[self._spec.provider]
        if lacking := lacking_key(provider.keys):
            return lacking
        address = ""
        if self._spec.address:
            try:
                address = check_address(self._spec.address)
            except ValueError as error:
                return f"The address of the server {error}."
        try:
            import openai

            quiet("openai", "httpx2", "httpcore2")
            if self._spec.provider == "azure":
                self._client = openai.AzureOpenAI(max_retries=0, http_client=client(), azure_deployment=self._spec.model)
            elif address:
                # Never another provider's key: a user typed this address.
                key = Variable.SERVER_KEY.read() or "none"
                self._client = openai.OpenAI(api_key=key, base_url=address, max_retries=0, http_client=client())
                self._client.organization = self._client.project = None
                # Those of OPENAI_CUSTOM_HEADERS: meant for OpenAI, and they may hold a key.
                self._client._custom_headers = {}
            else:
                self._client = openai.OpenAI(max_retries=0, http_client=client())
        except Exception as error:
            return (
                "Set AZURE_OPENAI_ENDPOINT and OPENAI_API_VERSION in the environment, and start the app again."
                if self._spec.provider == "azure"
                else f"The openai package cannot be used ({type(error).__name__}); check OPENAI_BASE_URL."
            )
        why = refused_url(str(self._client.base_url))
        return f"The address in the environment {why}." if why else ""

    def send(self, call: ProviderCall) -> Reply:
        """Send one call, once. Whether the answer comes as a stream is seen from the answer: some servers never stream."""
        create = self._client.chat.completions.with_streaming_response.create
        streamed = {"stream": True, "stream_options": {"include_usage": True}} if call.stream else {}
        with (
            self._faults(self._settings(), forced=call.schema is not None, unstreamed=not call.stream),
            create(**self._params(call), **streamed, timeout=call.seconds) as response,
        ):
            return reply_of(_body(response.iter_bytes()))

    def _settings(self) -> dict[str, str]:
        """What the user set, by its name in a request."""
        spec = self._spec
        sent = {"temperature": spec.temperature is not None, "reasoning_effort": bool(spec.effort), "seed": spec.seed is not None}
        return {wire: wire.removeprefix("reasoning_") for wire, is_sent in sent.items() if is_sent}

    def _params(self, call: ProviderCall) -> dict[str, Any]:
        system = [{"role": "system", "content": call.system}] if call.system else []
        user = {"role": call.role, "content": "".join(p.text for p in call.parts)}
        self_hosted = self._spec.provider == "server"
        params: dict[str, Any] = {
            "model": self._spec.model,
            "messages": [*system, user],
            # The newer name is what OpenAI's models take, the older one what other servers do.
            "max_tokens" if self_hosted else "max_completion_tokens": call.max_tokens + self.room,
        }
        if call.extra:
            params["extra_body"] = dict(call.extra)
        chosen = {"temperature": self._spec.warmth, "reasoning_effort": self._spec.effort or None, "seed": call.seed}
        params |= {name: value for name, value in chosen.items() if value is not None}
        if call.schema is not None:
            form: dict[str, Any] = {"json_schema": {"name": "reply", "strict": True, "schema": call.schema}}
            if call.form == "json_object":
                form = {"schema": call.schema}
            params["response_format"] = {"type": call.form, **form}
        return params

    def models(self) -> list[str]:
        """Names of the available models; Azure lists models, not deployments."""
        if self._spec.provider == "azure":
            return []
        with self._faults():
            return [str(m.id) for m in self._client.models.list(timeout=20.0)]


def _body(chunks: Iterable[bytes]) -> str:
    parts, size = [], 0
    for chunk in chunks:
        size += len(chunk)
        if size > _LARGEST:
            raise UnreadableAnswer(f"The server's answer is larger than {_LARGEST // MEGABYTE} MB.")
        parts.append(chunk)
    return b"".join(parts).decode("utf-8-sig", "replace")


def reply_of(body: str) -> Reply:
    """Read a chat completion, whole or as a stream of its pieces.

    `ErrorInAnswer` if it holds an error; `UnreadableAnswer` of what is none, or broke off, may be billed.
    """
    pieces, complete = _pieces(body)
    texts, reason, refused, reasoned, answered, usage, model = [], "", False, False, False, None, ""
    for piece in pieces:
        listed = piece.get("choices")
        choices = [choice for choice in listed if isinstance(choice, dict)] if isinstance(listed, list) else []
        for part in (piece, *choices):
            if part.get("error") or part.get("object") == "error":
                raise ErrorInAnswer(part)
        usage = _usage(piece.get("usage")) or usage
        model = str(piece.get("model") or model)
        for choice in choices[:1]:
            message = choice.get("message") or choice.get("delta")
            message = message if isinstance(message, dict) else {}
            answered = answered or bool(message) or bool(choice.get("finish_reason"))
            refused = refused or bool(message.get("refusal"))
            reasoned = reasoned or any(message.get(name) for name in _REASONING)
            reason = str(choice.get("finish_reason") or reason)
            texts.append(_text(message.get("content"), usage))
    if not answered:
        is_page = body.lstrip()[:1] == "<"
        what = "a web page and no chat completion; check its address" if is_page else "no chat completion"
        raise UnreadableAnswer(f"The server's answer is {what}.", usage)
    if not reason and not complete:
        raise UnreadableAnswer("The server's answer broke off.", usage)
    text = "".join(texts)
    stop: Stop = "refusal" if refused else _STOPS.get(reason.casefold(), "other")
    return Reply(text or REASONING_ALONE * reasoned, stop, usage or Usage(), model=model)


def _pieces(body: str) -> tuple[list[dict[str, Any]], bool]:
    """The JSON objects of an answer, and whether it says that it is complete."""
    if not _EVENT.search(body):
        whole = _object(body)
        return ([whole], True) if whole is not None else ([], False)
    pieces: list[dict[str, Any]] = []
    for event in _BETWEEN.split(body.strip()):
        lines = _LINES.split(event)
        data = "\n".join(line[5:].strip() for line in lines if line.startswith("data:"))
        if data == "[DONE]":
            return pieces, True
        if data:
            if (piece := _object(data)) is None:
                break
            is_error = any(line.startswith("event:") and line[6:].strip() == "error" for line in lines)
            pieces.append({"error": piece} if is_error else piece)
    return pieces, False


def _object(text: str) -> dict[str, Any] | None:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _text(content: object, usage: Usage | None) -> str:
    """The text of a message, without parts that hold reasoning."""
    parts = content if isinstance(content, list) else [content or ""]
    texts = [p.get("text") if isinstance(p, dict) and p.get("type", "text") in _TEXTS else p for p in parts]
    if not all(isinstance(t, str | dict) for t in texts):
        raise UnreadableAnswer("The server's answer is no chat completion: its content is no text.", usage)
    return "".join(t for t in texts if isinstance(t, str))


def _usage(usage: object) -> Usage | None:
    """The tokens that a completion states; None where it states none."""
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    return Usage(max(0, count(usage.get("prompt_tokens")) - cached), count(usage.get("completion_tokens")), cached)
