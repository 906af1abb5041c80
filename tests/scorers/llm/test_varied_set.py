"""Variants of a whole set by chat models over real HTTP: several writers, equal versions once, what stays of a stopped one."""

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from groundscope.cases.edits.variants import model_prompt
from groundscope.cases.edits.whole_set import EDITS, card, vary
from groundscope.chat.budget import Budget, spending
from groundscope.commands.case_files import read_cases
from groundscope.errors import BudgetSpent, Cancelled, ModelUnavailable
from groundscope.methods import registry
from groundscope.runtime.progress import listening
from groundscope.runtime.retention import keeping
from tests.llm_server import Asked, Fault
from tests.scorers.llm.conftest import Serve

ALL_SOUND = [c for c in read_cases(None)[0] if c.grounded]
SOUND = ALL_SOUND[:3]


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


def test_what_was_written_stays_when_it_is_cancelled(serve: Serve) -> None:
    number, gone = count(1), threading.Event()

    def slow(asked: Asked) -> str:
        if next(number) > 6:
            gone.wait(30)
        return _writes("never")(asked)

    def hear(done: int, total: int) -> None:
        assert total == 20
        if done >= 4:
            raise Cancelled

    line = f"server:scripted-1@{serve(slow).openai}"
    with listening(hear):
        made = vary(ALL_SOUND[:20], edits=False, models={line: registry.chat(line)})
    gone.set()
    assert made.stopped == "It was stopped by hand."
    assert 4 <= made.answers <= 6
    assert made.answers + made.left == 20
    # No answer is there that the model was not asked about.
    assert made.bare == 0
    early = f"Ended early: It was stopped by hand. {made.left} grounded answers of the set were not reached."
    assert early in card(made, "x", {}, ())


def test_a_spent_budget_keeps_whole_answers_and_replies_that_were_kept_cost_nothing(serve: Serve) -> None:
    line = f"server:scripted-1@{serve(_writes('never')).openai}"
    models = {line: registry.chat(line)}
    with spending(Budget(calls=5)) as spent, keeping():
        made = vary(ALL_SOUND[:6], per_answer=9, models=models)
    assert spent.cost.calls == 5
    assert "budget" in made.stopped
    assert (made.answers, made.left) == (5, 1)
    assert set(made.writers) == {EDITS, line}
    with spending(Budget(calls=1)) as spent, keeping():
        whole = vary(ALL_SOUND[:6], per_answer=9, models=models)
    assert (whole.stopped, whole.answers, spent.cost.calls) == ("", 6, 1)
    # An answer that only one of two writers was done with is no part of the set.
    with pytest.raises(BudgetSpent), spending(Budget(calls=1)):
        vary(ALL_SOUND[6:8], models={**models, "again": registry.chat(f"{line};seed=1")})


def test_a_model_that_is_gone_ends_it_and_one_that_stumbles_does_not(serve: Serve) -> None:
    server = serve(_writes("never"))
    model = {"m": registry.chat(f"server:scripted-1@{server.openai};at_once=1")}
    server.faults.append(Fault("status", status=404))
    with pytest.raises(ModelUnavailable):
        vary(ALL_SOUND[:20], models=model)
    assert len(server.asked) < 15
    server.faults[:] = [Fault("status", status=404, times=2)]
    made = vary(ALL_SOUND[:20], edits=False, models=model)
    assert (made.stopped, made.answers, made.bare) == ("", 20, 2)
    assert sum(made.dropped.values()) == 18 + 2


def test_an_answer_that_does_not_fit_the_model_is_left_out_before_it_is_sent(serve: Serve) -> None:
    server = serve(_writes("never"))
    long = replace(SOUND[0], id="long", group="long", context=tuple(replace(p, text=p.text * 60) for p in SOUND[0].context))
    room = max(model_prompt(c, 8).tokens() + model_prompt(c, 8).max_tokens for c in SOUND)
    line = f"server:scripted-1@{server.openai};window={room}"
    made = vary([*SOUND, long], edits=False, versions=8, models={"m": registry.chat(line)})
    assert len(server.asked) == 3
    assert (made.answers, made.bare) == (4, 1)
    assert any("choose a model with more room" in reason for reason in made.dropped)
