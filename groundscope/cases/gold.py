"""The gold labels of a case, sentence by sentence: what is wrong in it, and which context sentences bear on it."""

from collections.abc import Sequence
from dataclasses import dataclass

from groundscope.text.alignment import UnitFinder
from groundscope.text.sentences import Unit, context_sentences, split
from groundscope.types import Case, ErrorSpan, EvidenceSpan


@dataclass(frozen=True, slots=True)
class GoldSentence:
    """What annotators say of `response[start:end]`: the typed error spans that touch it, with offsets in the response.

    `evidence`: indices of the context sentences that support it, or refute it where it is wrong.
    """

    start: int
    end: int
    errors: tuple[ErrorSpan, ...]
    unsupported: tuple[tuple[int, int], ...]
    evidence: tuple[int, ...]

    @property
    def wrong(self) -> bool:
        """An annotator found it wanting."""
        return bool(self.errors or self.unsupported)


def gold_sentences(case: Case) -> tuple[GoldSentence, ...]:
    """Lay the gold labels of a case out by response sentence."""
    if not (case.errors or case.unsupported or case.evidence):
        return ()
    units = context_sentences(case.context) if case.evidence else ()
    finder = UnitFinder(units)
    return tuple(
        GoldSentence(
            s.start,
            s.end,
            tuple(e for e in case.errors if e.start < s.end and s.start < e.end),
            tuple(u for u in case.unsupported if u[0] < s.end and s.start < u[1]),
            gold_units(case, units, finder, s.start, s.end),
        )
        for s in split(case.response)
    )


def sentence_labels(case: Case) -> list[bool] | None:
    """Whether each sentence of the response is supported, headings included, as far as a case's own labels say."""
    wrong = [(e.start, e.end) for e in case.errors] + list(case.unsupported)
    if case.grounded is None or (not case.grounded and not wrong):
        return None
    supported = [not any(a < s.end and s.start < b for a, b in wrong) for s in split(case.response)]
    return None if all(supported) and not case.grounded else supported


def gold_units(case: Case, units: Sequence[Unit], finder: UnitFinder, start: int, end: int) -> tuple[int, ...]:
    """Find the context sentences that are gold evidence for `response[start:end]`.

    A context sentence is gold if a gold span covers at least half of it, or lies mostly within it.
    """
    bears = [e for e in case.evidence if e.response_start < end and start < e.response_end]
    return tuple(sorted({j for e in bears for j in finder.overlapping(e.passage, e.start, e.end) if _mostly(units[j], e)}))


def _mostly(unit: Unit, e: EvidenceSpan) -> bool:
    shared = min(unit.end, e.end) - max(unit.start, e.start)
    return 2 * shared >= min(unit.end - unit.start, e.end - e.start)
