"""Spans of a RAG call by the names of OpenInference, of OpenTelemetry's GenAI conventions or of OpenLLMetry. A case a trace."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.formats._spans import TRACE, Span, levels, numbered
from groundscope.cases.messages import ANSWER, ASSISTANT, QUESTION, USER, message_of, parsed, text_of
from groundscope.cases.passages import passages
from groundscope.files import fields
from groundscope.types import Case, Passage

_MODEL = {"llm", "chat", "text_completion", "generate_content"}
_RETRIEVER = {"retriever", "retrieval"}
_PARTS = {*_MODEL, *_RETRIEVER, "reranker", "embedding", "embeddings", "tool", "execute_tool", "guardrail", "evaluator"}
"""Steps inside the work of a system: what goes into them and comes out is not its question and its answer."""
_RETRIEVED = ("retrieval.documents", "gen_ai.retrieval.documents")
_RERANKED = ("reranker.output_documents",)


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """The question and the answer of the highest steps that have them, and what retrieval returned below."""
    spans: Sequence[Span] = values[TRACE]
    context = tuple(_context(spans))
    if not context:
        raise ValueError("The trace has no retrieved documents with their text.")
    highest = [[span for span in level if span.kind not in _PARTS and not _is_model(span)] for level in levels(spans)]
    models = [span for span in spans if _is_model(span)]
    # Of several steps side by side the first has the question and the last the answer.
    answer = _first(_answer, [*(span for level in highest for span in reversed(level)), *reversed(models)])
    if not answer:
        raise ValueError("The trace has no answer: no output of its first span, and none of a model.")
    retrievers = [span for span in spans if span.kind in _RETRIEVER or any(_documents(span, _RETRIEVED))]
    query = _first(_query, [*(span for level in highest for span in level), *retrievers, *models])
    yield fields.sized(Case(fields.clean(spans[0].trace) or default_id, query, context, answer, group=query or None))


def _is_model(span: Span) -> bool:
    if span.kind:
        return span.kind in _MODEL
    return any(name.startswith(("gen_ai.completion.", "llm.output_messages")) for name in span.attributes)


def _first(read: Callable[[Span], str], spans: Iterable[Span]) -> str:
    return next(filter(None, map(read, spans)), "")


def _query(span: Span) -> str:
    values = span.attributes
    if text := text_of(values.get("input.value", values.get("traceloop.entity.input")), QUESTION, USER):
        return text
    if text := text_of(values.get("gen_ai.retrieval.query.text"), QUESTION, USER):
        return text
    return _written(values, ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt"), USER)


def _answer(span: Span) -> str:
    values = span.attributes
    # The messages come first: what a call returns as a whole holds more than its text.
    if text := _written(values, ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion"), ASSISTANT):
        return text
    return text_of(values.get("output.value", values.get("traceloop.entity.output")), ANSWER, ASSISTANT)


def _written(values: Values, names: Sequence[str], by: frozenset[str]) -> str:
    """What somebody wrote last, in lists of messages that stand as JSON or were flattened."""
    for name in names:
        listed = numbered(values, name)
        for message in listed:
            message.setdefault("message.contents", numbered(message, "message.contents"))
        if text := message_of(parsed(values.get(name)), by) or message_of(listed, by):
            return text
    return ""


def _context(spans: Sequence[Span]) -> Iterator[Passage]:
    """What a reranker left, else everything that was retrieved, each text once."""
    left = [documents for span in spans if (documents := list(_documents(span, _RERANKED)))]
    documents = left[-1] if left else [document for span in spans for document in _documents(span, _RETRIEVED)]
    once = {passage.text: passage for passage in reversed(documents) if passage.text.strip()}
    for number, passage in enumerate(reversed(once.values()), 1):
        yield replace(passage, id=f"p{number}")


def _documents(span: Span, names: Sequence[str]) -> Iterator[Passage]:
    """The documents of a span that have a text, in their order."""
    for name in names:
        listed = parsed(span.attributes.get(name))
        for item in listed if isinstance(listed, list) else numbered(span.attributes, name):
            named = {key.removeprefix("document."): value for key, value in item.items()} if isinstance(item, dict) else item
            with suppress(ValueError):
                yield from passages([named])


SHAPE = Shape("spans of OpenTelemetry", lambda values: isinstance(values.get(TRACE), list), _cases, rank=5)
