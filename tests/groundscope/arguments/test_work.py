"""Runs: nothing is lost by a stop, a failure or a kill, faults are named, and costs are told before and after."""

import re
from typing import Any

import pytest

from groundscope.arguments import loading, runs
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.loading import Arguing, arguer, forecast, planned
from groundscope.arguments.report import report
from groundscope.arguments.runs import ArgumentsPlan, places
from groundscope.arguments.types import Test
from groundscope.chat.budget import BUDGET, NO_LIMITS, Limits
from groundscope.errors import StoreError
from groundscope.experiments import listing
from groundscope.experiments.plan import Count, Part
from groundscope.experiments.steps import Outcome, Tick
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import work
from groundscope.paths import data_folder
from tests.groundscope.arguments.scripted import SCENARIOS, argues, spec
from tests.groundscope.chat.clients.conftest import Serve
from tests.llm_server import Asked, Fault

BUILT_IN = ["built-in:faithful", "built-in:never-abstains"]


def begun(chosen: list[str], wordings: tuple[str, ...] = ("plain",), extracts: str = "", limits: Limits = NO_LIMITS) -> JobFile:
    plan = planned("Mine", TRADE_SECRETS, chosen, wordings, extracts)
    return runs.FOLDER.open(runs.create(plan, SCENARIOS, limits=limits))


def worked(file: JobFile, **how: Any) -> Outcome:
    return work(file, Arguing(file), **how)


def listed() -> listing.Listed:
    (one,), _ = listing.listed(runs.KIND)
    return one


def test_built_in_arguers_argue_every_triple_once_whatever_the_wordings() -> None:
    file = begun(BUILT_IN, ("plain", "permission"))
    ended = worked(file)
    assert (ended.finished, ended.why, dict(ended.failed)) == (True, "", {})
    found = runs.judged(file)
    assert len(found) == 2 * len(SCENARIOS)
    assert {j.wording for j in found} == {""}
    made = report(found, TRADE_SECRETS)
    assert [r.tests[Test.NON_ARGUABLE].abstained.value for r in made.rows] == [1, 0]


def test_models_argue_under_every_wording_and_both_extractors_agree_on_a_plain_text(serve: Serve) -> None:
    server = serve(argues)
    line = spec(server)
    file = begun([f"chat:{line}", "built-in:faithful"], ("plain", "permission"), f"chat:{line}")
    heard: list[Tick] = []
    ended = worked(file, hear=heard.append)
    assert ended.finished, ended
    assert max((t.done, t.total) for t in heard) == (27, 27)
    found = runs.judged(file)
    assert {(j.arguer, j.wording) for j in found} == {("scripted-1", "plain"), ("scripted-1", "permission"), ("Faithful", "")}
    assert all(j.other is not None and j.other.sets == j.exact.sets for j in found)
    made = report(found, TRADE_SECRETS)
    assert made.agreement.share == 1
    # The second wording writes the same argument, whose extraction is kept already; silence is nowhere.
    assert file.spent().calls == len(server.asked)
    assert file.spent().dollars == 0
    tasks = {a.task for a in server.asked if "triple" in a.data}
    assert len(tasks) == 2


def test_a_server_that_refuses_everything_is_left_alone_and_what_it_failed_on_is_tried_at_the_next_start(serve: Serve) -> None:
    server = serve(argues, Fault("status", status=400))
    file = begun([f"chat:{spec(server)}", "built-in:faithful"])
    ended = worked(file)
    assert not ended.finished
    assert re.fullmatch(r"scripted-1 failed 5 times in a row and was skipped: .*400.* Resume to try it again\.", ended.why)
    assert "F4" not in ended.why
    # The built-in arguer is not stopped by it.
    assert {j.arguer for j in runs.judged(file)} == {"Faithful"}
    assert file.counts(runs.ARGUMENT)[1] == Count(9, 0)
    server.faults = []
    assert worked(file).finished
    assert (listed().done, listed().failed) == (18, 0)


def test_an_extraction_that_cannot_be_read_is_a_state_and_one_that_failed_is_tried_again(serve: Serve) -> None:
    def answer(asked: Asked) -> str:
        return "no lists" if "argument" in asked.data else argues(asked)

    server = serve(answer)
    line = f"chat:{spec(server)}"
    file = begun([line], extracts=line)
    assert worked(file).finished
    found = runs.judged(file)
    assert all(j.other is None and j.score("model") is None and "between the requested tags" in j.unread for j in found)
    made = report(found, TRADE_SECRETS, "model")
    assert [f.unread for f in made.rows[0].tests.values()] == [3, 3, 3]
    assert made.agreement.share is None
    assert file.spent().calls == len(server.asked)


