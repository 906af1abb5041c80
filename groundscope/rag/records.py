"""Results made elsewhere, in the record of Legal RAG Bench: one row an answer.

Needed: `embedding_model`, `generative_model`, `question_id`, `correct`, `grounded`. `relevant_passage_in_context` separates
retrieval from reasoning errors. Texts are optional: `question`, `answer` (the reference), `rag_answer`, `context`,
`relevant_passage_id`, `reasoning`. A `judge_verdict`, as the benchmark's own code writes it, or a `verdict` may hold `correct`,
`grounded` and `reasoning` instead; one that cannot be read gives no verdict, and its text stands in the reasons. What this
project writes beside them is read again: `retrieved_ids` (all that was retrieved, best first), `missed` (relevant passages that
were not), `note` (on the answer), `judge`, `prompt` (its name), `unsupported_claim` (which the judge names where an answer is not
grounded), and of a second judge `second_judge` (its name) and `second_grounded`.

The benchmark's code writes a file a combination (`joined` makes one of several), with short names of models, here
named as the paper prints them (`PRINTED`), and may ask with several k, which stand in `result_id`: then each k is a combination
of its own.

A passage of the context is a text, `{id, text, source}` or `{page_content, metadata}`. Ids are those that the file gives, in the
context or, one a passage, in `retrieved_ids`; without them nothing is said of retrieval but what `relevant_passage_in_context`
says. Where that and the ids disagree the file counts, and `RagResults.notes` say so.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Any

from groundscope.cases.labels import truth
from groundscope.errors import DataError
from groundscope.files.fields import optional
from groundscope.files.rows import Rejected, Row, read_rows
from groundscope.paths import ROOT
from groundscope.rag._record_fields import Fields, with_verdict
from groundscope.rag.corpora._rows import Complaints, name_of
from groundscope.rag.effects import Combination
from groundscope.rag.outcomes import Answer
from groundscope.text.humanize import plural
from groundscope.types import Passage

_MISSING = "is missing"
PRINTED = MappingProxyType(
    {
        "te3l": "Text Embedding 3 Large",
        "kanon2": "Kanon 2 Embedder",
        "gemini001": "Gemini Embedding 001",
        "gpt52": "GPT-5.2",
        "gemini31pro": "Gemini 3.1 Pro",
    }
)
"""Embedders and models as the paper prints them, by their names in the benchmark's code."""
_NAMED = 6
"""Combinations that a sentence names."""


@dataclass(frozen=True, slots=True)
class RagResults:
    """What was read. `notes`: what is doubtful or was left out of good rows, in sentences."""

    name: str
    answers: tuple[Answer, ...]
    rejected: tuple[Rejected, ...]
    notes: tuple[str, ...] = ()

    @property
    def unequal(self) -> str:
        """Which combinations were asked fewer questions than others, or none, in a sentence; empty where there are none."""
        counts = Counter(a.cell for a in self.answers)
        most = max(counts.values(), default=0)
        cells = product(dict.fromkeys(c.embedder for c in counts), dict.fromkeys(c.model for c in counts))
        fewer = [f"{e} with {m} ({n:,})" for e, m in cells if (n := counts[Combination(e, m)]) < most]
        if not fewer:
            return ""
        more = f" and {len(fewer) - _NAMED:,} more" if len(fewer) > _NAMED else ""
        asked = "the one question" if most == 1 else f"all {most:,} questions"
        return f"Not every combination was asked {asked}: {', '.join(fewer[:_NAMED])}{more}."


def read_results(file: str, data: bytes) -> RagResults:
    """Read a file of results."""
    answers: dict[tuple[Combination, str, int | None], Answer] = {}
    rejected: list[Rejected] = []
    complaints = Complaints(file)
    for row in _rows_of(file, data):
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        complaints.seen(row)
        try:
            answer, k = _answer(row, complaints)
            if (key := (answer.cell, answer.question_id, k)) in answers:
                raise ValueError("This combination answered this question in an earlier row.")
            answers[key] = answer
        except ValueError as error:
            rejected.append(Rejected(file, row.number, str(error)))
    if not answers:
        raise DataError(_why_none(file, rejected, complaints))
    several = len({k for _, _, k in answers} - {None}) > 1
    records = tuple(replace(a, embedder=f"{a.embedder}, k = {k}") if several and k else a for (_, _, k), a in answers.items())
    return RagResults(file, records, tuple(rejected), (*_disagreements(records), *complaints.sentences()))


def joined(files: Sequence[RagResults]) -> RagResults:
    """Make one set of results of several, such as the files of a benchmark that writes one a combination."""
    places: dict[tuple[Combination, str], int] = {}
    for i, file in enumerate(files):
        for answer in file.answers:
            if (first := places.setdefault((answer.cell, answer.question_id), i)) != i:
                raise DataError(
                    f"{files[first].name} and {file.name} both have an answer by {answer.embedder} with {answer.model} to "
                    f"{answer.question_id}; take only one of them."
                )
    name = files[0].name + (f" and {len(files) - 1:,} more" if len(files) > 1 else "")
    return RagResults(
        name,
        tuple(a for one in files for a in one.answers),
        tuple(r for one in files for r in one.rejected),
        tuple(dict.fromkeys(note for one in files for note in one.notes)),
    )


def _rows_of(file: str, data: bytes) -> Iterator[Row | Rejected]:
    try:
        yield from read_rows(file, data)
    except DataError as error:
        raise DataError(f"{file}: {error}") from None


