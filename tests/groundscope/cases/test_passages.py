"""Contexts and texts as programs print and export them: each is read, or refused with what to do, or a text."""

import json
import time
from contextlib import suppress
from typing import Any

import pytest

from groundscope.cases.dataset import read
from groundscope.cases.passages import passages
from groundscope.types import Page
from tests.loops import each


def loaded(row: object) -> Any:
    return read("a.json", json.dumps([row]).encode())


@each(
    ("cell", "texts"),
    [
        ("array(['a.', 'b.'], dtype=object)", ["a.", "b."]),
        ("['a.' 'b.'\n 'c\\nd']", ["a.", "b.", "c\nd"]),
        ("[array(['a.', 'b.'], dtype=object)]", ["a.", "b."]),
        ("[np.str_('a.'), np.str_('b.')]", ["a.", "b."]),
        ("('a.', 'b.')", ["a.", "b."]),
        ("{'a.'}", ["a."]),
        ("[{'page_content': 'a.', 'n': nan} {'page_content': 'b.'}]", ["a.", "b."]),
        ("[Document(page_content='a.', metadata={'d': datetime.date(2020, 1, 2)})]", ["a."]),
        ("[(Document(page_content='a.'), 0.5), (Document(page_content='b.'), 0.25)]", ["a.", "b."]),
        ("[Document(id='x', metadata={}, page_content=\"it's\")]", ["it's"]),
        ("page_content='a.' metadata={'source': 's'}", ["a."]),
        ("[NodeWithScore(node=TextNode(id_='1', text='a.'), score=0.5)]", ["a."]),
        ('["[\\"a.\\"]"]', ["a."]),
        ('"[\\"a.\\", \\"b.\\"]"', ["a.", "b."]),
        ("['a.', None]", ["a."]),
        ("[]", []),
        ("nan", ["nan"]),
        ("['C:\\new \\d']", ["C:\new \\d"]),
    ],
)
def test_a_printed_list_is_read(cell: str, texts: list[str]) -> None:
    assert [p.text for p in passages(cell)] == texts


@each(
    "text",
    [
        "[1] The court held (at 5) that rent is due.",
        "[Sealed] The order stands.",
        "[Sealed]",
        "[2019] EWCA Civ 1",
        '["Tenant"] shall pay the rent (see § 2)',
        "(a) The tenant, and (b) the landlord",
        '("Landlord"), of the one part, and ("Tenant")',
        "[Art.5(a)] The fee is 5 (five)",
        "{Exhibit A}",
        "[Rule(b)]",
        "[...] The court held 'so' [...]",
        "[...]",
        "[W]e hold that 'rent' is due [now]",
        "Document(s) filed on May 1",
        "[sic], and so on []",
    ],
)
def test_a_text_that_begins_with_a_bracket_stays_text(text: str) -> None:
    assert [p.text for p in passages(text)] == [text]


@each(
    ("cell", "words"),
    [
        ("['a.' 'b.' ... 'y.' 'z.']", "cut off"),
        ("['a.' ... 'z.']", "cut off"),
        ("array(['a.', ..., 'z.'], dtype=object)", "cut off"),
        ("['a.', 'b. and", "cannot be read"),
        ("[TextNode(text='a.', r={<Relation.SOURCE: '1'>: 2})]", "cannot be read"),
        ("['a.', lambda: 1]", "cannot be read"),
        ("['a.', b]", "cannot be read"),
        ("['a.', " + "[" * 100_000, "cannot be read"),
    ],
)
def test_a_printed_list_that_is_lost_is_refused_with_what_to_do(cell: str, words: str) -> None:
    (rejected,) = loaded({"question": "q", "answer": "a", "contexts": cell}).rejected
    assert words in rejected.reason
    assert "'contexts'" in rejected.reason
    assert "df.to_json(orient='records')" in rejected.reason


