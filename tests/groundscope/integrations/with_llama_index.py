"""LlamaIndex's own nodes, indexes and responses -> cases."""

import asyncio
from typing import Any

import pytest
from llama_index.core import Document, MockEmbedding, QueryBundle, Response, VectorStoreIndex
from llama_index.core.base.response.schema import AsyncStreamingResponse, PydanticResponse, StreamingResponse
from llama_index.core.chat_engine.types import AgentChatResponse
from llama_index.core.llms import CompletionResponse, MockLLM
from llama_index.core.schema import ImageNode, NodeWithScore, TextNode
from pydantic import BaseModel

import groundscope
from groundscope.errors import DataError
from groundscope.integrations.llama_index import case_of

RENT = "Rent is due on May 1."
ANSWER = "Rent is due on May 1. Late rent costs 50 dollars."


class Repeating(MockLLM):
    def complete(self, prompt: str, formatted: bool = False, **options: Any) -> CompletionResponse:
        assert RENT in prompt
        return CompletionResponse(text=ANSWER)


def node(text: str, **options: Any) -> NodeWithScore:
    return NodeWithScore(node=TextNode(text=text, **options), score=0.5)


def test_a_query_engine_answers_a_case() -> None:
    documents = [Document(text=RENT, metadata={"title": "Lease"}), Document(text="Water.", metadata={"file_name": "a.pdf"})]
    index = VectorStoreIndex.from_documents(documents, embed_model=MockEmbedding(embed_dim=4))
    response = index.as_query_engine(llm=Repeating(), similarity_top_k=2).query("When is rent due?")
    assert isinstance(response, Response)
    for query in ("When is rent due?", QueryBundle("When is rent due?")):
        case = case_of(query, response, "lease")
        assert (case.id, case.query, case.response) == ("lease", "When is rent due?", ANSWER)
        assert sorted((p.text, p.source) for p in case.context) == [(RENT, "Lease"), ("Water.", "a.pdf")]
        assert {p.id for p in case.context} == {n.node.node_id for n in response.source_nodes}
        judged = groundscope.score(case, ["overlap"])[0].readings[0].judgement
        assert [s.support for s in judged.sentences] == [1.0, 0.0]


def test_an_index_without_a_match_gives_no_number() -> None:
    index = VectorStoreIndex([], embed_model=MockEmbedding(embed_dim=4))
    case = case_of("q", index.as_query_engine(llm=MockLLM()).query("q"))
    assert case.context == ()
    assert groundscope.score(case, ["overlap"])[0].readings[0].judgement.support is None


def test_a_response_that_streams_is_read_to_its_end_and_stays_readable() -> None:
    response = StreamingResponse((word for word in ("Rent is ", "due.")), [node(RENT)])
    assert case_of("q", response).response == "Rent is due."
    assert str(response) == "Rent is due."


def test_a_response_that_is_awaited_says_so() -> None:
    async def words() -> Any:
        yield "Rent is due."

    async def both() -> str:
        waiting = AsyncStreamingResponse(words(), [node(RENT)])
        with pytest.raises(DataError, match="await"):
            case_of("q", waiting)
        return case_of("q", await waiting.get_response()).response

    assert asyncio.run(both()) == "Rent is due."


def test_objects_and_chats_are_answers_too() -> None:
    class Terms(BaseModel):
        due: str

    assert case_of("q", PydanticResponse(Terms(due="May 1"), [node(RENT)])).response == '{"due":"May 1"}'
    assert case_of("q", AgentChatResponse(ANSWER, source_nodes=[node(RENT)])).response == ANSWER


def test_nodes_may_lack_everything_but_a_text() -> None:
    nodes = [node("", id_="x"), node("租金 \U0001f3e0\x00", id_="x"), node("P.", metadata={"page_label": "4", "url": "u"})]
    found = case_of("q", Response("A.", [*nodes, NodeWithScore(node=ImageNode())])).context
    assert [(p.text, p.source, p.pages) for p in found] == [
        ("", "", ()),
        ("租金 \U0001f3e0\ufffd", "", ()),
        ("P.", "u", ((0, 4),)),
        ("", "", ()),
    ]
    assert len({p.id for p in found}) == 4


@pytest.mark.parametrize(
    ("query", "response", "said"),
    [
        ("q", Response(None, []), "'response' is empty"),
        (None, Response("A.", []), "'query' is empty"),
        ("q", Response(5, []), "'response' must be text"),  # type: ignore[arg-type]
        ("q", Response("A.", None), "Response has none"),  # type: ignore[arg-type]
        ("q", Response("A.", [None]), "Passage 1"),  # type: ignore[list-item]
        ("q", None, "NoneType has none"),
    ],
)
def test_what_is_no_answer_is_named(query: Any, response: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        case_of(query, response)
