"""One model layer for all prompting methods: kept replies, retries, ceilings, a budget and a time limit around any provider.

A call is made at most once at a time for one key, its reply is kept before anybody uses it, and a call that nobody waits for any
longer still keeps its reply: what was paid for is never lost but to the death of the process in between.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache

from evaluation import chat_spec, reply_store
from evaluation.batching import Pending, defer
from evaluation.chat import Prompt, Reply, Usage
from evaluation.chat_spec import Spec
from evaluation.errors import DataError, ModelUnavailable
from evaluation.json_reply import ANSWER_TAGS
from evaluation.prices import price_of
from evaluation.progress import still_wanted
from evaluation.spending import budget
from scorers import _gate
from scorers._gate import POLL, ended, gate, sleep, waited
from scorers._net import is_own_network, within
from scorers._provider import Call, Form, NoSchema, Passing, Provider
from scorers._whole import is_whole, whole

_TRIES = 8
"""Tries of one call where the server is not crowded."""
_PATIENCE = 900.0
"""Seconds that one call may wait for a crowded server in all: a rate limit drops no row."""


@lru_cache(maxsize=64)
def chat(line: str) -> "Chat":
    """The model of a spec; one object a process, so that ceilings hold for all who use it.

    Raises:
        ValueError: the spec means nothing.
    """
    return Chat(chat_spec.parse(line))


class Chat:
    """A chat model that can be asked; see `evaluation.chat.ChatModel`."""

    def __init__(self, spec: Spec) -> None:
        """Reach nobody yet; the provider's package is loaded at the first use."""
        self.spec = spec
        self._provider: Provider | None = None
        self._making = threading.Lock()
        self._asking: dict[str, Future[Reply]] = {}
        self._held: set[str] = set()
        # One for all samplings of a model.
        self._gate = gate(spec.provider, spec.model, spec.address, spec.at_once, spec.a_minute)
        self._form: Form = "json_schema"

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

    def unavailable(self) -> str:
        """Why it cannot be asked here, with the mend."""
        if self.spec.recorded:
            there = self.identity in reply_store.default().models()
            return "" if there else "There are no recorded replies of this model here; import a recording on the Methods page."
        return self.provider.missing()

    def check(self) -> str:
        """Ask the server whether the model is there; no text of a case is sent. A sentence for the user.

        Raises:
            ModelUnavailable: it is not, or cannot be asked; with the mend.
        """
        if missing := self.unavailable():
            raise ModelUnavailable(missing)
        if self.spec.recorded:
            return f"There are recorded replies of {self.spec.model}; nobody is asked."
        try:
            names = self.provider.models()
            if not names:
                # The clouds list none: one word is asked for, with no text of a case.
                self.provider.send(self.call(Prompt("Reply with the word yes.", max_tokens=16), ""))
        except Passing as fault:
            raise ModelUnavailable(f"{fault.why} Check the address and the network.") from None
        if names and self.spec.model not in names:
            some = ", ".join(sorted(names)[:8])
            raise ModelUnavailable(f"{self.address} answers, but lists no {self.spec.model}; it lists {some}.")
        return f"{self.spec.model} is there, at {self.address}."

    def price(self, usage: Usage) -> float | None:
        """What tokens cost; on this machine or in its own network nothing, where no price is stated.

        Raises:
            ModelUnavailable: the user's table of prices cannot be read.
        """
        if self.spec.recorded:
            return 0.0
        try:
            found = price_of(self.spec.model, usage.input + usage.cache_read + usage.cache_write)
        except DataError as error:
            raise ModelUnavailable(f"The table of prices cannot be used, so nothing was sent: {error}") from None
        if found is None:
            return 0.0 if self.spec.address and is_own_network(self.spec.address) else None
        return found.of(usage)

    def ask(self, prompt: Prompt, marker: str, number: int = 0) -> Reply:
        """Ask once; see `evaluation.chat.ChatModel`."""
        still_wanted()
        key = prompt.key(self.identity, number)
        if kept := self._kept(key, prompt):
            return whole(prompt, kept)
        if self.spec.recorded:
            raise ModelUnavailable("There is no recorded reply for this case; choose the model itself to ask it.")
        if missing := self.provider.missing():
            raise ModelUnavailable(missing)
        defer(Pending(self, key, prompt, marker))
        with self._alone(key):
            # Another session may have left before the reply came: it is kept when that call ends, unless the call fails.
            with self._making:
                under_way = self._asking.get(key)
            if under_way is not None:
                ended(under_way)
            if kept := self._kept(key, prompt):
                return whole(prompt, kept)
            return whole(prompt, self._ask(key, prompt, marker))

    def _kept(self, key: str, prompt: Prompt) -> Reply | None:
        """The reply that is kept; one to a prompt that the server cut is asked for anew: its window may be larger now."""
        kept = reply_store.default().get(key)
        return kept if kept is None or self.spec.recorded or is_whole(prompt, kept) else None

    @contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        """Let one at a time ask for a key."""
        while True:
            with self._making:
                if key not in self._held:
                    self._held.add(key)
                    break
            sleep(POLL)
        try:
            yield
        finally:
            with self._making:
                self._held.discard(key)

    def submit(self, pending: Sequence[Pending]) -> str:
        """Send a batch; see `evaluation.batching.BatchModel`."""
        from scorers import _batches

        return _batches.submit(self, pending)

    def collect(self, batch: str) -> bool:
        """Keep a batch's replies; see `evaluation.batching.BatchModel`."""
        from scorers import _batches

        return _batches.collect(self, batch)

    def call(self, prompt: Prompt, marker: str, form: Form | None = None) -> Call:
        """A prompt as it is sent: with a schema in the server's form, or with tags where none can or shall be forced."""
        form = (form or self._form) if prompt.forced else "tags"
        forced = form != "tags" and prompt.schema is not None
        task = prompt.task if forced or prompt.schema is None else f"{prompt.task}\n\n{ANSWER_TAGS}"
        parts = replace(prompt, task=task).parts(marker)
        schema = prompt.schema if forced else None
        system = prompt.instructions(marker)
        return Call(system, parts, schema, form, prompt.max_tokens, self.spec.stream, float(self.spec.seconds))

    def keep(self, key: str, reply: Reply, *, marker: str, share: float = 1.0) -> Reply:
        """Price a reply and keep it.

        Args:
            key: what it is kept under.
            reply: as the provider gave it.
            marker: of its prompt.
            share: of the usual price that was paid.
        """
        try:
            cost = self.price(reply.usage)
        except ModelUnavailable:
            # The table broke while the model wrote; the reply is paid for all the same.
            cost = None
        now = datetime.now(UTC).isoformat(timespec="seconds")
        priced = replace(reply, cost=None if cost is None else cost * share, marker=marker, at=now)
        reply_store.default().put(key, self.identity, priced)
        return priced

    def _ask(self, key: str, prompt: Prompt, marker: str) -> Reply:
        """Try until it answers; between two tries and while one is under way the user can cancel."""
        tries, faults, form, since = 0, 0, self._form, time.monotonic()
        while True:
            self._gate.enter()
            try:
                reply = waited(self._try(key, prompt, marker, form))
                # It takes the same call in this form, and in none before it.
                self._form = form
                return reply
            except NoSchema:
                forms = self.provider.forms
                form = forms[forms.index(form) + 1]
            except Passing as fault:
                faults += 1
                tries += not fault.crowded
                # A server that says "now" is not asked in a loop.
                pause = _gate.pause(faults) if fault.after is None else max(fault.after, _gate.pause(1))
                if tries >= _TRIES or time.monotonic() - since + pause > _PATIENCE:
                    raise ModelUnavailable(f"{fault.why} It was tried for a while; try again later.") from None
                sleep(pause)

    def _try(self, key: str, prompt: Prompt, marker: str, form: Form) -> Future[Reply]:
        """One try in a thread of its own, which keeps the reply also where nobody waits any longer."""
        future: Future[Reply] = Future()
        with self._making:
            self._asking[key] = future

        def run() -> None:
            try:
                future.set_result(self._once(key, prompt, marker, form))
            except BaseException as error:  # handed to who waits
                future.set_exception(error)
            finally:
                self._gate.leave()
                with self._making:
                    if self._asking.get(key) is future:
                        del self._asking[key]

        threading.Thread(target=copy_context().run, args=(run,), name="asking", daemon=True).start()
        return future

    def _once(self, key: str, prompt: Prompt, marker: str, form: Form) -> Reply:
        call = self.call(prompt, marker, form)
        with budget().set_aside(self.most(prompt)) as spent:
            started = time.perf_counter()
            with within(call.seconds):
                reply = self.provider.send(call)
            seconds = time.perf_counter() - started
            priced = self.keep(key, replace(reply, seconds=seconds, forced=call.schema is not None), marker=marker)
            spent.calls, spent.dollars = 1, priced.cost or 0.0
        return priced

    def most(self, prompt: Prompt) -> float | None:
        """What a call can cost at most, as far as that can be told."""
        if self.spec.recorded:
            return 0.0
        if self.price(Usage(1)) is None:
            return None
        size, written = prompt.tokens(), prompt.max_tokens + self.provider.room
        return max(self.price(Usage(size, written)) or 0.0, self.price(Usage(0, written, 0, size)) or 0.0)


def _provider(spec: Spec) -> Provider:
    if spec.provider in ("anthropic", "bedrock", "vertex"):
        from scorers._anthropic import Anthropic

        return Anthropic(spec)
    from scorers._openai import OpenAI

    return OpenAI(spec)
