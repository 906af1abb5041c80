"""A LlamaIndex RAG answer -> a case. Nothing of LlamaIndex is imported: any version does."""

from typing import Any

from groundscope.errors import DataError
from groundscope.integrations._answers import ID, Retrieved, case_from, record
from groundscope.types import Case


def case_of(query: Any, response: Any, id: str = ID) -> Case:
    """Make a case of what a query engine or a chat engine answered.

    Args:
        query: the question, or a `QueryBundle`.
        response: `Response`, `StreamingResponse` (it is read to its end), `PydanticResponse` or `AgentChatResponse`.
        id: of the case.

    Returns:
        The case. Passages keep the nodes' ids, and the title, file or address in their metadata as the name of the source.

    Raises:
        DataError: there is no answer, no list of source nodes, or a node has no text.
    """
    nodes = getattr(response, "source_nodes", None)
    if not isinstance(nodes, list):
        raise DataError(f"A response of LlamaIndex has source nodes; {type(response).__name__} has none.")
    retrieved = [_retrieved(getattr(one, "node", one)) for one in nodes]
    return case_from(record(id, getattr(query, "query_str", query), retrieved, _text(response)))


def _retrieved(node: Any) -> Retrieved:
    metadata = getattr(node, "metadata", None)
    text = node.get_content() if hasattr(node, "get_content") else None
    return Retrieved(text, getattr(node, "node_id", None), metadata if isinstance(metadata, dict) else {})


def _text(response: Any) -> Any:
    if hasattr(response, "response_gen") and hasattr(response, "get_response"):
        response = response.get_response()
        if not hasattr(response, "response"):
            response.close()
            raise DataError("The response is still being written; await its get_response() and give what that gives.")
    answer = response.response
    return answer.model_dump_json() if hasattr(answer, "model_dump_json") else answer
