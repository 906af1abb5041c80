"""Runs: nothing is lost by a stop, a failure or a kill, faults are named, and costs are told before and after."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event

import pytest

import scorers
from evaluation.arguments import runs
from evaluation.arguments.catalogue import TRADE_SECRETS
from evaluation.arguments.loading import forecast, parts_of, planned
from evaluation.arguments.plan import Part, Plan, places
from evaluation.arguments.report import report
from evaluation.arguments.run_file import RunFile
from evaluation.arguments.types import Test
from evaluation.arguments.work import work
from evaluation.errors import StoreError
from evaluation.places import data_folder
from evaluation.spending import BUDGET, Budget
from tests.evaluation.arguments.scripted import SCENARIOS, argues, spec
from tests.llm_server import Asked, Fault, LLMServer
from tests.scorers.llm.conftest import Serve

BUILT_IN = ["built-in:faithful", "built-in:never-abstains"]


def begun(chosen: list[str], wordings: tuple[str, ...] = ("plain",), extracts: str = "") -> RunFile:
    plan = planned("Mine", TRADE_SECRETS, chosen, wordings, extracts, scorers.chat)
    return runs.opened(runs.create(plan, SCENARIOS))


def test_built_in_arguers_argue_every_triple_once_whatever_the_wordings() -> None:
    file = begun(BUILT_IN, ("plain", "permission"))
    ended = work(file, parts_of(file.plan(), scorers.chat))
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
    heard: list[tuple[int, int]] = []
    ended = work(file, parts_of(file.plan(), scorers.chat), hear=lambda d, t: heard.append((d, t)))
    assert ended.finished, ended
    assert max(heard) == (27, 27)
    found = runs.judged(file)
    assert {(j.arguer, j.wording) for j in found} == {("scripted-1", "plain"), ("scripted-1", "permission"), ("Faithful", "")}
    assert all(j.other is not None and j.other.sets == j.exact.sets for j in found)
    made = report(found, TRADE_SECRETS)
    assert made.agreement.share == 1
    # The second wording writes the same argument, whose extraction is kept already; silence is nowhere.
    assert runs.spent(file).calls == len(server.asked)
    assert runs.spent(file).dollars == 0
    tasks = {a.task for a in server.asked if "triple" in a.data}
    assert len(tasks) == 2


def test_what_is_done_is_not_done_again(serve: Serve) -> None:
    server = serve(argues)
    file = begun([f"chat:{spec(server)}"])
    assert work(file, parts_of(file.plan(), scorers.chat)).finished
    before = len(server.asked)
    assert work(file, parts_of(file.plan(), scorers.chat)).finished
    assert len(server.asked) == before == len(SCENARIOS)


def test_faults_are_named_counted_and_kept_and_the_next_start_tries_again(serve: Serve) -> None:
    server = serve(argues, Fault("status", status=400))
    file = begun([f"chat:{spec(server)}", "built-in:faithful"])
    ended = work(file, parts_of(file.plan(), scorers.chat))
    assert not ended.finished
    assert ended.why == "9 arguments are left; go on to try them again."
    (reason,) = ended.failed
    assert reason.startswith("scripted-1: ")
    assert "F4" not in reason
    assert file.faults() == dict(ended.failed)
    # The built-in arguer is not stopped by it.
    assert {j.arguer for j in runs.judged(file)} == {"Faithful"}
    server.faults = []
    assert work(file, parts_of(file.plan(), scorers.chat)).finished
    assert file.faults() == {}


def test_an_extraction_that_cannot_be_read_is_a_state_and_one_that_failed_is_tried_again(serve: Serve) -> None:
    def answer(asked: Asked) -> str:
        return "no lists" if "argument" in asked.data else argues(asked)

    server = serve(answer)
    line = f"chat:{spec(server)}"
    file = begun([line], extracts=line)
    assert work(file, parts_of(file.plan(), scorers.chat)).finished
    found = runs.judged(file)
    assert all(j.other is None and j.score("model") is None and "between the tags" in j.unread for j in found)
    made = report(found, TRADE_SECRETS, "model")
    assert [f.silent for f in made.rows[0].tests.values()] == [3, 3, 3]
    assert made.agreement.share is None
    assert runs.spent(file).calls == len(server.asked)


def test_an_argument_whose_extraction_failed_is_not_written_again(serve: Serve) -> None:
    writer, reader = serve(argues), serve(argues, Fault("status", status=400))
    file = begun([f"chat:{spec(writer)}"], extracts=f"chat:{spec(reader)}")
    ended = work(file, parts_of(file.plan(), scorers.chat))
    assert not ended.finished
    written = file.counts()[1]
    assert written > 0
    assert file.counts()[2] == 0
    (listed,), _ = runs.listed()
    assert (listed.done, listed.wanted, listed.finished) == (0, 9, False)
    reader.faults = []
    assert work(file, parts_of(file.plan(), scorers.chat)).finished
    assert len(writer.asked) == len(SCENARIOS)
    assert len(reader.asked) > len(SCENARIOS)


def test_a_budget_stops_a_run_and_a_larger_one_goes_on(serve: Serve) -> None:
    server = serve(argues)
    file = begun([f"chat:{spec(server)}"])
    ended = work(file, parts_of(file.plan(), scorers.chat), budget=Budget(calls=4))
    assert not ended.finished
    assert ended.why.startswith(BUDGET)
    assert file.counts()[1] == 4
    assert work(file, parts_of(file.plan(), scorers.chat), budget=Budget(calls=5)).finished


def test_a_stop_keeps_what_was_done() -> None:
    file, stop = begun(BUILT_IN), Event()
    ended = work(file, parts_of(file.plan(), scorers.chat), hear=lambda d, _: stop.set() if d >= 5 else None, stop=stop)
    assert (ended.finished, ended.why) == (False, "Stopped. What was done is kept; go on whenever you like.")
    assert file.counts()[1] == 5
    assert work(file, parts_of(file.plan(), scorers.chat)).finished


_KILLED = """
import sys, time
import scorers
from evaluation.arguments import arguers, runs
from evaluation.arguments.loading import BuiltIn, parts_of
from evaluation.arguments.work import work
file = runs.opened(sys.argv[1])
real = BuiltIn.argue
def slow(self, *given):
    time.sleep(0.1)
    return real(self, *given)
