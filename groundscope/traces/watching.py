"""Reading spans, choosing answers by chance, and judging them, as long as something comes."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from threading import Event

from groundscope.api.scores import ScoredRow
from groundscope.api.scoring import judged_rows
from groundscope.cases.own_format import passages
from groundscope.chat.budget import BUDGET, Budget
from groundscope.errors import DataError
from groundscope.files.fields import clean, sized
from groundscope.grounding.parts import NamedPart
from groundscope.methods import Method
from groundscope.statistics.decision import verdict
from groundscope.traces.answers import AnswerState, LiveAnswer, LiveJudgement
from groundscope.traces.conventions import answered, attribute
from groundscope.traces.files import GROWING, FilePlace, files_of, records
from groundscope.traces.gathering import Gathering, WholeTrace
from groundscope.traces.store import LiveStore
from groundscope.types import Case, Status

VERSION = "service.version"
"""The attribute that names the version of the program, in OpenTelemetry's conventions."""
POLL = 2.0
"""Seconds between two looks at a folder that grows."""
_TOGETHER = 64
"""Answers that are judged together."""
_SETTLED = 5.0
"""Seconds without a change after which a file that is written at once is read."""

Parts = Sequence[tuple[NamedPart, Method]]


@dataclass(frozen=True, slots=True)
class Watched:
    """How answers of traces are judged.

    Attributes:
        rate: share of the answers that are judged, chosen by chance, above 0, at most 1.
        version: attribute that names the version of the program.
        texts: whether the texts of judged answers are kept.
        dollars: the most that chat models may cost on a day, in US dollars; None = no limit.
        answers: the most answers that are judged on a day; None = no limit.
    """

    path: Path
    rate: float = 1.0
    version: str = VERSION
    texts: bool = False
    dollars: float | None = None
    answers: int | None = None


@dataclass(slots=True)
class Seen:
    """What one start has seen so far: records, those that cannot be used, other traces, and answers by state."""

    records: int = 0
    unread: int = 0
    others: int = 0
    known: int = 0
    states: dict[AnswerState, int] | None = None

    def count(self, state: AnswerState) -> None:
        """Count an answer."""
        self.states = self.states or {}
        self.states[state] = self.states.get(state, 0) + 1

    @property
    def judged(self) -> int:
        """Answers that were judged."""
        return (self.states or {}).get(AnswerState.JUDGED, 0)


def chosen(trace: str, rate: float) -> bool:
    """Decide whether a trace is judged: by its id, so that every start and every machine decides alike."""
    drawn = int.from_bytes(blake2b(trace.encode(), digest_size=8, person=b"groundscope-live").digest())
    return drawn < rate * 2**64


def watch(
    store: LiveStore,
    how: Watched,
    parts: Parts,
    *,
    follow: bool,
    stop: Event,
    hear: Callable[[Seen], None] = lambda seen: None,
) -> Seen:
    """Read new spans, judge answers, and keep the results.

    Raises:
        DataError: the file or the folder cannot be read.
    """
    return _Watching(store, how, parts, stop, hear).work(follow=follow)


