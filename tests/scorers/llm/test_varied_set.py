"""Variants of a whole set by chat models over real HTTP: several writers, and equal versions once."""

import json
from collections.abc import Callable

from groundscope.cases.edits.whole_set import EDITS, vary
from groundscope.commands.case_files import read_cases
from groundscope.methods import registry
from tests.llm_server import Asked
from tests.scorers.llm.conftest import Serve

SOUND = [c for c in read_cases(None)[0] if c.grounded][:3]


def _version(answer: str, quote: str, kind: str) -> dict[str, object]:
    error = {"quote": quote, "type": kind, "contradicted": True, "why": "The sources say otherwise."}
    return {"answer": answer, "errors": [error]}


def _writes(word: str) -> Callable[[Asked], str]:
    def answered(asked: Asked) -> str:
        answer = asked.data["answer"]
        start = answer[: -len(answer.split()[-1])]
        versions = [
            _version(f"{start}{word}.", f"{word}.", "terminological_error"),
            _version(f"{start}elsewhere.", "elsewhere.", "misattribution"),
            _version(answer, "x", "misattribution"),
        ]
        return json.dumps({"versions": versions})

    return answered


def test_two_models_write_beside_the_rules_and_equal_versions_count_once(serve: Serve) -> None:
    models = {}
    for word in ("sometimes", "never"):
        line = f"server:scripted-1@{serve(_writes(word)).openai}"
        models[line] = registry.chat(line)
    made = vary(SOUND, per_answer=9, edits=False, models=models)
    assert sum(made.writers.values()) == 9
    assert set(made.writers) == set(models)
    assert made.dropped == {"It is the answer itself, unchanged.": 6, "It is the same as another version.": 3}
    assert len({c.id for c in made.cases}) == len(made.cases) == 12
    for case in made.cases:
        for error in case.errors:
            assert case.response[error.start : error.end] in {"sometimes.", "never.", "elsewhere."}
    mixed = vary(SOUND, per_answer=99, models=models)
    assert set(mixed.writers) == {EDITS, *models}
