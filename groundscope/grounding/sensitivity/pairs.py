"""Grounded cases -> sentences of their responses, each with variants that differ from it in one edit.

Each sentence is a case of its own, with the context and query of the response that it stands in, and each variant is one, too: a
run judges them like any others. A variant's id is that of its sentence, a hyphen and the operator's name; `pairs_of` finds both
again among the ids of a run.

The edits are rules: a variant of an operator that makes an error says what no passage says there, as far as a rule can know, and
whether it is really wrong in law is for a person to check.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from statistics import mean
from typing import NamedTuple

from groundscope.cases.edits.source import Edit, EditSource, Operator
from groundscope.cases.edits.variants import CONTROLS, OPERATORS
from groundscope.errors import DataError
from groundscope.text.sentences import Sentence, split
from groundscope.types import Case, ErrorSpan

KNOWN: Mapping[str, Operator] = {o.name: o for o in (*OPERATORS, *CONTROLS)}
"""Operators by name, those that make an error first."""
SOURCE = "Pairs of "
"""How the source of a run over pairs begins."""
_SENTENCE = "#"


class EditPair(NamedTuple):
    """A sentence and a variant of it, as rows of a run."""

    sentence: int
    variant: int
    operator: str


@dataclass(frozen=True, slots=True)
class PairSet:
    """Sentences with their variants, made of a set.

    `sound`: grounded answers that the sentences stand in; `size`: mean length of a sentence or variant, beside that of an answer.
    """

    cases: tuple[Case, ...]
    counts: Mapping[str, int]
    sound: int
    size: float

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return sum(self.counts.values())


def make(cases: Sequence[Case], most: int = 0, names: Sequence[str] = (), *, seed: int = 0) -> PairSet:
    """Make at most one variant of each sentence by each operator."""
    sound = [c for c in cases if c.grounded and not c.called_wrong]
    if not sound:
        raise DataError(
            "Pairs are made of grounded answers, and no case of this set is labelled as one. Load a set with labels, or add some."
        )
    operators = [o for name, o in KNOWN.items() if not names or name in names]
    by_sentence = {base.id: (base, made) for case in sound for base, made in _of_case(case, operators, seed)}
    selected = _shares([v for _, made in by_sentence.values() for v in made], most, seed)
    counts = dict.fromkeys((o.name for o in operators), 0)
    chosen: list[Case] = []
    for base, variants in by_sentence.values():
        some = [v for v in variants if v.id in selected]
        for variant in some:
            counts[operator_of(variant)] += 1
        chosen += [base, *some] if some else []
    if not chosen:
        raise DataError("No edit applies to any sentence of these answers; choose more edits, or another set.")
    size = mean(len(c.response) for c in chosen) / mean(len(c.response) for c in sound)
    return PairSet(tuple(chosen), counts, len(sound), size)


def operator_of(variant: Case) -> str:
    """Read the name of the operator that made a variant from its id."""
    return variant.id.rpartition("-")[2]


def pairs_of(ids: Iterable[str]) -> tuple[EditPair, ...]:
    """Find the pairs of a run."""
    rows = {name: row for row, name in enumerate(ids)}
    pairs = []
    for name, row in rows.items():
        sentence, _, operator = name.rpartition("-")
        if operator in KNOWN and _SENTENCE in sentence and sentence in rows:
            pairs.append(EditPair(rows[sentence], row, operator))
    return tuple(pairs)


def changed(before: str, after: str) -> tuple[int, int, int]:
    """Find the one place in which two texts differ, in whole words."""
    shorter = min(len(before), len(after))
    start = next((i for i in range(shorter) if before[i] != after[i]), shorter)
    tail = next((i for i in range(shorter - start) if before[-1 - i] != after[-1 - i]), shorter - start)
    both = (before, after)
    while start and any(_word(text[start - 1 : start + 1]) for text in both):
        start -= 1
    while tail and any(_word(text[len(text) - tail - 1 : len(text) - tail + 1]) for text in both):
        tail -= 1
    return start, len(before) - tail, len(after) - tail


def _word(two: str) -> bool:
    return len(two) > 1 and two.isalnum()


def _of_case(case: Case, operators: Sequence[Operator], seed: int) -> Iterator[tuple[Case, list[Case]]]:
    """The sentences of a response to which an operator applies, each with its variants."""
    source = EditSource(case)
    by: dict[int, list[tuple[Operator, list[Edit]]]] = defaultdict(list)
    starts = [s.start for s in source.claims]
    for operator in operators:
        edits: dict[int, list[Edit]] = defaultdict(list)
        for edit in operator.edits(source):
            at = next((i for i in range(len(starts) - 1, -1, -1) if starts[i] <= edit.start), -1)
            if at >= 0 and edit.end <= source.claims[at].end:
                edits[at].append(edit)
        for at, some in edits.items():
            by[at].append((operator, some))
    for at, by_operator in sorted(by.items()):
        base = _sentence(case, source.claims[at], at)
        if base is None:
            continue
        attempts = (_variant(source, base, source.claims[at].start, operator, edits, seed) for operator, edits in by_operator)
        if variants := [v for v in attempts if v]:
            yield base, variants


def _sentence(case: Case, place: Sentence, number: int) -> Case | None:
    """A sentence as a case of its own; None where it would be read as several, or as a heading."""
    text = case.response[place.start : place.end]
    if not _one(text):
        return None
    evidence = tuple(
        replace(
            e, response_start=max(0, e.response_start - place.start), response_end=min(len(text), e.response_end - place.start)
        )
        for e in case.evidence
        if e.response_start < place.end and e.response_end > place.start
    )
    return replace(
        case, id=f"{case.id}{_SENTENCE}{number + 1}", response=text, evidence=evidence, group=case.group or case.id, parent=None
    )


def _one(text: str) -> bool:
    sentences = split(text)
    return len(sentences) == 1 and not sentences[0].heading and (sentences[0].start, sentences[0].end) == (0, len(text))


def _variant(source: EditSource, base: Case, start: int, operator: Operator, edits: list[Edit], seed: int) -> Case | None:
    # Not the built-in hash: it differs from one process to the next.
    random.Random(f"{seed} {operator.name} {base.id} {base.response}").shuffle(edits)  # noqa: S311 - no secret
    for edit in edits:
        first, last = edit.start - start, edit.end - start
        text = base.response[:first] + edit.new + base.response[last:]
        if not _one(text) or (operator.type and source.says(text)):
            continue
        errors = (ErrorSpan(first, first + len(edit.new), operator.type, edit.why),) if operator.type else ()
        return replace(
            base, id=f"{base.id}-{operator.name}", response=text, grounded=not operator.type, errors=errors, evidence=(),
            parent=base.id,
        )  # fmt: skip
    return None


def _shares(variants: Sequence[Case], most: int, seed: int) -> set[str]:
    """Ids of the variants that are kept: of each operator the same number, as far as it has so many."""
    by: dict[str, list[str]] = defaultdict(list)
    for variant in variants:
        by[operator_of(variant)].append(variant.id)
    left, selected = most or len(variants), set[str]()
    for place, name in enumerate(sorted(by, key=lambda name: (len(by[name]), name))):
        share = left // (len(by) - place)
        selected.update(sorted(by[name], key=lambda one: sha256(f"{seed} {one}".encode()).hexdigest())[:share])
        left -= min(share, len(by[name]))
    return selected