def _why_none(file: str, rejected: Sequence[Rejected], complaints: Complaints) -> str:
    if not rejected:
        return f"{file} holds no row."
    why = f"{file}, row {rejected[0].row:,}: {rejected[0].reason}"
    if not rejected[0].reason.endswith(f"{_MISSING}."):
        return why
    return complaints.why(why.removesuffix("."))


def _disagreements(answers: Sequence[Answer]) -> Iterator[str]:
    """Where what the file says of retrieval is not what its ids say."""
    by_ids = [(a.hit, _by_ids(a.context, a.relevant)) for a in answers]
    for pair, stated, was in (((True, False), "a", "none was"), ((False, True), "no", "one was")):
        if count := by_ids.count(pair):
            yield (
                f"For {plural(count, 'answer')} the file says that {stated} relevant passage was retrieved, by exact ids {was}; "
                "what the file says counts."
            )


def _answer(row: Row, complaints: Complaints) -> tuple[Answer, int | None]:
    """The answer, and how many passages it was written from where the row says so."""
    values = with_verdict(row.values)
    question = name_of(values.get("question_id"))
    missing = [f for f in ("embedding_model", "generative_model") if not optional(values, f)]
    missing += [] if question else ["question_id"]
    missing += [f for f in ("correct", "grounded") if f not in values]
    if missing:
        raise ValueError(f"'{missing[0]}' {_MISSING}.")
    fields = Fields(values, row.number, complaints)
    context, relevant = fields.passages("context"), fields.ids("relevant_passage_id")
    context, retrieved = _identified(context, fields.ids("retrieved_ids"))
    told = fields.truth("relevant_passage_in_context")
    answer = Answer(
        _printed(str(optional(values, "embedding_model"))),
        _printed(str(optional(values, "generative_model"))),
        question,
        truth(values["correct"], "correct"),
        truth(values["grounded"], "grounded"),
        _by_ids(context, relevant) if told is None else told,
        fields.text("question"),
        fields.text("answer"),
        fields.text("rag_answer"),
        context,
        relevant,
        fields.text("reasoning"),
        fields.text("note"),
        retrieved,
        fields.passages("missed"),
        fields.text("judge"),
        fields.text("prompt"),
        fields.text("unsupported_claim"),
        fields.text("second_judge"),
        fields.truth("second_grounded"),
    )
    return answer, fields.k(question)


def _printed(name: str) -> str:
    return PRINTED.get(name.lower(), name)


def _identified(context: tuple[Passage, ...], retrieved: tuple[str, ...]) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """The context with the ids that stand beside it, and the retrieved ids with those that stand in it; none is made up."""
    ids = tuple(p.id for p in context)
    if not any(ids) and len(ids) == len(retrieved):
        context = tuple(replace(p, id=i) for p, i in zip(context, retrieved, strict=True))
    return context, retrieved or (ids if all(ids) else ())


def _by_ids(context: Sequence[Passage], relevant: Sequence[str]) -> bool | None:
    """Whether a relevant passage is in the context, by exact ids; None where they do not show it."""
    if not context or not relevant:
        return None
    if any(p.id in relevant for p in context if p.id):
        return True
    return False if all(p.id for p in context) else None


def to_row(answer: Answer) -> dict[str, Any]:
    """Make the record of an answer, as other programs read it: JSON values by the fields of the module.

    Truth values that are not known are None, texts that are not known are empty; what only some judges give is left out then.
    """
    second = {"second_judge": answer.second_judge, "second_grounded": answer.second_grounded} if answer.second_judge else {}
    return {
        "embedding_model": answer.embedder,
        "generative_model": answer.model,
        "question_id": answer.question_id,
        "question": answer.question,
        "answer": answer.reference,
        "rag_answer": answer.answer,
        "context": _rows(answer.context),
        "relevant_passage_id": answer.relevant[0] if len(answer.relevant) == 1 else list(answer.relevant),
        "relevant_passage_in_context": answer.hit,
        "correct": answer.correct,
        "grounded": answer.grounded,
        "reasoning": answer.reasons,
        "note": answer.note,
        "retrieved_ids": list(answer.retrieved),
        "missed": _rows(answer.missed),
        "judge": answer.judge,
        "prompt": answer.prompt,
        **({"unsupported_claim": answer.unsupported} if answer.unsupported else {}),
        **second,
    }


def to_jsonl(answers: Iterable[Answer]) -> str:
    """Write answers as JSON lines, question by question: records of one question share their passages, so they pack well."""
    places: dict[str, int] = {}
    ordered = sorted(answers, key=lambda a: places.setdefault(a.question_id, len(places)))
    return "".join(json.dumps(to_row(a), ensure_ascii=False) + "\n" for a in ordered)


def _rows(passages: Sequence[Passage]) -> list[dict[str, str]]:
    return [({"id": p.id} if p.id else {}) | {"text": p.text} | ({"source": p.source} if p.source else {}) for p in passages]


PATH = ROOT / "sample_data" / "rag" / "offline-pipelines.jsonl.gz"
NAME = "offline-pipelines"
TITLE = "Offline pipelines on the sample set"


@lru_cache(maxsize=1)
def shipped() -> RagResults:
    """Read the results that come with the app; they are read once."""
    return replace(read_results(PATH.name, PATH.read_bytes()), name=TITLE)
