"""Plan an experiment from the ids of its parts (see `groundscope.rag.loading`), and the steps that carry it out.

The steps retrieve for all questions, then write and judge one answer after the other.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from groundscope.experiments.plan import Content, Part, Place, Result
from groundscope.experiments.steps import Phase, Steps
from groundscope.experiments.store import JobFile
from groundscope.rag import experiments
from groundscope.rag.experiments import ExperimentPlan, places
from groundscope.rag.loading import asked_by, generator, judge, retriever, second_judge
from groundscope.rag.retrieving.settings import given_first, settings_of
from groundscope.rag.types import Hit, Written, found_in
from groundscope.runtime.progress import listener
from groundscope.types import Passage


class Answering(Steps):
    """What an experiment gives the engine; see `groundscope.experiments.steps.Steps`."""

    def __init__(self, file: JobFile) -> None:
        self._file, self._plan = file, experiments.plan_of(file)
        self._retrievers = [retriever(part.id)[0] for part in self._plan.retrievers]
        self._generators = [generator(part.id)[0] for part in self._plan.generators]
        self._judge = judge(self._plan.judge.id)[0]
        self._second = second_judge(self._plan.second.id)[0] if self._plan.second else None
        self._passages, self._questions = experiments.passages(file), experiments.questions(file)
        self._hits: dict[int, list[list[Hit]]] = {}

    def planned(self) -> Iterable[tuple[Part, str | None]]:
        """All parts."""
        for part, finds in zip(self._plan.retrievers, self._retrievers, strict=True):
            yield part, settings_of(part.id).signature(finds.signature)
        yield from ((part, writes.signature) for part, writes in zip(self._plan.generators, self._generators, strict=True))
        yield self._plan.judge, self._judge.signature
        if self._plan.second and self._second:
            yield self._plan.second, self._second.signature

    def phases(self) -> Iterator[Phase]:
        """Retrieval, then the answers from what was retrieved."""
        yield Phase(experiments.HITS, [Place(r, -1, -1) for r in range(len(self._plan.retrievers))], final=experiments.VERDICT)
        self._hits = experiments.hits(self._file)
        yield Phase(experiments.VERDICT, places(self._plan, self._hits, len(self._questions)))

    def title(self, place: Place) -> str:
        """The retriever, or the generator."""
        parts = self._plan.retrievers if place.row < 0 else self._plan.generators
        return parts[place.part].title

    def asks(self, place: Place) -> bool:
        """Whether a chat model writes or judges."""
        judges = (self._plan.judge, self._plan.second)
        return place.row >= 0 and (self._plan.generators[place.part].asks or any(part and part.asks for part in judges))

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        """Retrieve for all questions; or write an answer, unless it is there, and judge it."""
        if place.row < 0:
            yield experiments.hits_result(self._retrieve(place.part))
            return
        question, retrieved = self._questions[place.row], self._context(place)
        if experiments.ANSWER in earlier:
            written = Written(**earlier[experiments.ANSWER])
        else:
            written = self._generators[place.part].answer(question.text, retrieved)
            yield Result(experiments.ANSWER, written._asdict())
        # The judge's verdict comes last: an answer is done where it is there.
        if self._second is not None and experiments.SECOND not in earlier:
            yield Result(experiments.SECOND, self._second.judge(question, written.text, retrieved)._asdict())
        yield Result(experiments.VERDICT, self._judge.judge(question, written.text, retrieved)._asdict())

    def _retrieve(self, part: int) -> list[list[Hit]]:
        texts, deepest = [q.text for q in self._questions], self._plan.deepest
        hits_of_questions = self._retrievers[part].search(self._passages, texts, deepest, listener())
        if not settings_of(self._plan.retrievers[part].id).oracle:
            return hits_of_questions
        at = {p.id: i for i, p in enumerate(self._passages)}
        relevant = [[at[i] for i in q.relevant if i in at] for q in self._questions]
        return [given_first(hits, own, deepest) for hits, own in zip(hits_of_questions, relevant, strict=True)]

    def _context(self, place: Place) -> list[Passage]:
        hits = self._hits[place.other][place.row][: self._plan.k_of(place.other)]
        return [found_in(self._passages, hit) for hit in hits]


def planned(
    name: str,
    retrievers: Sequence[str],
    generators: Sequence[str],
    judged_by: str,
    k: int,
    *,
    benchmark: str = "",
    licence: str = "",
    notes: Sequence[str] = (),
    second: str = "",
) -> ExperimentPlan:
    """Plan an experiment with parts by their ids.

    Two parts that people call the same, such as one model on two servers, have their spec behind the title.
    """
    searching = ((i, *retriever(i)) for i in retrievers)
    ways = _told_apart(Part(i, title, settings_of(i).signature(loaded.signature)) for i, loaded, title in searching)
    writers = _told_apart(_part(i, *generator(i)) for i in generators)
    judging = _part(judged_by, *judge(judged_by))
    return ExperimentPlan(name, ways, writers, judging, k, benchmark, licence, tuple(notes), _second_part(second))


def _second_part(part: str) -> Part | None:
    if not part:
        return None
    loaded, title = second_judge(part)
    return Part(part, title, loaded.signature, asks=loaded.method.asks)


def _told_apart(parts: Iterable[Part]) -> tuple[Part, ...]:
    """The parts with titles that differ: answers are known by them."""
    parts = tuple(parts)
    often = Counter(p.title for p in parts)
    return tuple(replace(p, title=f"{p.title} ({p.id.partition(':')[2] or p.id})") if often[p.title] > 1 else p for p in parts)


def _part(part: str, loaded: Any, title: str) -> Part:
    return Part(part, title, loaded.signature, asks=asked_by(part) is not None)
