"""One-line spec of a chat model, for links, the environment, command lines and signatures.

    anthropic:claude-haiku-5-5
    server:llama3.1:8b@http://localhost:11434/v1;window=8192
    openai:gpt-5.5;effort=high;seed=7
    recorded:anthropic:claude-haiku-5-5

`provider:model`, then for a server of your own its address, then settings that differ from the defaults. The prefix `recorded:`
replays cached replies and sends nothing. Keys are never part of it: they come from the environment.
"""

import math
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from groundscope.chat.addresses import check_address
from groundscope.chat.providers import PROVIDERS, SETTINGS, check_taken

LARGER_WINDOWS = {"claude-haiku-5-5": 1_000_000, "claude-sonnet-5-5": 1_000_000, "claude-opus-5-5": 1_000_000}
"""Models that read more than is usual at their provider (platform.claude.com, model overview, 2026-11-22)."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model and its call settings.

    Attributes:
        window: tokens in one call; 0 = the provider's default.
        temperature: of samples and of judges; None = the provider's own, which is 0 for a server of your own.
        effort: how hard it thinks before it replies, a word of the provider's; empty = its usual one.
        seed: of its sampling, for the first reply to a prompt; each further one has the next number. None = none is sent.
        a_minute: calls a minute; 0 = no limit.
    """

    provider: str
    model: str
    address: str = ""
    recorded: bool = False
    window: int = 0
    temperature: float | None = None
    effort: str = ""
    seed: int | None = None
    stream: bool = False
    at_once: int = 4
    a_minute: int = 0
    seconds: int = 300

    @property
    def identity(self) -> str:
        """Everything that affects its replies; settings of speed and `recorded` are not part of it."""
        where = f"@{self.address}" if self.address else ""
        warmth = self.warmth
        sampling = "sampling=the provider's" if warmth is None else f"temperature={_written(warmth)}"
        more = f", effort={self.effort}" if self.effort else ""
        return f"{self.provider}:{self.model}{where}, {sampling}{more}{'' if self.seed is None else f', seed={self.seed}'}"

    @property
    def warmth(self) -> float | None:
        """The temperature that is sent; None = none is."""
        return 0.0 if self.temperature is None and self.provider == "server" else self.temperature

    @property
    def tokens(self) -> int:
        """Number of tokens that it reads and writes in one call."""
        usual = LARGER_WINDOWS.get(self.model.rpartition("/")[2], PROVIDERS[self.provider].window)
        return self.window or usual

    def __str__(self) -> str:
        head = f"{'recorded:' if self.recorded else ''}{self.provider}:{self.model}{f'@{self.address}' if self.address else ''}"
        usual = ModelSpec(self.provider, self.model)
        changed = {n: getattr(self, n) for n in _RANGES if getattr(self, n) != getattr(usual, n)}
        return head + "".join(f";{name}={_written(value)}" for name, value in changed.items())


_RANGES = {
    "window": (0, 20_000_000),
    "temperature": (0, 2),
    # A word, which `check_taken` checks.
    "effort": (0, 0),
    "seed": (0, 2_147_000_000),
    "stream": (0, 1),
    "at_once": (1, 64),
    "a_minute": (0, 100_000),
    "seconds": (1, 3_600),
}
# A space or a line break in a name would be one of the user's own making; a bar parts a signature's fields.
_NAME = re.compile(r"[^\s;|]{1,200}")
_ADDRESS = re.compile(r"https?://[^\s;|@]{1,500}")


def _written(value: object) -> str:
    # All digits: two temperatures that differ are not one identity.
    return "1" if value is True else repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def parse(text: str) -> ModelSpec:
    """Parse a spec; what a name in its address stands for is looked up and checked when it is used."""
    line = text.strip()
    recorded = line.startswith("recorded:")
    head, *settings = line.removeprefix("recorded:").split(";")
    provider, _, rest = head.partition(":")
    if provider not in PROVIDERS:
        raise ValueError(f"A model is written provider:name, with one of {', '.join(PROVIDERS)}; got {text[:80]!r}.")
    model, address = model_and_address(rest)
    if not is_name(model):
        raise ValueError(f"Name the model of {PROVIDERS[provider].title}, like {provider}:{PROVIDERS[provider].example}.")
    if (provider == "server") != bool(address):
        raise ValueError(
            "A server of your own needs its address, like server:llama3.1:8b@http://localhost:11434/v1."
            if provider == "server"
            else f"{PROVIDERS[provider].title} has its own address; write a server of your own as server:name@address."
        )
    check_form(address)
    chosen: dict[str, Any] = {}
    for setting in settings:
        name, _, written = setting.partition("=")
        if name in SETTINGS:
            check_taken(PROVIDERS[provider], model, name, written)
        if name == "effort":
            chosen[name] = written
            continue
        name, value = read_setting(setting, _RANGES, "a number", fractions=("temperature",))
        chosen[name] = abs(value) if name == "temperature" else bool(value) if name == "stream" else int(value)
    return ModelSpec(provider, model, address, recorded, **chosen)


def model_and_address(rest: str) -> tuple[str, str]:
    """Split `model` or `model@address`, what follows the provider in a line; neither part is checked."""
    model, at, address = rest.partition("@http")
    return model, f"http{address}" if at else ""


def is_name(model: str) -> bool:
    """Check whether a text can be the name of a model."""
    return bool(_NAME.fullmatch(model)) and model.isprintable()


def check_form(address: str) -> None:
    """Refuse what is no address, may hold a secret (it goes into signatures and recordings), or leads where no server is."""
    if address and not (_ADDRESS.fullmatch(address) and address.isprintable()):
        raise ValueError(
            "The address must begin with http:// or https:// and hold no spaces, names or passwords, like "
            "http://localhost:11434/v1; keys come from the environment."
        )
    if address:
        try:
            check_address(address)
        except ValueError as error:
            raise ValueError(f"The address of the server {error}.") from None


def read_setting(
    text: str, ranges: Mapping[str, tuple[int, int]], kind: str, fractions: Container[str] = ()
) -> tuple[str, float]:
    """Read one setting of a line, `name=value`, within the range of its name, both ends included.

    `kind`: what a value is, for messages: `a number`. `fractions`: names whose value need not be whole.
    """
    name, _, written = text.partition("=")
    if name not in ranges:
        raise ValueError(f"There is no setting {name[:40]!r}; there are {', '.join(ranges)}.")
    low, high = ranges[name]
    try:
        value = float(written)
    except ValueError:
        value = math.nan
    if not low <= value <= high or (name not in fractions and value != int(value)):
        raise ValueError(f"{name} must be {kind} from {low:,} to {high:,}, got {written[:40]!r}.")
    return name, value
