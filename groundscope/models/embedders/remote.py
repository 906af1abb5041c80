"""Embeddings from a provider: requests of bounded size, retries of transient errors, and no text paid for twice.

What an unfinished call received stays in memory until the next one, also where the user left while a request was under way. So a
call that is made again with the same texts sends only those that are still missing.
"""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from hashlib import blake2b

import numpy as np

from groundscope.chat.budget import budget
from groundscope.chat.clients.ceilings import Retries, ended, in_thread
from groundscope.chat.clients.faults import TransientError
from groundscope.chat.clients.provider import cost_of, settle
from groundscope.chat.clients.transport import within
from groundscope.chat.messages import Usage
from groundscope.errors import Cancelled, ModelUnavailable
from groundscope.models.embedders import clients
from groundscope.models.embedders.clients import Client, Kind
from groundscope.models.embedders.services import TOKENS_A_REQUEST, EmbedderSpec
from groundscope.models.embedders.vectors import fitted, requests, tokens_of, vectors
from groundscope.runtime.progress import listening, report
from groundscope.text.embedding import Hear
from groundscope.types import Matrix

Rows = dict[bytes, Matrix]
"""Vectors by their texts' keys."""


class Remote:
    """A provider's model. Safe to call from several threads."""

    def __init__(self, spec: EmbedderSpec) -> None:
        """Connect to nothing yet; the provider's package is loaded at the first use."""
        self.spec = spec
        self._client: Client | None = None
        self._lock = threading.Lock()
        self._came: Rows = {}
        self._left: list[Future[Rows]] = []

    @property
    def signature(self) -> str:
        """Model, address and every option."""
        return self.spec.signature

    @property
    def title(self) -> str:
        """The model's name for people."""
        return self.spec.title

    @property
    def address(self) -> str:
        """The host that texts go to."""
        return clients.host(self.spec)

    @property
    def slice_size(self) -> int:
        """Texts of one request: a caller who hands over so many at a time can keep each request's vectors."""
        return self.spec.texts

    def unavailable(self) -> str:
        """Why it cannot be used here and what to do; empty if it can."""
        return clients.missing(self.spec)

    def price(self, texts: Sequence[str]) -> float | None:
        """Bound the cost of embedding texts, as if none was received before; see `cost_of`."""
        return self._dollars(sum(map(self._charged, {fitted(text, self.spec.tokens) for text in texts})))

    def tokens(self, text: str) -> int:
        """Estimate the tokens of a text; too many rather than too few."""
        return tokens_of(text)

    def cut(self, texts: Sequence[str]) -> int | None:
        """Number of texts that lose their ends before they are sent, by estimated tokens; None = the provider cuts."""
        if not self.spec.tokens:
            return None
        return sum(tokens_of(text) > self.spec.tokens for text in texts)

    def reads(self) -> int | None:
        """Estimated tokens of the longest passage that is sent whole; None = all is sent, and the provider may cut."""
        return self.spec.tokens or None

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """Embed passages. Equal texts are sent once; none may be empty. `hear` gets counts of distinct texts."""
        return self._embed(texts, "passage", hear)

    def questions(self, texts: Sequence[str], hear: Hear) -> Matrix:
        """As `passages`, for questions."""
        return self._embed(texts, "question", hear)

    def _embed(self, texts: Sequence[str], kind: Kind, hear: Hear) -> Matrix:
        if missing := self.unavailable():
            raise ModelUnavailable(missing)
        sent = [fitted(text, self.spec.tokens) for text in texts]
        if empty := [i for i, text in enumerate(sent) if not text.strip()]:
            raise ModelUnavailable(f"Text {empty[0] + 1:,} of {len(sent):,} is empty, so nothing was sent; leave it out.")
        keys = [blake2b(f"{kind} {text}".encode(), digest_size=16).digest() for text in sent]
        with listening(hear):
            rows = self._vectors(dict(zip(keys, sent, strict=True)), kind)
        return np.stack([rows[key] for key in keys]) if keys else np.zeros((0, self.spec.dimensions), np.float32)

    def _vectors(self, texts: Mapping[bytes, str], kind: Kind) -> Rows:
        rows = self._kept(texts)
        report(len(rows), len(texts))
        left = {key: text for key, text in texts.items() if key not in rows}
        for part in requests(left, self.spec.texts, TOKENS_A_REQUEST):
            who = f"{self.spec.model} at {self.address}"
            rows |= self._asked(part, kind, f"{who}, after {len(rows):,} of {len(texts):,} texts," if rows else who)
            if len(sizes := {len(row) for row in rows.values()}) > 1:
                # It is not known which of them is the model's.
                self._forget(texts)
                raise ModelUnavailable(
                    f"{who} gave vectors of {' and of '.join(map(str, sorted(sizes)))} numbers; embed all texts again, or choose "
                    "another embedder."
                )
            report(len(rows), len(texts))
        self._forget(texts)
        return rows

    def _kept(self, texts: Mapping[bytes, str]) -> Rows:
        """What earlier calls received of these texts; the rest is given up. Waits for a request that its asker left."""
        with self._lock:
            under_way, self._left = self._left, []
        for future in under_way:
            self._ended(future)
        with self._lock:
            self._came = {key: row for key, row in self._came.items() if key in texts}
            return dict(self._came)

    def _forget(self, texts: Mapping[bytes, str]) -> None:
        with self._lock:
            for key in texts:
                self._came.pop(key, None)

    def _asked(self, texts: Mapping[bytes, str], kind: Kind, who: str) -> Rows:
        """Try until it answers; between two tries and while one is under way the user can cancel."""
        retries = Retries()
        while True:
            try:
                # In a thread of its own, which stores the vectors even if the caller no longer waits.
                return self._ended(in_thread("embedding", lambda: self._once(texts, kind, who))).result()
            except TransientError as fault:
                if not retries.wait(fault):
                    why = f"{fault.why.removesuffix('.')}; it was {fault.tried}"
                    raise ModelUnavailable(f"{why}, so try again later.") from None

    def _ended(self, future: Future[Rows]) -> Future[Rows]:
        """Wait for a request that is under way, unless the user cancels meanwhile."""
        try:
            return ended(future)
        except Cancelled:
            with self._lock:
                self._left.append(future)
            raise

    def _once(self, texts: Mapping[bytes, str], kind: Kind, who: str) -> Rows:
        most = sum(map(self._charged, texts.values()))
        price = self._dollars(most)
        with budget().set_aside(price) as spent:
            try:
                with within(self.spec.seconds):
                    answer = self._made().send(list(texts.values()), kind, float(self.spec.seconds))
            except Exception as error:
                fault = clients.refusal(error, self.spec, who)
                settle(spent, fault, price, lambda usage: self._dollars(usage.total))
                raise fault from None
            tokens = answer.tokens or most
            spent.answered(tokens, self._dollars(tokens))
        matrix = vectors(answer, len(texts), self.spec.dimensions, who)
        rows: Rows = dict(zip(texts, matrix, strict=True))
        with self._lock:
            self._came |= rows
        return rows

    def _made(self) -> Client:
        with self._lock:
            if self._client is None:
                self._client = clients.make(self.spec)
            return self._client

    def _charged(self, text: str) -> int:
        return tokens_of(text) + self.spec.service.added

    def _dollars(self, tokens: int) -> float | None:
        return cost_of(Usage(tokens), self.spec.model, self.spec.address)
