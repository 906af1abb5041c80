"""Majority: a method that asks a chat model, asked several times; support is the share of the readings that vote for it.

Not in the paper. Sampling a judge several times and taking the most common verdict is self-consistency (Wang et al. 2023). A
reading votes for a response, or for a sentence, whose support reaches the method's own starting threshold. Readings without a
verdict have no vote; they are left out and counted in the note. So the support is above one half where most votes are for it, and
one half, which is not above the threshold, where the votes that are left are even.

The first reading has the replies that the method alone keeps, each further one replies of its own.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from groundscope.chat.conversation import ask_all
from groundscope.chat.messages import ChatModel, Estimate
from groundscope.chat.prompt_files import STANDARD, PromptFile
from groundscope.chat.replies import repeat
from groundscope.methods import About, Method, Requirement
from groundscope.methods.registry import load, parameters
from groundscope.text.alignment import not_assessable, nothing_to_assess
from groundscope.text.humanize import plural
from groundscope.types import Case, Judgement, SentenceScore, Status

_EVEN = 0.5
_ABOVE = 0.505
"""More than half of at most 99 votes: an even vote lies below it."""


@dataclass(frozen=True)
class Majority(Method):
    """Asks a method `k` times and counts the votes; k is odd, so that no vote is even where every reply can be read.

    `model` is the method's, a spec as in `groundscope.chat.model_spec`; empty = the one that the environment names.
    """

    of: str = "direct"
    k: int = field(default=3, metadata={"least": 3, "most": 99})
    model: str = ""
    prompt: str = STANDARD

    asks: ClassVar[bool] = True
    on_request: ClassVar[bool] = True
    rewording: ClassVar[int] = 0
    """Number of the rewording of its prompts; 0 = its own words."""
    examples = MappingProxyType({"of": "refchecker", "k": 5, "model": "anthropic:claude-haiku-5-5"})

    def __post_init__(self) -> None:
        """Refuse an even number, and a method that would say the same every time."""
        super().__post_init__()
        if self.k % 2 == 0:
            raise ValueError(f"k must be odd, so that a vote cannot end even, got {self.k}; choose {self.k - 1} or {self.k + 1}")
        if self.of.partition(":")[0] == type(self).__module__.rpartition(".")[2]:
            raise ValueError("of must be another method than majority itself, such as direct")
        rule = "of must be the id of a method that asks a chat model, such as direct"
        try:
            inner = self._inner
        except ValueError as error:
            # What is wrong with the model or the prompt is said in its own words.
            names_option = str(error).startswith(("model ", "prompt "))
            raise error if names_option else ValueError(f"{rule}, got {self.of[:40]!r}") from None
        if not inner.asks:
            raise ValueError(f"{rule}: {self.of} asks none and says the same every time")
        if self.prompt != STANDARD and not inner.prompts():
            raise ValueError(f"prompt must be left out: {self.of} has none to choose from")
        if inner.about.threshold is None:
            raise ValueError(f"of must be a method with a starting threshold, by which it votes; {self.of} has none")

    @cached_property
    def _inner(self) -> Method:
        """The method that is asked, with its prompts in other words where this one's are."""
        chosen = {"model": self.model, "prompt": self.prompt}
        method = load(self.of, **{name: value for name, value in chosen.items() if name in parameters(self.of)})
        return method.reworded(self.rewording) or method if self.rewording else method

    @property
    def methods(self) -> tuple[str, ...]:
        """The id of the method that is asked."""
        return (self.of,)

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        inner = self._inner.about
        return About(
            title=f"Majority of {self.k}, {inner.title}",
            measures=f"The share of {self.k} readings by a chat model that call a sentence supported: {inner.title}.",
            threshold=_ABOVE,
            threshold_source="more than half of the votes",
            needs=inner.needs,
            licence=inner.licence,
            aggregation="the share of the readings that call the response grounded",
            tuned_on=inner.tuned_on,
            tunes="nothing",
        )

    @property
    def signature(self) -> str:
        """The number of readings, and the signature of the method that is asked."""
        return f"majority|k={self.k}|of {self.of}|{self._inner.signature}"

    def chat(self) -> ChatModel:
        """The model of the method that is asked; `ModelUnavailable` if none is chosen, or an invalid one."""
        asked: Any = self._inner
        model: ChatModel = asked.chat()
        return model

    @property
    def address(self) -> str:
        """The host that texts go to; empty where they go nowhere."""
        return self._inner.address

    def unavailable(self) -> str:
        """Why it cannot run here and what to do; empty if it can."""
        return self._inner.unavailable()

    def requirements(self) -> tuple[Requirement, ...]:
        """The weights that the method needs here."""
        return self._inner.requirements()

    def prepare(self) -> None:
        """Load the method's weights."""
        self._inner.prepare()

    def estimate(self, case: Case) -> Estimate:
        """`k` times the method's."""
        each, k = self._inner.estimate(case), self.k
        dollars = None if each.dollars is None else k * each.dollars
        calls, again = k * each.calls, k * each.again
        return replace(each, calls=calls, input=k * each.input, output=k * each.output, dollars=dollars, again=again)

    def prompts(self) -> tuple[PromptFile, ...]:
        """See `Method`; those of the method that is asked."""
        return self._inner.prompts()

    def prompt_used(self) -> PromptFile | None:
        """See `Method`; that of the method that is asked."""
        return self._inner.prompt_used()

    def reworded(self, number: int) -> "Majority | None":
        """See `Method`; the prompts are those of the method that is asked."""
        if self._inner.reworded(number) is None:
            return None
        method = replace(self)
        object.__setattr__(method, "id", self.id)
        # Building it has looked at the method in its own words.
        method.__dict__.pop("_inner", None)
        object.__setattr__(method, "rewording", number)
        return method

    def score(self, case: Case) -> Judgement:
        """Judge one case; `INVALID` if no reading has a verdict, `FAILED` if one could not be made."""
        if note := nothing_to_assess(case):
            return not_assessable(note)
        if missing := self.unavailable():
            return Judgement(Status.FAILED, note=missing, context_seen=0.0)
        started = time.perf_counter()
        readings = ask_all([partial(_reading, self._inner, case, number) for number in range(self.k)])
        return replace(self._counted(readings), seconds=time.perf_counter() - started)

    def _counted(self, readings: Sequence[Judgement]) -> Judgement:
        spent = _spent(readings)
        if failed := next((j for j in readings if j.status is Status.FAILED), None):
            return Judgement(Status.FAILED, note=failed.note, context_seen=0.0, **spent)
        voting = [j for j in readings if j.support is not None]
        if not voting:
            return replace(readings[0], **spent)
        threshold = float(self._inner.about.threshold or 0.0)
        votes = [(j.support or 0.0) >= threshold for j in voting]
        share = sum(votes) / len(votes)
        # The reasons of a reading that voted as most did.
        shown = voting[votes.index(share > _EVEN)] if share != _EVEN else voting[0]
        note = f"{sum(votes)} of {plural(len(votes), 'reading')} call it grounded."
        if left := self.k - len(voting):
            note += f" {plural(left, 'reading has', 'readings have')} no verdict."
        return replace(
            shown,
            support=share,
            sentences=_voted(shown.sentences, voting, threshold),
            context_seen=min(j.context_seen for j in voting),
            note=f"{note} {shown.note}".strip(),
            **spent,
        )


def _reading(inner: Method, case: Case, number: int) -> Judgement:
    with repeat(number):
        return inner.score(case)


def _voted(shown: Sequence[SentenceScore], voting: Sequence[Judgement], threshold: float) -> tuple[SentenceScore, ...]:
    """The sentences of one reading, each with the share of the votes on it."""
    voted = []
    for i, sentence in enumerate(shown):
        supports = [j.sentences[i].support for j in voting if i < len(j.sentences)]
        votes = [s >= threshold for s in supports if s is not None]
        voted.append(replace(sentence, support=float(np.mean(votes)) if votes else None))
    return tuple(voted)


def _spent(readings: Sequence[Judgement]) -> dict[str, Any]:
    """What all readings took together."""
    costs = [j.cost for j in readings]
    return {
        "calls": sum(j.calls for j in readings),
        "tokens": sum(j.tokens for j in readings),
        "cost": None if None in costs else sum(c for c in costs if c is not None),
        "cached": float(np.mean([j.cached for j in readings])),
        "raw": next((j.raw for j in readings if j.raw), ""),
    }
