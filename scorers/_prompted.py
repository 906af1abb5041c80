"""What all prompting methods share: their model, what is told before anything is sent, long contexts, how a judgement ends."""

import os
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any, ClassVar

from evaluation.alignment import not_assessable, nothing_to_assess
from evaluation.chat import ChatModel, Estimate, Prompt
from evaluation.chat_spec import VARIABLE, parse
from evaluation.conversation import Asking
from evaluation.errors import ModelUnavailable, ScorerUnavailable
from evaluation.json_reply import Unreadable
from evaluation.sentences import Sentence, split
from evaluation.types import Case, Claim, Judgement, Passage, SentenceScore, Status
from scorers._llm import chat

_NO_MODEL = f"Choose a model for the methods that ask one, on the Methods page, or set {VARIABLE} in the environment."


@dataclass(frozen=True, slots=True)
class Draft:
    """What a method found, before the judgement is put together.

    Attributes:
        support: of the response, 0..1; None where the status says why.
        sentences: one a sentence of the response.
        claims: what the model said of what, with its reasons.
        note: one sentence for the user.
        context_seen: share of the context that was read.
        status: `SCORED`, or what became of it instead.
    """

    support: float | None
    sentences: tuple[SentenceScore, ...]
    claims: tuple[Claim, ...] = ()
    note: str = ""
    context_seen: float = 1.0
    status: Status = Status.SCORED


class Prompted:
    """Base of the prompting methods: subclasses are frozen dataclasses with a field `model`, and judge by asking."""

    model: str
    WORDING: ClassVar[tuple[Any, ...]]
    """All texts and schemas that go to a model; their hash is part of the signature."""

    def __post_init__(self) -> None:
        """Refuse a model that cannot be meant.

        Raises:
            ValueError: it says what is wrong.
        """
        if self.model:
            chat(self.model)

    @property
    def line(self) -> str:
        """The spec of the model; empty where none is chosen."""
        return self.model or os.environ.get(VARIABLE, "")

    def chat(self) -> ChatModel:
        """The model.

        Raises:
            ModelUnavailable: none is chosen, or the environment names none that can be meant.
        """
        if not self.line:
            raise ModelUnavailable(_NO_MODEL)
        try:
            return chat(self.line)
        except ValueError as error:
            raise ModelUnavailable(f"{VARIABLE} in the environment is of no use: {error}") from None

    def _named(self) -> ChatModel | None:
        with suppress(ModelUnavailable):
            return self.chat()
        return None

    @property
    def identity(self) -> str:
        """The model's; `none` where none is chosen."""
        try:
            return parse(self.line).identity if self.line else "none"
        except ValueError:
            return "none"

    @property
    def signature(self) -> str:
        """Method, model with address and sampling, the wording's hash and every option."""
        options = "".join(f"|{f.name}={getattr(self, f.name)}" for f in fields(self) if f.name != "model")  # type: ignore[arg-type]
        recorded = " (recorded)" if self.line.startswith("recorded:") else ""
        wording = blake2b(repr(self.WORDING).encode(), digest_size=4).hexdigest()
        name = type(self).__module__.rpartition(".")[2]
        return f"{name}|model={self.identity}{recorded}|wording={wording}{options}"

    def unavailable(self) -> str:
        """Why it cannot run here, with the mend."""
        try:
            return self.chat().unavailable()
        except ModelUnavailable as error:
            return str(error)

    def check(self, line: str) -> str:
        """Ask the server of a spec whether the model is there; no text of a case is sent.

        Raises:
            ModelUnavailable: it is not, or cannot be asked; with the mend.
        """
        try:
            return chat(line).check()
        except ValueError as error:
            raise ModelUnavailable(str(error)) from None

    @property
    def address(self) -> str:
        """The host that texts go to; empty where they go nowhere."""
        model = self._named()
        return model.address if model else ""

    @property
    def recorded(self) -> bool:
        """Whether kept replies are replayed and nobody is asked."""
        return self.line.startswith("recorded:")

    def estimate(self, case: Case) -> Estimate:
        """What judging a case will take, before anything is sent.

        Raises:
            ModelUnavailable: no model is chosen.
        """
        model = self.chat()
        if nothing_to_assess(case):
            return Estimate(0, 0, 0, 0.0, model.address)
        prompts, at_most = self.plan(case)
        read, written = sum(p.tokens() for p in prompts), sum(p.max_tokens for p in prompts)
        costs = [model.most(p) for p in prompts]
        dollars = None if None in costs else sum(c for c in costs if c is not None)
        return Estimate(len(prompts), read, written, dollars, model.address, at_most)

    @abstractmethod
    def plan(self, case: Case) -> tuple[list[Prompt], bool]:
        """The prompts that a case will take, as far as they are known, and whether they may be fewer."""

    @abstractmethod
    def judge(self, case: Case, asking: Asking) -> Draft:
        """Judge a case that can be assessed.

        Raises:
            Unreadable: the model's replies hold no verdict.
            ScorerUnavailable: it cannot be asked, the case does not fit, or weights are missing.
        """

    def score(self, case: Case) -> Judgement:
        """Judge a case by asking the model; see the class."""
        if why := nothing_to_assess(case):
            return not_assessable(why)
        started = time.perf_counter()
        try:
            asking = Asking(self.chat(), case)
        except ModelUnavailable as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)
        try:
            draft = self.judge(case, asking)
        except Unreadable as error:
            draft = Draft(None, (), note=str(error), status=Status.INVALID)
        except ScorerUnavailable as error:
            draft = Draft(None, (), note=str(error), context_seen=0.0, status=Status.FAILED)
        return Judgement(
            draft.status,
            support=draft.support,
            sentences=draft.sentences,
            claims=draft.claims,
            seconds=time.perf_counter() - started,
            context_seen=draft.context_seen,
            note=_note(draft.note, recorded=self.recorded),
            **asking.spent()._asdict(),
        )


