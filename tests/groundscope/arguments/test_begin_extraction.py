"""Arguments that are there already: a model extracts from them in a run that stops, goes on and pays as any other."""

import json

import pytest

from groundscope.arguments import loading, runs
from groundscope.arguments.arguers import arguer
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import exact
from groundscope.arguments.loading import Arguing
from groundscope.arguments.parsing import Argument
from groundscope.arguments.records import pasted, read_arguments, to_jsonl
from groundscope.arguments.summary import Judged
from groundscope.chat.budget import BUDGET, NO_LIMITS, Limits
from groundscope.experiments import listing
from groundscope.experiments.steps import Outcome
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import work
from tests.groundscope.arguments.scripted import SCENARIOS, argues, spec
from tests.groundscope.chat.clients.conftest import Serve
from tests.llm_server import Fault, LLMServer


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


def begun(server: LLMServer, found: list[Judged] = GIVEN) -> JobFile:
    return runs.FOLDER.open(loading.begin_extraction("Mine", TRADE_SECRETS, found, f"chat:{spec(server)}"))


def worked(file: JobFile, limits: Limits = NO_LIMITS) -> Outcome:
    file.allow(limits)
    return work(file, Arguing(file))


def far() -> tuple[int, int, bool]:
    (one,), _ = listing.listed(runs.KIND)
    return one.done, one.wanted, bool(one.finished)


def test_a_limit_that_is_given_at_the_start_holds(serve: Serve) -> None:
    server = serve(argues)
    line = f"chat:{spec(server)}"
    file = runs.FOLDER.open(loading.begin_extraction("Mine", TRADE_SECRETS, GIVEN, line, Limits(calls=2)))
    assert not work(file, Arguing(file)).finished
    assert len(server.asked) == 2


def test_a_model_extracts_from_arguments_that_are_there_and_from_no_others(serve: Serve) -> None:
    server = serve(argues)
    file = begun(server)
    assert server.asked == []
    assert far() == (0, 7, False)
    assert worked(file).finished
    assert far() == (7, 7, True)
    found = runs.judged(file)
    assert {(j.scenario, j.arguer, j.wording, j.argument, j.exact) for j in found} == {
        (j.scenario, j.arguer, j.wording, j.argument, j.exact) for j in GIVEN
    }
    assert all(j.other is not None and j.other.sets == j.exact.sets for j in found)
    assert all(list(a.data) == ["argument"] for a in server.asked)
    # The same text is asked about once: two wordings share two arguments.
    assert file.spent().calls == len(server.asked) == 5


def test_what_it_takes_is_reported_before_and_silence_costs_nothing(serve: Serve) -> None:
    server = serve(argues)
    silent = Judged(SCENARIOS[7], "gpt", "plain", Argument(("",), "It refused."), exact(("",), TRADE_SECRETS))
    takes = loading.extraction_forecast([*GIVEN, silent], f"chat:{spec(server)}")
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
            loading.begin_extraction("x", TRADE_SECRETS, GIVEN, bad)


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
    ended = worked(file, Limits(calls=1))
    assert ended.why.startswith(BUDGET)
    assert file.done(runs.EXTRACTION) == set()
    assert file.spent().calls == len(server.asked) == 1
    assert file.spent().tokens > 0
    server.faults = [Fault("status", status=400)]
    assert worked(file).nothing
    server.faults = []
    assert file.retry() == 1
    assert worked(file).finished
    assert file.spent().calls == 2
