"""The model layer of all prompting methods: cached replies, retries, rate limits, a budget and a timeout around any provider.

At most one call at a time is made for a key, and its reply is stored before it is used. A call that is no longer waited for
still stores its reply, so a paid reply is lost only if the process dies first.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import lru_cache, partial

from groundscope.chat import model_spec, replies
from groundscope.chat.budget import budget
from groundscope.chat.clients.ceilings import CallGate, Retries, Turns, ended, gate, gates, in_thread
from groundscope.chat.clients.faults import OtherWay, TransientError
from groundscope.chat.clients.provider import Provider, ProviderCall, UsualWay, Way, cost_of, settle, usual_way
from groundscope.chat.clients.transport import within
from groundscope.chat.json_reply import ANSWER_TAGS
from groundscope.chat.messages import Pending, Prompt, Reply, Usage, defer, new_marker
from groundscope.chat.model_spec import ModelSpec
from groundscope.chat.replies import reply_number
from groundscope.errors import ModelUnavailable
from groundscope.runtime.progress import still_wanted
from groundscope.runtime.retention import asks_afresh
from groundscope.storage.sqlite import now

_SURELY_READ = 12.0
"""Characters a token that no tokenizer reaches on text: a server that counts fewer tokens has not read all of it."""


def whole(prompt: Prompt, reply: Reply) -> Reply:
    """The same reply; `ModelUnavailable` if its token counts show that the server cut the prompt."""
    if not is_whole(prompt, reply):
        raise ModelUnavailable(
            f"The server read {_read(reply):,} tokens of about {prompt.tokens():,}: it cuts long texts. Give it a larger "
            "window, and state that window on the Methods page."
        )
    return reply


def is_whole(prompt: Prompt, reply: Reply) -> bool:
    """Whether the server may have read the whole prompt: not if it counts fewer tokens than any tokenizer makes of it."""
    return not (read := _read(reply)) or prompt.characters() / read <= _SURELY_READ


def _read(reply: Reply) -> int:
    return reply.usage.input + reply.usage.cache_read + reply.usage.cache_write


@lru_cache(maxsize=64)
def chat_model(line: str) -> "Chat":
    """Build the model of a spec, connected to nothing yet; one object a process, so that all callers share its rate limits."""
    return Chat(model_spec.parse(line))


class Chat:
    """A chat model; see `groundscope.chat.messages.ChatModel`."""

    def __init__(self, spec: ModelSpec) -> None:
        """Connect to nothing yet; the provider's package is loaded at the first use."""
        self.spec = spec
        self._provider: Provider | None = None
        self._making = threading.Lock()
        self._asking: dict[str, Future[Reply]] = {}
        self._turns = Turns()
        # One for all samplings of a model.
        self._gate = gate(spec.provider, spec.model, spec.address, spec.at_once, spec.a_minute)

    @property
    def identity(self) -> str:
        """Provider, model, address and sampling."""
        return self.spec.identity

    @property
    def address(self) -> str:
        """The host that texts go to; empty for a recording."""
        return "" if self.spec.recorded else self.provider.address

    @property
    def window(self) -> int:
        """Tokens that it reads and writes in one call."""
        return self.spec.tokens

    @property
    def provider(self) -> Provider:
        """The provider's side."""
        with self._making:
            if self._provider is None:
                self._provider = _provider(self.spec)
            return self._provider

    @property
    def _usual(self) -> UsualWay:
        """The way in which its server takes calls, as far as this process learned it from any of its objects."""
        return usual_way(self.spec.provider, self.spec.model, self.provider.url)

    def unavailable(self) -> str:
        """Why it cannot be asked here and what to do; empty if it can."""
        if self.spec.recorded:
            there = self.identity in replies.default().models()
            return "" if there else "There are no saved replies of this model here; ask the model itself first."
        return self.provider.missing()

    def check(self) -> str:
        """Check whether the server has the model; no text of a case is sent."""
        if missing := self.unavailable():
            raise ModelUnavailable(missing)
        if self.spec.recorded:
            return f"There are recorded replies of {self.spec.model}; nothing is sent."
        try:
            names = self.provider.models()
            if not names:
                # The clouds list none: one word is asked for, with no text of a case.
                self.provider.send(self.call(Prompt("Reply with the word yes.", max_tokens=16), ""))
        except OtherWay as fault:
            raise fault.refusal from None
        except TransientError as fault:
            raise ModelUnavailable(f"{fault.why} Check the address and the network.") from None
        if names and self.spec.model not in names:
            some = ", ".join(sorted(names)[:8])
            raise ModelUnavailable(f"{self.address} answers, but lists no {self.spec.model}; it lists {some}.")
        return f"{self.spec.model} is there, at {self.address}."

    def price(self, usage: Usage) -> float | None:
        """As `cost_of`; 0 for a recording."""
        return 0.0 if self.spec.recorded else cost_of(usage, self.spec.model, self.spec.address)

    def ask(self, prompt: Prompt, marker: str, number: int = 0) -> Reply:
        """Send a prompt once, or return its cached reply, stored already; see `groundscope.chat.messages.ChatModel`.

        In a block of `groundscope.runtime.retention.afresh` it is sent in any case, and its reply is not stored.
        """
        still_wanted()
        if asks_afresh():
            return self._afresh(prompt, marker, reply_number(number))
        number = reply_number(number)
        key = prompt.key(self.identity, number)
        if stored := self._kept(key, prompt):
            return whole(prompt, stored)
        if self.spec.recorded:
            raise ModelUnavailable("There is no recorded reply for this case; choose the model itself to ask it.")
        if missing := self.provider.missing():
            raise ModelUnavailable(missing)
        defer(Pending(self, key, prompt, marker))
        with self._turns.of(key):
            # Another session may have left before the reply came: it is kept when that call ends, unless the call fails.
            with self._making:
                under_way = self._asking.get(key)
            if under_way is not None:
                ended(under_way)
            if stored := self._kept(key, prompt):
                return whole(prompt, stored)
            return whole(prompt, self._ask(key, prompt, marker, number))

    def _afresh(self, prompt: Prompt, marker: str, number: int) -> Reply:
        if self.spec.recorded:
            raise ModelUnavailable("A recording cannot be asked again; choose the model itself.")
        if missing := self.provider.missing():
            raise ModelUnavailable(missing)
        # A key that no other call has: two askings of one prompt must not share a reply.
        return whole(prompt, self._ask(new_marker(), prompt, marker, number))

    def _kept(self, key: str, prompt: Prompt) -> Reply | None:
        """The cached reply; None if a server cut its prompt, since the window may be larger now."""
        stored = replies.default().get(key)
        return stored if stored is None or self.spec.recorded or is_whole(prompt, stored) else None

    def call(self, prompt: Prompt, marker: str, way: Way | None = None, number: int = 0) -> ProviderCall:
        """Build the call of a prompt."""
        way = way or self._usual.way
        form = way.form if prompt.forced else "tags"
        forced = form != "tags" and prompt.schema is not None
        # A message that holds the texts itself has no marker, and a reader of its own.
        tagged = not forced and prompt.schema is not None and bool(prompt.blocks)
        task = f"{prompt.task}\n\n{ANSWER_TAGS}" if tagged else prompt.task
        parts = replace(prompt, task=task).parts(marker)
        schema = prompt.schema if forced else None
        system = prompt.instructions(marker)
        seconds = float(self.spec.seconds)
        seed = None if self.spec.seed is None else self.spec.seed + number
        limits = (prompt.max_tokens, self.spec.stream or way.stream, seconds)
        return ProviderCall(system, parts, schema, form, *limits, prompt.role, prompt.extra, seed)

    def keep(self, key: str, reply: Reply, *, marker: str, share: float = 1.0) -> Reply:
        """Price a reply and store it, unless it was asked for afresh; `share` of the usual price was paid, 0 to 1."""
        cost = self._price_now(reply.usage)
        priced = replace(reply, cost=None if cost is None else cost * share, marker=marker, at=now())
        if not asks_afresh():
            replies.default().put(key, self.identity, priced)
        return priced

    def _ask(self, key: str, prompt: Prompt, marker: str, number: int) -> Reply:
        """Send with retries; the user can cancel between two tries and during one."""
        usual, retries, gate = self._usual, Retries(), self._shared_gate()
        way = first = usual.way
        while True:
            place = gate.enter()
            try:
                call = self.call(prompt, marker, way, number)
                reply = ended(self._try(key, call, prompt, marker, partial(gate.leave, place))).result()
                if way != first:
                    # It takes the same call in this way, and in none before it.
                    usual.way = way
                return reply
            except OtherWay as refused:
                forms = self.provider.forms
                way = Way(way.form, stream=True) if refused.stream else Way(forms[forms.index(way.form) + 1], way.stream)
            except TransientError as fault:
                if not retries.wait(fault):
                    raise ModelUnavailable(f"{fault.why} It was {fault.tried}; try again later.") from None

    def _shared_gate(self) -> CallGate:
        """The gate of all processes that work on the same job; else that of this process."""
        shared = gates()
        model = f"{self.spec.provider}:{self.spec.model}@{self.address}"
        return shared(model, self.spec.at_once, self.spec.a_minute) if shared else self._gate

    def _try(self, key: str, call: ProviderCall, prompt: Prompt, marker: str, leave: Callable[..., None]) -> Future[Reply]:
        """One try in a thread of its own, which stores the reply even if the caller no longer waits."""

        def work() -> Reply:
            refused: TransientError | None = None
            try:
                return self._once(key, call, prompt, marker)
            except TransientError as fault:
                refused = fault
                raise
            finally:
                leave(crowded=bool(refused and refused.crowded), after=refused.after if refused else None)

        future = in_thread("asking", work)
        with self._making:
            self._asking[key] = future
        future.add_done_callback(lambda _: self._forget(key, future))
        return future

    def _forget(self, key: str, future: Future[Reply]) -> None:
        with self._making:
            if self._asking.get(key) is future:
                del self._asking[key]

    def _once(self, key: str, call: ProviderCall, prompt: Prompt, marker: str) -> Reply:
        most = self.most(prompt)
        with budget().set_aside(most) as spent:
            started = time.perf_counter()
            try:
                with within(call.seconds):
                    reply = self.provider.send(call)
            except Exception as fault:
                settle(spent, fault, most, self._price_now)
                raise
            seconds = time.perf_counter() - started
            spent.answered(reply.usage.total, self._price_now(reply.usage))
            return self.keep(key, replace(reply, seconds=seconds, forced=call.schema is not None), marker=marker)

    def _price_now(self, usage: Usage) -> float | None:
        """Cost of tokens; None if not known: no price, no count of tokens, or a table of prices that became unreadable."""
        try:
            cost = self.price(usage)
            return cost if usage.total or not self.price(Usage(1)) else None
        except ModelUnavailable:
            return None

    def most(self, prompt: Prompt) -> float | None:
        """Highest cost of a prompt, with its longest reply and room for thinking, in US dollars; None = not known."""
        if self.spec.recorded:
            return 0.0
        if self.price(Usage(1)) is None:
            return None
        size, written = prompt.tokens(), prompt.max_tokens + self.provider.room
        return max(self.price(Usage(size, written)) or 0.0, self.price(Usage(0, written, 0, size)) or 0.0)


def _provider(spec: ModelSpec) -> Provider:
    if spec.provider in ("anthropic", "bedrock", "vertex"):
        from groundscope.chat.clients.anthropic_api import Anthropic

        return Anthropic(spec)
    if spec.provider == "google":
        from groundscope.chat.clients.google_api import Google

        return Google(spec)
    from groundscope.chat.clients.openai_api import OpenAI

    return OpenAI(spec)
