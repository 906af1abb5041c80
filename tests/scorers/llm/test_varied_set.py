"""Variants by chat models over real HTTP: kept or dropped one by one, several writers, what stays of a stopped set."""

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from groundscope.cases.edits.by_model import changes
from groundscope.cases.edits.variants import Adapted, model_prompt
from groundscope.cases.edits.whole_set import (
    EDITS,
    WRITING,
    VariedSet,
    VaryOptions,
    begin,
    begin_one,
    card,
    one_written_in,
    vary,
    written_in,
)
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.commands.case_files import read_cases
from groundscope.errors import DataError
from groundscope.experiments.steps import Outcome
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import TaskSteps
from groundscope.experiments.work import work
from groundscope.types import Case, ErrorType, Passage
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import line
from tests.llm_server import Asked, Fault

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


HOW = VaryOptions(per_answer=9, seed=0, names=(), edits=False, versions=4)


def begun(cases: Sequence[Case], *lines: str, limits: Limits = NO_LIMITS, how: VaryOptions = HOW) -> JobFile:
    return WRITING.folder.open(begin("Mine", cases, lines, how, limits))


def worked(file: JobFile, stop: threading.Event | None = None) -> Outcome:
    return work(file, TaskSteps(WRITING, file), stop=stop)


def varied(file: JobFile, **how: Any) -> VariedSet:
    answers, writing = written_in(file)
    return vary(answers, **{**HOW, **how}, writing=writing)


def test_two_models_write_beside_the_rules_and_equal_versions_count_once(serve: Serve) -> None:
    lines = [line("server", serve(_writes(word))) for word in ("sometimes", "never")]
    file = begun(SOUND, *lines)
    assert worked(file).finished
    made = varied(file)
    assert sum(made.writers.values()) == 9
    assert set(made.writers) == set(lines)
    assert made.dropped == {"It is the answer itself, unchanged.": 6, "It is the same as another version.": 3}
    assert len({c.id for c in made.cases}) == len(made.cases) == 12
    for case in made.cases:
        for error in case.errors:
            assert case.response[error.start : error.end] in {"sometimes.", "never.", "elsewhere."}
    assert set(varied(file, per_answer=99, edits=True).writers) == {EDITS, *lines}


def test_what_was_written_stays_when_it_is_stopped(serve: Serve) -> None:
    number, gone, stop = count(1), threading.Event(), threading.Event()

    def slow(asked: Asked) -> str:
        if next(number) > 6:
            stop.set()
            gone.wait(30)
        return _writes("never")(asked)

    file = begun(ALL_SOUND[:20], line("server", serve(slow)))
    assert worked(file, stop).paused
    gone.set()
    made = varied(file)
    assert made.stopped == "It was stopped by hand."
    assert 1 <= made.answers <= 6
    assert made.answers + made.left == 20
    # No answer is there that the model was not asked about.
    assert made.bare == 0
    early = f"Ended early: It was stopped by hand. {made.left} grounded answers of the set were not reached."
    assert early in card(made, "x", {}, ())


def test_a_spent_budget_keeps_whole_answers_and_replies_that_were_kept_cost_nothing(serve: Serve) -> None:
    spec = line("server", serve(_writes("never")))
    file = begun(ALL_SOUND[:6], spec, limits=Limits(calls=5))
    assert not worked(file).finished
    made = varied(file, edits=True)
    assert file.spent().calls == 5
    assert "budget" in made.stopped
    assert (made.answers, made.left) == (5, 1)
    assert set(made.writers) == {EDITS, spec}
    again = begun(ALL_SOUND[:6], spec, limits=Limits(calls=1))
    assert worked(again).finished
    whole = varied(again)
    assert (whole.stopped, whole.answers, again.spent().calls) == ("", 6, 1)
    # An answer that only one of two writers was done with is no part of the set.
    both = begun(ALL_SOUND[6:8], spec, f"{spec};seed=1", limits=Limits(calls=1))
    assert not worked(both).finished
    with pytest.raises(DataError, match="No answer is done yet; resume the writing"):
        varied(both)


