"""Cascade: a quick method judges every sentence, and a second one, such as a chat model, only what the first leaves in doubt.

Not in the paper; in the manner of FrugalGPT (Chen et al. 2023). Supports of both methods are brought to one scale, on which each
method's starting threshold is 0.5 and the supports on either side of it are stretched in proportion: one threshold holds for all,
and a band of doubt means the same after any first method. A sentence is doubtful if its support by the first method lies, on that
scale, between `low` and `high`, or if the first cannot assess it. The second method is asked once, about the doubtful sentences
as an answer of their own or about the whole answer; where nothing is doubtful it is not asked. If it names no support for any of
them, it judges what it reads as a whole, and decides them alike. Where it fails, they have no support and the response has none:
the first method never decides in its place. Each sentence states in its claim who decided, and why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from groundscope.chat.messages import Estimate
from groundscope.chat.prompt_files import PromptFile
from groundscope.errors import GroundscopeError
from groundscope.methods import About, Method
from groundscope.methods.board import StartingThreshold, record_of
from groundscope.methods.defaults import CLASSIFIER
from groundscope.methods.method import judged
from groundscope.methods.registry import load, parameters
from groundscope.text.alignment import not_assessable, nothing_to_assess
from groundscope.text.humanize import plural
from groundscope.text.sentences import Sentence, split
from groundscope.types import Case, Claim, Judgement, SentenceScore, Status

_EVEN = 0.5
"""What each method's starting threshold becomes."""
_OF_ITS_METHODS: StartingThreshold = {"threshold": _EVEN, "threshold_source": "where each method's own starting threshold lies"}
_METHOD = {"method": True}
_SHARE = {"least": 0.0, "most": 1.0}