@pytest.mark.release
@each("piece", ["[", "['a',", "['a'", "'a' ", "not ", "-", "a.", "()", "\\", "{'a':", "A(", "'", '"', " "])
def test_a_hostile_cell_of_10_mb_is_bounded(piece: str) -> None:
    for before in ("['a', ", "[", "Document(page_content="):
        began = time.process_time()
        with suppress(ValueError):
            passages(before + piece * (10_000_000 // len(piece)) + "]")
        assert time.process_time() - began < 30


@each(
    ("document", "source", "page"),
    [
        ({"page_content": "a", "metadata": {"source": "l.pdf", "page": 3}}, "l.pdf", 4),
        ({"page_content": "a", "metadata": {"source": "l.pdf", "page": 3, "page_label": "7"}}, "l.pdf", 7),
        ({"page_content": "a", "metadata": {"source": "l.pdf", "page": 3, "page_label": "iv"}}, "l.pdf", "iv"),
        ({"node": {"text": "a", "metadata": {"file_name": "n.pdf", "page_label": "2"}}, "score": 0.5}, "n.pdf", 2),
        ({"text": "a", "metadata": {"url": "https://x", "page_number": 5}}, "https://x", 5),
        ({"text": "a", "title": "Rule 1", "page": 6}, "Rule 1", 6),
        ({"content": "a", "meta": '{"file_path": "/f"}'}, "/f", None),
        ({"text": "a", "source": "s", "pages": [[0, 9]]}, "s", 9),
        ({"lc": 1, "id": ["x"], "kwargs": {"page_content": "a", "metadata": {"source": "s", "page": 0}}}, "s", 1),
        ({"document": {"content": "a"}, "metadata": {"title": "T"}}, "T", None),
    ],
)
def test_passages_keep_where_they_are_from(document: dict[str, Any], source: str, page: Page | None) -> None:
    (passage,) = passages([document])
    assert (passage.text, passage.source, passage.page(0)) == ("a", source, page)


PARTS = [{"type": "text", "text": "Is it"}, {"type": "text", "text": "due?"}]
ASKED = [{"role": "system", "content": "Be short."}, {"role": "user", "content": PARTS}]
DUE = "It is due."
REPLY = {"role": "assistant", "content": "It is."}
DOCUMENTS = [{"page_content": DUE, "metadata": {"source": "l.pdf"}}]


@each(
    ("row", "title"),
    [
        ({"vars": {"question": "q", "context": DUE}, "response": {"output": "It is."}, "success": True}, "promptfoo"),
        ({"vars": {"q": "q", "query": "q"}, "response": {"output": {"answer": "It is.", "context": [DUE]}}}, "promptfoo"),
        ({"inputs": {"question": "q"}, "outputs": {"answer": "It is.", "documents": DOCUMENTS}}, "LangSmith"),
        ({"inputs": '{"question": "q"}', "outputs": json.dumps({"output": "It is.", "contexts": [DUE]})}, "LangSmith"),
        ({"input": "q", "output": "It is.", "metadata": json.dumps({"contexts": [DUE]})}, "Langfuse"),
        ({"input": json.dumps({"question": "q", "context": DUE}), "output": '{"answer": "It is."}'}, "Langfuse"),
        ({"item": {"question": "q", "context": DUE}, "sample": {"output_text": "It is."}}, "OpenAI evals"),
        ({"item": {"input": "q", "context": DUE}, "sample": {"completion": ["It is."]}}, "OpenAI evals"),
        ({"datasource_item": {"query": "q", "docs": DOCUMENTS}, "sample": {"output": [REPLY]}}, "OpenAI evals"),
        ({"messages": [{"role": "user", "content": "q"}, REPLY], "documents": [[DUE, 0.5]]}, "chat messages"),
        ({"query": "q", "result": "It is.", "source_documents": DOCUMENTS}, "Groundscope"),
        ({"input": "q", "answer": "It is.", "context": DOCUMENTS}, "Groundscope"),
        ({"query": "q", "response": "It is.", "source_nodes": [{"node": {"text": DUE}, "score": 1}]}, "Groundscope"),
        ({"input": "q", "actual_output": "It is.", "retrieval_context": f"{DUE}|No | fee.|"}, "DeepEval"),
        ({"input": "q", "actual_output": "It is.", "retrieval_context": f"deepeval_source=s,deepeval_context={DUE}"}, "DeepEval"),
    ],
)
def test_exports_of_other_tools_are_read(row: dict[str, Any], title: str) -> None:
    found = loaded(row)
    (case,) = found.cases
    assert (found.shapes, found.rejected) == ((title,), ())
    assert (case.query, case.response, case.context[0].text) == ("q", "It is.", DUE)


@each("asked", [ASKED, json.dumps(ASKED), str(ASKED)])
def test_the_last_message_of_the_user_is_the_question(asked: object) -> None:
    (case,) = loaded({"question": asked, "answer": [REPLY], "contexts": ["c"]}).cases
    assert (case.query, case.response) == ("Is it\ndue?", "It is.")


def test_an_export_without_sources_says_where_they_may_stand() -> None:
    (rejected,) = loaded({"vars": {"question": "q"}, "response": {"output": "a"}}).rejected
    assert "promptfoo: none of vars," in rejected.reason
