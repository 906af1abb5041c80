"""Base of all prompting methods: their model, estimates before anything is sent, long contexts, and the final judgement."""

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

from groundscope.chat.clients.model import chat_model
from groundscope.chat.conversation import Asking, number_field
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import Block, ChatModel, Estimate, Prompt, estimate_prompts
from groundscope.chat.model_spec import parse
from groundscope.chat.prompt_files import STANDARD, PromptFile, prompt_named, prompts
from groundscope.errors import ModelUnavailable, ScorerUnavailable
from groundscope.methods import Method
from groundscope.paths import Variable
from groundscope.text.alignment import not_assessable, nothing_to_assess
from groundscope.text.sentences import Sentence, split
from groundscope.types import Case, Claim, Judgement, Passage, SentenceScore, Status

_T = TypeVar("_T")
_V = TypeVar("_V")
_NO_MODEL = f"Choose a model for the methods that ask one, on the Methods page, or set {Variable.MODEL} in the environment."


@dataclass(frozen=True, slots=True)
class Draft:
    """Findings of a method, before the judgement is assembled.

    `support`: of the response, 0..1, higher = more grounded; None if `status` is not `SCORED`. `context_seen`: share of the
    context that was read, 0..1.
    """

    support: float | None
    sentences: tuple[SentenceScore, ...]
    claims: tuple[Claim, ...] = ()
    note: str = ""
    context_seen: float = 1.0
    status: Status = Status.SCORED


class PromptPlan(NamedTuple):
    """The prompts that a case will take, as far as known; fewer may suffice if `at_most`.

    `singly` is sent besides where no reply about several claims has all of them; see `of_each`.
    """

    prompts: list[Prompt]
    at_most: bool = False
    singly: Sequence[Prompt] = ()


class Prompted(Method):
    """Base of the prompting methods: subclasses are frozen dataclasses with the fields below and implement `plan` and `judge`.

    `model`: a spec as in `groundscope.chat.model_spec`; empty = the one that the environment names. `prompt`: name of a prompt
    in `groundscope/chat/prompts/`, or of one of the user's.
    """

    model: str
    prompt: str
    asks = True
    examples = MappingProxyType({"model": "anthropic:claude-haiku-5-5", "prompt": STANDARD})
    FORMS: ClassVar[tuple[Any, ...]] = ()
    """What code adds to the texts of a prompt: the forms of the replies, and their schemas."""

    def __post_init__(self) -> None:
        """Refuse a spec of the model that is not valid, and the name of no prompt."""
        super().__post_init__()
        # Read once: what is saved under the name later does not change this one.
        _ = self.instructions
        if self.model:
            try:
                chat_model(self.model)
            except ValueError as error:
                raise ValueError(f"model must be the spec of a chat model: {error}") from None

    @property
    def line(self) -> str:
        """Spec of the model; empty if none is chosen."""
        return self.model or Variable.MODEL.read()

    def chat(self) -> ChatModel:
        """The chat model of `line`."""
        if not self.line:
            raise ModelUnavailable(_NO_MODEL)
        try:
            return chat_model(self.line)
        except ValueError as error:
            raise ModelUnavailable(f"{Variable.MODEL} in the environment is not valid: {error}") from None

    def _named(self) -> ChatModel | None:
        with suppress(ModelUnavailable):
            return self.chat()
        return None

    @property
    def identity(self) -> str:
        """Identity of the model; `none` if none is chosen."""
        try:
            return parse(self.line).identity if self.line else "none"
        except ValueError:
            return "none"

    @property
    def signature(self) -> str:
        """Method, model with address and sampling, hash of the prompt's texts and forms, and every option."""
        options = "".join(f"|{name}={value}" for name, value in self.parameters.items() if name != "model")
        recorded = " (recorded)" if self.recorded else ""
        wording = blake2b(repr(self.wording).encode(), digest_size=4).hexdigest()
        return f"{self._name}|model={self.identity}{recorded}|wording={wording}{options}"

    @property
    def _name(self) -> str:
        """The method's file."""
        return type(self).__module__.rpartition(".")[2]

    @cached_property
    def instructions(self) -> PromptFile:
        """The prompt; `ValueError` if there is none of its name."""
        return prompt_named(self._name, self.prompt)

    @property
    def wording(self) -> tuple[Any, ...]:
        """All texts and schemas that go to a model; their hash is part of the signature."""
        return (self.instructions.texts, *self.FORMS)

    def asked(self, text: str, form: str, blocks: tuple[Block, ...], schema: Mapping[str, Any] | None, max_tokens: int) -> Prompt:
        """One step's prompt: an instruction, by the name of its text, then the form of the reply, about some blocks of data."""
        task = "\n\n".join(filter(None, (self.instructions.text(text), form)))
        return Prompt(task, self.instructions.text("system"), blocks, schema, max_tokens=max_tokens)

    def prompts(self) -> tuple[PromptFile, ...]:
        """See `Method`; in `groundscope/chat/prompts/`, and the user's."""
        return prompts(self._name)

    def prompt_used(self) -> PromptFile:
        """See `Method`."""
        return self.instructions

    def reworded(self, number: int) -> "Prompted | None":
        """See `Method`; only the standard prompt has rewordings."""
        rewordings = [p.name for p in self.prompts() if p.rewording] if self.prompt == STANDARD else []
        if not 1 <= number <= len(rewordings):
            return None
        method = replace(self, prompt=rewordings[number - 1])  # type: ignore[type-var]  # all subclasses are dataclasses
        object.__setattr__(method, "id", self.id)
        return method

    def unavailable(self) -> str:
        """Why it cannot run here and what to do; empty if it can."""
        try:
            return self.chat().unavailable()
        except ModelUnavailable as error:
            return str(error)

    @property
    def address(self) -> str:
        """The host that texts go to; empty where they go nowhere."""
        model = self._named()
        return model.address if model else ""

    @property
    def recorded(self) -> bool:
        """Whether cached replies are replayed and nothing is sent."""
        return self.line.startswith("recorded:")

    def estimate(self, case: Case) -> Estimate:
        """See `Method`; as if no reply were cached and none had to be asked for again."""
        model = self.chat()
        if nothing_to_assess(case):
            return Estimate(0, 0, 0, 0.0, model.address)
        plan = self.plan(case)
        whole = estimate_prompts(model, [*plan.prompts, *plan.singly])
        again = len(plan.singly)
        return replace(estimate_prompts(model, plan.prompts), dollars=whole.dollars, at_most=plan.at_most, again=again)

    @abstractmethod
    def plan(self, case: Case) -> PromptPlan:
        """The prompts that a case with a context and a response will take."""

    @abstractmethod
    def judge(self, case: Case, asking: Asking) -> Draft:
        """Judge a case with a context and a response; what was asked and spent is added by `score`.

        Raises Unreadable where the replies hold no verdict, and ScorerUnavailable where the model cannot be used, the case does
        not fit, or weights are missing.
        """

    def score(self, case: Case) -> Judgement:
        """Judge a case by asking the model; see `Method` and the class.

        Without a response or a context nothing is sent. The status is `INVALID` if the replies hold no verdict.
        """
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
            note=f"Recorded: the replies were replayed, nothing was sent. {draft.note}".strip() if self.recorded else draft.note,
            **asking.spent()._asdict(),
        )


