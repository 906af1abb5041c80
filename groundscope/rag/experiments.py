"""Experiments as jobs of the engine: made, listed, and read as answers to analyse."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.experiments import listing
from groundscope.experiments.folder import Folder
from groundscope.experiments.plan import FAILED, Content, Place, Result
from groundscope.experiments.store import JobFile
from groundscope.humanize import plural
from groundscope.rag.dropping import Dropped, Effect
from groundscope.rag.outcomes import Answer
from groundscope.rag.plan import Plan, from_json, to_json
from groundscope.rag.types import Benchmark, Hit, Question, Verdict, Written
from groundscope.types import Passage

FOLDER = Folder("rag", "experiment")
HITS, ANSWER, VERDICT, DROPS = "hits", "answer", "verdict", "drops"
"""Stages: of a retriever, of an answer twice, and of an answer whose passages were left out one by one."""
_PASSAGES, _QUESTIONS = "passages", "questions"


def create(plan: Plan, benchmark: Benchmark, limits: Limits = NO_LIMITS) -> str:
    """Make an experiment and give its id.

    Raises:
        StoreError: it cannot be written.
        ValueError: there is nothing to ask, or nothing to search.
    """
    if not benchmark.passages or not benchmark.questions:
        raise ValueError("An experiment needs passages and questions.")
    row = {p.id: i for i, p in enumerate(benchmark.passages)}
    inputs = {
        _PASSAGES: [{"id": p.id, "text": p.text, "source": p.source} for p in benchmark.passages],
        _QUESTIONS: [{**asdict(q), "rows": [row[i] for i in q.relevant if i in row]} for q in benchmark.questions],
    }
    return FOLDER.create(to_json(plan), inputs, limits=limits)


def plan_of(file: JobFile) -> Plan:
    """The plan of an experiment.

    Raises:
        StoreError: it cannot be read.
    """
    return file.meaning(from_json, file.about("plan"))


def passages(file: JobFile, rows: Sequence[int] | None = None) -> list[Passage]:
    """The corpus, or its passages at some rows."""
    return file.meaning(lambda found: [Passage(**row) for row in found], file.inputs(_PASSAGES, rows))


def questions(file: JobFile) -> list[Question]:
    """The questions."""
    return [file.meaning(_question, row) for row in file.inputs(_QUESTIONS)]


def _question(row: Any) -> Question:
    return Question(row["id"], row["text"], row["reference"], tuple(row["relevant"]))


def hits_result(found: Sequence[Sequence[Hit]]) -> Result:
    """What a retriever found for all questions as a result."""
    return Result(HITS, {"found": [[list(hit) for hit in hits] for hits in found]})


def hits(file: JobFile) -> dict[int, list[list[Hit]]]:
    """What each retriever found, by question; those that have not searched yet are left out."""
    return {s.place.part: file.meaning(_hits, s.content) for s in file.results(HITS) if s.status != FAILED}


def _hits(content: Content) -> list[list[Hit]]:
    return [[Hit(int(p), float(s)) for p, s in hits] for hits in content["found"]]


def answer_result(written: Written) -> Result:
    """An answer as a result."""
    return Result(ANSWER, written._asdict())


def written_of(content: Content) -> Written:
    """The answer of a result."""
    return Written(**content)


def verdict_result(verdict: Verdict) -> Result:
    """A verdict as a result."""
    return Result(VERDICT, verdict._asdict())


def drops_result(found: Sequence[Dropped]) -> Result:
    """What leaving out each passage did to an answer as a result."""
    return Result(DROPS, {"found": [asdict(d) | {"written": list(d.written), "verdict": list(d.verdict)} for d in found]})


def drops(file: JobFile, place: Place) -> list[Dropped]:
    """What leaving out each passage did to an answer; empty where that was not tried."""
    content = file.at(place).get(DROPS)
    return [file.meaning(_dropped, row) for row in content["found"]] if content else []


def _dropped(row: Any) -> Dropped:
    effect = Effect(row["effect"]) if row["effect"] else None
    return Dropped(**{**row, "written": Written(*row["written"]), "verdict": Verdict(*row["verdict"]), "effect": effect})


def answers(file: JobFile) -> list[Answer]:
    """Every answer so far; one that is not judged yet, or could not be, has no verdict.

    Raises:
        StoreError: the file cannot be read.
    """
    plan, asked, retrieved_by = plan_of(file), questions(file), hits(file)
    # Of a large corpus only what was retrieved, or holds an answer.
    needed = {hit.passage for lists in retrieved_by.values() for listed in lists for hit in listed}
    for row in file.inputs(_QUESTIONS):
        needed.update(file.meaning(lambda row: row["rows"], row))
    rows = sorted(needed)
    corpus = dict(zip(rows, passages(file, rows), strict=True))
    verdicts = {s.place: file.meaning(lambda c: Verdict(**c), s.content) for s in file.results(VERDICT) if s.status != FAILED}
    by_id = {p.id: p for p in corpus.values()}
    found = []
    for stored in sorted(file.results(ANSWER), key=lambda s: (s.place.other, s.place.part, s.place.row)):
        place, written = stored.place, file.meaning(written_of, stored.content)
        question = asked[place.row]
        retrieved = [corpus[h.passage] for h in retrieved_by[place.other][place.row]]
        context = tuple(retrieved[: plan.k])
        inside = {p.id for p in context}
        verdict = verdicts.get(place, Verdict(None, None))
        found.append(
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
            )
        )
    return found


def _wanted(file: JobFile, plan: Plan) -> dict[int, tuple[str, int]]:
    count = len(plan.retrievers) * file.size(_QUESTIONS)
    return {g: (part.title, count) for g, part in enumerate(plan.generators)}


def _about(file: JobFile, plan: Plan) -> str:
    combinations = len(plan.retrievers) * len(plan.generators)
    crossed = f"{len(plan.retrievers)} × {len(plan.generators)} combination{'s' * (combinations != 1)}"
    return f"{plan.benchmark} · {crossed}, {plural(file.size(_QUESTIONS), 'question')} · {plan.judge.title}"


KIND = listing.Kind(FOLDER, "answer", plan_of, lambda _: VERDICT, _wanted, _about)
