"""Cases -> the same cases several times: as they are, with passages or sentences in another order, or for a reworded prompt.

Each copy is a case of its own, which a run judges like any other. Its id is that of the case, a tilde, the kind and a number;
`readings_of` finds the copies again among the ids of a run. The first copy is the case as it is, and a reading of every kind.

Orders are drawn at random, each at most once for a case. An order of sentences is used only where the response is read as the
same sentences then; a heading stays in its place.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal, NamedTuple

from groundscope.cases.splitting import sampled
from groundscope.errors import DataError
from groundscope.methods import Method
from groundscope.text.sentences import Sentence, split
from groundscope.types import Case

Kind = Literal["repeats", "passages", "sentences", "wording"]
KINDS: Mapping[Kind, str] = {
    "repeats": "Asked again",
    "passages": "Passages in another order",
    "sentences": "Sentences in another order",
    "wording": "Prompt in other words",
}
"""What is done to a case, with its title."""
SOURCE = "Repeats of "
"""How the source of a run over copies begins."""
FEWEST, MOST = 2, 50
"""Readings of a case in each kind."""
_ID = re.compile(rf"(?s)(.*)~({'|'.join(KINDS)})-([1-9]\d*)")


class CaseCopies(NamedTuple):
    """The copies of one case that differ in one way, as rows of a run; the first is the case as it is."""

    case: str
    kind: Kind
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CopySet:
    """Cases with their copies.

    `wordings`: for each of `cases` the rewording of the prompts that it is for; 0 = the methods' own words.
    """

    cases: tuple[Case, ...]
    wordings: tuple[int, ...]
    counts: Mapping[Kind, int]
    of: int


def make(
    cases: Sequence[Case], times: int, kinds: Sequence[Kind] = (), *, wordings: int = 0, most: int = 0, seed: int = 0
) -> CopySet:
    """Copy cases."""
    if not FEWEST <= times <= MOST:
        raise ValueError(f"a case is asked {FEWEST} to {MOST} times, got {times}: a single reading cannot differ from another")
    if wrong := [k for k in kinds if k not in KINDS]:
        raise ValueError(f"there is no kind {wrong[0]!r}; there are {', '.join(KINDS)}")
    if not cases:
        raise DataError("There is no case to ask about; choose a set that holds some.")
    if len({c.id for c in cases}) < len(cases):
        raise DataError("Two cases have one id, so nothing shows which is which; give each an id of its own.")
    chosen = list(cases)
    if 0 < most < len(cases):
        chosen = list(sampled(cases, most, seed))
    selected_kinds = [k for k in KINDS if not kinds or k in kinds]
    counts = dict.fromkeys(selected_kinds, 0)
    numbered: list[tuple[Case, int]] = []
    for case in chosen:
        copies = {kind: list(_copies(case, kind, times - 1, wordings, seed)) for kind in selected_kinds}
        for kind, variants in copies.items():
            counts[kind] += bool(variants)
        numbered += [(_named(case, case, "repeats", 1), 0), *(copy for variants in copies.values() for copy in variants)]
    if not any(counts.values()):
        raise DataError(
            "None of this can be done to these cases: an order needs two passages or two sentences, and a rewording a method "
            "that has one. Choose more kinds, or another set."
        )
    return CopySet(tuple(c for c, _ in numbered), tuple(n for _, n in numbered), counts, len(chosen))


def rewordings_of(methods: Iterable[Method]) -> int:
    """Count the rewordings of methods' prompts."""
    counts = (next((n for n in range(MOST) if method.reworded(n + 1) is None), MOST - 1) for method in methods)
    return max(counts, default=0)


def _copies(case: Case, kind: Kind, number: int, wordings: int, seed: int) -> Iterator[tuple[Case, int]]:
    """The other copies of a case, with the rewording that each is for."""
    if kind == "repeats":
        yield from ((_named(case, case, kind, i), 0) for i in range(2, number + 2))
    elif kind == "wording":
        yield from ((_named(case, case, kind, i), i) for i in range(1, min(number, wordings) + 1))
    else:
        # Not the built-in hash: it differs from one process to the next.
        dice = random.Random(f"{seed} {kind} {case.id} {case.response}")  # noqa: S311 - no secret
        reordered = other_passages(case, number, dice) if kind == "passages" else other_sentences(case, number, dice)
        yield from ((_named(case, copy, kind, i), 0) for i, copy in enumerate(reordered, 1))


