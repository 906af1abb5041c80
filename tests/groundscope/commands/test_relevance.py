"""`relevance` as a user types it: a run whose responses answer their queries, and one that was swapped."""

import json

import pytest

from groundscope.cases.dataset import to_jsonl
from groundscope.types import Case, Passage
from tests.groundscope.arguments.scripted import spec
from tests.groundscope.commands.conftest import Shell
from tests.llm_server import Asked, LLMServer

QUERIES = {"lease": "When does the lease end?", "appeal": "Who may appeal?", "fine": "How high is the fine for late payment?"}
RESPONSES = {"lease": "The lease ends on 31 May.", "appeal": "Any party may appeal.", "fine": "Penguins eat fish."}
CASES = tuple(
    Case(name, query, (Passage("p", RESPONSES[name]),), RESPONSES[name], grounded=True) for name, query in QUERIES.items()
)


@pytest.fixture
def run(shell: Shell) -> str:
    (shell.home / "mine.jsonl").write_text(to_jsonl(CASES), encoding="utf-8")
    return shell.done("run", "--cases", "mine.jsonl", "--methods", "overlap", "--quiet").out.strip()


def test_what_is_grounded_and_beside_the_question_comes_first(shell: Shell, run: str) -> None:
    out = shell.done("relevance", run, "--out", "relevant.jsonl", "--quiet").out
    assert "1 of 3 lie below 0.47" in out
    rows = [json.loads(line) for line in (shell.home / "relevant.jsonl").read_text("utf-8").splitlines()]
    assert (rows[0]["case"], rows[0]["grounded"]) == ("fine", True)
    assert rows[0]["relevance"] < 0.3 < rows[1]["relevance"]
    assert rows[0]["by"].startswith("relevance|cosine|")
    assert out.index("Penguins") < out.index("Any party")
    assert "--by takes chat:SPEC" in shell.refuses("relevance", run, "--by", "minilm")
    assert "already exists" in shell.refuses("relevance", run, "--out", "relevant.jsonl")


def test_a_chat_model_gives_its_reasons_after_consent(shell: Shell, run: str) -> None:
    def answer(asked: Asked) -> str:
        beside = "Penguins" in asked.data["answer"]
        return json.dumps({"reason": "It is about penguins." if beside else "", "answers": "no" if beside else "yes"})

    with LLMServer(answer) as server:
        done = shell.done("relevance", run, "--by", f"chat:{spec(server)}", "--quiet")
        assert len(server.asked) == 3
        stopped = shell("relevance", run, "--by", f"chat:{spec(server)};temperature=0.3", "--calls", "1", "--quiet")
    assert "Answers the question: yes 2, partly 0, no 1." in done.out
    assert "It is about penguins." in done.out
    assert "3 to 6 calls" in done.err
    assert (stopped.code, "run the same command again" in stopped.err) == (3, True)
    assert "Nothing was sent." in shell.refuses("relevance", run, "--by", "chat:server:m@http://models.example/v1")
