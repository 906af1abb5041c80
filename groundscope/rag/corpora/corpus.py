"""A corpus with its questions, in the layout of Legal RAG Bench (Butler and Butler 2026).

A passage is a row with `id`, `title`, `text` and `footnotes`; a question is one with `id`, `question`, `answer` (the reference)
and `relevant_passage_id` (a text, or a list of them). As in the benchmark, only `text` is embedded and shown. What is wrong with
rows is said in `Benchmark.problems`, a sentence for all that have the same fault; nothing else is lost by it.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from groundscope.errors import DataError
from groundscope.files.rows import MAX_DECODED, MAX_ROWS, Rejected, Row, read_rows
from groundscope.rag.corpora._rows import MAX_PASSAGES, Complaints, passage_of, question_of
from groundscope.rag.types import Benchmark, Question
from groundscope.types import Passage

File = tuple[str, bytes]
"""A file's name and content."""
_MAX_BYTES = 3 * MAX_DECODED
"""That a packed corpus may decode to: 100,000 passages of 512 tokens, with their footnotes."""

_Read = TypeVar("_Read", Passage, Question)
_NAMED = 5
"""Reasons that are given where nothing could be used."""


def read_benchmark(corpus: File, questions: File, licence: str = "") -> Benchmark:
    """Read a corpus and its questions.

    A passage whose id came before is left out and named, whether it is the same passage or another one; so is a question.
    Passages and questions without an id get one by their row, such as `row-7`.
    """
    complaints = Complaints(corpus[0])
    passages = tuple(_passages(_rows(corpus, complaints, MAX_PASSAGES, _MAX_BYTES), complaints))
    if not passages:
        raise DataError(complaints.why(f"{corpus[0]} holds no passage: each row needs 'id' and 'text'"))
    benchmark = with_questions(passages, PurePath(corpus[0]).name, questions, complaints.sentences())
    return replace(benchmark, licence=licence)


def with_questions(passages: Sequence[Passage], name: str, questions: File, problems: Sequence[str] = ()) -> Benchmark:
    """Questions of a file beside a corpus that is already there, such as one made of documents."""
    corpus = without_questions(passages, name, problems)
    complaints = Complaints(questions[0])
    asked = tuple(_questions(_rows(questions, complaints, MAX_ROWS, MAX_DECODED), complaints, {p.id for p in passages}))
    if not asked:
        raise DataError(complaints.why(f"{questions[0]} holds no question: each row needs 'id' and 'question'"))
    return replace(corpus, questions=asked, problems=(*problems, *complaints.sentences()))


def without_questions(passages: Sequence[Passage], name: str, problems: Sequence[str] = ()) -> Benchmark:
    """Make a benchmark whose questions are still to come: who writes them can look up the ids of passages first."""
    if not passages:
        why = problems[:_NAMED] or ("Load documents or a corpus that hold text.",)
        raise DataError(" ".join(("There is no passage to ask about.", *why)))
    return Benchmark(name, tuple(passages), (), tuple(problems))


def passages_jsonl(passages: Sequence[Passage]) -> bytes:
    """Write passages as JSON lines, to see the ids that questions name as relevant, and to change what was cut."""
    rows = ({"id": p.id, "title": p.source, "text": p.text} for p in passages)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")


def with_fewer(benchmark: Benchmark, count: int) -> Benchmark:
    """Choose some of a benchmark's questions, spread evenly over them."""
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    of = len(benchmark.questions)
    if count >= of:
        return benchmark
    sampled = tuple(benchmark.questions[i * of // count] for i in range(count))
    return replace(benchmark, name=f"{benchmark.name}, {count:,} of {of:,} questions", questions=sampled)


def _rows(file: File, complaints: Complaints, most: int, most_bytes: int) -> Iterator[Row]:
    try:
        for row in read_rows(*file, max_rows=most, max_bytes=most_bytes):
            if isinstance(row, Rejected):
                complaints.refused(row)
            else:
                complaints.seen(row)
                yield row
    except DataError as error:
        raise DataError(f"{file[0]}: {error}") from None


def _distinct(
    rows: Iterator[Row],
    complaints: Complaints,
    read: Callable[[Row, Complaints], _Read],
    what: str,
    same: Callable[[_Read, _Read], bool],
) -> Iterator[tuple[int, _Read]]:
    """What can be read, each id once, with the number of its row; `what` is compared with that of an earlier row."""
    earlier: dict[str, _Read] = {}
    for row in rows:
        try:
            entry = read(row, complaints)
        except ValueError as error:
            complaints.add(str(error), row.number)
            continue
        if entry.id not in earlier:
            earlier[entry.id] = entry
            yield row.number, entry
        elif same(earlier[entry.id], entry):
            complaints.add(f"the id and the {what} of an earlier row (used once)", row.number)
        else:
            complaints.add(f"the id of an earlier row with another {what} (skipped)", row.number)


def _passages(rows: Iterator[Row], complaints: Complaints) -> Iterator[Passage]:
    for _, passage in _distinct(rows, complaints, passage_of, "text", lambda a, b: a.text == b.text):
        yield passage


def _questions(rows: Iterator[Row], complaints: Complaints, ids: set[str]) -> Iterator[Question]:
    for number, question in _distinct(rows, complaints, question_of, "question", lambda a, b: a == b):
        if not question.reference:
            complaints.add("no reference answer, so it cannot be judged whether an answer is correct", number)
        relevant = tuple(i for i in question.relevant if i in ids)
        if len(relevant) < len(question.relevant):
            complaints.add("a relevant passage that is not in the corpus (ignored)", number)
        yield replace(question, relevant=relevant)
