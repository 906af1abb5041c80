"""Interface of all providers of chat models, what their SDKs share, and the cost of calls. `model` retries, the SDKs do not."""

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

import httpx2

from groundscope.chat.budget import CallCost
from groundscope.chat.clients.faults import OtherWay, TransientError, fault
from groundscope.chat.clients.transport import CheckedTransport, is_own_network
from groundscope.chat.messages import MessagePart, Reply, Usage
from groundscope.chat.model_spec import ModelSpec
from groundscope.chat.prices import price_of
from groundscope.errors import DataError, ModelUnavailable
from groundscope.paths import PROGRAMS

Form = Literal["json_schema", "json_object", "tags"]
"""Ways to get JSON: OpenAI's and Anthropic's, that of llama-cpp-python's server, and asking for it between tags."""


class Way(NamedTuple):
    """How a server takes a call: the form of JSON that it forces, and whether it must stream."""

    form: Form = "json_schema"
    stream: bool = False


@dataclass
class UsualWay:
    """The way in which one server took the last call that it had refused in another."""

    way: Way = field(default_factory=Way)


@lru_cache(maxsize=256)
def usual_way(provider: str, model: str, url: str) -> UsualWay:
    """The way of a model at an address, shared by all callers of this process."""
    return UsualWay()


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """A prompt with its marker, as it is sent.

    `schema`: JSON schema that the reply is forced into; None = free text. `seed`: of the sampling; None = none is sent.
    """

    system: str
    parts: Sequence[MessagePart]
    schema: Mapping[str, Any] | None
    form: "Form"
    max_tokens: int
    stream: bool
    seconds: float
    role: str = "user"
    extra: Mapping[str, Any] | None = None
    seed: int | None = None


_ROOMS = {"none": 0, "minimal": 2_000, "medium": 12_000, "high": 24_000, "xhigh": 48_000, "max": 48_000}
_USUAL_ROOM = 6_000


class Provider(ABC):
    """A provider's model behind its SDK: what it lacks here, its replies, and the SDK's errors as those of the project."""

    url: str
    """The address that texts go to."""
    forms: tuple[Form, ...] = ("json_schema", "tags")
    """Ways to get JSON from it, the best first, `tags` last."""
    room: int
    """Tokens beyond a call's limit that the model may think before its reply: written and paid as it is; mostly fewer."""
    _client: Any = None
    """The SDK's; None where something is missing."""

    def __init__(self, spec: ModelSpec, *, thinks: bool) -> None:
        self.room = min(_ROOMS.get(spec.effort, _USUAL_ROOM), spec.tokens // 4) if thinks or spec.effort else 0
        self._spec = spec
        self._missing = self._make()

    @abstractmethod
    def _make(self) -> str:
        """Make the client; what is missing for it and what to do, or empty."""

    @property
    def address(self) -> str:
        """The host that texts go to."""
        try:
            return httpx2.URL(self.url).host
        except httpx2.InvalidURL:
            return self.url

    def missing(self) -> str:
        """The package, key or setting that it lacks here, and what to do; empty if nothing. Nothing is sent."""
        return self._missing

    @abstractmethod
    def send(self, call: ProviderCall) -> Reply:
        """Send one call, once; the reply has no cost, marker and time. `TransientError` and `OtherWay` ask for another try."""

    @abstractmethod
    def models(self) -> list[str]:
        """Names of the available models, as a spec writes them; empty if it does not list them. Raises as `send`."""

    @contextmanager
    def _faults(
        self, settings: Mapping[str, str] | None = None, *, forced: bool = False, unstreamed: bool = False
    ) -> Iterator[None]:
        try:
            yield
        except (TransientError, OtherWay, ModelUnavailable):
            raise
        except Exception as error:
            who = f"{self._spec.model} at {self.address}"
            raise fault(error, who, forced=forced, unstreamed=unstreamed, settings=settings) from None


def lacking_package(package: str, installed: str) -> str:
    """What to do where an optional package (its name as imported, and for pip) is not here; empty if it is. Imports it not."""
    try:
        spec = find_spec(package)
    except (ModuleNotFoundError, ValueError):
        spec = None
    if spec:
        return ""
    return f"The package {installed} is not installed; run `{install_command(installed)}` and start the app again."


def install_command(package: str) -> str:
    """The line that installs an optional package: in a copy of the repository in its pinned version, else by the extra."""
    return f"{PROGRAMS}python -m pip install " + (f"-c constraints.txt {package}" if PROGRAMS else "'groundscope[embedders]'")


def client() -> httpx2.Client:
    """An HTTP client that checks every address, uses the environment's proxies and follows no redirects."""
    return httpx2.Client(transport=CheckedTransport(), follow_redirects=False)


def quiet(*names: str) -> None:
    """Keep SDKs, by the names of their loggers, from printing what they send, whatever variables such as `OPENAI_LOG` say."""
    for name in names:
        os.environ.pop(f"{name.upper()}_LOG", None)
        logging.getLogger(name).setLevel(logging.WARNING)


def lacking_key(keys: Sequence[str]) -> str:
    """What to do where none of some variables (the usual one first) holds a key; empty if one does or none is needed."""
    if not keys or any(os.environ.get(name, "").strip() for name in keys):
        return ""
    return f"Set {keys[0]} in the environment or in Streamlit's secrets, and start the app again."


def count(value: object) -> int:
    """Read a token count, of which some servers send 12.0 and some nothing; 0 for what is no number from 0 to below 10**12."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 10**12 else 0


def cost_of(usage: Usage, model: str, address: str) -> float | None:
    """Work out the cost of the tokens of one call."""
    try:
        price = price_of(model, usage.input + usage.cache_read + usage.cache_write)
    except DataError as error:
        raise ModelUnavailable(f"The table of prices cannot be used, so nothing was sent: {error}") from None
    if price is None:
        return 0.0 if address and is_own_network(address) else None
    return price.of(usage)


def settle(spent: CallCost, fault: Exception, most: float | None, price: Callable[[Usage], float | None]) -> None:
    """Record the cost of a try without a usable answer: at most `most` (None = not known), or `price` of the tokens it stated."""
    if not isinstance(fault, TransientError) or fault.crowded:
        return
    if fault.usage is not None:
        spent.answered(fault.usage.total, price(fault.usage))
    elif fault.billed:
        spent.unanswered(most)
    else:
        spent.refused()
