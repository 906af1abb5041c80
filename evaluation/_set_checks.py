"""Checks of a labelled set whose answer is yes or no: labels, parents, spans, evidence, splits, copies."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from evaluation.sentences import split
from evaluation.types import Case, Matrix

Embed = Callable[[list[str]], Matrix]
"""n texts -> (n, d) vectors of length 1."""
Finding = tuple[str, str]
"""The id of a case and what is wrong with it, in one sentence that quotes nothing."""

NEAR = 0.9
"""Cosine above which two queries, or two passages of different queries, count as near-copies."""

_AROUND = 40
"""Characters next to a span that an edit may have touched too."""
_SHORT = 5
"""Words; a shorter sentence ("The answer is no.") may recur without being a copy."""


def normal(text: str) -> str:
    """A text as compared: case folded, white space as single spaces."""
    return " ".join(text.casefold().split())


def labels(cases: Sequence[Case]) -> Iterator[Finding]:
    """A grounded response has no error span; an ungrounded one has at least one, each with type and reason."""
    for case in cases:
        wrong = bool(case.errors or case.unsupported)
        if case.grounded and wrong:
            yield case.id, "It is labelled grounded and yet has an error span."
        if case.grounded is False and not wrong:
            yield case.id, "It is labelled ungrounded, but no span says where."
        if any(not e.why for e in case.errors):
            yield case.id, "An error span lacks the reason why it is wrong."


def parents(cases: Sequence[Case]) -> Iterator[Finding]:
    """A variant's parent is in the set, grounded, and has the same query, context and group."""
    by_id = {c.id: c for c in cases}
    for case in cases:
        if case.parent is None:
            continue
        parent = by_id.get(case.parent)
        if parent is None:
            yield case.id, "Its parent is not in the set."
        elif parent.grounded is False:
            yield case.id, "Its parent is labelled ungrounded."
        elif (parent.query, parent.context) != (case.query, case.context):
            yield case.id, "Its query or context is not its parent's."
        elif (parent.group, parent.split) != (case.group, case.split):
            yield case.id, "Its group or split is not its parent's."


def edits(cases: Sequence[Case]) -> Iterator[Finding]:
    """A variant differs from its parent only in its error spans and the words next to them."""
    by_id = {c.id: c for c in cases}
    for case in cases:
        parent = by_id.get(case.parent or "")
        if parent and case.errors and not _same_but_for_spans(case, parent.response):
            yield case.id, "It differs from its parent elsewhere than in and next to its error spans."


def _same_but_for_spans(case: Case, parent: str) -> bool:
    spans = sorted((e.start, e.end) for e in case.errors)
    borders = [0, *(x for span in spans for x in span), len(case.response)]
    pieces = [case.response[a:b] for a, b in pairwise(borders)][::2]
    return _in_order(pieces, parent, 0) or _in_order(pieces, parent, _AROUND)


def _in_order(pieces: Sequence[str], parent: str, slack: int) -> bool:
    """Whether the parent begins with the first piece, ends with the last, and has the others between, in order."""
    first, *middle, last = pieces
    first, last = first[: max(0, len(first) - slack)], last[slack:]
    if not parent.startswith(first) or not parent.endswith(last):
        return False
    position, limit = len(first), len(parent) - len(last)
    for piece in middle:
        wanted = piece[slack : len(piece) - slack]
        found = parent.find(wanted, position, limit)
        if found < 0:
            return False
        position = found + len(wanted)
    return position <= limit


def unsupported(cases: Sequence[Case]) -> Iterator[Finding]:
    """No sentence with an error stands word for word in the context or in a grounded response to the same context."""
    sound: dict[tuple[str | None, str], set[str]] = defaultdict(set)
    for case in cases:
        if case.grounded:
            sound[case.group, case.query] |= {normal(case.response[s.start : s.end]) for s in split(case.response)}
    for case in cases:
        if not case.errors:
            continue
        context = normal("\n".join(p.text for p in case.context))
        for sentence in split(case.response):
            text = normal(case.response[sentence.start : sentence.end])
            if not any(sentence.start < e.end and e.start < sentence.end for e in case.errors):
                continue
            if text in context:
                yield case.id, "A sentence with an error span stands word for word in the context."
            elif text in sound[case.group, case.query]:
                yield case.id, "A sentence with an error span stands in a grounded response to the same query."


def evidence(cases: Sequence[Case]) -> Iterator[Finding]:
    """Every sentence of a grounded response has gold evidence."""
    for case in cases:
        if case.grounded:
            bare = [
                s
                for s in split(case.response)
                if not s.heading and not any(e.response_start < s.end and s.start < e.response_end for e in case.evidence)
            ]
            if bare:
                yield case.id, f"{len(bare)} of its sentences {'has' if len(bare) == 1 else 'have'} no gold evidence."


def splits(cases: Sequence[Case]) -> Iterator[Finding]:
    """A group lies in one split, and no sentence of a response or passage stands in two."""
    groups: dict[str, str | None] = {}
    seen: dict[str, str | None] = {}
    for case in cases:
        if case.group and groups.setdefault(case.group, case.split) != case.split:
            yield case.id, "Its group has cases in another split."
        texts = (case.response, *(p.text for p in case.context))
        found = {normal(t[s.start : s.end]) for t in texts for s in split(t)}
        shared = [t for t in found if len(t.split()) >= _SHORT and seen.setdefault(t, case.split) != case.split]
        if shared:
            yield case.id, f"{len(shared)} of its sentences {'stands' if len(shared) == 1 else 'stand'} in another split too."


def near_copies(cases: Sequence[Case], embed: Embed) -> tuple[float, list[Finding]]:
    """The highest cosine between two queries, or two passages of different queries, and all pairs above `NEAR`."""
    queries = {normal(c.query): c for c in cases}
    passages = {(c.group or c.id, normal(p.text)): c for c in cases for p in c.context}
    highest, found = 0.0, []
    for texts, owners, what in (
        (list(queries), list(queries.values()), "query"),
        ([text for _, text in passages], list(passages.values()), "passage"),
    ):
        if len(texts) < 2:
            continue
        vectors = embed(texts)
        cosines = np.triu(vectors @ vectors.T, 1)
        groups = np.array([hash(c.group or c.id) for c in owners])
        cosines[groups[:, None] == groups[None, :]] = 0.0
        highest = max(highest, float(cosines.max()))
        for i, j in np.argwhere(cosines > NEAR):
            found.append((owners[int(j)].id, f"A {what} is nearly the same as one of {owners[int(i)].id}."))
    return highest, found
