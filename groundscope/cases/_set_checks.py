"""Checks of a labelled set whose answer is yes or no: labels, parents, spans, evidence, splits, copies.

Each takes the whole set and yields its findings in the order of the cases.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from groundscope.cases.parents import differs_only_at_spans
from groundscope.cases.splitting import query_of
from groundscope.text.humanize import plural
from groundscope.text.sentences import split
from groundscope.types import Case, Matrix

Embed = Callable[[list[str]], Matrix]
"""n texts -> (n, d) vectors of length 1."""
SetFinding = tuple[str, str]
"""The id of a case and what is wrong with it, in one sentence that quotes nothing."""

NEAR = 0.9
"""Cosine above which two queries, or two passages of different queries, count as near-copies."""

_BLOCK = 1024
"""Rows of cosines held at a time."""
_SHORT = 5
"""Words; a shorter sentence ("The answer is no.") may recur without being a copy."""


def normal(text: str) -> str:
    """A text as two texts are compared: case folded, white space as single spaces, none at its ends."""
    return " ".join(text.casefold().split())


def labels(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """A grounded response has no error, an ungrounded one at least one span where the set has spans; typed ones give reasons."""
    spans = any(case.errors or case.unsupported for case in cases)
    for case in cases:
        wrong = bool(case.errors or case.unsupported)
        if case.grounded and case.called_wrong:
            yield case.id, f"It is labelled grounded but has an error {'span' if wrong else 'type'}."
        if spans and case.grounded is False and not wrong:
            yield case.id, "It is labelled ungrounded, but no span says where."
        if any(not e.why for e in case.errors):
            yield case.id, "An error span lacks the reason why it is wrong."


def parents(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """A variant's parent is in the set, not labelled ungrounded, and has the same query, context, group and split."""
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


def edits(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """A variant differs from its parent only in its error spans and the words next to them."""
    by_id = {c.id: c for c in cases}
    for case in cases:
        parent = by_id.get(case.parent or "")
        if parent and case.errors and not differs_only_at_spans(case, parent.response):
            yield case.id, "It differs from its parent elsewhere than in and next to its error spans."


def unsupported(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """No sentence with a typed error stands word for word in its context or in a grounded response to the same query."""
    sound: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        if case.grounded:
            sound[query_of(case)] |= {normal(case.response[s.start : s.end]) for s in split(case.response)}
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
            elif text in sound[query_of(case)]:
                yield case.id, "A sentence with an error span stands in a grounded response to the same query."


def evidence(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """Every sentence of a grounded response has gold evidence; headings need none."""
    for case in cases:
        if case.grounded:
            bare = [
                s
                for s in split(case.response)
                if not s.heading and not any(e.response_start < s.end and s.start < e.response_end for e in case.evidence)
            ]
            if bare:
                yield case.id, f"{plural(len(bare), 'of its sentences has', 'of its sentences have')} no gold evidence."


def splits(cases: Sequence[Case]) -> Iterator[SetFinding]:
    """A query lies in one split, and no sentence of five words or more of a response or passage stands in two."""
    groups: dict[str, str | None] = {}
    seen: dict[str, str | None] = {}
    for case in cases:
        if case.split is None:
            continue
        if groups.setdefault(query_of(case), case.split) != case.split:
            yield case.id, "Its query has cases in another split."
        texts = (case.response, *(p.text for p in case.context))
        sentences = {normal(t[s.start : s.end]) for t in texts for s in split(t)}
        shared = [t for t in sentences if len(t.split()) >= _SHORT and seen.setdefault(t, case.split) != case.split]
        if shared:
            yield case.id, f"{plural(len(shared), 'of its sentences is', 'of its sentences are')} in another split too."


def texts_to_embed(cases: Sequence[Case]) -> list[str]:
    """List the texts that `near_copies` embeds, so that their vectors can be made beforehand."""
    return list(dict.fromkeys([normal(c.query) for c in cases] + [normal(p.text) for c in cases for p in c.context]))


def near_copies(cases: Sequence[Case], embed: Embed) -> tuple[float, list[SetFinding]]:
    """The highest cosine between two queries, or two passages, of different groups, and one finding a pair above `NEAR`."""
    queries = {(query_of(c), normal(c.query)): c for c in cases}
    passages = {(query_of(c), normal(p.text)): c for c in cases for p in c.context}
    highest, findings = 0.0, []
    for owners, what in ((queries, "query"), (passages, "passage")):
        for cosine, i, j in _close_pairs(list(owners), embed):
            highest = max(highest, cosine)
            if cosine > NEAR:
                ours, theirs = list(owners.values())[j], list(owners.values())[i]
                findings.append((ours.id, f"A {what} is nearly the same as one of {theirs.id}."))
    return highest, findings


def _close_pairs(texts: Sequence[tuple[str, str]], embed: Embed) -> Iterator[tuple[float, int, int]]:
    """(cosine, i, j) of all pairs above `NEAR` from different groups with i < j, and of the closest in each block of rows."""
    vectors = embed([text for _, text in texts])
    numbers = {group: n for n, group in enumerate(dict.fromkeys(group for group, _ in texts))}
    groups = np.array([numbers[group] for group, _ in texts])
    for start in range(0, len(texts), _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, len(texts)))
        cosines = vectors[rows] @ vectors.T
        cosines[(groups[rows, None] == groups[None, :]) | (np.arange(len(texts))[None, :] <= rows[:, None])] = 0.0
        close = {(int(i), int(j)) for i, j in np.argwhere(cosines > NEAR)}
        top = np.unravel_index(int(cosines.argmax()), cosines.shape)
        for i, j in sorted(close | {(int(top[0]), int(top[1]))}):
            yield float(cosines[i, j]), start + i, j