BuiltIn.argue = slow
work(file, parts_of(file.plan(), scorers.chat))
"""


def test_a_killed_run_goes_on_where_it_was() -> None:
    file = begun(BUILT_IN)
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    child = subprocess.Popen([sys.executable, "-c", _KILLED, file.path.stem], env=environment)
    until = time.monotonic() + 60
    while file.counts()[1] < 3:
        assert time.monotonic() < until
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGSTOP)
    assert file.busy()
    with pytest.raises(StoreError, match="Another process works on this run"):
        work(runs.opened(file.path.stem), parts_of(file.plan(), scorers.chat))
    child.kill()
    child.wait(30)
    kept = file.arguments()
    assert 3 <= len(kept) < 18
    assert work(file, parts_of(file.plan(), scorers.chat)).finished
    assert kept.items() <= file.arguments().items()


def test_a_part_that_was_changed_or_is_gone_is_named(serve: Serve) -> None:
    server = serve(argues)
    file = begun([f"chat:{spec(server)}"])
    parts = parts_of(file.plan(), scorers.chat)
    with pytest.raises(StoreError, match="scripted-1 of this run is not here any more"):
        work(file, parts._replace(arguers={}))
    other = parts_of(
        planned("x", TRADE_SECRETS, [f"chat:{spec(server, temperature=1)}"], ["plain"], "", scorers.chat), scorers.chat
    )
    with pytest.raises(StoreError, match="scripted-1 is not what this run began with"):
        work(file, parts._replace(arguers={file.plan().arguers[0].id: next(iter(other.arguers.values()))}))


def test_what_it_takes_is_told_before_anything_is_sent(serve: Serve) -> None:
    server = serve(argues)
    line = spec(server)
    takes = forecast(SCENARIOS, TRADE_SECRETS, [f"chat:{line}", *BUILT_IN], ["plain", "none"], f"chat:{line}", scorers.chat)
    assert [(t.calls, t.dollars, t.missing) for t in takes] == [(18, 0.0, ""), (36, 0.0, "")]
    assert [t.title.rpartition(" ")[2] for t in takes] == ["argues", "extracts"]
    assert all(t.address == "127.0.0.1" for t in takes)
    assert server.asked == []
    (paid,) = forecast(SCENARIOS, TRADE_SECRETS, ["chat:anthropic:claude-haiku-5-5"], ["plain"], "", scorers.chat)
    assert paid.dollars is not None
    assert paid.dollars > 0


def test_plans_that_mean_nothing_are_refused() -> None:
    for chosen, wordings, extracts, words in (
        (["built-in:clever"], ["plain"], "", "no built-in arguer"),
        (["clever"], ["plain"], "", "no arguer 'clever'"),
        (["built-in:faithful"], ["loud"], "", "no wording 'loud'"),
        (["built-in:faithful"], ["plain"], "built-in:faithful", "no extractor"),
        ([], ["plain"], "", "at least one arguer"),
        (BUILT_IN[:1] * 2, ["plain"], "", "chosen once"),
    ):
        with pytest.raises(ValueError, match=words):
            planned("x", TRADE_SECRETS, chosen, wordings, extracts, scorers.chat)
    with pytest.raises(ValueError, match="needs scenarios"):
        runs.create(Plan("x", TRADE_SECRETS, (Part("a", "A", "s"),), ("plain",)), [])


def test_runs_are_listed_deleted_and_a_file_that_is_none_is_named() -> None:
    file = begun(BUILT_IN)
    assert file.plan().catalogue == TRADE_SECRETS
    assert file.scenarios(TRADE_SECRETS) == SCENARIOS
    assert len(places(file.plan(), len(SCENARIOS))) == 18
    (data_folder() / "arguments" / "20990101-000000-aaaaaa.sqlite").write_bytes(b"no database at all, but long enough" * 9)
    (one,), troubles = runs.listed()
    assert (one.done, one.wanted, one.busy) == (0, 18, False)
    assert len(troubles) == 1
    assert "is damaged or no file of arguments" in troubles[0]
    runs.delete(one.id)
    runs.delete(one.id)
    assert runs.listed()[0] == []
    for name in ("gone", "../runs"):
        with pytest.raises(StoreError, match="no such run of arguments"):
            runs.opened(name)


def test_a_model_whose_server_is_gone_is_left_alone_after_some_tries(serve: Serve) -> None:
    gone = LLMServer(argues)
    with gone:
        line = spec(gone, at_once=1)
    server = serve(argues)
    plan = planned("x", TRADE_SECRETS, [f"chat:{line}", f"chat:{spec(server)}"], ["plain"], "", scorers.chat)
    # Two servers may have a model of one name.
    assert len({p.title for p in plan.arguers}) == 2
    file = runs.opened(runs.create(plan, SCENARIOS))
    ended = work(file, parts_of(plan, scorers.chat))
    assert not ended.finished
    assert len([j for j in runs.judged(file) if str(server.port) in j.arguer]) == len(SCENARIOS)
