"""Error types by two models: the closed list, the intersection, and the agreement as the paper counts it."""

import json
import re
from dataclasses import replace

import pytest

from groundscope.cases.dataset import read, to_jsonl
from groundscope.cases.error_types import EXAMPLES, MEANINGS
from groundscope.cases.error_typing import (
    TYPING,
    Typed,
    TypingAgreement,
    agreement,
    agreement_words,
    choice_counts,
    choose,
    chooser,
    typed_in,
    with_types,
)
from groundscope.chat.budget import BUDGET, NO_LIMITS, Limits
from groundscope.experiments import listing
from groundscope.experiments.steps import Outcome
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import TaskSteps
from groundscope.experiments.work import work
from groundscope.types import Case, ErrorSpan, ErrorType, Passage
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import line
from tests.llm_server import Fault

FACT, STEP, TERM = ErrorType.FACTUAL_INACCURACY, ErrorType.PROCEDURAL_ERROR, ErrorType.TERMINOLOGICAL_ERROR
CASES = tuple(Case(f"c{i}", f"q{i}", (Passage("p", "Notice within 30 days."),), f"Answer {i}.", grounded=False) for i in range(5))


def _types(*kinds: ErrorType) -> str:
    return json.dumps({"types": [k.value for k in kinds]})


def begun(*lines: str, limits: Limits = NO_LIMITS) -> JobFile:
    return TYPING.folder.open(TYPING.create("Mine", {line: line for line in lines}, CASES, {}, limits))


def worked(file: JobFile) -> Outcome:
    return work(file, TaskSteps(TYPING, file))


def test_two_models_choose_for_every_response(serve: Serve) -> None:
    one = serve(lambda _: _types(FACT, STEP))
    two = serve(lambda asked: _types(FACT) if "Answer 1." in asked.data["answer"] else _types(STEP, FACT))
    file = begun(line("server", one), line("server", two))
    assert worked(file).finished
    cases, typed = typed_in(file)
    assert tuple(cases) == CASES
    assert [t.case_id for t in typed] == [c.id for c in CASES]
    assert [t.kept for t in typed] == [frozenset({FACT}) if t.case_id == "c1" else frozenset({FACT, STEP}) for t in typed]
    assert len(one.asked) == len(two.asked) == 5
    (listed,), _ = listing.listed(TYPING.kind)
    assert (listed.done, listed.wanted, listed.about.endswith(": 5 responses")) == (10, 10, True)
    assert agreement(typed) == TypingAgreement(5, 0.8, 1.0, 0)
    assert all(kind.value in one.asked[0].task and meaning in one.asked[0].task for kind, meaning in MEANINGS.items())
    assert list(EXAMPLES) == list(ErrorType)
    assert all(f"{MEANINGS[kind]}. For example, {example}." in one.asked[0].task for kind, example in EXAMPLES.items())


def test_a_spent_budget_stops_a_typing_and_nothing_is_asked_twice(serve: Serve) -> None:
    servers = [serve(lambda _: _types(FACT)) for _ in range(2)]
    file = begun(*(line("server", server) for server in servers), limits=Limits(calls=3))
    for _ in range(2):
        ended = worked(file)
        assert (ended.finished, ended.why.startswith(BUDGET)) == (False, True)
        assert sum(len(server.asked) for server in servers) == file.spent().calls == 3
    file.allow(Limits(calls=10))
    assert worked(file).finished
    assert [len(server.asked) for server in servers] == [5, 5]


@pytest.mark.parametrize("reply", [_types(), '{"types": ["made_up"]}', '{"types": null}', "Factual, I think."])
def test_a_choice_outside_of_the_list_is_asked_for_once_more_and_then_unreadable(reply: str, serve: Serve) -> None:
    server = serve(lambda _: reply)
    assert choose(CASES[0], chooser(line("server", server))) is None
    assert len(server.asked) == 2


def test_agreement_counted_by_hand() -> None:
    typed = [
        Typed("a", frozenset({FACT}), frozenset({FACT})),
        Typed("b", frozenset({FACT, TERM}), frozenset({FACT})),
        Typed("c", frozenset({STEP}), frozenset({TERM})),
        Typed("d", None, frozenset({TERM})),
    ]
    assert agreement(typed) == TypingAgreement(3, 1 / 3, 2 / 3, 1)
    assert [t.kept for t in typed] == [frozenset({FACT}), frozenset({FACT}), frozenset(), frozenset()]
    assert [tuple(c)[1:] for c in choice_counts(typed) if c.type in (FACT, STEP, TERM)] == [(2, 2, 2), (1, 0, 0), (1, 2, 0)]
    words = agreement_words(agreement(typed))
    assert "33 % of 3 responses" in words
    assert "67 %" in words
    assert agreement(typed[3:]) == TypingAgreement(0, None, None, 1)
    assert agreement([]) == TypingAgreement(0, None, None, 0)


def test_what_both_chose_becomes_labels_of_the_responses_without_marked_errors() -> None:
    marked = replace(CASES[1], errors=(ErrorSpan(0, 6, TERM),))
    before = (CASES[0], marked, replace(CASES[2], error_types=(TERM,)), replace(CASES[3], error_types=(TERM,)), CASES[4])
    typed = [
        Typed("c0", frozenset({STEP, FACT}), frozenset({FACT, STEP, TERM})),
        Typed("c1", frozenset({FACT}), frozenset({FACT})),
        Typed("c2", frozenset({STEP}), frozenset({STEP})),
        Typed("c3", frozenset({STEP}), frozenset({FACT})),
        Typed("c4", None, frozenset({FACT})),
    ]
    found = with_types(before, typed)
    assert [c.types for c in found] == [(FACT, STEP), (TERM,), (STEP,), (TERM,), ()]
    assert found[1] == marked
    assert [replace(c, error_types=()) for c in found] == [replace(c, error_types=()) for c in before]
    assert read("cases.jsonl", to_jsonl(found).encode()).cases == found


def test_a_model_that_fails_five_times_is_left_alone_with_the_fix_and_the_other_goes_on(serve: Serve) -> None:
    servers = serve(lambda _: _types(FACT), Fault("status", status=401)), serve(lambda _: _types(STEP))
    file = begun(*(line("server", server) for server in servers))
    ended = worked(file)
    assert not ended.finished
    assert re.search(r"failed 5 times in a row and was skipped: .*key is not valid.* Resume to try it again", ended.why)
    assert [(t.first, t.second) for t in typed_in(file)[1]] == [(None, frozenset({STEP}))] * 5
    servers[0].faults = []
    assert worked(file).finished
    assert [t.first for t in typed_in(file)[1]] == [frozenset({FACT})] * 5
    assert len(servers[1].asked) == 5