def claims_of(case: Case) -> list[Sentence]:
    """Sentences of the response that make a claim, in order; headings are left out."""
    return [s for s in split(case.response) if not s.heading]


def numbered(case: Case) -> str:
    """The sentences of `claims_of` for a model, each with its number from 1 in brackets: lines like `[1] A sentence.`."""
    return "\n".join(f"[{i}] {case.response[s.start : s.end]}" for i, s in enumerate(claims_of(case), 1))


def in_order(rows: Sequence[dict[str, Any]], count: int) -> bool:
    """Whether a reply's rows are those of claims 1 to `count`, in order; the only row about the only claim needs no number."""
    numbers = [number_field(row, "number") for row in rows]
    return numbers == list(range(1, count + 1)) or (count == 1 and numbers == [0])


def of_each(
    asking: Asking, items: Sequence[_T], prompt: Callable[[list[_T]], Prompt], read: Callable[[dict[str, Any], int], list[_V]]
) -> list[_V]:
    """What a model says of each of some claims: of all in one reply, or, where no reply has all of them, of one at a time.

    Raises Unreadable if it says nothing usable of a claim by itself either.
    """
    try:
        return asking.json(prompt(list(items)), lambda reply: read(reply, len(items)))
    except Unreadable:
        if len(items) == 1:
            raise
    return [value for item in items for value in of_each(asking, [item], prompt, read)]


def context_text(passages: Sequence[Passage]) -> str:
    """Passages as a model reads them, each under its number from 1 and its source, with an empty line between two."""
    return "\n\n".join(f"Passage {i}{f' ({p.source})' if p.source else ''}:\n{p.text}" for i, p in enumerate(passages, 1))


def need_room(model: ChatModel, prompt: Prompt, case: Case) -> None:
    """Refuse a prompt that, with its longest reply, does not fit the model's window; nothing is cut silently."""
    size = prompt.tokens() + prompt.max_tokens
    if size > model.window:
        context = sum(len(p.text) for p in case.context) / 3
        share = max(0.0, 1 - (size - model.window) / max(1.0, context))
        raise ModelUnavailable(
            f"This case takes about {size:,} tokens and the model reads {model.window:,}: only about {100 * share:.0f} % of the "
            "context would be read, so nothing was sent. Choose a model with a larger window."
        )


def passage_groups(model: ChatModel, case: Case, prompt: Callable[[str], Prompt]) -> list[str]:
    """Split the context into texts that each fit the model, mostly one; cuts are between passages only."""
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
