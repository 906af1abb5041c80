"""What other methods and the deterministic differences say of a response's sentences, as numbers for an ensemble.

A sentence's evidence are the three context sentences that the first method with matches names for it.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundscope.methods import Method
from groundscope.text.differences import ContextFacts, FactKind, fact_differences, missing_by_sentence
from groundscope.types import Case, Judgement, SentenceScore, Status

Features = NDArray[np.float64]

EVIDENCE = 3
"""How many of the best matches count as a sentence's evidence."""

_ONLY_HERE = {
    FactKind.CITATION: "citations that the evidence lacks",
    FactKind.MONEY: "amounts that the evidence lacks",
    FactKind.DATE: "dates that the evidence lacks",
    FactKind.NUMBER: "numbers that the evidence lacks",
    FactKind.NAME: "names that the evidence lacks",
    FactKind.QUOTE: "quotations that the evidence lacks",
    FactKind.MODAL: "shall, may, must that the evidence lacks",
    FactKind.NEGATION: "negations that the evidence lacks",
}
_ONLY_THERE = {
    FactKind.MODAL: "shall, may, must of the evidence that are gone",
    FactKind.NEGATION: "negations of the evidence that are gone",
}
NOWHERE = "figures and names that stand nowhere in the context"
_MOST = 3.0
"""A count above this says no more than this."""


class Table(NamedTuple):
    """Numbers of n sentences.

    Attributes:
        names: f of them, in plain words: they are what users read.
        values: (n, f); NaN where a method did not assess a sentence.
        places: (n,) which sentences of the response these are; headings are left out.
        missing: (n,) the words of each sentence that stand nowhere in the context; empty in a table without texts.
    """

    names: tuple[str, ...]
    values: Features
    places: tuple[int, ...]
    missing: tuple[tuple[str, ...], ...] = ()


def unfit(method: str, scorer: Method) -> str:
    """Say why a method cannot be part of an ensemble."""
    if (kind := method.partition(":")[0]) in ("ensemble", "cascade"):
        return f"{'An' if kind == 'ensemble' else 'A'} {kind} cannot be a part of an ensemble; name its methods themselves."
    if scorer.asks:
        # A run would not say beforehand where the texts go, and what that costs.
        return f"{method} asks a chat model, and an ensemble is made of methods that work on this machine alone; leave it out."
    return ""


def usable(judgement: Judgement) -> bool:
    """Find out whether an ensemble can read a judgement: what a method did not assess says nothing, and what failed stops it."""
    return judgement.status is Status.SCORED or (judgement.status is Status.NOT_ASSESSABLE and bool(judgement.sentences))


def feature_names(methods: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of an ensemble of methods with these ids.

    They are one a method, in their order, then those of the differences between sentence and evidence, in plain words.
    """
    return (*(f"support by {m}" for m in methods), *_ONLY_HERE.values(), *_ONLY_THERE.values(), NOWHERE)


def table(case: Case, judged: Mapping[str, Judgement]) -> Table:
    """Make the numbers of a case's sentences.

    Raises:
        ValueError: the judgements are not of the same sentences.
    """
    spans = {tuple((s.start, s.end) for s in j.sentences) for j in judged.values()}
    if len(spans) != 1 or not all(spans):
        raise ValueError("An ensemble needs methods that judge the same sentences, one by one; leave the others out.")
    missing = missing_by_sentence(case, ContextFacts.of_case(case))
    first = next(iter(judged.values()))
    rows, places = [], []
    for i in range(len(first.sentences)):
        scores = [j.sentences[i] for j in judged.values()]
        if all(s.support is None for s in scores):
            continue
        supports = [np.nan if s.support is None else s.support for s in scores]
        said = case.response[scores[0].start : scores[0].end]
        rows.append([*supports, *_differences(said, _evidence(case, scores)), min(_MOST, len(missing[i]))])
        places.append(i)
    names = feature_names(tuple(judged))
    values = np.array(rows, dtype=np.float64).reshape(-1, len(names))
    return Table(names, values, tuple(places), tuple(missing[i] for i in places))


def _evidence(case: Case, scores: Sequence[SentenceScore]) -> str:
    matches = next((s.matches for s in scores if s.matches), ())[:EVIDENCE]
    return " ".join(case.context[m.passage].text[m.start : m.end] for m in matches)


def _differences(said: str, evidence: str) -> list[float]:
    found = {d.kind: d for d in fact_differences(said, evidence)}
    here = [min(_MOST, float(len(found[k].response))) if k in found else 0.0 for k in _ONLY_HERE]
    there = [min(_MOST, float(len(found[k].context))) if k in found else 0.0 for k in _ONLY_THERE]
    return here + there
