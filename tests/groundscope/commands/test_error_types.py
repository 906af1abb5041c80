"""`error-types` as a user types it: two models on loopback, and a file whose types a run counts."""

import json
from collections.abc import Iterator

import pytest

from groundscope.cases.dataset import read, to_jsonl
from groundscope.grounding.runs.arrays import TYPES, case_columns
from groundscope.types import Case, ErrorType, Passage
from tests.groundscope.commands.conftest import Shell
from tests.llm_server import LLMServer

FACT, STEP = ErrorType.FACTUAL_INACCURACY, ErrorType.PROCEDURAL_ERROR
CASES = tuple(
    Case(f"c{i}", f"q{i}", (Passage("p", "Within 30 days."),), f"Answer {i}.", grounded=i == 0, split="dev") for i in range(3)
)


@pytest.fixture
def servers() -> Iterator[tuple[LLMServer, LLMServer]]:
    def chosen(*kinds: ErrorType) -> str:
        return json.dumps({"types": [kind.value for kind in kinds]})

    with (
        LLMServer(lambda _: chosen(FACT, STEP)) as one,
        LLMServer(lambda asked: chosen(STEP, FACT) if "1" in asked.data["answer"] else chosen(STEP)) as two,
    ):
        yield one, two


def asked(shell: Shell, servers: tuple[LLMServer, LLMServer], *more: str) -> tuple[str, ...]:
    (shell.home / "mine.jsonl").write_text(to_jsonl(CASES), encoding="utf-8")
    first, second = (f"server:scripted-1@{s.openai}" for s in servers)
    return (
        "error-types",
        "--cases",
        "mine.jsonl",
        "--first",
        first,
        "--second",
        second,
        "--out",
        "typed.jsonl",
        "--quiet",
        *more,
    )


def test_types_of_both_models_are_written_with_the_cases_and_counted_in_a_run(
    shell: Shell, servers: tuple[LLMServer, LLMServer]
) -> None:
    said = shell(*asked(shell, servers))
    assert said.code == 0, said.err
    assert "Both chose exactly the same types for 50 % of 2 responses, and at least one in common for 100 %" in said.out
    assert "2 responses got types: typed.jsonl" in said.err
    found = read("typed.jsonl", (shell.home / "typed.jsonl").read_bytes()).cases
    assert [c.types for c in found] == [(), (FACT, STEP), (STEP,)]
    counted = case_columns(found).types.sum(axis=0)
    assert {kind: int(n) for kind, n in zip(TYPES, counted, strict=True) if n} == {FACT: 1, STEP: 2}
    assert [len(s.asked) for s in servers] == [2, 2]


def test_what_cannot_be_typed_is_refused_before_anything_is_sent(shell: Shell, servers: tuple[LLMServer, LLMServer]) -> None:
    line = asked(shell, servers)
    same = (*line[:6], line[4], *line[7:])
    assert "Name two different models" in shell.here(*same).err
    (shell.home / "typed.jsonl").write_text("mine", encoding="utf-8")
    said = shell.here(*line)
    assert (said.code, "is there already" in said.err) == (2, True)
    sound = to_jsonl(CASES[:1])
    (shell.home / "mine.jsonl").write_text(sound, encoding="utf-8")
    (shell.home / "typed.jsonl").unlink()
    assert "No response of mine.jsonl is labelled ungrounded" in shell.here(*line).err
    assert [s.asked for s in servers] == [[], []]


def test_a_budget_stops_it_and_what_was_answered_is_not_asked_again(shell: Shell, servers: tuple[LLMServer, LLMServer]) -> None:
    stopped = shell(*asked(shell, servers, "--calls", "2"))
    assert stopped.code == 3, stopped.err
    assert "the same command continues from there" in stopped.err
    assert not (shell.home / "typed.jsonl").exists()
    assert shell(*asked(shell, servers)).code == 0
    assert sum(len(s.asked) for s in servers) == 4
