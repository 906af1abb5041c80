"""Experiments as jobs: their plan, and how they are created, listed and read as answers.

The place of an answer is the generator's index, the retriever's index and the question's row; of what a retriever found for all
questions, the retriever's index alone.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.experiments import listing
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Content, Part, Place, Result
from groundscope.experiments.store import JobFile
from groundscope.rag.outcomes import Answer
from groundscope.rag.retrieving.settings import settings_of
from groundscope.rag.types import Benchmark, Hit, Question, Verdict, Written, found_in
from groundscope.text.humanize import plural
from groundscope.types import Passage

DEEPEST = 10
"""At least so many passages are retrieved: retrieval is measured at 1, 3, 5 and 10."""


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """What an experiment crosses; an answer is written from `k` passages, unless a retriever's id says otherwise.

    `notes` are sentences on what readers must know of how the results came about. A method `second`, if there is one, judges too
    what is grounded.
    """

    name: str
    retrievers: tuple[Part, ...]
    generators: tuple[Part, ...]
    judge: Part
    k: int = 5
    benchmark: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()
    second: Part | None = None

    def __post_init__(self) -> None:
        if not self.retrievers or not self.generators:
            raise ValueError("Choose at least one embedder and one generator.")
        for kind, parts in (("embedder", self.retrievers), ("generator", self.generators)):
            if len({p.signature for p in parts}) < len(parts):
                raise ValueError(f"Each {kind} can be chosen once.")
            # Answers are known by titles: two parts of one title would be taken for one.
            if len({p.title for p in parts}) < len(parts):
                raise ValueError(f"Each {kind} needs a title of its own.")
        if type(self.k) is not int or self.k < 1:
            raise ValueError(f"k must be a whole number of at least 1, got {self.k!r}")

    @property
    def deepest(self) -> int:
        """How many passages are retrieved for each question."""
        return max(*(self.k_of(i) for i in range(len(self.retrievers))), DEEPEST)

    def k_of(self, retriever: int) -> int:
        """How many passages an answer is written from that this retriever found, by its place."""
        return settings_of(self.retrievers[retriever].id).k or self.k


def places(plan: ExperimentPlan, retrievers: Iterable[int], questions: int) -> list[Place]:
    """List the places of answers, question by question, so that a stopped experiment says something of each combination."""
    parts = list(retrievers)
    return [Place(g, r, q) for q in range(questions) for r in parts for g in range(len(plan.generators))]


FOLDER = JobDirectory("rag", "experiment")
HITS, ANSWER, SECOND, VERDICT = "hits", "answer", "second", "verdict"
"""Stages: of a retriever, and of an answer up to three times; files of before may have `drops`, which nothing reads."""
_PASSAGES, _QUESTIONS = "passages", "questions"


def create(plan: ExperimentPlan, benchmark: Benchmark, limits: Limits = NO_LIMITS) -> str:
    """Make an experiment; no work begins yet."""
    if not benchmark.passages or not benchmark.questions:
        raise ValueError("An experiment needs passages and questions.")
    row = {p.id: i for i, p in enumerate(benchmark.passages)}
    inputs = {
        _PASSAGES: [{"id": p.id, "text": p.text, "source": p.source} for p in benchmark.passages],
        _QUESTIONS: [{**asdict(q), "rows": [row[i] for i in q.relevant if i in row]} for q in benchmark.questions],
    }
    return FOLDER.create(asdict(plan), inputs, limits=limits)


def plan_of(file: JobFile) -> ExperimentPlan:
    """Read the plan of an experiment."""
    return file.plan(ExperimentPlan)


def passages(file: JobFile, rows: Sequence[int] | None = None) -> list[Passage]:
    """Read the corpus, or its passages at some rows."""
    return file.meaning(lambda found: [Passage(**row) for row in found], file.inputs(_PASSAGES, rows))


def questions(file: JobFile) -> list[Question]:
    """Read the questions."""
    rows = file.inputs(_QUESTIONS)
    return file.meaning(lambda found: [Question(q["id"], q["text"], q["reference"], tuple(q["relevant"])) for q in found], rows)


def hits_result(hits_of_questions: Sequence[Sequence[Hit]]) -> Result:
    """Make a result of what a retriever found: hits of each question, best first, in the order of the questions."""
    return Result(HITS, {"found": [[list(hit if hit.end else hit[:2]) for hit in hits] for hits in hits_of_questions]})


def hits(file: JobFile) -> dict[int, list[list[Hit]]]:
    """Read what each retriever found."""
    return {stored.place.part: found for stored, found in file.made(HITS, _hits)}


def _hits(content: Content) -> list[list[Hit]]:
    return [[Hit(int(p), float(s), *map(int, piece)) for p, s, *piece in hits] for hits in content["found"]]


def answers(file: JobFile) -> list[Answer]:
    """Read every answer so far."""
    plan, asked, retrieved_by = plan_of(file), questions(file), hits(file)
    # Of a large corpus only what was retrieved, or holds an answer.
    needed = {hit.passage for lists in retrieved_by.values() for listed in lists for hit in listed}
    for row in file.inputs(_QUESTIONS):
        needed.update(file.meaning(lambda row: row["rows"], row))
    rows = sorted(needed)
    corpus = dict(zip(rows, passages(file, rows), strict=True))
    verdicts = {stored.place: verdict for stored, verdict in file.made(VERDICT, lambda c: Verdict(**c))}
    seconds = {stored.place: verdict.grounded for stored, verdict in file.made(SECOND, lambda c: Verdict(**c))}
    by_id = {p.id: p for p in corpus.values()}
    records = []
    everything = [(stored.place, written) for stored, written in file.made(ANSWER, lambda c: Written(**c))]
    for place, written in sorted(everything, key=lambda one: (one[0].other, one[0].part, one[0].row)):
        question = asked[place.row]
        retrieved = [found_in(corpus, h) for h in retrieved_by[place.other][place.row]]
        context = tuple(retrieved[: plan.k_of(place.other)])
        inside = {p.id for p in context}
        verdict = verdicts.get(place, Verdict(None, None))
        records.append(
            Answer(
                plan.retrievers[place.other].title,
                plan.generators[place.part].title,
                question.id,
                verdict.correct,
                verdict.grounded,
                any(i in inside for i in question.relevant) if question.relevant else None,
                question.text,
                question.reference,
                written.text,
                context,
                question.relevant,
                verdict.reasons,
                written.note,
                tuple(p.id for p in retrieved),
                tuple(by_id[i] for i in question.relevant if i not in inside and i in by_id),
                plan.judge.title,
                _prompt(plan.generators[place.part].signature),
                verdict.unsupported,
                plan.second.title if plan.second else "",
                seconds.get(place),
            )
        )
    return records


_PROMPT = re.compile(r"\|prompt=([^|]+)\|")


def _prompt(signature: str) -> str:
    """The name of the prompt, which stands in the signature of what asks a chat model; experiments of before have none."""
    match = _PROMPT.search(signature)
    return match[1] if match else ""


def _wanted(file: JobFile, plan: ExperimentPlan) -> dict[int, tuple[str, int]]:
    count = len(plan.retrievers) * file.size(_QUESTIONS)
    return {g: (part.title, count) for g, part in enumerate(plan.generators)}


def _about(file: JobFile, plan: ExperimentPlan) -> str:
    combinations = len(plan.retrievers) * len(plan.generators)
    crossed = f"{len(plan.retrievers)} × {len(plan.generators)} combination{'s' * (combinations != 1)}"
    return f"{plan.benchmark} · {crossed}, {plural(file.size(_QUESTIONS), 'question')} · {plan.judge.title}"


KIND = listing.Kind(FOLDER, "answer", plan_of, lambda _: VERDICT, _wanted, _about)
