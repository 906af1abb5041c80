"""Spans, which arrive one by one and out of order -> whole traces."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from groundscope.traces.files import FilePlace
from groundscope.traces.spans import TraceSpan

QUIET = 10.0
"""Seconds without a further span after which a trace with its root is whole."""
PATIENCE = 300.0
"""Seconds after which a trace is taken as it is, also without its root."""
BEHIND = 5_000
"""Spans of other traces after which a trace with its root is whole, in a file that is read faster than it was written."""
MOST_OPEN = 50_000
"""Traces that are held at once; of more, the oldest are taken as they are."""


class WholeTrace(NamedTuple):
    """A root with all spans below it, itself among them."""

    root: TraceSpan
    spans: tuple[TraceSpan, ...]


@dataclass(slots=True)
class _Open:
    place: tuple[Path, FilePlace]
    seen: float
    count: int
    spans: dict[str, TraceSpan] = field(default_factory=dict)

    @property
    def rooted(self) -> bool:
        return any(not one.parent for one in self.spans.values())


class Gathering:
    """Traces that are not whole yet."""

    def __init__(self) -> None:
        """Begin with none."""
        self._open: dict[str, _Open] = {}
        self._count = 0

    def __len__(self) -> int:
        """Count the traces that are not whole yet."""
        return len(self._open)

    def add(self, span: TraceSpan, path: Path, start: FilePlace, now: float) -> None:
        """Add a span."""
        self._count += 1
        held = self._open.get(span.trace)
        if held is None:
            held = self._open[span.trace] = _Open((path, start), now, self._count)
        held.spans[span.id] = span
        held.seen, held.count = now, self._count

    def whole(self, now: float, *, end: bool = False) -> Iterator[WholeTrace]:
        """Take out the traces that are whole."""
        over = max(0, len(self._open) - MOST_OPEN)
        for at, (trace, held) in enumerate(list(self._open.items())):
            quiet = now - held.seen
            known = held.rooted and (quiet >= QUIET or self._count - held.count >= BEHIND)
            if end or known or quiet >= PATIENCE or at < over:
                del self._open[trace]
                yield from _roots(held.spans)

    def first(self, path: Path) -> FilePlace | None:
        """Find where the first record of a file stands that is still needed."""
        places = [place for at, place in (held.place for held in self._open.values()) if at == path]
        return min(places, key=lambda place: place.offset, default=None)


def _roots(spans: dict[str, TraceSpan]) -> Iterator[WholeTrace]:
    below: dict[str, list[TraceSpan]] = {}
    roots = [one for one in spans.values() if not one.parent]
    for span in spans.values():
        if span.parent in spans and span.parent != span.id:
            below.setdefault(span.parent, []).append(span)
        elif span.parent and roots:
            below.setdefault(roots[0].id, []).append(span)
        elif span.parent:
            below.setdefault("", []).append(span)
    roots = roots or below.get("", [])
    for root in roots:
        found, waiting = [root], [root]
        while waiting:
            # A level after another: conventions look at what stands higher first.
            waiting = [child for one in waiting for child in below.get(one.id, ())]
            found += waiting
        yield WholeTrace(root, tuple(found))
