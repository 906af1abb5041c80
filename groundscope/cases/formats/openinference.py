"""Spans of a RAG call by the conventions of OpenInference or of OpenTelemetry: query, documents and answer. A case a trace."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from groundscope.cases.formats._format import Shape, Values
from groundscope.cases.formats._spans import TRACE, Span, parsed
from groundscope.files import fields
from groundscope.types import Case, Passage

_ASKED = ("input.value", "gen_ai.retrieval.query.text", "gen_ai.input.messages")
_ANSWERED = ("output.value", "gen_ai.output.messages")
_RETRIEVED = ("retrieval.documents", "gen_ai.retrieval.documents")
_RERANKED = "reranker.output_documents"
_NUMBERED = re.compile(r"(retrieval\.documents|reranker\.output_documents)\.(\d+)\.(.+)")
_QUERY = ("query", "question", "input", "user_input", "query_str", "message", "content", "text")
_ANSWER = ("answer", "response", "output", "result", "content", "text", "completion")
"""Where an object that was passed on holds the text; the likeliest first."""
_NAMED = ("source", "title", "url", "file_name", "filename")
_DEEPEST = 6


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """The question and the answer of the outermost span that has them, and what retrieval returned inside it."""
    spans: Sequence[Span] = values[TRACE]
    context = tuple(_context(spans))
    if not context:
        raise ValueError("The trace has no retrieved documents with their text.")
    answer = _first(_outermost(spans), _ANSWERED, _ANSWER) or _written(spans)
    if not answer:
        raise ValueError("The trace has no answer: no output of its first span, and none of a model.")
    query = _first(_outermost(spans), _ASKED, _QUERY) or _first([s for s in spans if _documents(s)], _ASKED, _QUERY)
    yield fields.sized(Case(fields.clean(spans[0].trace) or default_id, query, context, answer, group=query or None))


def _outermost(spans: Sequence[Span]) -> list[Span]:
    """Spans that are part of no other one of the trace."""
    ids = {span.id for span in spans if span.id}
    return [span for span in spans if span.parent not in ids]


def _written(spans: Sequence[Span]) -> str:
    """What a model wrote last."""
    models = [span for span in reversed(spans) if span.kind in ("llm", "chat", "text_completion", "generate_content")]
    for span in models:
        messages = [v for k, v in span.attributes.items() if re.fullmatch(r"llm\.output_messages\.\d+\.message\.content", k)]
        if text := _first([span], _ANSWERED, _ANSWER) or _text(messages, _ANSWER):
            return text
    return ""


def _first(spans: Sequence[Span], names: Sequence[str], inside: Sequence[str]) -> str:
    found = (_text(parsed(span.attributes.get(name)), inside) for span in spans for name in names)
    return next(filter(None, found), "")


def _text(value: Any, inside: Sequence[str], depth: int = 0) -> str:
    """A text, or the text that an object or a list of messages holds; of several messages the last one's."""
    if isinstance(value, str):
        return fields.clean(value).strip()
    if depth > _DEEPEST:
        return ""
    if isinstance(value, list):
        return next(filter(None, (_text(item, inside, depth + 1) for item in reversed(value))), "")
    if isinstance(value, dict):
        return next(filter(None, (_text(value.get(n), inside, depth + 1) for n in (*inside, "parts", "messages", "message"))), "")
    return ""


def _context(spans: Sequence[Span]) -> Iterator[Passage]:
    """What a reranker left, else everything that was retrieved, each text once."""
    left = [found for span in spans if (found := _documents(span, reranked=True))]
    documents = left[-1] if left else [document for span in spans for document in _documents(span)]
    seen: dict[str, str] = {}
    for document in documents:
        text = next((document[n] for n in ("document.content", "content", "text") if isinstance(document.get(n), str)), "")
        if text.strip():
            seen.setdefault(fields.clean(text), _source(document))
    for number, (text, source) in enumerate(seen.items(), 1):
        yield Passage(f"p{number}", text, source)


def _source(document: Values) -> str:
    about = parsed(document.get("document.metadata") or document.get("metadata"))
    found = (about.get(name) for name in _NAMED) if isinstance(about, dict) else ()
    named = next((name for name in found if isinstance(name, str) and name), document.get("document.metadata.source"))
    return fields.clean(named) if isinstance(named, str) else ""


def _documents(span: Span, *, reranked: bool = False) -> list[Values]:
    """The documents of a span, in their order, each by its dotted names."""
    names = (_RERANKED,) if reranked else _RETRIEVED
    listed = next((found for name in names if isinstance(found := parsed(span.attributes.get(name)), list)), None)
    if listed is not None:
        return [_dotted(item) for item in listed if isinstance(item, dict)]
    numbered: dict[int, Values] = {}
    for key, value in span.attributes.items():
        match = _NUMBERED.fullmatch(key)
        if match and match[1] in names and len(match[2]) < 6:
            numbered.setdefault(int(match[2]), {})[match[3]] = value
    return [numbered[place] for place in sorted(numbered)]


def _dotted(item: Values) -> Values:
    inner = item.get("document")
    return {f"document.{key}": value for key, value in inner.items()} if isinstance(inner, dict) else item


SHAPE = Shape("spans of OpenTelemetry", lambda values: isinstance(values.get(TRACE), list), _cases, rank=5)
