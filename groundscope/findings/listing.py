"""The findings of a case in the order to read them, and the headline that they make.

First what exact checks find, in reading order; then where sentences differ from the passages that they otherwise repeat; then
the sentences that a method doubts, the least supported first; remarks last. A sentence counts once, by its surest finding.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groundscope.citations.quotes import ContextPlace
from groundscope.citations.source_facts import source_facts
from groundscope.findings.differs import differing
from groundscope.findings.exact import exact_findings_of
from groundscope.findings.finding import Certainty, Finding, FindingKind
from groundscope.methods import registry
from groundscope.methods.advice import recommended
from groundscope.methods.defaults import EMBEDDER
from groundscope.runtime.byte_cache import keep
from groundscope.statistics.decision import verdict
from groundscope.text.alignment import aligned, says_otherwise
from groundscope.text.humanize import plural, shortened
from groundscope.text.plain import PlainCase
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Judgement, Matrix

_MOST_NAMED, _LONGEST = 3, 32
"""Findings that a headline names, and characters of each."""
_MEANING = 0.5
"""What likeness in meaning counts beside the share of words, which both run from 0 to 1; set on the train split."""


@dataclass(frozen=True, slots=True)
class MethodReading:
    """One method's judgement of a case and the threshold it was read at.

    Attributes:
        threshold: below it a sentence is flagged; None = not set.
        record: a sentence that says how often the method was right on labelled sentences; empty where that is not known.
        promise: a phrase that says what the threshold promises about misses, or that the promise is gone; empty = none was made.
        title: its name, as a reader reads it; empty = as in `method`.
    """

    method: str
    signature: str
    judgement: Judgement
    threshold: float | None
    record: str = ""
    promise: str = ""
    title: str = ""


@dataclass(frozen=True)
class FindingList:
    """The findings of a case in the order to read them.

    Attributes:
        sentences: the sentences of the response that claim something, in reading order.
        compared: those of them that a method gave a support.
        working: whether the method still works.
        whole: whether the method doubts the answer as a whole and names no sentence.
    """

    findings: tuple[Finding, ...]
    sentences: tuple[int, ...]
    compared: frozenset[int] = frozenset()
    working: bool = False
    whole: bool = False

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The sentences with findings, in the order to read them."""
        return tuple(dict.fromkeys(f.sentence for f in self.findings if f.alarm))

    def of(self, sentence: int) -> tuple[Finding, ...]:
        """List the findings of a sentence.

        Args:
            sentence: its index in the response, from 0.

        Returns:
            Its findings, the surest first.
        """
        return tuple(f for f in self.findings if f.sentence == sentence)

    def certainty(self, sentence: int) -> Certainty | None:
        """Say how sure the surest finding of a sentence is.

        Args:
            sentence: its index in the response, from 0.

        Returns:
            Its certainty; None where nothing but remarks is said of it.
        """
        return next((f.certainty for f in self.findings if f.sentence == sentence and f.alarm), None)

    @cached_property
    def headline(self) -> str:
        """What a reader must know first: what is not in the sources, what differs, what is doubtful, and what of the rest."""
        return self._headline(lambda certainty: f": {self._words(certainty)}")

    @cached_property
    def counts(self) -> str:
        """The headline without the words of the findings."""
        return self._headline(lambda _: "")

    def _headline(self, words: Callable[[Certainty], str]) -> str:
        by_certainty = {c: [i for i in self.order if self.certainty(i) is c] for c in Certainty}
        exact, differs, doubtful = (by_certainty[c] for c in (Certainty.EXACT, Certainty.DIFFERS, Certainty.DOUBTFUL))
        all_of_them = len(self.sentences)
        parts = []
        if exact:
            verb = _verb(exact, "does", "do")
            parts.append(f"{_of(len(exact), all_of_them)} {verb} not match the sources{words(Certainty.EXACT)}.")
        if differs:
            count = f"{len(differs)} more" if parts else _of(len(differs), all_of_them)
            verb = _verb(differs, "differs", "differ")
            parts.append(f"{count} {verb} from the passage beside it{words(Certainty.DIFFERS)}.")
        if doubtful:
            count = f"{len(doubtful)} more" if parts else _of(len(doubtful), all_of_them)
            parts.append(f"{count} {_verb(doubtful, 'is', 'are')} doubtful.")
        if self.whole:
            parts.append("The answer as a whole is doubtful; which sentence is not said.")
        return " ".join((*parts, *self._rest()))

    def _rest(self) -> Iterable[str]:
        rest = [i for i in self.sentences if i not in self.order]
        if not self.sentences:
            yield "No sentence to check."
            return
        if not self.order:
            yield "Nothing flagged so far." if self.working else "Nothing flagged."
        if not rest:
            return
        which = _the("other " if self.order else "", len(rest))
        if self.working:
            yield f"{which} {_verb(rest, 'is', 'are')} still being compared."
        elif self.compared.issuperset(rest):
            yield f"{which} {_verb(rest, 'was', 'were')} compared, not cleared{'' if self.order else ': read on'}."
        else:
            yield f"{which} {_verb(rest, 'was', 'were')} checked for figures, names, citations and quotations only."

    def _words(self, certainty: Certainty) -> str:
        first = [f for f in self.findings if f.certainty is certainty and self.certainty(f.sentence) is certainty]
        words = dict.fromkeys(map(_named, first))
        named = list(words)[:_MOST_NAMED]
        more = f" and {len(words) - len(named)} more" if len(words) > len(named) else ""
        return ", ".join(named) + more


