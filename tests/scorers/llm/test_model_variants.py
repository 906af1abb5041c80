"""Variants that a scripted model writes over real HTTP: kept or dropped one by one."""

import json

import pytest

from groundscope.cases.edits.by_model import changes
from groundscope.cases.edits.variants import adapt_by_model
from groundscope.errors import DataError
from groundscope.methods import registry
from groundscope.types import Case, ErrorType, Passage
from tests.llm_server import Asked, LLMServer
from tests.scorers.llm.conftest import Serve

SOUND = "The court dismissed the appeal in 2003. Costs of 4,500 euros were awarded to the tenant. The landlord may appeal."
CASE = Case("c", "What happened?", (Passage("p", SOUND),), SOUND, grounded=True, group="c", split="test")


def _line(server: LLMServer) -> str:
    return f"server:scripted-1@{server.openai}"


def _reply(*answers: str) -> str:
    error = {"type": "factual_inaccuracy", "contradicted": True, "why": "The document says otherwise."}
    changed = [a[changes(SOUND, a)[0].start : changes(SOUND, a)[0].end] if a != SOUND else "" for a in answers]
    return json.dumps(
        {"versions": [{"answer": a, "errors": [{"quote": q, **error}]} for a, q in zip(answers, changed, strict=True)]}
    )


def test_a_model_s_versions_are_kept_or_dropped_one_by_one(serve: Serve) -> None:
    good = SOUND.replace("dismissed", "allowed")
    seen: list[Asked] = []

    def answer(asked: Asked) -> str:
        seen.append(asked)
        return _reply(good, SOUND, good)

    found = adapt_by_model(CASE, registry.chat(_line(serve(answer))), count=3)
    assert [(v.case.response, v.before, v.operator.type) for v in found.variants] == [
        (good, "dismissed", ErrorType.FACTUAL_INACCURACY)
    ]
    assert SOUND[found.variants[0].parent_start :].startswith("dismissed")
    assert [s.reason for s in found.skipped] == [
        "It is the answer itself, unchanged.",
        "It is the same as another version.",
    ]
    assert seen[0].data == {"question": "What happened?", "document": SOUND, "answer": SOUND}
    assert "Write 3 versions" in seen[0].task


def test_a_model_that_writes_no_versions_is_reported_so(serve: Serve) -> None:
    with pytest.raises(DataError, match=r"between the requested tags\. No variants were made"):
        adapt_by_model(CASE, registry.chat(_line(serve(lambda _: "I would rather not."))))


def test_a_wrong_answer_is_not_made_worse() -> None:
    wrong = Case("w", "q", CASE.context, SOUND, grounded=False)
    with pytest.raises(DataError, match="labelled as wrong"):
        adapt_by_model(wrong, registry.chat("server:nobody@http://127.0.0.1:9/v1"))
