"""What a set holds, and what was left out: counted once when it is read, for the page, the shell and reports."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from groundscope.cases.labels import LabelReading
from groundscope.cases.splitting import in_order, query_of
from groundscope.text.humanize import plural
from groundscope.types import Case

_MOST_VALUES = 20
_ROWS = 5


class LeftOutRows(NamedTuple):
    """Rows that are no case for one reason, with the numbers of the first."""

    reason: str
    number: int
    rows: tuple[int, ...]


class Leak(NamedTuple):
    """What two splits share; the last split's own numbers are the wholes."""

    first: str
    last: str
    queries: int
    of_queries: int
    sources: int
    of_sources: int

    @property
    def words(self) -> str:
        """Both shares."""
        shared = [(self.queries, self.of_queries, "queries"), (self.sources, self.of_sources, "passages")]
        parts = " and ".join(f"{n:,} of the {of:,} {what}" for n, of, what in shared if n)
        return f"{parts} of {self.last} are also in {self.first}"


@dataclass(frozen=True, slots=True)
class SetCounts:
    """The counts of a set.

    Attributes:
        labels: values of the label as written, what each was taken for, and how often it is so, the most frequent first; empty
            where labels are made of spans.
        by_meaning: cases that are grounded, not grounded, contradicted, without label.
        queries: what is drawn where an interval is made.
        notes: of columns that were not used, and what follows of the counts.
    """

    rows: int
    cases: int
    left_out: tuple[LeftOutRows, ...]
    labels: tuple[tuple[str, str, int], ...]
    by_meaning: tuple[tuple[str, int], ...]
    spans: int
    queries: int
    splits: tuple[tuple[str, int], ...]
    leaks: tuple[Leak, ...]
    notes: tuple[str, ...]

    def summary(self, shapes: Sequence[str] = ()) -> str:
        """All counts in one sentence, with the formats that were recognised."""
        left = sum(reason.number for reason in self.left_out)
        meanings = ", ".join(f"{n:,} {meaning}" for meaning, n in self.by_meaning)
        parts = [f"{plural(self.rows, 'row')} read, {plural(self.cases, 'usable case')}"]
        parts += [f"recognised as {' and '.join(shapes)}"] if shapes else []
        parts += [f"{left:,} left out"] if left else []
        parts += [meanings, plural(self.queries, "query", "queries")] if self.cases else []
        if [name for name, _ in self.splits] != [""]:
            parts.append(", ".join(f"{n:,} {name or 'without a split'}" for name, n in self.splits))
        return f"{'; '.join(filter(None, parts))}."

    @property
    def lines(self) -> list[str]:
        """What is worth a sentence of its own."""
        leaks = [
            f"Splits leak: {leak.words}. Figures of {leak.last} then look better than on new queries; split by query again."
            for leak in self.leaks
        ]
        return [*leaks, *self.notes]

    def label_words(self) -> str:
        """Values of the label in one line; empty where there are none."""
        return "; ".join(f"{value or '(empty)'} ({number:,}): {meaning}" for value, meaning, number in self.labels)


def counted(
    cases: Sequence[Case], *, rows: int | None = None, left_out: Iterable[tuple[int, str]] = (),
    labels: Counter[tuple[str, str]] | None = None, notes: Iterable[str] = (),
) -> SetCounts:  # fmt: skip
    """Count a set of cases.

    `rows` is how many were read (None = as many as cases), `left_out` has number and reason of each that is no case, `labels` the
    values of the label as they are written, with what they were taken for, and `notes` are on the columns of the file.
    """
    reasons: dict[str, list[int]] = defaultdict(list)
    for number, reason in left_out:
        reasons[reason].append(number)
    queries = len({query_of(case) for case in cases})
    spans = sum(bool(case.errors or case.unsupported) for case in cases)
    values = [(value, meaning, n) for (value, meaning), n in (labels or Counter()).most_common()]
    if len(values) > _MOST_VALUES:
        rest = sum(number for *_, number in values[_MOST_VALUES:])
        values = [*values[:_MOST_VALUES], (f"{len(values) - _MOST_VALUES:,} other values", "see the cases", rest)]
    return SetCounts(
        rows=len(cases) if rows is None else rows,
        cases=len(cases),
        left_out=tuple(LeftOutRows(reason, len(numbers), tuple(numbers[:_ROWS])) for reason, numbers in reasons.items()),
        labels=tuple(values),
        by_meaning=tuple(Counter(LabelReading(case.grounded, case.contradicted).meaning for case in cases).most_common()),
        spans=spans,
        queries=queries,
        splits=tuple((name, n) for name, n in in_order(Counter(case.split or "" for case in cases))),
        leaks=_leaks(cases),
        notes=(*notes, *_notes(cases, queries, spans)),
    )


ONE_QUERY = (
    "All answers are to one query, so there are no intervals: they are drawn by query. Map a field of questions or groups "
    "(question=, group=) if the file has one."
)
ANSWERS_ALONE = (
    "Labels are of whole answers: no case has error spans, so thresholds are tuned on answers, and promises "
    "count missed answers; figures of sentences need spans."
)


def _notes(cases: Sequence[Case], queries: int, spans: int) -> list[str]:
    notes = []
    if queries == 1 and len(cases) > 1:
        notes.append(ONE_QUERY)
    bare = sum(not case.query.strip() and not case.group for case in cases)
    if bare and queries > 1:
        notes.append(f"{plural(bare, 'case has', 'cases have')} no question and no group: the same sources count as one query.")
    if not spans and any(case.grounded is False for case in cases):
        notes.append(ANSWERS_ALONE)
    return notes


def _leaks(cases: Sequence[Case]) -> tuple[Leak, ...]:
    queries: dict[str, set[str]] = defaultdict(set)
    sources: dict[str, set[int]] = defaultdict(set)
    for case in cases:
        if case.split:
            queries[case.split].add(query_of(case))
            sources[case.split] |= {hash(" ".join(p.text.casefold().split())) for p in case.context if p.text.strip()}
    pairs = combinations([name for name, _ in in_order(Counter(dict.fromkeys(queries, 1)))], 2)
    leaks = (
        Leak(a, b, len(queries[a] & queries[b]), len(queries[b]), len(sources[a] & sources[b]), len(sources[b])) for a, b in pairs
    )
    return tuple(leak for leak in leaks if leak.queries or leak.sources)
