"""Judgements as a method would give them, with supports and evidence that a test names."""

from collections.abc import Sequence

from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Judgement, Match, Passage, SentenceScore, Status

NOWHERE = "figures and names that stand nowhere in the context"


def case(response: str, *passages: str) -> Case:
    return Case("case", "Who owes what?", tuple(Passage(f"p{i}", text) for i, text in enumerate(passages)), response)


def judged(example: Case, supports: Sequence[float | None], *, evidence: Sequence[int] = ()) -> Judgement:
    """One support a sentence; the matches of each are these context sentences, best first."""
    units = context_sentences(example.context)
    matches = tuple(Match(units[i].passage, units[i].start, units[i].end, 0.5) for i in evidence)
    spans = split(example.response)
    scores = tuple(
        SentenceScore(s.start, s.end, support, () if support is None else matches)
        for s, support in zip(spans, supports, strict=True)
    )
    known = [s for s in supports if s is not None]
    if not known:
        return Judgement(Status.NOT_ASSESSABLE, sentences=scores, note="No sentence is long enough.")
    return Judgement(Status.SCORED, min(known), scores)
