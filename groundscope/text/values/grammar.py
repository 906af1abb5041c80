"""The values of a text: every reader's, the longest reading where they overlap."""

from collections.abc import Iterable

from groundscope.runtime.byte_cache import keep
from groundscope.text.values.dates import read_dates
from groundscope.text.values.measures import measures
from groundscope.text.values.numbers import lowered
from groundscope.text.values.periods import read_periods
from groundscope.text.values.provisions import provisions
from groundscope.text.values.times import read_times
from groundscope.text.values.types import Value, ValueKind

_FIRST = {ValueKind.DATE: 0, ValueKind.TIME: 0, ValueKind.DURATION: 0, ValueKind.PROVISION: 1, ValueKind.DOCKET: 2}
"""Which of two readings of the same words counts."""


@keep(megabytes=8)
def read_values(text: str, language: str = "en") -> tuple[Value, ...]:
    """Read every figure of a text to kind, amount and unit.

    Args:
        text: the sentence; any text will do, in linear time. Recent results are cached.
        language: ISO code; decides "1.250", the words for numbers and the order of "3/4/2021".

    Returns:
        Values in reading order that do not overlap, with half-open character offsets into `text`.
    """
    return values_of(text, language)


def values_of(text: str, language: str = "en") -> tuple[Value, ...]:
    """As `read_values`, and not cached: weighing the values of a long text takes longer than to read them."""
    low = lowered(text)
    values = [*provisions(text, low), *measures(text, low, language)]
    for reader in (read_dates(text, language), read_periods(text, language), read_times(text)):
        values += reader
    return tuple(_longest(values))


def _longest(values: Iterable[Value]) -> list[Value]:
    chosen: list[Value] = []
    cluster: list[Value] = []
    past = 0
    for value in sorted(values, key=lambda v: v.start):
        if value.start >= past and cluster:
            chosen += _apart(cluster)
            cluster = []
        cluster.append(value)
        past = max(past, value.end)
    return chosen + _apart(cluster)


def _apart(cluster: list[Value]) -> list[Value]:
    if len(cluster) < 2:
        return cluster
    chosen: list[Value] = []
    first = cluster[0].start
    taken = bytearray(max(v.end for v in cluster) - first)
    for value in sorted(cluster, key=lambda v: (v.start - v.end, _FIRST.get(v.kind, 3))):
        if 1 not in taken[value.start - first : value.end - first]:
            chosen.append(value)
            taken[value.start - first : value.end - first] = b"\x01" * (value.end - value.start)
    return sorted(chosen, key=lambda v: v.start)