def _named(finding: Finding) -> str:
    """The words of a finding, and those of the passage in their place."""
    theirs = shortened(" ".join(finding.theirs.split()), _LONGEST)
    if finding.kind is FindingKind.CONDITION:
        return f"without “{theirs}”"
    words = shortened(" ".join(finding.text.split()), _LONGEST)
    return f"{words} (there: {theirs})" if theirs else words


def _of(count: int, all_of_them: int) -> str:
    return f"{count} of {plural(all_of_them, 'sentence')}"


def _the(which: str, count: int) -> str:
    if count == 1:
        return f"The {which}sentence" if not which else "The other one"
    return f"The other {count}" if which else f"All {count} sentences"


def _verb(sentences: Sequence[int], single: str, several: str) -> str:
    return single if len(sentences) == 1 else several


def findings_of(
    case: Case,
    reading: MethodReading | None = None,
    nearest: Sequence[int] | None = None,
    *,
    checks: Sequence[Finding] | None = None,
    working: bool = False,
) -> FindingList:
    """List the findings of a case.

    Args:
        case: its labels change nothing.
        reading: of the method whose doubts count; None = of none.
        nearest: the place beside each doubtful sentence, as `nearest_sentences` gives it; None = by words alone.
        checks: what `checked` says of the case, where that was read before.
        working: whether such a method is still at work.

    Returns:
        All findings, the surest first.
    """
    claims = tuple(i for i, s in enumerate(split(case.response)) if not s.heading)
    of_checks = checked(case) if checks is None else checks
    alarms, remarks = [f for f in of_checks if f.alarm], [f for f in of_checks if not f.alarm]
    if reading is None or reading.threshold is None:
        return FindingList((*alarms, *remarks), claims, working=working)
    decided = verdict(reading.judgement, reading.threshold)
    compared = frozenset(i for i, s in enumerate(aligned(case, reading.judgement)) if s.support is not None)
    doubts = _doubts(case, reading, nearest_sentences(case) if nearest is None else nearest)
    whole = decided.grounded is False and not decided.assessed
    return FindingList((*alarms, *doubts, *remarks), claims, compared, working=working, whole=whole)


