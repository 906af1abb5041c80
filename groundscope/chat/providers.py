"""Providers of chat models: their keys and windows, and which settings they and their models take."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProviderInfo:
    """A provider of models; one of the environment variables `keys` must be set, empty = other credentials, or none needed.

    Its models read and write `window` tokens in one call, unless the spec says otherwise. `settings` are those of `temperature`,
    `effort` and `seed` that its API takes; not every model takes all of them.
    """

    id: str
    title: str
    keys: tuple[str, ...]
    window: int
    settings: tuple[str, ...]
    efforts: tuple[str, ...]
    example: str


EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""From little thinking to much, in the words of the providers."""
SETTINGS = ("temperature", "effort", "seed")
"""What not every provider takes."""

PROVIDERS = {
    p.id: p
    for p in (
        ProviderInfo(
            "anthropic",
            "Anthropic",
            ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
            200_000,
            ("temperature", "effort"),
            EFFORTS[2:],
            "claude-haiku-5-5",
        ),
        ProviderInfo(
            "bedrock", "Anthropic on Amazon Bedrock", (), 200_000, ("effort",), EFFORTS[2:], "anthropic.claude-haiku-5-5"
        ),
        ProviderInfo("vertex", "Anthropic on Google Vertex AI", (), 200_000, ("effort",), EFFORTS[2:], "claude-haiku-5-5"),
        ProviderInfo("openai", "OpenAI", ("OPENAI_API_KEY",), 128_000, SETTINGS, EFFORTS, "gpt-4o"),
        ProviderInfo(
            "azure",
            "OpenAI on Azure",
            ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
            128_000,
            SETTINGS,
            EFFORTS,
            "deployment",
        ),
        ProviderInfo(
            "google", "Google", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), 1_000_000, SETTINGS, EFFORTS[1:6], "gemini-2.5-flash"
        ),
        ProviderInfo("server", "A server of your own (vLLM, Ollama, llama.cpp)", (), 8_192, SETTINGS, EFFORTS, "llama3.1:8b"),
    )
}

_WITH_TEMPERATURE = {"anthropic": re.compile(r"claude-[a-z]+-4\b"), "openai": re.compile(r"gpt-[34]|chatgpt-4o")}
_WITHOUT = {"anthropic": re.compile(r"claude-[a-z]+-[5-9]"), "openai": re.compile(r"o\d|gpt-[5-9]")}


def takes_temperature(provider: str, model: str) -> bool | None:
    """Say whether a model takes a temperature."""
    if "temperature" not in PROVIDERS[provider].settings or (provider in _WITHOUT and _WITHOUT[provider].match(model)):
        return False
    accepting = _WITH_TEMPERATURE.get(provider)
    return True if provider in ("server", "google") or (accepting and accepting.match(model)) else None


def check_taken(provider: ProviderInfo, model: str, name: str, value: str) -> None:
    """Refuse a setting that the provider or the model would refuse, or leave out silently."""
    if name not in provider.settings:
        raise ValueError(f"{provider.title} takes no {name}; leave that setting out.")
    if name == "temperature" and takes_temperature(provider.id, model) is False:
        raise ValueError(f"{model} does not accept a temperature; leave that setting out, or choose a model that takes it.")
    if name == "effort" and value not in provider.efforts:
        raise ValueError(f"The effort of {provider.title} is one of {', '.join(provider.efforts)}; got {value[:40]!r}.")
