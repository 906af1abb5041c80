"""Base class of methods: a subclass implements `signature` and `score`; everything else has defaults."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from groundscope.chat.messages import Estimate
from groundscope.chat.prompt_files import PromptFile
from groundscope.methods._parameters import check_parameters
from groundscope.runtime.retention import reused
from groundscope.text.plain import PlainCase
from groundscope.types import Case, Judgement, Matrix, Status

EVEN = "where the model finds both answers equally likely, not tuned"
"""Source of the starting threshold 0.5 of classifiers that are not tuned yet."""


@dataclass(frozen=True, slots=True)
class Published:
    """A figure in percent that others printed of a method; it was not measured here."""

    figure: float
    measure: str
    sets: str
    source: str

    @classmethod
    def aggrefact(cls, figure: float) -> "Published":
        """One of the list with the most judges, by claim, where 50 is chance."""
        return cls(figure, "balanced accuracy", "LLM-AggreFact", "llm-aggrefact.github.io, 8 September 2025, mean of its 11 sets")


@dataclass(frozen=True, slots=True)
class Requirement:
    """Weights or files that a method needs on this machine.

    Attributes:
        megabytes: approximate size of the download; 0 = ships with the app, or not known before the hub states it.
        missing: one sentence that says what to do; empty = here.
        page: address of its model card; empty = none.
        from_index: it comes from the package index, not from the hub, and no folder of the user's can take its place.
        replaceable: the user may replace it by another model, from a folder or by id and commit on the hub.
    """

    name: str
    revision: str
    megabytes: int = 0
    pickled: bool = False
    where: str = ""
    missing: str = ""
    page: str = ""
    bundled: bool = False
    replaceable: bool = False
    from_index: bool = False


def download_size(needed: Iterable[Requirement]) -> int:
    """Add up a download."""
    sizes = [r.megabytes for r in needed if not r.bundled]
    return sum(sizes) if all(sizes) else 0


Tunes = Literal["nothing", "threshold", "rule"]
"""What tuning may choose: nothing where a model gives the verdict, the threshold, or also how sentences make the support."""


@dataclass(frozen=True, slots=True)
class About:
    """Describes a method to its users.

    Attributes:
        threshold: starting threshold; a sentence with a lower support counts as not supported. None = not measured.
        needs: requirements beyond the installed packages; empty = none.
        licence: of the weights, or of the code where there are none.
        aggregation: how the supports of sentences are combined into the response's, in words.
        paper: its section in Trautmann et al. 2024; empty = not in the paper.
        tuned_on: the split that the paper tunes its threshold on (section 6).
        tunes: what its paper leaves to tuning.
        plain: its name for readers who know no methods; empty = its title.
        published: how good it may be where it was not measured here; None = no published figure.
    """

    title: str
    measures: str
    threshold: float | None = None
    threshold_source: str = ""
    needs: str = ""
    licence: str = "Apache-2.0"
    aggregation: str = "the lowest sentence"
    paper: str = ""
    tuned_on: str = "dev"
    tunes: Tunes = "rule"
    plain: str = ""
    published: Published | None = None


_PRECISION = re.compile(r"\b(?:bf16|fp32)\b")


def _judges_plain(score: Callable[[Any, Case], Judgement]) -> Callable[[Any, Case], Judgement]:
    """Let a method judge the plain view of a case, and bring its offsets back to the original."""

    @wraps(score)
    def of_plain_texts(self: Any, case: Case) -> Judgement:
        plain = PlainCase.of(case)
        judgement = score(self, plain.case)
        return judgement if plain.case is case else plain.restored(judgement)

    return of_plain_texts


def _plans_plain(plan: Callable[[Any, Case], Any]) -> Callable[[Any, Case], Any]:
    """Let a method plan what it will ask of the plain view of a case."""
    return wraps(plan)(lambda self, case: plan(self, PlainCase.of(case).case))


def _reads_ahead_plain(read: Callable[[Any, Sequence[Case]], None]) -> Callable[[Any, Sequence[Case]], None]:
    return wraps(read)(lambda self, cases: read(self, [PlainCase.of(c).case for c in cases]))


_PLAIN: dict[str, Callable[[Any], Any]] = {
    "score": _judges_plain,
    "estimate": _plans_plain,
    "plan": _plans_plain,
    "read_ahead": _reads_ahead_plain,
}


class Method(ABC):
    """Judges whether a response is grounded in its context. Parameters are the fields of a frozen dataclass.

    Attributes:
        id: the id that it was loaded by, `name` or `name:variant`; empty if it was built directly.
        asks: whether it calls a chat model; `estimate` then returns the cost.
        on_request: whether the heatmap shows it only where the user chose it: it asks many times what another method asks.
        examples: values of parameters, by name, for messages; a parameter without one is shown with its default.
    """

    id: str = ""
    asks: ClassVar[bool] = False
    on_request: ClassVar[bool] = False
    examples: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let every method read plain texts: marks to sources, Markdown and broken words are no words of a sentence."""
        super().__init_subclass__(**kwargs)
        for name, plain in _PLAIN.items():
            if name in vars(cls):
                setattr(cls, name, plain(vars(cls)[name]))

    def __post_init__(self) -> None:
        """Refuse values that are not of the types of their fields; subclasses that check more call this first."""
        check_parameters(type(self), self.parameters)

    @property
    @abstractmethod
    def signature(self) -> str:
        """Method, model id and revision, precision and every parameter in one line; equal signatures give comparable numbers."""

    @abstractmethod
    def score(self, case: Case) -> Judgement:
        """Judge one case. Safe to call from several threads once the model is loaded.

        The status is `NOT_ASSESSABLE` where the response has no words or the context no text, and `FAILED`, with what to do in
        `note`, where the method cannot run. Raises Cancelled, BudgetSpent, or Deferred where a question to a chat model is queued
        for a batch, see `groundscope.chat.messages.deferring`.
        """

    @property
    def about(self) -> About:
        """Description for users."""
        return About(title=self.id or self.signature.partition("|")[0], measures=(type(self).__doc__ or "").partition("\n")[0])

    @property
    def parameters(self) -> dict[str, Any]:
        """Values of its parameters, by name."""
        return {f.name: getattr(self, f.name) for f in fields(self)} if is_dataclass(self) else {}

    @property
    def methods(self) -> tuple[str, ...]:
        """Ids of the methods that it combines; empty if it combines none."""
        return ()

    @property
    def address(self) -> str:
        """Host that receives the texts; empty if they stay on this machine."""
        return ""

    def unavailable(self) -> str:
        """Say why it cannot run here, and what to do; empty if it can. Loads and sends nothing."""
        return ""

    def requirements(self) -> tuple[Requirement, ...]:
        """List the weights that it needs here, each with its folder, or what to do if there is none."""
        return ()

    def prompts(self) -> tuple[PromptFile, ...]:
        """List the prompts that it can ask a chat model with, which its parameter `prompt` names; the standard one first."""
        return ()

    def prompt_used(self) -> PromptFile | None:
        """Give the prompt that it asks by, as it was when the method was built; None if it asks by none that has a name."""
        return None

    def reworded(self, number: int) -> "Method | None":
        """Give the same method with other words in its prompts, which ask for the same; it has a signature of its own.

        `number` counts the rewordings from 1 on; None = it has no such one.
        """
        return None

    def prepare(self) -> None:  # noqa: B027 - most methods have nothing to load
        """Load the weights, so that the first score does not wait for them."""

    def read_ahead(self, cases: Sequence[Case]) -> None:  # noqa: B027 - most methods gain nothing by it
        """Compute together what the next cases need, in a block of `runtime.retention.reusing`; `score` finds it there.

        The judgements are those that `score` gives without it.
        """

    def card(self) -> str:
        """Give the model card of its weights, in Markdown; empty if there is none."""
        return ""

    def estimate(self, case: Case) -> Estimate:
        """Estimate calls, tokens and cost of judging a case, before anything is sent; 0 for a method that asks no chat model."""
        return Estimate(calls=0, input=0, output=0, dollars=0.0, address="")


