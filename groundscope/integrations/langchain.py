"""A LangChain RAG answer -> a case. Nothing of LangChain is imported: any version does, and so does its JSON."""

from collections.abc import Iterable, Mapping
from typing import Any

from groundscope.errors import DataError
from groundscope.integrations._answers import ID, Retrieved, case_from, record
from groundscope.types import Case

_QUESTION = ("input", "question", "query")
_CONTEXT = ("context", "source_documents", "documents")
_ANSWER = ("answer", "result", "response")


def case_of(result: Mapping[str, Any], id: str = ID) -> Case:
    """Make a case of what a chain or a graph gave.

    Args:
        result: the question under `input`, `question` or `query`; documents under `context`, `source_documents` or `documents`; a
            text or a message under `answer`, `result` or `response`: what `create_retrieval_chain`, `RetrievalQA` and the state
            of a RAG graph hold.
        id: of the case.

    Returns:
        The case. Passages keep the documents' ids, and the title, file or address in their metadata as the name of the source.

    Raises:
        DataError: one of the three is missing or of another type; the message names it.
    """
    if not isinstance(result, Mapping):
        raise DataError(f"The result of a chain is a dict with a question, documents and an answer, got {type(result).__name__}.")
    context = _value(result, _CONTEXT)
    retrieved = context if isinstance(context, str) else [_retrieved(one) for one in _listed(context)]
    return case_from(record(id, _value(result, _QUESTION), retrieved, _text(_value(result, _ANSWER))))


def _value(result: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    value = next((result[name] for name in names if result.get(name) is not None), None)
    if value is None:
        raise DataError(f"The result holds nothing under {', '.join(names[:-1])} or {names[-1]}; let the chain pass it on.")
    return value


def _listed(context: Any) -> Iterable[Any]:
    if isinstance(context, Mapping) or not isinstance(context, Iterable):
        raise DataError(f"The documents must be a list, got {type(context).__name__}.")
    return context


def _retrieved(document: Any) -> Retrieved:
    if isinstance(document, str):
        return Retrieved(document)
    fields = (
        document if isinstance(document, Mapping) else {n: getattr(document, n, None) for n in ("page_content", "id", "metadata")}
    )
    metadata = fields.get("metadata")
    metadata = metadata if isinstance(metadata, Mapping) else {}
    return Retrieved(fields.get("page_content"), fields.get("id") or metadata.get("id"), metadata)


def _text(answer: Any) -> Any:
    """The words of an answer, which may be a message; a message may hold its words in blocks."""
    content = getattr(answer, "content", answer)
    if not isinstance(content, list):
        return content
    return "".join(one if isinstance(one, str) else str(one.get("text", "")) for one in content if isinstance(one, str | dict))
