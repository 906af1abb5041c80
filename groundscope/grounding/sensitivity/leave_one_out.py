"""Which sources, and which sentences of them, carry an answer: its support is measured again without each one.

Leave-one-out attribution. What it finds is about a method together with these sources: of two sources that say the same, neither
changes a support alone. So what changes nothing alone is left out together, too, before it is called unused.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from groundscope.errors import BudgetSpent
from groundscope.grounding.sensitivity.reduced import reduced
from groundscope.methods import Method
from groundscope.runtime.progress import listener, listening
from groundscope.statistics.decision import verdict
from groundscope.text.alignment import UnitFinder, aligned
from groundscope.text.humanize import plural
from groundscope.text.sentences import context_sentences
from groundscope.types import Case, Judgement, Status

SMALL = 0.01
"""A support that moves by no more has not changed: less shows in no figure of two decimals."""
MOST_SOURCES = 40
MOST_SENTENCES = 60
WHOLE = -1
"""The index that stands for the response as a whole, of which a method may judge no single sentence."""
_FAILURES = 2


@dataclass(frozen=True, slots=True)
class Ablation:
    """Supports of a response with some context sentences left out.

    Attributes:
        supports: (n_response,) 0 to 1; None where the method assesses no such sentence, or nothing at all.
        whole: support of the whole response, 0 to 1; None unless scored.
        note: why there is no support, in a sentence; empty where there is one.
    """

    supports: tuple[float | None, ...]
    whole: float | None
    status: Status = Status.SCORED
    note: str = ""

    def of(self, sentence: int) -> float | None:
        """Give the support of a response sentence, or of the response for `WHOLE`."""
        return self.whole if sentence == WHOLE else self.supports[sentence]

    @property
    def assessed(self) -> tuple[int, ...]:
        """Indices of the sentences with a support; `WHOLE` alone where none has one and the response has."""
        found = tuple(i for i, s in enumerate(self.supports) if s is not None)
        return found or ((WHOLE,) if self.whole is not None else ())


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """A response scored with all sources, with none, and without each source and each context sentence.

    Attributes:
        nothing: with an unrelated text in place of all sources; None where that was not scored.
        sources: without each source, by its index in the context.
        alone: with each source as the only one, likewise; empty for a method that asks a chat model.
        sentences: without each context sentence, by its index in `groundscope.text.sentences.context_sentences`; empty where
            sentences were not left out.
        unused: sources that can all be left out together without changing any support by more than `SMALL`.
        interchangeable: sources that change nothing alone, but do once the others of them are gone: another one says the same.
        notes: what was not tried, in sentences; empty = everything was.
    """

    full: Ablation
    nothing: Ablation | None
    sources: Mapping[int, Ablation]
    alone: Mapping[int, Ablation]
    sentences: Mapping[int, Ablation]
    unused: tuple[int, ...]
    interchangeable: tuple[int, ...]
    notes: tuple[str, ...]
    scorings: int


class Trials:
    """Scores a case with parts of its context left out, each version once; reports progress and can be cancelled."""

    def __init__(self, method: Method, case: Case, first: Judgement | None = None) -> None:
        """Score nothing yet."""
        self.method, self.case = method, case
        self.units = context_sentences(case.context)
        self.everything = frozenset(range(len(self.units)))
        self.count, self.planned = 0, 1
        self._known: dict[frozenset[int], Ablation] = {}
        self.judgement = first or self._score(case)
        self.full = self._known[self.everything] = self._read(self.judgement)

    def keeping(self, kept: Collection[int]) -> Ablation:
        """Score with these context sentences alone."""
        key = frozenset(kept)
        if key not in self._known:
            self._known[key] = self._read(self._score(reduced(self.case, key)))
        return self._known[key]

    def without(self, left_out: Iterable[int]) -> Ablation:
        """Score without these context sentences."""
        return self.keeping(self.everything.difference(left_out))

    def without_sources(self, sources: Collection[int]) -> Ablation:
        """Score without these sources."""
        return self.without(j for j, unit in enumerate(self.units) if unit.passage in sources)

    def ranked_units(self, sentence: int) -> list[int]:
        """Order the context sentences: those that the method matched to a response sentence first, best first."""
        wanted = [s for i, s in enumerate(aligned(self.case, self.judgement)) if sentence in (i, WHOLE)]
        best: dict[int, float] = {}
        for score in wanted:
            for j, support in UnitFinder(self.units).ranked(score):
                best[j] = max(best.get(j, 0.0), support)
        return sorted(range(len(self.units)), key=lambda j: -best.get(j, 0.0))

    def ranked_sources(self, sentence: int) -> list[int]:
        """Order the sources by their first sentence in `ranked_units`; those without words come last."""
        found = dict.fromkeys(self.units[j].passage for j in self.ranked_units(sentence))
        return [*found, *(p for p in range(len(self.case.context)) if p not in found)]

    def _score(self, case: Case) -> Judgement:
        heard, done = listener(), self.count
        with listening(lambda _done, _total: heard(done, max(self.planned, done + 1))):
            judgement = self.method.score(case)
        self.count += 1
        heard(self.count, max(self.planned, self.count))
        return judgement

    def _read(self, judgement: Judgement) -> Ablation:
        supports = tuple(s.support for s in aligned(self.case, judgement))
        if judgement.status is Status.SCORED:
            return Ablation(supports, judgement.support)
        note = judgement.note or verdict(judgement, None).words
        return Ablation((None,) * len(supports), None, judgement.status, note)


def leave_one_out(
    method: Method, case: Case, *, first: Judgement | None = None, sentence: int = WHOLE, sentences: bool | None = None
) -> LeaveOneOut:
    """Score a case without each source and without each context sentence.

    Of more than `MOST_SOURCES` sources and `MOST_SENTENCES` context sentences only those that the method relates most to
    `sentence` are left out one at a time. Open `groundscope.runtime.retention.reusing` around it, so that no text is read again
    for each.
    """
    trials = Trials(method, case, first)
    return leave_out_each(trials, sentence, sentences=not method.asks if sentences is None else sentences)


def versions(case: Case) -> list[Case]:
    """List the cases that a method that asks a chat model is asked about at most, to estimate their cost."""
    units = context_sentences(case.context)
    sources = range(min(MOST_SOURCES, len(case.context)))
    kept = [frozenset(j for j, unit in enumerate(units) if unit.passage != p) for p in sources]
    return [*(reduced(case, one) for one in kept), reduced(case, ()), case]


def more_for_sentences(case: Case) -> int:
    """Count how many more versions there are at most where context sentences are left out, too."""
    by_source = Counter(unit.passage for unit in context_sentences(case.context))
    apart = (n for n in by_source.values() if n > 1 or len(case.context) > MOST_SOURCES)
    return min(MOST_SENTENCES, sum(apart))


def leave_out_each(trials: Trials, sentence: int, *, sentences: bool) -> LeaveOneOut:
    """Do what `leave_one_out` does, with trials that are used for more."""
    if not trials.full.assessed:
        return LeaveOneOut(trials.full, None, {}, {}, {}, (), (), (), trials.count)
    sources, units = trials.ranked_sources(sentence)[:MOST_SOURCES], trials.ranked_units(sentence)[:MOST_SENTENCES]
    what = "the answer" if sentence == WHOLE else "this sentence"
    notes = _not_tried("source", len(trials.case.context) - len(sources), what)
    notes += _not_tried("context sentence", len(trials.units) - len(units), what) if sentences else []
    alone_too = sentences and not trials.method.asks
    trials.planned = trials.count + len(sources) + 2 + alone_too * len(sources) + sentences * len(units)
    without: dict[int, Ablation] = {}
    alone: dict[int, Ablation] = {}
    by_unit: dict[int, Ablation] = {}
    nothing: Ablation | None = None
    unused: tuple[int, ...] = ()
    same: tuple[int, ...] = ()
    try:
        without.update(_each(sorted(sources), lambda p: trials.without_sources([p])))
        nothing = trials.keeping(())
        unused, same = _unused(trials, without, sources)
        if alone_too:
            everyone = set(range(len(trials.case.context)))
            alone.update((p, trials.without_sources(everyone - {p})) for p in sorted(sources))
        if sentences:
            by_unit.update(_each(sorted(units), lambda j: trials.without([j])))
    except (BudgetSpent, _FailsAgain) as error:
        notes.append(f"It was stopped before the end: {error}")
    return LeaveOneOut(trials.full, nothing, without, alone, by_unit, unused, same, tuple(notes), trials.count)


class _FailsAgain(Exception):
    """A method failed twice in a row, and would with all that follows."""


def _each(parts: Iterable[int], without: Callable[[int], Ablation]) -> Iterator[tuple[int, Ablation]]:
    """The parts with what is found without each, until the method fails twice in a row."""
    failures = 0
    for part in parts:
        found = without(part)
        yield part, found
        failures = failures + 1 if found.status is Status.FAILED else 0
        if failures == _FAILURES:
            raise _FailsAgain(found.note)


def _not_tried(what: str, count: int, of: str) -> list[str]:
    return [f"{plural(count, what)} that {of} is least related to were not left out one at a time."] if count else []


def _unused(trials: Trials, without: Mapping[int, Ablation], ranked: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Sources that can go together, and those that change nothing alone but cannot go with them."""
    others = [p for p in range(len(trials.case.context)) if p not in without]
    idle = [p for p in reversed(ranked) if not differs(without[p], trials.full)]
    if not differs(trials.without_sources([*others, *idle]), trials.full):
        return tuple(sorted([*others, *idle])), ()
    gone: list[int] = []
    # One more call for each would be more than was announced.
    for p in () if trials.method.asks else idle:
        if not differs(trials.without_sources([*gone, p]), trials.full):
            gone.append(p)
    return tuple(sorted(gone)), tuple(sorted(p for p in idle if p not in gone))


def differs(one: Ablation, other: Ablation, small: float = SMALL) -> bool:
    """Whether any sentence's support, or that of the response where no sentence has one, differs by more than a little."""
    if one.assessed != other.assessed:
        return True
    return any(abs((one.of(i) or 0.0) - (other.of(i) or 0.0)) > small for i in one.assessed)


def stands_on_nothing(found: LeaveOneOut, threshold: float | None, small: float = SMALL) -> tuple[int, ...]:
    """Find the sentences whose support does not come from the sources that the reader was shown."""
    nothing = found.nothing
    if nothing is None:
        return ()
    shown = (found.full, nothing, *found.alone.values())
    return tuple(i for i in found.full.assessed if _on_nothing([a.of(i) for a in shown], threshold, small))


def _on_nothing(supports: Sequence[float | None], threshold: float | None, small: float) -> bool:
    """Of supports with all sources, with none, and with others."""
    full, nothing = supports[0], supports[1]
    if full is None or nothing is None:
        return False
    return full - nothing <= small or (threshold is not None and all(s is not None and s >= threshold for s in supports))
