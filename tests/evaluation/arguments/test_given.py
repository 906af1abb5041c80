"""Arguments that are there already: a model extracts from them in a run that stops, goes on and pays as any other."""

import json

import pytest

import scorers
from evaluation.arguments import given, runs
from evaluation.arguments.arguers import arguer
from evaluation.arguments.catalogue import TRADE_SECRETS
from evaluation.arguments.extraction import exact
from evaluation.arguments.judged import Judged
from evaluation.arguments.loading import parts_of
from evaluation.arguments.parsing import Argument
from evaluation.arguments.plan import Part, Plan
from evaluation.arguments.records import pasted, read_arguments, to_jsonl
from evaluation.arguments.run_file import RunFile
from evaluation.arguments.work import Outcome, work
from evaluation.errors import StoreError
from evaluation.spending import BUDGET, Budget
from tests.evaluation.arguments.scripted import SCENARIOS, argues, spec
from tests.llm_server import Fault, LLMServer
from tests.scorers.llm.conftest import Serve


def judged(name: str, wording: str, count: int) -> list[Judged]:
    made = []
    for s in SCENARIOS[:count]:
        argument = arguer("faithful").argue(s, TRADE_SECRETS)
        made.append(Judged(s, name, wording, argument, exact(argument.plies, TRADE_SECRETS)))
    return made


GIVEN = [
    *judged("gpt", "plain", 4),
    *judged("gpt", "none: odd", 2),
    pasted(SCENARIOS[8], "Pasted", "TSC1 had F4.", TRADE_SECRETS),
]
"""Of three that argue, none of them about every triple."""


def begun(server: LLMServer, found: list[Judged] = GIVEN) -> RunFile:
    return runs.opened(given.begin("Mine", TRADE_SECRETS, found, f"chat:{spec(server)}", scorers.chat))


def worked(file: RunFile, budget: Budget | None = None) -> Outcome:
    return work(file, parts_of(file.plan(), scorers.chat), budget=budget)


def test_a_model_extracts_from_arguments_that_are_there_and_from_no_others(serve: Serve) -> None:
    server = serve(argues)
    file = begun(server)
    assert server.asked == []
    (listed,), _ = runs.listed()
    assert (listed.done, listed.wanted, listed.finished) == (0, 7, False)
    assert worked(file).finished
    (listed,), _ = runs.listed()
    assert (listed.done, listed.wanted, listed.finished) == (7, 7, True)
    found = runs.judged(file)
    assert {(j.scenario, j.arguer, j.wording, j.argument, j.exact) for j in found} == {
        (j.scenario, j.arguer, j.wording, j.argument, j.exact) for j in GIVEN
    }
    assert all(j.other is not None and j.other.sets == j.exact.sets for j in found)
    assert all(list(a.data) == ["argument"] for a in server.asked)
    # The same text is asked about once: two wordings share two arguments.
    assert runs.spent(file).calls == len(server.asked) == 5


def test_such_a_run_stops_at_its_budget_and_goes_on(serve: Serve) -> None:
    server = serve(argues)
    file = begun(server, judged("m", "", 5))
    ended = worked(file, Budget(calls=2))
    assert (ended.finished, ended.why.startswith(BUDGET)) == (False, True)
    assert file.counts()[1:] == (5, 2)
    assert worked(file).finished
    assert len(server.asked) == 5


def test_what_it_takes_is_told_before_and_silence_costs_nothing(serve: Serve) -> None:
    server = serve(argues)
    silent = Judged(SCENARIOS[7], "gpt", "plain", Argument(("",), "It refused."), exact(("",), TRADE_SECRETS))
    takes = given.forecast([*GIVEN, silent], f"chat:{spec(server)}", scorers.chat)
    assert (takes.calls, takes.address, takes.dollars, takes.missing) == (7, "127.0.0.1", 0.0, "")
    file = begun(server, [silent])
    assert worked(file).finished
    assert server.asked == []


def test_what_cannot_be_extracted_from_is_refused(serve: Serve) -> None:
    server = serve(argues)
    with pytest.raises(ValueError, match="no argument to extract from"):
        begun(server, [])
    for bad in ("", "built-in:faithful", "chat:"):
        with pytest.raises(ValueError, match="no extractor"):
            given.begin("x", TRADE_SECRETS, GIVEN, bad, scorers.chat)
    parts = (Part("given:0:", "a", "s"), Part("built-in:faithful", "b", "s"))
    with pytest.raises(ValueError, match="a run of their own"):
        Plan("x", TRADE_SECRETS, parts, ("plain",))
    part = next(iter(parts_of(begun(server).plan(), scorers.chat).arguers.values()))
    with pytest.raises(StoreError, match="is gone from its file"):
        part.argue(SCENARIOS[0], TRADE_SECRETS, None)  # type: ignore[arg-type]


def test_what_a_model_extracted_comes_back_from_the_exported_rows(serve: Serve) -> None:
    lists = {"current_case": ["F4", "f4 but not f6", "F9"], "tsc1": ["Trade-licence (P)", "F4 Security-measures (P)"], "tsc2": []}
    file = begun(serve(lambda _: json.dumps(lists)))
    assert worked(file).finished
    found = runs.judged(file)
    read = read_arguments("a.jsonl", to_jsonl(found, TRADE_SECRETS).encode(), TRADE_SECRETS)
    assert read.rejected == ()
    assert [(j.other, j.score("model")) for j in read.judged] == [(j.other, j.score("model")) for j in found]
    assert found[0].other is not None
    assert found[0].other.sets[0] == {"F4", "F9", "f4-but-not-f6"}


def test_why_a_model_gave_no_lists_comes_back_too(serve: Serve) -> None:
    file = begun(serve(lambda _: "nothing"), GIVEN[:1])
    assert worked(file).finished
    (one,) = runs.judged(file)
    (again,) = read_arguments("a.jsonl", to_jsonl([one], TRADE_SECRETS).encode(), TRADE_SECRETS).judged
    assert (again.other, again.unread) == (None, one.unread)
    assert one.unread


def test_what_was_paid_before_a_step_failed_is_counted(serve: Serve) -> None:
    server = serve(lambda _: "nothing")
    file = begun(server, GIVEN[:1])
    ended = worked(file, Budget(calls=1))
    assert ended.why.startswith(BUDGET)
    assert file.counts()[2] == 0
    assert runs.spent(file).calls == len(server.asked) == 1
    assert runs.spent(file).tokens > 0
    server.faults = [Fault("status", status=400)]
    assert not worked(file).finished
    server.faults = []
    assert worked(file).finished
    assert runs.spent(file).calls == 2
