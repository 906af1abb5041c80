"""Models behind the chat-completions API, by the `openai` SDK: OpenAI, Azure, and servers such as vLLM, Ollama and llama.cpp."""

import os
import re
from collections.abc import Iterable
from typing import Any

import httpx2

from groundscope.chat.addresses import check_address, refused_url
from groundscope.chat.messages import Reply, Stop, Usage
from groundscope.chat.model_spec import SERVER_KEY, ModelSpec
from groundscope.chat.providers import PROVIDERS
from scorers._chat.faults import TransientError
from scorers._chat.provider import Form, ProviderCall, SdkModel, client, count, lacking_key, quiet, thinking_room

_REASONS = re.compile(r"o\d|gpt-[5-9]")
_STOPS: dict[str, Stop] = {"stop": "end", "length": "length", "content_filter": "refusal"}


class OpenAI(SdkModel):
    """One model behind the chat-completions API; see `scorers._chat.provider.Provider`."""

    def __init__(self, spec: ModelSpec) -> None:
        self.forms: tuple[Form, ...] = (
            ("json_schema", "json_object", "tags") if spec.provider == "server" else ("json_schema", "tags")
        )
        self.room = thinking_room(spec, thinks=spec.provider != "server" and bool(_REASONS.match(spec.model)))
        self._spec = spec
        self._client: Any = None
        self._missing = self._make()
        self.address = "api.openai.com" if spec.provider == "openai" else ""
        if self._client is not None:
            self.address = httpx2.URL(str(self._client.base_url)).host

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
                key = os.environ.get(SERVER_KEY) or "none"
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
        """Send one call, once."""
        create = self._client.chat.completions.create
        with self._faults(self._settings(), forced=call.schema is not None):
            if call.stream:
                pieces = create(**self._params(call), stream=True, stream_options={"include_usage": True}, timeout=call.seconds)
                with pieces:
                    return _streamed(pieces)
            return reply_of(create(**self._params(call), timeout=call.seconds))

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


def reply_of(completion: Any) -> Reply:
    """Convert a chat completion, or what a server sent in its place, to a reply.

    Raises:
        TransientError: it is not a chat completion, or it broke off; the call may be billed.
    """
    choices = getattr(completion, "choices", None)
    message = getattr(choices[0], "message", None) if choices else None
    if message is None:
        raise TransientError("The server's answer is no chat completion.", billed=True, usage=_usage(completion))
    text = getattr(message, "content", None) or ""
    if not isinstance(text, str):
        raise TransientError(
            "The server's answer is no chat completion: its content is no text.", billed=True, usage=_usage(completion)
        )
    refused = bool(getattr(message, "refusal", None))
    return _reply(text, choices[0].finish_reason, completion, refused=refused)  # type: ignore[index]


def _streamed(pieces: Iterable[Any]) -> Reply:
    """Join a streamed chat completion, whose token count comes last."""
    text, reason, refused, last = [], None, False, None
    for piece in pieces:
        last = piece if last is None or piece.usage else last
        for choice in piece.choices or ():
            delta = choice.delta
            text.append((delta and delta.content) or "")
            refused = refused or bool(delta and getattr(delta, "refusal", None))
            reason = choice.finish_reason or reason
    return _reply("".join(text), reason, last, refused=refused)


def _reply(text: str, reason: object, completion: Any, *, refused: bool) -> Reply:
    if not reason:
        raise TransientError("The server's answer broke off.", billed=True, usage=_usage(completion))
    tokens = _usage(completion) or Usage()
    stop: Stop = "refusal" if refused else _STOPS.get(str(reason), "other")
    return Reply(text, stop, tokens, model=str(getattr(completion, "model", "") or ""))


def _usage(completion: Any) -> Usage | None:
    """The tokens that a completion states; None where it states none."""
    usage = getattr(completion, "usage", None)
    if usage is None:
        return None
    cached = count(getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", 0))
    read = count(getattr(usage, "prompt_tokens", 0))
    return Usage(max(0, read - cached), count(getattr(usage, "completion_tokens", 0)), cached)
