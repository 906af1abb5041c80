"""Spans of one trace -> question, sources and answer, by the names of OpenInference, OpenTelemetry's GenAI and OpenLLMetry."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundscope.traces.spans import TraceSpan
from groundscope.traces.texts import message, numbered, parsed, said

_QUESTIONS = ("question", "query", "input", "user_input", "query_str", "prompt", "message", "text")
_ANSWERS = ("answer", "response", "output", "result", "text", "content", "output_text")
_PARTS = {"LLM", "RETRIEVER", "RERANKER", "EMBEDDING", "TOOL", "GUARDRAIL", "EVALUATOR"}
_TEXTS = ("document.content", "content", "page_content", "text")


@dataclass(frozen=True, slots=True)
class Answered:
    """What a trace says.

    Attributes:
        question: empty = not found.
        documents: texts with the names of their sources, as they were given to the model, each once.
    """

    question: str
    answer: str
    documents: tuple[tuple[str, str], ...]


def answered(spans: Sequence[TraceSpan]) -> Answered | None:
    """Find question, sources and answer in the spans of one trace.

    The question and the answer are the input and the output of the highest span that has one and is no call of a model, a
    retriever or a tool; where none has, the query of a retriever or of the model, and the model's last answer. The sources are
    what the last reranker gave; without one, what all retrievers found.
    """
    kinds = {one.id: _kind(one) for one in spans}
    if not any(kinds.values()):
        return None
    ordered = sorted(spans, key=lambda one: (one.end != one.end, one.end))
    calls = [one for one in ordered if kinds[one.id] == "LLM"]
    retrievers = [one for one in ordered if kinds[one.id] == "RETRIEVER"]
    highest = [one for one in spans if kinds[one.id] not in _PARTS]
    question = next((q for q in map(_question, [*highest, *retrievers, *calls]) if q), "")
    answer = next((a for a in map(_answer, [*highest, *reversed(calls)]) if a), "")
    reranked = [list(_listed(one, "reranker.output_documents")) for one in ordered]
    last = next((found for found in reversed(reranked) if found), None)
    found = last if last is not None else [text for one in ordered for text in _documents(one)]
    return Answered(question, answer, tuple(dict.fromkeys(found)))


def attribute(name: str, root: TraceSpan) -> str:
    """Read an attribute of the root, or of the program."""
    for values in (root.attributes, root.resource):
        if name in values:
            return _short(values[name])
        head, _, rest = name.partition(".")
        # OpenInference keeps metadata as JSON in one attribute.
        inside = parsed(values.get(head)) if rest else None
        if isinstance(inside, Mapping) and rest in inside:
            return _short(inside[rest])
    return ""


def _short(value: object) -> str:
    return " ".join(str(value).split())[:200] if isinstance(value, str | int | float) else ""


def _kind(span: TraceSpan) -> str:
    for name in ("openinference.span.kind", "traceloop.span.kind"):
        if isinstance(kind := span.attributes.get(name), str):
            return kind.upper()
    if isinstance(kind := span.attributes.get("span_kind"), str):
        return kind.upper()
    operation = span.attributes.get("gen_ai.operation.name")
    if operation in {"chat", "text_completion", "generate_content"}:
        return "LLM"
    if operation == "retrieval":
        return "RETRIEVER"
    return "LLM" if any(n.startswith(("gen_ai.completion.", "llm.output_messages")) for n in span.attributes) else ""


def _question(span: TraceSpan) -> str:
    at = span.attributes
    if text := said(at.get("input.value", at.get("traceloop.entity.input")), _QUESTIONS, "user"):
        return text
    if isinstance(query := at.get("gen_ai.retrieval.query.text"), str) and query.strip():
        return query.strip()
    for name in ("gen_ai.input.messages", "llm.input_messages"):
        if text := message(parsed(at.get(name)), "user"):
            return text
    return message(numbered(at, "llm.input_messages"), "user") or message(numbered(at, "gen_ai.prompt"), "user")


def _answer(span: TraceSpan) -> str:
    at = span.attributes
    # The messages come first: what a call returns as a whole holds more than its text.
    for name in ("gen_ai.output.messages", "llm.output_messages"):
        if text := message(parsed(at.get(name)), "assistant") or message(numbered(at, name), "assistant"):
            return text
    if text := message(numbered(at, "gen_ai.completion"), "assistant"):
        return text
    return said(at.get("output.value", at.get("traceloop.entity.output")), _ANSWERS, "assistant")


def _documents(span: TraceSpan) -> Iterator[tuple[str, str]]:
    for name in ("retrieval.documents", "gen_ai.retrieval.documents"):
        yield from _listed(span, name)


def _listed(span: TraceSpan, name: str) -> Iterator[tuple[str, str]]:
    given = parsed(span.attributes.get(name))
    for one in given if isinstance(given, list) else numbered(span.attributes, name):
        if isinstance(one, str):
            yield from [(one, "")] if one.strip() else []
            continue
        if not isinstance(one, Mapping):
            continue
        inner = one.get("document")
        held = inner if isinstance(inner, Mapping) else one
        text = next((held[n] for n in _TEXTS if isinstance(held.get(n), str) and held[n].strip()), None)
        if text:
            yield text, _source(held)


def _source(document: Mapping[str, Any]) -> str:
    """What a document is called: its title or source in the metadata; else its id."""
    about = parsed(document.get("document.metadata", document.get("metadata")))
    if isinstance(about, Mapping):
        for name in ("title", "source", "file_name", "file_path", "url"):
            if isinstance(about.get(name), str) and about[name].strip():
                return str(about[name]).strip()[:300]
    named = document.get("document.id", document.get("id"))
    return str(named)[:300] if isinstance(named, str | int) else ""