@dataclass(frozen=True)
class Cascade(Method):
    """Two methods, of which the second judges what is doubtful after the first.

    Attributes:
        first: id of the method that judges every sentence; it asks no chat model.
        low: lower end of the band of doubt, 0 to 1, included; a support of the first method where its starting threshold is 0.5.
        high: upper end, likewise. 0 and 1 ask the second method about every sentence.
        model: the second's, a spec as in `groundscope.chat.model_spec`; empty = the one that the environment names.
    """

    first: str = field(default="overlap", metadata=_METHOD)
    second: str = field(default=CLASSIFIER, metadata=_METHOD)
    low: float = field(default=0.3, metadata=_SHARE)
    high: float = field(default=0.7, metadata=_SHARE)
    reads: Literal["sentences", "answer"] = "sentences"
    model: str = ""

    on_request = True

    def __post_init__(self) -> None:
        """Refuse an empty band, and methods that cannot be the first or the second."""
        super().__post_init__()
        if self.low > self.high:
            if self.low == Cascade.low:
                raise ValueError(f"high must be at least low, {self.low:g}, got {self.high:g}")
            raise ValueError(f"low must be at most high, {self.high:g}, got {self.low:g}")
        if self.model and not self._second.asks:
            raise ValueError(f"model must be empty where the second method asks no chat model, as {self.second} does not")
        if self._first.asks:
            raise ValueError(f"first must be a method that asks no chat model, such as overlap; {self.first} asks one")
        if self._first.signature == self._second.signature:
            raise ValueError(f"second must be another method than first, got {self.second} for both")

    @cached_property
    def _first(self) -> Method:
        return _loaded("first", self.first)

    @cached_property
    def _second(self) -> Method:
        return _loaded("second", self.second, self.model)

    @property
    def _titles(self) -> tuple[str, str]:
        return self._first.about.title, self._second.about.title

    @property
    def asks(self) -> bool:  # type: ignore[override]
        """Whether its second method asks a chat model."""
        return self._second.asks

    @property
    def address(self) -> str:
        """The host that the second method sends texts to; empty if they stay on this machine."""
        return self._second.address

    @property
    def methods(self) -> tuple[str, ...]:
        """Ids of both methods."""
        return self.first, self.second

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        first, second = self._titles
        return About(
            title=f"Cascade, {first} then {second}",
            measures=(
                f"How well a sentence is supported by {first}, or, where that is {self.low:g} to {self.high:g}, by {second}; "
                "each method's own threshold counts as 0.5."
            ),
            needs=self._second.about.needs or self._first.about.needs,
            licence="that of its methods",
            **(row.starting if (row := record_of(self.signature)) else _OF_ITS_METHODS),
        )

    @property
    def signature(self) -> str:
        """The band of doubt, what the second method reads, and both methods' starting thresholds and signatures."""
        cuts = f"thresholds={_threshold(self._first)!r}, {_threshold(self._second)!r}"
        parts = f"{self._first.signature} + {self._second.signature}"
        return f"cascade|doubt={float(self.low)!r}..{float(self.high)!r}|reads={self.reads}|{cuts}|of {parts}"

    def chat(self) -> Any:
        """The model that the second method asks; `ModelUnavailable` if none is chosen, or an invalid one."""
        asked: Any = self._second
        return asked.chat()

    def prompt_used(self) -> PromptFile | None:
        """See `Method`; that of the second method."""
        return self._second.prompt_used()

    def unavailable(self) -> str:
        """Why one of both methods cannot run here and what to do; empty if they can."""
        return self._first.unavailable() or self._second.unavailable()

    def prepare(self) -> None:
        """Load the weights of both methods."""
        self._first.prepare()
        self._second.prepare()

    def estimate(self, case: Case) -> Estimate:
        """See `Method`: what the second method takes if every sentence is doubtful, so at most that."""
        return replace(self._second.estimate(case), at_most=self.asks)

    def read_ahead(self, cases: Sequence[Case]) -> None:
        """See `Method`: by the first method; what the second reads is not known yet."""
        self._first.read_ahead(cases)

    def score(self, case: Case) -> Judgement:
        """Judge one case; `seconds` are those of both methods together."""
        if note := nothing_to_assess(case):
            return not_assessable(note)
        if missing := self.unavailable():
            return Judgement(Status.FAILED, note=missing, context_seen=0.0)
        first, units = judged(self._first, case), split(case.response)
        if not (first.status is Status.SCORED or (first.status is Status.NOT_ASSESSABLE and first.sentences)):
            return replace(first, note=f"{self._titles[0]}: {first.note}", claims=(), matrix=None)
        if [(s.start, s.end) for s in first.sentences] != [(s.start, s.end) for s in units]:
            note = f"{self._titles[0]} does not judge sentence by sentence, as the first of a cascade must; choose another."
            return Judgement(Status.FAILED, note=note, context_seen=0.0)
        supports = {i: _placed(first.sentences[i].support, self._first) for i, unit in enumerate(units) if not unit.heading}
        doubt = [i for i, support in supports.items() if support is None or self.low <= support <= self.high]
        second = self._opinion(case, units, doubt) if doubt else Judgement(Status.NOT_ASSESSABLE)
        failed = second.status not in (Status.SCORED, Status.NOT_ASSESSABLE)
        theirs = {i: second.sentences[i].support for i in doubt}
        if all(support is None for support in theirs.values()):
            theirs = dict.fromkeys(doubt, second.support)
        supports |= {i: _placed(support, self._second) for i, support in theirs.items()}
        support = min((s for s in supports.values() if s is not None), default=None)
        # Where one method alone decided, it says how sentences combine.
        if not doubt:
            support = _placed(first.support, self._first)
        elif len(doubt) == len(supports):
            support = _placed(second.support, self._second)
        if failed:
            support = None
        scores = {i: second.sentences[i] for i in doubt}
        claims = [self._claim(case, first.sentences[i], scores.get(i), second, supports[i]) for i in supports]
        return replace(
            second,
            status=Status.SCORED if support is not None else second.status if failed else Status.NOT_ASSESSABLE,
            support=support,
            sentences=tuple(replace(scores.get(i, s), support=supports.get(i)) for i, s in enumerate(first.sentences)),
            claims=tuple(sorted([*claims, *second.claims], key=lambda claim: claim.start)),
            seconds=first.seconds + second.seconds,
            context_seen=0.0 if failed else min(first.context_seen, second.context_seen),
            cached=max(first.cached, second.cached),
            note=self._note(first, second, supports, doubt),
        )

    def _opinion(self, case: Case, units: Sequence[Sentence], doubt: Sequence[int]) -> Judgement:
        """What the second method says of the doubtful sentences, one score a sentence of the response."""
        asked = {(units[i].start, units[i].end) for i in doubt}
        text = list(case.response)
        for unit in units:
            if (unit.start, unit.end) not in asked:
                # Blanks keep every offset.
                text[unit.start : unit.end] = " " * (unit.end - unit.start)
        part = Case(case.id, case.query, case.context, "".join(text))
        alone = self.reads == "sentences" and len(doubt) < sum(not unit.heading for unit in units)
        alike = asked == {(s.start, s.end) for s in split(part.response) if not s.heading}
        second = judged(self._second, part if alone and alike else case)
        scores = {(s.start, s.end): s for s in second.sentences if (s.start, s.end) in asked}
        claims = (
            replace(claim, end=min(end, claim.end))
            for claim in second.claims
            for start, end in asked
            if start <= claim.start < end
        )
        sentences = tuple(scores.get((u.start, u.end), SentenceScore(u.start, u.end, None)) for u in units)
        return replace(second, sentences=sentences, claims=tuple(claims), matrix=None)

    def _claim(
        self, case: Case, sentence: SentenceScore, theirs: SentenceScore | None, opinion: Judgement, support: float | None
    ) -> Claim:
        """Who decided about a sentence, and why; `theirs` is None where the second method was not asked about it."""
        (first, second), band = self._titles, f"{self.low:g} to {self.high:g}"
        gives = f"{first} cannot assess it"
        if (placed := _placed(sentence.support, self._first)) is not None:
            # Two digits may hide on which side of an end a support lies.
            digits = 2 if (self.low <= round(placed, 2) <= self.high) is (theirs is not None) else 4
            gives = f"{first} gives it {sentence.support:.2f} ({placed:.{digits}f} where its threshold is 0.5)"
        if theirs is None:
            reason = f"Decided by {first}: {gives}, and only {band} is doubtful."
        elif support is None:
            reason = f"Not decided: {gives}, which is doubtful, and {second} gives it no support."
        else:
            whole = theirs.support is None
            says = (
                f"whose support of all that it read is {opinion.support:.2f}" if whole else f"which gives it {theirs.support:.2f}"
            )
            reason = f"Decided by {second}, {says}: {gives}, which is doubtful ({band})."
        return Claim(case.response[sentence.start : sentence.end], support, sentence.start, sentence.end, reason)

    def _note(self, judgement: Judgement, opinion: Judgement, supports: Mapping[int, float | None], doubt: Sequence[int]) -> str:
        first, second = self._titles
        words = f"Nothing was doubtful after {first}: {second} was not asked."
        if doubt:
            words = f"{second} was asked about {len(doubt)} of {plural(len(supports), 'sentence')}, doubtful after {first}."
        if silent := sum(supports[i] is None for i in doubt):
            words += f" It gave no support to {silent} of them, and {first} did not decide in its place."
        return " ".join(filter(None, [words, opinion.note, judgement.note if judgement.status is Status.SCORED else ""]))


def _loaded(name: str, method: str, model: str = "") -> Method:
    """A method of a cascade, with the chat model where it takes one; raises ValueError that says which one is wrong."""
    if method.partition(":")[0] == "cascade":
        raise ValueError(f"{name} must be another method than a cascade; name its methods themselves")
    try:
        loaded = load(method, **({"model": model} if model and "model" in parameters(method) else {}))
    except (ValueError, GroundscopeError) as error:
        # What is wrong with the chat model is said in its own words.
        if str(error).startswith("model "):
            raise
        raise ValueError(f"{name} must be the id of a method, such as overlap, got {method[:40]!r}: {error}") from None
    if any(part.partition(":")[0] == "cascade" for part in loaded.methods):
        raise ValueError(f"{name} must be a method without a cascade in it, got {method}")
    return loaded


def _threshold(method: Method) -> float:
    threshold = method.about.threshold
    return _EVEN if threshold is None else threshold


def _placed(support: float | None, method: Method) -> float | None:
    """A support on the common scale, on which the method's starting threshold is 0.5."""
    threshold = _threshold(method)
    if support is None or support >= 1:
        return support
    if support < threshold:
        return _EVEN * support / threshold
    return _EVEN + _EVEN * (support - threshold) / (1 - threshold)
