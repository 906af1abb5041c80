"""Spans of a RAG call by the names of OpenInference, of OpenTelemetry's GenAI conventions or of OpenLLMetry. A case a trace."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.formats._spans import TRACE, Span, levels, numbered, parsed
from groundscope.files import fields
from groundscope.types import Case, Passage

_MODEL = {"llm", "chat", "text_completion", "generate_content"}
_RETRIEVER = {"retriever", "retrieval"}
_PARTS = {*_MODEL, *_RETRIEVER, "reranker", "embedding", "embeddings", "tool", "execute_tool", "guardrail", "evaluator"}
"""Steps inside the work of a system: what goes into them and comes out is not its question and its answer."""
_RETRIEVED = ("retrieval.documents", "gen_ai.retrieval.documents")
_RERANKED = ("reranker.output_documents",)
_TEXTS = ("document.content", "content", "page_content", "text")
_QUERY = ("query", "question", "input", "user_input", "query_str", "prompt", "message", "content", "text")
_ANSWER = ("answer", "response", "output", "result", "content", "text", "output_text", "completion")
"""Where an object that was passed on holds the text; the likeliest first."""
_AROUND = ("parts", "messages", "message", "choices", "inputs", "outputs", "kwargs")
"""Where the object with the text may stand; LangChain's tracers keep what a step was called with in the last three."""
_SOURCE = ("source", "title", "url", "file_name", "filename", "file_path")
_USER, _ASSISTANT = {"user", "human"}, {"assistant", "ai", "model"}
_INSTRUCTIONS = {"system", "developer"}
_DEEPEST = 6


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
    if text := _text(values.get("input.value", values.get("traceloop.entity.input")), _QUERY, _USER):
        return text
    if text := _text(values.get("gen_ai.retrieval.query.text"), _QUERY, _USER):
        return text
    return _written(values, ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt"), _USER)


def _answer(span: Span) -> str:
    values = span.attributes
    # The messages come first: what a call returns as a whole holds more than its text.
    if text := _written(values, ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion"), _ASSISTANT):
        return text
    return _text(values.get("output.value", values.get("traceloop.entity.output")), _ANSWER, _ASSISTANT)


def _written(values: Values, names: Sequence[str], by: set[str]) -> str:
    """What somebody wrote last, in lists of messages that stand as JSON or were flattened."""
    for name in names:
        listed = numbered(values, name)
        for message in listed:
            message.setdefault("message.contents", numbered(message, "message.contents"))
        if text := _message(parsed(values.get(name)), by) or _message(listed, by):
            return text
    return ""


def _text(value: Any, inside: Sequence[str], by: set[str], depth: int = 0) -> str:
    """A text, or the text that an object or a list of messages holds."""
    value = parsed(value)
    if isinstance(value, str):
        return fields.clean(value).strip()
    if isinstance(value, list):
        objects = (item for item in reversed(value) if isinstance(item, dict) and not item.keys() & {"role", "message.role"})
        return _message(value, by) or next(filter(None, (_text(item, inside, by, depth + 1) for item in objects)), "")
    if not isinstance(value, dict) or depth > _DEEPEST:
        return ""
    return next(filter(None, (_text(value.get(name), inside, by, depth + 1) for name in (*inside, *_AROUND))), "")


def _message(value: Any, by: set[str]) -> str:
    """The last message of a role; where none has it, the last one that is of no known role."""
    if not isinstance(value, list):
        return ""
    texts = [(role, text) for item in value for role, text in _messages(item) if text]
    of_role = [text for role, text in texts if role in by]
    others = [text for role, text in texts if role not in _USER | _ASSISTANT | _INSTRUCTIONS]
    return (of_role or others or [""])[-1]


def _messages(message: Any, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The roles and texts of a message, or of messages inside messages."""
    if depth > _DEEPEST:
        return
    if isinstance(message, str):
        yield "", fields.clean(message).strip()
    elif isinstance(message, list):
        for item in message:
            yield from _messages(item, depth + 1)
    elif isinstance(message, dict) and isinstance(inner := message.get("message"), dict | list):
        yield from _messages(inner, depth + 1)
    elif isinstance(message, dict):
        names = ("role", "message.role", "type")
        role = next((message[name].lower() for name in names if isinstance(message.get(name), str)), "")
        contents = (message.get(n) for n in ("content", "message.content", "text", "parts", "message.contents", "contents"))
        yield role, next(filter(None, map(_content, contents)), "")


def _content(value: Any) -> str:
    """The text of a message: itself, or its parts that are text, joined."""
    if isinstance(value, str):
        return fields.clean(value).strip()
    parts = []
    for part in value if isinstance(value, list) else ():
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, dict) and part.get("type", part.get("message_content.type", "text")) == "text":
            inner = part.get("message_content")
            held = inner if isinstance(inner, dict) else part
            text = next((held[n] for n in ("content", "text", "message_content.text") if isinstance(held.get(n), str)), "")
            parts += [text] if text else []
    return fields.clean("\n".join(parts)).strip()


def _context(spans: Sequence[Span]) -> Iterator[Passage]:
    """What a reranker left, else everything that was retrieved, each text once."""
    left = [documents for span in spans if (documents := list(_documents(span, _RERANKED)))]
    documents = left[-1] if left else [document for span in spans for document in _documents(span, _RETRIEVED)]
    sources: dict[str, str] = {}
    for text, source in documents:
        sources.setdefault(text, source)
    for number, (text, source) in enumerate(sources.items(), 1):
        yield Passage(f"p{number}", text, source)


def _documents(span: Span, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The documents of a span that have a text, in their order, each with its source."""
    for name in names:
        listed = parsed(span.attributes.get(name))
        for item in listed if isinstance(listed, list) else numbered(span.attributes, name):
            if isinstance(item, str) and item.strip():
                yield fields.clean(item), ""
            elif isinstance(item, dict):
                inner = item.get("document")
                document = inner if isinstance(inner, dict) else item
                text = next((document[n] for n in _TEXTS if isinstance(document.get(n), str) and document[n].strip()), "")
                if text:
                    yield fields.clean(text), _source(document)


def _source(document: Values) -> str:
    about = parsed(document.get("document.metadata") or document.get("metadata"))
    names = (about.get(name) for name in _SOURCE) if isinstance(about, dict) else ()
    source = next((name for name in names if isinstance(name, str) and name), document.get("document.metadata.source"))
    return fields.clean(source) if isinstance(source, str) else ""


SHAPE = Shape("spans of OpenTelemetry", lambda values: isinstance(values.get(TRACE), list), _cases, rank=5)