def _named(case: Case, copy: Case, kind: Kind, number: int) -> Case:
    # Cases without a question are not all about one.
    group = case.group or (None if case.query.strip() else case.id)
    return replace(copy, id=f"{case.id}~{kind}-{number}", group=group)


def copies_of(ids: Iterable[str]) -> tuple[CaseCopies, ...]:
    """Find the copies of a run."""
    rows: dict[str, dict[str, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    for row, name in enumerate(ids):
        if parsed := _ID.fullmatch(name):
            rows[parsed[1]][parsed[2]][int(parsed[3])] = row
    readings = []
    for kind in KINDS:
        for case, by in rows.items():
            first = by["repeats"].get(1)
            others = [row for number, row in sorted(by[kind].items()) if row != first]
            if first is not None and others:
                readings.append(CaseCopies(case, kind, (first, *others)))
    return tuple(readings)


_DRAWN = 30
"""Draws for each order that is wanted, before those found are all."""


def _orders(size: int, dice: random.Random) -> Iterator[tuple[int, ...]]:
    """Orders other than the one that is, each once; may end before all were drawn."""
    seen = {tuple(range(size))}
    order, idle = list(range(size)), 0
    while size > 1 and idle < _DRAWN:
        dice.shuffle(order)
        idle += 1
        if tuple(order) not in seen:
            seen.add(tuple(order))
            idle = 0
            yield tuple(order)


def other_passages(case: Case, number: int, dice: random.Random) -> Iterator[Case]:
    """A case with its passages in other orders, at most `number` of them."""
    for order in islice(_orders(len(case.context), dice), number):
        evidence = tuple(replace(e, passage=order.index(e.passage)) for e in case.evidence)
        yield replace(case, context=tuple(case.context[i] for i in order), evidence=evidence)


def other_sentences(case: Case, number: int, dice: random.Random) -> Iterator[Case]:
    """A case with the sentences of its response in other orders, at most `number` of them; headings stay where they are."""
    sentences = split(case.response)
    free = [s for s in sentences if not s.heading]
    tried = islice(_orders(len(free), dice), number + _DRAWN)
    copies = (_reordered(case, sentences, [free[i] for i in order]) for order in tried)
    yield from islice((copy for copy in copies if copy is not None), number)


def _reordered(case: Case, sentences: Sequence[Sentence], order: Sequence[Sentence]) -> Case | None:
    """A case with its sentences in an order; None where they would be read as others."""
    parts, moved, at, size = [], {}, 0, 0
    coming = iter(order)
    for place in sentences:
        sentence = place if place.heading else next(coming)
        parts += [case.response[at : place.start], case.response[sentence.start : sentence.end]]
        size += len(parts[-2])
        moved[sentence] = size - sentence.start
        size += len(parts[-1])
        at = place.end
    text = "".join([*parts, case.response[at:]])
    if [text[s.start : s.end] for s in split(text)] != parts[1::2]:
        return None

    def shift(start: int, end: int) -> int | None:
        """How far a span moves; None where it lies in more than one sentence."""
        return next((by for s, by in moved.items() if s.start <= start and end <= s.end), None)

    return replace(
        case,
        response=text,
        errors=tuple(
            replace(e, start=e.start + by, end=e.end + by) for e in case.errors if (by := shift(e.start, e.end)) is not None
        ),
        evidence=tuple(
            replace(e, response_start=e.response_start + by, response_end=e.response_end + by)
            for e in case.evidence
            if (by := shift(e.response_start, e.response_end)) is not None
        ),
        unsupported=tuple((a + by, b + by) for a, b in case.unsupported if (by := shift(a, b)) is not None),
    )


def places_of(before: str, after: str) -> tuple[int, ...]:
    """Find the sentences of a response in a copy of it."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, s in enumerate(split(before)):
        numbers[before[s.start : s.end]].append(number)
    texts = [after[s.start : s.end] for s in split(after)]
    return tuple(numbers[text].pop(0) if numbers[text] else -1 for text in texts)