def _note(note: str, *, recorded: bool) -> str:
    mark = "Recorded: the replies were replayed, nothing was sent."
    return f"{mark} {note}".strip() if recorded else note


def claims_of(case: Case) -> list[Sentence]:
    """The sentences of the response that claim something."""
    return [s for s in split(case.response) if not s.heading]


def numbered(case: Case) -> str:
    """The response's sentences, each with its number in brackets; headings are left out."""
    return "\n".join(f"[{i}] {case.response[s.start : s.end]}" for i, s in enumerate(claims_of(case), 1))


def context_text(passages: Sequence[Passage]) -> str:
    """Passages as a model reads them, each under its number and what a reader calls it."""
    return "\n\n".join(f"Passage {i}{f' ({p.source})' if p.source else ''}:\n{p.text}" for i, p in enumerate(passages, 1))


def need_room(model: ChatModel, prompt: Prompt, case: Case) -> None:
    """Refuse a prompt that does not fit the model: nothing is cut silently.

    Raises:
        ModelUnavailable: it says what share of the context would be read.
    """
    size = prompt.tokens() + prompt.max_tokens
    if size > model.window:
        context = sum(len(p.text) for p in case.context) / 3
        share = max(0.0, 1 - (size - model.window) / max(1.0, context))
        raise ModelUnavailable(
            f"This case takes about {size:,} tokens and the model reads {model.window:,}: only about {100 * share:.0f} % of the "
            "context would be read, so nothing was sent. Choose a model with a larger window."
        )


def passage_groups(model: ChatModel, case: Case, prompt: Callable[[str], Prompt]) -> list[str]:
    """The context as texts that fit the model one by one, cut between passages only; mostly one.

    Args:
        model: what reads them.
        case: whose context it is.
        prompt: makes the prompt around a text of the context.

    Raises:
        ModelUnavailable: a passage does not fit by itself.
    """
    groups: list[list[Passage]] = [[]]
    for passage in case.context:
        if groups[-1] and not _fits(model, prompt(context_text([*groups[-1], passage]))):
            groups.append([])
        groups[-1].append(passage)
    texts = [context_text(group) for group in groups]
    for text in texts:
        need_room(model, prompt(text), case)
    return texts


def _fits(model: ChatModel, prompt: Prompt) -> bool:
    return prompt.tokens() + prompt.max_tokens <= model.window