class _Watching:
    def __init__(self, store: LiveStore, how: Watched, parts: Parts, stop: Event, hear: Callable[[Seen], None]) -> None:
        self._store, self._how, self._parts, self._stop, self._hear = store, how, parts, stop, hear
        self._seen, self._gathering, self._places = Seen(), Gathering(), store.places()
        self._refused: dict[str, tuple[float, int]] = {}

    def work(self, *, follow: bool) -> Seen:
        # What was read and not yet judged is read again.
        while True:
            for path in files_of(self._how.path):
                self._read(path, follow=follow)
                if self._stop.is_set():
                    break
            ended = not follow and not self._stop.is_set()
            self._judge(end=ended)
            self._keep_places()
            self._hear(self._seen)
            if not follow or self._stop.wait(POLL):
                return self._seen

    def _read(self, path: Path, *, follow: bool) -> None:
        name, growing = str(path), path.name.lower().endswith(GROWING)
        place = self._places.get(name, FilePlace())
        if follow and not growing and not self._settled(path, name):
            return
        unread = []
        try:
            for number, record in enumerate(records(path, place, growing=follow), 1):
                self._seen.records += 1
                if record.reason:
                    self._seen.unread += 1
                    unread.append((name, record.end.line, record.reason))
                for span in record.spans:
                    self._gathering.add(span, path, record.start, time.monotonic())
                self._places[name] = record.end
                if number % 1_000 == 0:
                    self._judge()
                    self._keep_places()
                    self._hear(self._seen)
                    if self._stop.is_set():
                        break
        except DataError as error:
            if not follow:
                raise
            unread.append((name, 0, str(error)))
        if unread:
            self._store.keep_unread(unread)

    def _settled(self, path: Path, name: str) -> bool:
        """Whether a file that is written at once is complete, and was not refused as it is."""
        try:
            found = path.stat()
        except OSError:
            return False
        now = (found.st_mtime, found.st_size)
        if self._refused.get(name) == now or time.time() - found.st_mtime < _SETTLED:
            return False
        self._refused[name] = now
        return True

    def _keep_places(self) -> None:
        kept = {}
        for name, place in self._places.items():
            first = self._gathering.first(Path(name))
            kept[name] = min(place, first, key=lambda p: p.offset) if first and first.number == place.number else place
        self._store.keep_places(kept)

    def _judge(self, *, end: bool = False) -> None:
        ready = self._gathering.whole(time.monotonic(), end=end)
        # What is not taken out when work is stopped is read again at the next start.
        while not self._stop.is_set() and (some := list(islice(ready, _TOGETHER))):
            self._judge_some(some)
            self._hear(self._seen)

    def _judge_some(self, traces: Sequence[WholeTrace]) -> None:
        # A step that comes after its trace was judged has no root, and is no answer.
        there = self._store.known([(one.root.trace, "" if one.root.parent else one.root.id) for one in traces])
        unknown = [one for one, known in zip(traces, there, strict=True) if not known]
        new = [found for one in unknown if (found := self._answer(one))]
        self._seen.known += len(traces) - len(unknown)
        self._seen.others += len(unknown) - len(new)
        dollars, judged = self._store.spent_today()
        budget = Budget(dollars=None if self._how.dollars is None else max(0.0, self._how.dollars - dollars))
        room = len(new) if self._how.answers is None else max(0, self._how.answers - judged)
        waiting = [(answer, case) for answer, case in new if case is not None]
        rows = iter(judged_rows([(i, case) for i, (_, case) in enumerate(waiting[:room])], self._parts, budget))
        kept: list[tuple[LiveAnswer, Sequence[LiveJudgement]]] = [(answer, ()) for answer, case in new if case is None]
        for at, (answer, case) in enumerate(waiting):
            judgements = [] if at >= room else list(_kept_of(next(rows)))
            state = AnswerState.JUDGED if judgements else AnswerState.NO_BUDGET
            kept.append((replace(answer, state=state, case=case if self._how.texts and judgements else None), judgements))
        self._store.keep(kept)
        for answer, _ in kept:
            self._seen.count(answer.state)

    def _answer(self, trace: WholeTrace) -> tuple[LiveAnswer, Case | None] | None:
        """The answer of a trace, with its texts where it is to be judged; None = the trace of another program."""
        found = answered(trace.spans)
        if found is None:
            return None
        root = trace.root
        time_ = root.end if root.end == root.end else root.start
        version = clean(next((v for one in trace.spans if (v := attribute(self._how.version, one))), ""))
        answer = LiveAnswer(root.trace, root.id, time_ if time_ == time_ else None, version, AnswerState.LEFT_OUT)
        if not chosen(root.trace, self._how.rate):
            return answer, None
        if not found.answer:
            return replace(answer, state=AnswerState.NO_ANSWER), None
        texts = [{"text": text, "source": source} for text, source in found.documents]
        if not texts:
            return replace(answer, state=AnswerState.NO_SOURCES), None
        try:
            case = sized(Case(f"{root.trace}-{root.id}", clean(found.question), passages(texts), clean(found.answer)))
        except ValueError:
            return replace(answer, state=AnswerState.NO_ANSWER), None
        return replace(answer, state=AnswerState.JUDGED, passages=len(texts)), case


def _kept_of(row: ScoredRow) -> Iterator[LiveJudgement]:
    """What is kept of the judgements of an answer: numbers; a judgement that the budget refused is none."""
    for one in row.readings:
        judgement = one.judgement
        if judgement.status is Status.FAILED and judgement.note.startswith(BUDGET):
            continue
        said = verdict(judgement, one.threshold)
        flagged = [judgement.sentences[i] for i in said.flagged]
        yield LiveJudgement(
            one.method,
            one.signature,
            str(judgement.status),
            judgement.support,
            said.grounded,
            len(judgement.sentences),
            tuple((s.start, s.end, round(s.support, 4)) for s in flagged if s.support is not None),
            judgement.seconds,
            judgement.cost,
            judgement.calls,
        )