def test_a_model_that_is_gone_is_left_alone_and_one_that_stumbles_is_not(serve: Serve) -> None:
    server = serve(_writes("never"))
    file = begun(ALL_SOUND[:20], line("server", server, at_once=1))
    server.faults.append(Fault("status", status=404))
    ended = worked(file)
    assert not ended.finished
    assert "failed 5 times in a row and was skipped" in ended.why
    assert len(server.asked) < 15
    server.faults[:] = [Fault("status", status=404, times=2)]
    assert worked(file).finished
    made = varied(file)
    assert (made.stopped, made.answers, made.bare) == ("", 20, 2)
    assert sum(made.dropped.values()) == 18 + 2


def test_an_answer_that_does_not_fit_the_model_is_left_out_before_it_is_sent(serve: Serve) -> None:
    server = serve(_writes("never"))
    long = replace(SOUND[0], id="long", group="long", context=tuple(replace(p, text=p.text * 60) for p in SOUND[0].context))
    room = max(model_prompt(c, 8).tokens() + model_prompt(c, 8).max_tokens for c in SOUND)
    file = begun([*SOUND, long], line("server", server, window=room), how={**HOW, "versions": 8})
    assert worked(file).finished
    made = varied(file)
    assert len(server.asked) == 3
    assert (made.answers, made.bare) == (4, 1)
    assert any("choose a model with more room" in reason for reason in made.dropped)


# Of one answer


TEXT = "The court dismissed the appeal in 2003. Costs of 4,500 euros were awarded to the tenant. The landlord may appeal."
CASE = Case("c", "What happened?", (Passage("p", TEXT),), TEXT, grounded=True, group="c", split="test")


def _reply(*answers: str) -> str:
    error = {"type": "factual_inaccuracy", "contradicted": True, "why": "The document says otherwise."}
    changed = [a[changes(TEXT, a)[0].start : changes(TEXT, a)[0].end] if a != TEXT else "" for a in answers]
    return json.dumps(
        {"versions": [{"answer": a, "errors": [{"quote": q, **error}]} for a, q in zip(answers, changed, strict=True)]}
    )


def asked_for(case: Case, answer: Callable[[Asked], str], serve: Serve, count: int = 3) -> Adapted | str:
    file = WRITING.folder.open(begin_one(case, line("server", serve(answer)), count))
    assert worked(file).finished
    return one_written_in(file)


def test_a_model_s_versions_are_kept_or_dropped_one_by_one(serve: Serve) -> None:
    good = TEXT.replace("dismissed", "allowed")
    seen: list[Asked] = []

    def answer(asked: Asked) -> str:
        seen.append(asked)
        return _reply(good, TEXT, good)

    found = asked_for(CASE, answer, serve)
    assert isinstance(found, Adapted)
    assert [(v.case.response, v.before, v.operator.type) for v in found.variants] == [
        (good, "dismissed", ErrorType.FACTUAL_INACCURACY)
    ]
    assert TEXT[found.variants[0].parent_start :].startswith("dismissed")
    assert [reason for _, reason in found.skipped] == [
        "It is the answer itself, unchanged.",
        "It is the same as another version.",
    ]
    assert seen[0].data == {"question": "What happened?", "document": TEXT, "answer": TEXT}
    assert "Write 3 versions" in seen[0].task


def test_a_model_that_writes_no_versions_is_reported_so(serve: Serve) -> None:
    found = asked_for(CASE, lambda _: "I would rather not.", serve)
    assert re.search(r"between the requested tags\. No variants were made", str(found))


def test_a_wrong_answer_is_not_made_worse() -> None:
    wrong = Case("w", "q", CASE.context, TEXT, grounded=False)
    with pytest.raises(DataError, match="labelled as wrong"):
        begin_one(wrong, "server:nobody@http://127.0.0.1:9/v1", 1)