def same_method(first: str, other: str) -> bool:
    """Whether two signatures are of one method with the same parameters; its precision is the machine's, not the method's."""
    return _PRECISION.sub("", first) == _PRECISION.sub("", other)


@runtime_checkable
class Embeds(Protocol):
    """A method that can also embed texts."""

    def embed(self, texts: list[str]) -> Matrix:
        """Embed n texts: (n, d) float32, rows of length 1."""


class Unloadable(Method):
    """Placeholder for a method that cannot be built: lists show it with the reason, and other methods still work."""

    def __init__(self, method: str, why: str) -> None:
        """Store the method's id and one sentence that says what to do."""
        self.id, self._why = method, why

    @property
    def signature(self) -> str:
        """The id alone; nothing is ever scored under it."""
        return f"{self.id}|cannot be loaded"

    @property
    def about(self) -> About:
        """The id alone."""
        return About(title=self.id, measures="")

    def unavailable(self) -> str:
        """Why it cannot be built, and what to do."""
        return self._why

    def score(self, case: Case) -> Judgement:
        """A failure with the reason."""
        return Judgement(Status.FAILED, note=self._why, context_seen=0.0)


def judged(method: Method, case: Case) -> Judgement:
    """Let a method judge a case: once for all who ask, in a block of `groundscope.runtime.retention.reusing`."""
    judgements = reused()
    if judgements is None or method.asks:
        return method.score(case)
    try:
        judgement: Judgement | None = judgements.get((method, case))
    except TypeError:  # a parameter that cannot be compared, such as a list
        return method.score(case)
    if judgement is None:
        judgements[method, case] = judgement = method.score(case)
    return judgement
