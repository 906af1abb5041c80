"""The values of a text: every reader's, the longest reading where they overlap."""

from operator import itemgetter

from groundscope.runtime.byte_cache import keep
from groundscope.text.values.dates import read_dates
from groundscope.text.values.measures import measures
from groundscope.text.values.numbers import figures, foreign, lowered, merged
from groundscope.text.values.periods import read_periods
from groundscope.text.values.provisions import provisions
from groundscope.text.values.times import read_times
from groundscope.text.values.types import Value, ValueKind
from groundscope.text.values.words import READ_LANGUAGES


@keep(megabytes=8)
def read_values(text: str, language: str = "en") -> tuple[Value, ...]:
    """Read every figure of a text to kind, amount and unit, in reading order, without overlap; linear in the text, and cached.

    The language, an ISO code, decides "1.250", the words for numbers and the order of "3/4/2021".
    """
    return values_of(text, language)


def values_of(text: str, language: str = "en") -> tuple[Value, ...]:
    """As `read_values`, and not cached: weighing the values of a long text takes longer than to read them."""
    low = lowered(text)
    read, others = figures(text, low, language), foreign(text, language)
    ours = sorted([*(f for f in read if not f.words), *others]) if language != "en" and language in READ_LANGUAGES else read
    # Of two readings of the same words the first counts.
    return _longest(
        [
            *read_dates(text, language),
            *read_periods(text, language, merged(read, others)),
            *read_times(text),
            *sorted(provisions(text, low), key=lambda v: v.kind is ValueKind.DOCKET),
            *measures(text, low, language, ours),
        ]
    )


def _longest(values: list[Value]) -> tuple[Value, ...]:
    """The longest values of each cluster of those that overlap."""
    chosen: list[Value] = []
    cluster: list[Value] = []
    past = 0
    for value in sorted(values, key=_START):
        if value.start >= past and cluster:
            chosen += _apart(cluster) if len(cluster) > 1 else cluster
            cluster = []
        cluster.append(value)
        past = max(past, value.end)
    return (*chosen, *(_apart(cluster) if len(cluster) > 1 else cluster))


_START = itemgetter(Value._fields.index("start"))


def _apart(cluster: list[Value]) -> list[Value]:
    chosen: list[Value] = []
    first = cluster[0].start
    taken = bytearray(max(v.end for v in cluster) - first)
    for value in sorted(cluster, key=lambda v: v.start - v.end):
        if 1 not in taken[value.start - first : value.end - first]:
            chosen.append(value)
            taken[value.start - first : value.end - first] = b"\x01" * (value.end - value.start)
    return sorted(chosen, key=_START)