def leading(readings: Sequence[MethodReading]) -> MethodReading | None:
    """Choose the reading whose doubts count, the recommended method's among those with a support; None where there is none."""
    scored = [r for r in readings if r.judgement.support is not None]
    by_sentence = [r for r in scored if any(s.support is not None for s in r.judgement.sentences)]
    among = by_sentence or scored
    if not among:
        return None
    method = recommended({r.method: r.signature for r in among}).method
    chosen = next(r for r in among if r.method == method)
    return chosen if chosen.title else replace(chosen, title=reader_title(chosen.method))


def reader_title(method: str) -> str:
    """Name a method by its id as a reader knows it."""
    about = registry.find(method).about
    return about.plain or about.title


def listed(case: Case, readings: Sequence[MethodReading]) -> FindingList:
    """List the findings of a case that methods have judged: what each view and export of it names."""
    meaning = next((r.judgement.matrix for r in readings if r.method == EMBEDDER), None)
    return findings_of(case, leading(readings), nearest_sentences(case, meaning))


def checked(case: Case) -> tuple[Finding, ...]:
    """What needs no method: exact findings, then differences, then remarks."""
    exact = exact_findings_of(case)
    alarms, remarks = [f for f in exact if f.alarm], [f for f in exact if not f.alarm]
    # A figure that is nowhere in the sources is not named once more beside the passage.
    differs = [f for f in differing(case) if not any(_names_too(f, a) for a in alarms)]
    return (*alarms, *differs, *remarks)


def _names_too(finding: Finding, exact: Finding) -> bool:
    """Whether an exact finding names the same words; that of a condition is about what is left out."""
    return finding.kind is not FindingKind.CONDITION and exact.start < finding.end and finding.start < exact.end


def _doubts(case: Case, reading: MethodReading, nearest: Sequence[int]) -> list[Finding]:
    """The sentences below the threshold, the least supported first; of equal ones in reading order."""
    scores, units = aligned(case, reading.judgement), context_sentences(case.context)
    threshold, title = reading.threshold or 0.0, reading.title or reading.method
    supports = {i: s.support for i, s in enumerate(scores) if s.support is not None and s.support < threshold}
    doubts = []
    for i in sorted(supports, key=lambda i: (supports[i], i)):
        s, at = scores[i], nearest[i]
        says = "reads the sources as saying otherwise" if says_otherwise(s) else "finds too little in the sources for it"
        place = ContextPlace(*units[at]) if at >= 0 else None
        text, why = case.response[s.start : s.end], f"{title} {says}."
        kind, certainty = FindingKind.SUPPORT, Certainty.DOUBTFUL
        doubts.append(Finding(kind, i, s.start, s.end, text, why, place, certainty, title, reading.record))
    return doubts


@keep(megabytes=8)
def word_shares(case: Case) -> tuple[dict[int, float], ...]:
    """By response sentence: the share of its words in each context sentence."""
    plain = PlainCase.of(case)
    sources = source_facts(plain.case.context).sources
    spans = [plain.response.at(s.start, s.end) for s in split(case.response)]
    return tuple(sources.shares(plain.response.text[a:b]) for a, b in spans)


def nearest_sentences(
    case: Case, meaning: Matrix | None = None, shares: Sequence[Mapping[int, float]] | None = None
) -> list[int]:
    """Find the context sentence most like each response sentence; -1 where none shares a word and nothing is known of meaning.

    `meaning` is (n_response, n_context) likeness, 0 to 1, NaN where it is not known; `shares` is what `word_shares` says of the
    case, where that was read before.
    """
    count = len(context_sentences(case.context))
    by_words = word_shares(case) if shares is None else shares
    return [_nearest(words, meaning[i] if meaning is not None else None, count) for i, words in enumerate(by_words)]


def _nearest(shares: Mapping[int, float], meaning: NDArray[np.float64] | None, count: int) -> int:
    likeness = np.zeros(count)
    for j, share in shares.items():
        likeness[j] = share
    if meaning is not None and len(meaning) == count:
        likeness += _MEANING * np.nan_to_num(meaning)
    return int(likeness.argmax()) if likeness.any() else -1
