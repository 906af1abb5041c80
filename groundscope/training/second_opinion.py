"""What a second method says of some sentences of a response: asked once, and brought back to their places in the response."""

from collections.abc import Sequence
from dataclasses import replace

from groundscope.methods import Method
from groundscope.text.sentences import Sentence, split
from groundscope.types import Case, Judgement, SentenceScore

Spans = tuple[tuple[int, int], ...]


def opinion(case: Case, method: Method, places: Sequence[int], *, alone: bool) -> Judgement:
    """Ask a method about some sentences."""
    spans = split(case.response)
    part = _part(case, places) if alone and len(places) < sum(not s.heading for s in spans) else None
    found = method.score(part or case)
    cut = split(part.response) if part else [spans[i] for i in places]
    moves = [(spans[i], spans[i].start - s.start) for i, s in zip(places, cut, strict=True)]
    by_span = {(s.start, s.end): s for s in found.sentences}
    scores = {i: by_span.get((s.start, s.end)) for i, s in zip(places, cut, strict=True)}
    sentences = tuple(_moved(scores.get(i), span) for i, span in enumerate(spans))
    claims = tuple(
        replace(claim, start=claim.start + by, end=min(span.end, claim.end + by))
        for claim in found.claims
        for span, by in moves
        if span.start <= claim.start + by < span.end
    )
    return replace(found, sentences=sentences, claims=claims, matrix=None)


def _part(case: Case, places: Sequence[int]) -> Case | None:
    """The sentences as an answer of their own; None where they would be cut otherwise than in the response."""
    spans = split(case.response)
    texts = [case.response[spans[i].start : spans[i].end] for i in places]
    for between in (" ", "\n\n"):
        part = Case(case.id, case.query, case.context, between.join(texts))
        if [(part.response[s.start : s.end], s.heading) for s in split(part.response)] == [(text, False) for text in texts]:
            return part
    return None


def _moved(score: SentenceScore | None, span: Sentence) -> SentenceScore:
    """A score at another place of the same text."""
    if score is None:
        return SentenceScore(span.start, span.end, None)
    by = span.start - score.start
    verbatim, unsupported = (_shifted(spans, by) for spans in (score.verbatim, score.unsupported))
    return replace(score, start=span.start, end=span.end, verbatim=verbatim, unsupported=unsupported)


def _shifted(spans: Spans, by: int) -> Spans:
    return tuple((start + by, end + by) for start, end in spans)