def test_an_argument_whose_extraction_failed_is_not_written_again(serve: Serve) -> None:
    writer, reader = serve(argues), serve(argues, Fault("status", status=400))
    file = begun([f"chat:{spec(writer)}"], extracts=f"chat:{spec(reader)}")
    assert not worked(file).finished
    assert file.counts(runs.ARGUMENT)[0].done > 0
    assert file.counts(runs.EXTRACTION) == {}
    assert (listed().done, listed().wanted, listed().finished) == (0, 9, "")
    reader.faults = []
    assert worked(file).finished
    assert len(writer.asked) == len(SCENARIOS)
    assert len(reader.asked) > len(SCENARIOS)


def test_a_limit_holds_for_the_whole_run_however_often_it_is_resumed(serve: Serve) -> None:
    server = serve(argues)
    file = begun([f"chat:{spec(server)}"], limits=Limits(calls=4))
    for _ in range(2):
        ended = worked(file)
        assert not ended.finished
        assert ended.why.startswith(BUDGET)
        assert file.counts(runs.ARGUMENT)[0].done == file.spent().calls == len(server.asked) == 4
    file.allow(Limits(calls=9))
    assert worked(file).finished
    assert len(server.asked) == file.spent().calls == 9


def test_a_part_that_was_changed_is_named(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(argues)
    file = begun([f"chat:{spec(server)}"])
    changed = arguer(f"chat:{spec(server, temperature=1)}")
    monkeypatch.setattr(loading, "arguer", lambda part, wordings: changed)
    with pytest.raises(StoreError, match="scripted-1 has changed since this job began"):
        worked(file)


def test_what_it_takes_is_reported_before_anything_is_sent(serve: Serve) -> None:
    server = serve(argues)
    line = spec(server)
    takes = forecast(SCENARIOS, TRADE_SECRETS, [f"chat:{line}", *BUILT_IN], ["plain", "none"], f"chat:{line}")
    assert [(t.calls, t.dollars, t.missing) for t in takes] == [(18, 0.0, ""), (36, 0.0, "")]
    assert [t.title.rpartition(" ")[2] for t in takes] == ["argues", "extracts"]
    assert all(t.address == "127.0.0.1" for t in takes)
    assert server.asked == []
    takes = forecast(SCENARIOS, TRADE_SECRETS, [f"chat:{line}"], ["plain", "verify-then-answer"], "")
    assert [(t.title.removeprefix(f"{line} "), t.calls) for t in takes] == [("argues", 18), ("verifies first", 9)]
    (paid,) = forecast(SCENARIOS, TRADE_SECRETS, ["chat:anthropic:claude-haiku-5-5"], ["plain"], "")
    assert paid.dollars is not None
    assert paid.dollars > 0


def test_two_servers_may_have_a_model_of_one_name() -> None:
    chosen = [f"chat:server:m@http://127.0.0.1:{port}/v1" for port in (8, 9)]
    plan = planned("x", TRADE_SECRETS, chosen, ["plain"], "")
    assert [p.title for p in plan.arguers] == [part.removeprefix("chat:") for part in chosen]


def test_plans_that_mean_nothing_are_refused() -> None:
    for chosen, wordings, extracts, words in (
        (["built-in:clever"], ["plain"], "", "no built-in arguer"),
        (["clever"], ["plain"], "", "no arguer 'clever'"),
        (["built-in:faithful"], ["loud"], "", "must be one of plain"),
        (["built-in:faithful"], ["plain"], "built-in:faithful", "no extractor"),
        ([], ["plain"], "", "at least one arguer"),
        (BUILT_IN[:1] * 2, ["plain"], "", "chosen once"),
    ):
        with pytest.raises(ValueError, match=words):
            planned("x", TRADE_SECRETS, chosen, wordings, extracts)
    with pytest.raises(ValueError, match="needs scenarios"):
        runs.create(ArgumentsPlan("x", TRADE_SECRETS, (Part("a", "A", "s"),), ("plain",)), [])


def test_runs_are_listed_and_a_file_that_is_none_is_named() -> None:
    file = begun(BUILT_IN)
    plan = runs.plan_of(file)
    assert plan.catalogue == TRADE_SECRETS
    assert runs.scenarios_of(file, plan) == SCENARIOS
    assert len(places(file, plan)) == 18
    (data_folder() / "arguments" / "20990101-000000-aaaaaa.sqlite").write_bytes(b"no database at all, but long enough" * 9)
    (one,), problems = listing.listed(runs.KIND)
    assert (one.done, one.wanted, one.busy, one.about) == (0, 18, False, "Faithful, Never abstains: 9 triples")
    assert len(problems) == 1
    assert "is damaged or not a file of a job" in problems[0]
