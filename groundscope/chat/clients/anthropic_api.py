"""Models of Anthropic, over its own API, Amazon Bedrock or Google Vertex AI, by the `anthropic` SDK.

The Messages API of the current models takes no sampling parameters, and a spec with one is refused before anything is sent.
Models of the fourth generation take a temperature under the API's earlier version. Replies may begin with thinking, so text is
picked by the blocks' type, and room for thinking is added to every limit.
"""

from typing import Any

from groundscope.chat.addresses import refused_url
from groundscope.chat.clients.faults import ErrorInAnswer, UnreadableAnswer
from groundscope.chat.clients.provider import Provider, ProviderCall, client, count, lacking_key, quiet
from groundscope.chat.messages import Reply, Stop, Usage
from groundscope.chat.model_spec import ModelSpec
from groundscope.chat.providers import PROVIDERS
from groundscope.errors import ModelUnavailable

_EARLIER = "2023-06-01"
"""Version of the API that takes a temperature."""
_STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "max_tokens": "length",
    "refusal": "refusal",
    "model_context_window_exceeded": "window",
}
_EXTRAS = {"bedrock": "AnthropicBedrock", "vertex": "AnthropicVertex"}


class Anthropic(Provider):
    """One model of Anthropic."""

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__(spec, thinks=True)
        self.url = str(self._client.base_url) if self._client else "https://api.anthropic.com"

    def _make(self) -> str:
        provider = PROVIDERS[self._spec.provider]
        if lacking := lacking_key(provider.keys):
            return lacking
        import anthropic

        quiet("anthropic", "httpx2", "httpcore2")
        client_class = getattr(anthropic, _EXTRAS.get(self._spec.provider, "Anthropic"))
        try:
            self._client = client_class(max_retries=0, http_client=client(), open_telemetry=False)
        except Exception as error:
            # Of many kinds: a package, a region, a project or credentials may be missing; the message may name a file.
            if self._spec.provider not in _EXTRAS:
                return f"The anthropic package cannot be used ({type(error).__name__}); check ANTHROPIC_BASE_URL."
            mend = f"install anthropic[{self._spec.provider}] and set its region and credentials in the environment"
            return f"{provider.title} cannot be used here ({type(error).__name__}): {mend}."
        why = refused_url(str(self._client.base_url))
        return f"The address in the environment {why}." if why else ""

    def params(self, call: ProviderCall) -> dict[str, Any]:
        """Parameters of a call, for the Messages API and the Message Batches API; its shared parts are marked for the cache."""
        content: list[dict[str, Any]] = [{"type": "text", "text": p.text} for p in call.parts]
        shared = [block for block, part in zip(content, call.parts, strict=True) if part.shared]
        if shared:
            # Everything up to here is the same in the next calls.
            shared[-1]["cache_control"] = {"type": "ephemeral"}
        params: dict[str, Any] = {
            "model": self._spec.model,
            "max_tokens": call.max_tokens + self.room,
            "messages": [{"role": "user", "content": content}],
        }
        if call.system:
            params["system"] = call.system
        output: dict[str, Any] = {"effort": self._spec.effort} if self._spec.effort else {}
        if call.schema is not None:
            output["format"] = {"type": "json_schema", "schema": call.schema}
        if output:
            params["output_config"] = output
        return params

    def _warm(self) -> dict[str, Any]:
        """What a call takes besides for a temperature, which the SDK has no parameter for."""
        if self._spec.temperature is None:
            return {}
        return {"extra_body": {"temperature": self._spec.temperature}, "extra_headers": {"anthropic-version": _EARLIER}}

    def send(self, call: ProviderCall) -> Reply:
        """Send one call, once."""
        with self._faults(self._settings(), forced=call.schema is not None):
            if call.stream:
                with self._client.messages.stream(**self.params(call), **self._warm(), timeout=call.seconds) as stream:
                    return reply_of(stream.get_final_message())
            return reply_of(self._client.messages.create(**self.params(call), **self._warm(), timeout=call.seconds))

    def _settings(self) -> dict[str, str]:
        """What the user set, by its name in a request."""
        chosen = {"temperature": self._spec.temperature is not None, "effort": bool(self._spec.effort)}
        return {name: name for name, is_sent in chosen.items() if is_sent}

    def models(self) -> list[str]:
        """Names of the models available with this key; empty for the clouds, which do not list them."""
        if self._spec.provider in _EXTRAS:
            return []
        with self._faults():
            return [m.id for m in self._client.models.list(limit=100, timeout=20.0)]

    def batches(self) -> Any:
        """The SDK's Message Batches API; `ModelUnavailable` if the provider has none, or lacks its key or package."""
        if self._spec.provider in _EXTRAS or self._client is None:
            raise ModelUnavailable(self._missing or "Batches are for Anthropic's own API; run without them here.")
        if self._spec.temperature is not None:
            raise ModelUnavailable("A batch takes no temperature; leave it out, or run without batches.")
        return self._client.messages.batches


def reply_of(message: Any) -> Reply:
    """Convert a message of the Messages API to a reply without thinking; `UnreadableAnswer` of what is none may be billed."""
    if error := getattr(message, "error", None):
        raise ErrorInAnswer({"error": error})
    content, usage, stop = (getattr(message, name, None) for name in ("content", "usage", "stop_reason"))
    tokens = _usage(usage)
    if not isinstance(content, list) or tokens is None or not stop:
        raise UnreadableAnswer("The server's answer is no message of the Messages API.", tokens)
    text = "".join(str(block.text) for block in content if getattr(block, "type", "") == "text")
    return Reply(text, _STOPS.get(str(stop), "other"), tokens, model=str(getattr(message, "model", "")))


def _usage(usage: Any) -> Usage | None:
    """The tokens that a message states; None where it states none."""
    if not hasattr(usage, "input_tokens"):
        return None
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return Usage(*(count(getattr(usage, name, 0)) for name in names))
