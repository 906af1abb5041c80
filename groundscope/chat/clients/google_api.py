"""Models of Google behind the Gemini API, by the `google-genai` SDK, which is optional.

Never Vertex AI, whatever the environment says, so that texts go to the host that the user saw. Thoughts are paid as written
tokens and are no part of a reply.
"""

import os
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from groundscope.chat.addresses import check_address
from groundscope.chat.clients.faults import UnreadableAnswer
from groundscope.chat.clients.provider import Provider, ProviderCall, client, count, lacking_key, lacking_package, quiet
from groundscope.chat.messages import Reply, Stop, Usage
from groundscope.chat.model_spec import ModelSpec
from groundscope.chat.providers import PROVIDERS

_BASE, _VARIABLE = "https://generativelanguage.googleapis.com", "GOOGLE_GEMINI_BASE_URL"
_STOPS: dict[str, Stop] = {"STOP": "end", "MAX_TOKENS": "length"}
_REFUSALS = {"SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "RECITATION", "LANGUAGE", "MODEL_ARMOR"}
_NOT_ITS_OWN = "The server's answer is no reply of the Gemini API."


class Google(Provider):
    """One model of Google."""

    def __init__(self, spec: ModelSpec) -> None:
        self.url = os.environ.get(_VARIABLE, "").strip() or _BASE
        super().__init__(spec, thinks=True)

    def _make(self) -> str:
        keys = PROVIDERS[self._spec.provider].keys
        if lacking := lacking_package("google.genai", "google-genai") or lacking_key(keys):
            return lacking
        try:
            address = check_address(self.url)
        except ValueError as error:
            return f"The address in {_VARIABLE} {error}."
        key = next(found for name in keys if (found := os.environ.get(name, "").strip()))
        try:
            sdk: Any = import_module("google.genai")
            quiet("google_genai", "httpx2", "httpcore2")
            options = {"base_url": address, "httpx_client": client()}
            self._client = sdk.Client(vertexai=False, api_key=key, http_options=options)
        except Exception as error:
            return f"The google-genai package cannot be used ({type(error).__name__}); install it again."
        return ""

    def send(self, call: ProviderCall) -> Reply:
        """Send one call, once."""
        contents = [
            {"role": "user" if call.role == "user" else "model", "parts": [{"text": "".join(p.text for p in call.parts)}]}
        ]
        asked = {"model": self._spec.model, "contents": contents, "config": self._config(call)}
        with self._faults(self._settings(), forced=call.schema is not None):
            if call.stream:
                return reply_of(self._client.models.generate_content_stream(**asked))
            return reply_of([self._client.models.generate_content(**asked)])

    def _config(self, call: ProviderCall) -> dict[str, Any]:
        config: dict[str, Any] = {
            "max_output_tokens": call.max_tokens + self.room,
            "http_options": {"timeout": int(call.seconds * 1000)},
            "automatic_function_calling": {"disable": True},
        }
        chosen = {"temperature": self._spec.temperature, "seed": call.seed, "system_instruction": call.system or None}
        config |= {name: value for name, value in chosen.items() if value is not None}
        if self._spec.effort:
            config["thinking_config"] = {"thinking_level": self._spec.effort.upper()}
        if call.schema is not None:
            config |= {"response_mime_type": "application/json", "response_json_schema": dict(call.schema)}
        return config

    def _settings(self) -> dict[str, str]:
        """What the user set, by words that a refusal names it with."""
        spec = self._spec
        sent = {"temperature": spec.temperature is not None, "seed": spec.seed is not None}
        thinking = dict.fromkeys(("thinking_level", "thinkingLevel", "thinking level", "Thinking level"), "effort")
        return {name: name for name, is_sent in sent.items() if is_sent} | (thinking if spec.effort else {})

    def models(self) -> list[str]:
        """Names of the models available with this key."""
        with self._faults():
            return [str(m.name).removeprefix("models/") for m in self._client.models.list()]


def reply_of(pieces: Iterable[Any]) -> Reply:
    """Join the pieces of a reply, mostly one, without thoughts; `UnreadableAnswer` of what is none or broke off may be billed."""
    text, reason, blocked, tokens, model = [], "", False, None, ""
    for piece in pieces:
        tokens = _usage(piece) or tokens
        model = str(getattr(piece, "model_version", "") or model)
        blocked = blocked or bool(getattr(getattr(piece, "prompt_feedback", None), "block_reason", None))
        for candidate in (getattr(piece, "candidates", None) or ())[:1]:
            parts = getattr(getattr(candidate, "content", None), "parts", None) or ()
            text += [part.text for part in parts if isinstance(getattr(part, "text", None), str) and not part.thought]
            reason = getattr(candidate.finish_reason, "name", "") or reason
    if not reason and not blocked:
        raise UnreadableAnswer("The server's answer broke off." if text else _NOT_ITS_OWN, tokens)
    stop: Stop = "refusal" if blocked or reason in _REFUSALS else _STOPS.get(reason, "other")
    return Reply("".join(text), stop, tokens or Usage(), model=model)


def _usage(piece: Any) -> Usage | None:
    """The tokens that a piece states; None where it states none."""
    usage = getattr(piece, "usage_metadata", None)
    if usage is None:
        return None
    cached, read = count(usage.cached_content_token_count), count(usage.prompt_token_count)
    written = count(usage.candidates_token_count) + count(usage.thoughts_token_count)
    return Usage(max(0, read - cached), written, cached)
