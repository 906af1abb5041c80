"""LangChain's own documents, messages and chains -> cases."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langchain_classic.chains import create_retrieval_chain
from langchain_classic.chains.combine_documents import create_stuff_documents_chain
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

import groundscope
from groundscope.errors import DataError
from groundscope.integrations.langchain import case_of

RENT, WATER = "Rent is due on May 1.", "The tenant pays for water."
ANSWER = "Rent is due on May 1. Late rent costs 50 dollars."


def chain(answer: str) -> Any:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=32))
    store.add_documents([Document(RENT, id="a", metadata={"title": "Lease"}), Document(WATER, id="b")])
    prompt = ChatPromptTemplate.from_template("{context} {input}")
    made = create_stuff_documents_chain(FakeListChatModel(responses=[answer]), prompt)
    return create_retrieval_chain(store.as_retriever(search_kwargs={"k": 2}), made)


def check(result: dict[str, Any]) -> None:
    case = case_of(result, "lease")
    assert (case.id, case.query, case.response) == ("lease", "When is rent due?", ANSWER)
    assert sorted((p.id, p.text, p.source) for p in case.context) == [("a", RENT, "Lease"), ("b", WATER, "")]
    judged = groundscope.score(case, ["overlap"])[0].readings[0].judgement
    assert [s.support for s in judged.sentences] == [1.0, 0.0]


def test_a_chain_answers_a_case() -> None:
    check(chain(ANSWER).invoke({"input": "When is rent due?"}))
    check(asyncio.run(chain(ANSWER).ainvoke({"input": "When is rent due?"})))


def test_a_graph_of_runnables_with_a_message_answers_one_too() -> None:
    documents = [Document(RENT, id="a", metadata={"title": "Lease"}), Document(WATER, id="b")]
    model = FakeListChatModel(responses=[ANSWER])
    graph = RunnablePassthrough.assign(documents=RunnableLambda(lambda _: documents)).assign(
        response=RunnableLambda(lambda state: f"{state['documents']}") | model
    )
    result = graph.invoke({"question": "When is rent due?"})
    assert isinstance(result["response"], AIMessage)
    check(result)
    blocks = AIMessage([{"type": "text", "text": ANSWER[:21]}, {"type": "image", "url": "x"}, ANSWER[21:]])
    check({"query": "When is rent due?", "source_documents": documents, "result": blocks})


def test_documents_as_json_and_as_texts_do() -> None:
    plain = [one.model_dump() for one in (Document(RENT, id="a", metadata={"title": "Lease"}), Document(WATER, id="b"))]
    check({"input": "When is rent due?", "context": plain, "answer": ANSWER})
    assert [p.text for p in case_of({"input": "q", "context": [RENT], "answer": ANSWER}).context] == [RENT]
    assert [p.text for p in case_of({"input": "q", "context": RENT, "answer": ANSWER}).context] == [RENT]


def test_sources_come_from_the_metadata_and_ids_stay_unique() -> None:
    documents = [
        Document("One.", metadata={"source": Path("a/lease.pdf"), "page_label": "12", "page": 11, "id": 7}),
        Document("Two.", id="x", metadata={"title": "", "url": "https://example.org", "page_label": "xii"}),
        Document("Three.", id="x", metadata={"title": ["no", "text"], "source": 5, "page_label": "0"}),
        Document("", metadata={}),
    ]
    found = case_of({"input": "q", "context": documents, "answer": "One."}).context
    assert [(p.id, p.source, p.pages) for p in found] == [
        ("7", "a/lease.pdf", ((0, 12),)),
        ("x", "https://example.org", ()),
        ("p3", "", ()),
        ("p4", "", ()),
    ]


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ({"context": [], "answer": "A."}, "input, question or query"),
        ({"input": "q", "answer": "A."}, "context, source_documents or documents"),
        ({"input": "q", "context": [], "answer": None}, "answer, result or response"),
        ({"input": "q", "context": Document(RENT), "answer": 5}, "'response' must be text"),
        ({"input": "q", "context": [Document(RENT), {"page_content": None}], "answer": "A."}, "Passage 2"),
        ({"input": "q", "context": [dumpd(Document(RENT))], "answer": "A."}, "Passage 1"),
        ({"input": "q", "context": {"page_content": RENT}, "answer": "A."}, "must be a list, got dict"),
        ({"input": [5], "context": [], "answer": "A."}, "'query' holds no text of a user"),
        ("A.", "got str"),
    ],
)
def test_what_is_no_answer_is_named(result: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        case_of(result)
