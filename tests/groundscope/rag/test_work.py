"""Experiments: nothing is lost or paid for twice by a stop, a failure or a kill, and they hold what was found and said."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from groundscope.chat.budget import BUDGET, NO_LIMITS, Limits
from groundscope.errors import ModelUnavailable, StoreError
from groundscope.experiments.listing import Listed, listed
from groundscope.experiments.plan import Part
from groundscope.experiments.steps import Outcome, Tick
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import STOPPED, work
from groundscope.rag import experiments
from groundscope.rag.experiments import ANSWER, FOLDER, HITS, KIND, VERDICT, ExperimentPlan
from groundscope.rag.forecast import forecast
from groundscope.rag.loading import with_prompts
from groundscope.rag.outcomes import AnswerOutcome, outcome
from groundscope.rag.planning import Answering, planned
from groundscope.rag.types import Benchmark, Hit, Question
from groundscope.text.embedding import Hear
from tests.groundscope.chat.clients.conftest import Serve, fresh, serve
from tests.groundscope.chat.clients.scripts import CLAUDE
from tests.groundscope.rag.parts import (
    BENCHMARK,
    PASSAGES,
    QUESTIONS,
    Copies,
    Nearest,
    Numbers,
    begun,
    parts,
    plan_of,
    worked,
)
from tests.llm_server import Asked, Fault, LLMServer

__all__ = ["fresh", "serve"]


def only() -> Listed:
    (one,), problems = listed(KIND)
    assert problems == []
    return one


def asked_by(file: JobFile) -> Outcome:
    """Work with the parts that the plan names."""
    return work(file, Answering(file))


def spec(server: LLMServer, **settings: object) -> str:
    return ";".join([f"server:scripted-1@{server.openai}", *(f"{k}={v}" for k, v in settings.items())])


def chats(writer: LLMServer, judge: LLMServer, *more: str) -> JobFile:
    judged_by = f"chat:server:judge-7@{judge.openai}"
    plan = planned("Chats", ["bm25"], [f"chat:{spec(writer)}", *more], judged_by, 2)
    return FOLDER.open(experiments.create(plan, BENCHMARK))


def says(asked: Asked) -> str:
    """Answer, or judge."""
    return '{"reasoning": "so", "correct": true, "grounded": true}' if "answer" in asked.data else "Rule 3."


def test_two_prompts_of_one_model_are_two_models_and_each_answer_names_its_prompt(serve: Serve) -> None:
    writer = serve(lambda asked: "Rule 3." if "never hedge" in json.dumps(asked.body) else "Perhaps rule 3.")
    generators = with_prompts([f"chat:{spec(writer)}", "similar"], ["benchmark", "cautious"])
    file = FOLDER.open(experiments.create(planned("P", ["bm25"], generators, "offline:overlap", 2), BENCHMARK))
    assert asked_by(file).finished
    said = {(a.model, a.prompt, a.answer) for a in experiments.answers(file) if a.prompt}
    assert said == {
        ("scripted-1", "benchmark", "Rule 3."),
        ("scripted-1, cautious prompt", "cautious", "Perhaps rule 3."),
    }
    assert {a.model for a in experiments.answers(file) if not a.prompt} == {"Nearest sentences"}


@pytest.mark.parametrize("asks", [False, True])
def test_every_combination_answers_every_question(asks: bool) -> None:
    made = parts(asks=asks, copies=Copies(), other=Copies("other"))
    file = begun(made)
    heard: list[Tick] = []
    ended = worked(file, made, hear=heard.append)
    assert (ended.finished, ended.why, dict(ended.failed)) == (True, "", {})
    found = experiments.answers(file)
    assert len(found) == 2 * 2 * 12
    assert {(a.embedder, a.model) for a in found} == {(e, m) for e in ("Near", "Far") for m in ("Copies", "Other")}
    for a in found:
        assert len(a.context) == 3
        assert (a.correct, a.hit) == ((True, True) if a.embedder == "Near" else (False, False))
        assert outcome(a) is (AnswerOutcome.SUCCESS if a.embedder == "Near" else AnswerOutcome.RETRIEVAL)
        assert a.reasons == "by rule"
        assert [p.id for p in a.missed] == ([] if a.hit else list(a.relevant))
    assert max((t.done, t.total) for t in heard if t.stage == VERDICT) == (48, 48)
    assert [len(h) for h in experiments.hits(file)[0]] == [10] * 12
    row = only()
    assert (row.plan, row.done, row.wanted, row.failed, bool(row.finished)) == (plan_of(made), 48, 48, 0, True)
    assert [(p.title, p.done, p.wanted) for p in row.parts] == [("Copies", 24, 24), ("Other", 24, 24)]
    assert row.about == "Districts · 2 × 2 combinations, 12 questions · Numbers"


def test_answers_that_failed_are_no_answers_until_they_are_tried_again() -> None:
    made = parts({"near": Nearest()}, copies=Copies(broken=True))
    file = begun(made)
    assert dict(worked(file, made).failed) == {"Copies: The model did not answer; try again later.": 4}
    assert (only().done, only().failed, len(experiments.answers(file))) == (12, 4, 8)
    assert file.retry() == 4
    assert worked(file, parts({"near": Nearest()})).finished
    assert len(experiments.answers(file)) == 12


def test_a_judge_whose_server_is_gone_is_named_and_no_answer_is_written_again(serve: Serve) -> None:
    writer, judge = serve(says), serve(says, Fault("status", status=400))
    # Also where the writer asks no server, what such a judge failed on counts as never tried.
    file = chats(writer, judge, "support:overlap")
    ended = asked_by(file)
    assert not ended.finished
    assert "failed 5 times in a row" in ended.why
    assert "judge-7 at 127.0.0.1 answered 400" in ended.why
    assert file.counts(VERDICT) == {}
    assert {a.correct for a in experiments.answers(file)} == {None}
    judge.faults = []
    assert asked_by(file).finished
    assert len(writer.asked) == 12
    assert {a.correct for a in experiments.answers(file)} == {True}


def test_a_retriever_that_fails_is_tried_again_at_the_next_start_and_the_other_one_is_answered_from() -> None:
    class Broken(Nearest):
        def search(self, *_: object) -> list[list[object]]:  # type: ignore[override]
            raise ModelUnavailable("The model is not here; fetch it.")

    made = parts({"near": Nearest(), "far": Broken(1)})  # type: ignore[dict-item]
    file = begun(made)
    ended = worked(file, made)
    assert (ended.finished, ended.why) == (False, "Far failed: The model is not here; fetch it. Resume to try it again.")
    assert (set(experiments.hits(file)), file.faults(), only().finished) == ({0}, {}, "")
    assert [a.embedder for a in experiments.answers(file)] == ["Near"] * 12
    repaired = parts()
    assert worked(file, repaired).finished
    assert [r.asked for r in repaired.retrievers.values()] == [0, 1]
    assert (len(repaired.generators["copies"].calls), len(experiments.answers(file))) == (12, 24)


def test_a_stop_in_the_middle_of_retrieval_is_heard() -> None:
    made, stop = parts(), Event()
    file = begun(made)

    class Long(Nearest):
        def search(self, passages: object, questions: object, k: int, hear: Hear) -> list[list[Hit]]:
            stop.set()
            hear(1, 2)
            raise AssertionError("it was stopped")

    ended = worked(file, made._replace(retrievers={"near": Long(), "far": Nearest(1)}), stop=stop)
    assert (ended.finished, ended.why, experiments.hits(file)) == (False, STOPPED, {})


def test_a_limit_holds_for_the_whole_experiment_however_often_it_is_started(serve: Serve) -> None:
    server, line = serve(says), f"chat:{CLAUDE};at_once=1"
    (takes,) = forecast(BENCHMARK, ["bm25"], [line], "offline:overlap", 2)
    assert takes.dollars
    # Room for the most that one call may cost, and for what some calls really cost.
    limits = Limits(dollars=1.05 * takes.dollars / takes.calls)
    plan = planned("Claude", ["bm25"], [line], "offline:overlap", 2)
    file = FOLDER.open(experiments.create(plan, BENCHMARK, limits))
    asked = []
    for _ in range(3):
        ended = asked_by(file)
        assert not ended.finished
        assert ended.why.startswith(BUDGET)
        asked.append(len(server.asked))
    assert 0 < asked[0] == asked[-1] == file.spent().calls < 12
    assert limits.dollars is not None
    assert 0 < file.spent().dollars <= limits.dollars
    file.allow(NO_LIMITS)
    assert asked_by(file).finished
    assert len(server.asked) == file.spent().calls == 12


def test_a_judge_whose_reply_cannot_be_read_is_paid_for_all_the_same(serve: Serve) -> None:
    writer, judge = serve(says), serve(lambda _: "no verdict at all")
    file = chats(writer, judge)
    assert asked_by(file).finished
    assert len(judge.asked) == 2 * 12
    assert file.spent().calls == len(writer.asked) + len(judge.asked) == 36
    assert file.spent().tokens > 0
    assert [s.cost.calls for s in file.results(VERDICT)] == [2] * 12
    (one, *_) = experiments.answers(file)
    assert (one.correct, one.grounded) == (None, None)
    assert "It said: no verdict at all" in one.reasons


_KILLED = """
import sys, time
from tests.groundscope.rag.parts import Nearest, Numbers, parts, worked
from groundscope.rag.experiments import FOLDER
where = sys.argv[2]
def wait(at, count):
    if at == where and count >= 3:
        print("there", flush=True)
        time.sleep(60)
class SlowNearest(Nearest):
    def search(self, *given):
        found = super().search(*given)
        wait("retrieval", 3 if self.off else 0)
        return found
class SlowNumbers(Numbers):
    def judge(self, *given):
        wait("judgement", self.calls)
        return super().judge(*given)
made = parts({"near": SlowNearest(), "far": SlowNearest(1)})._replace(judge=SlowNumbers())
worked(FOLDER.open(sys.argv[1]), made)
"""


@pytest.mark.parametrize(("where", "searched", "written", "judged"), [("retrieval", 1, 0, 0), ("judgement", 2, 4, 3)])
def test_a_kill_loses_nothing_that_was_kept_and_another_process_is_refused(
    where: str, searched: int, written: int, judged: int
) -> None:
    made = parts()
    file = begun(made)
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    child = subprocess.Popen([sys.executable, "-c", _KILLED, file.id, where], env=environment, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"there\n"
    assert only().busy
    with pytest.raises(StoreError, match="Another process works on this job"):
        worked(FOLDER.open(file.id), made)
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=30)
    before = {stage: list(file.results(stage)) for stage in (HITS, ANSWER, VERDICT)}
    assert [len(found) for found in before.values()] == [searched, written, judged]
    assert worked(file, made).finished
    assert [r.asked for r in made.retrievers.values()] == [1 - min(1, searched), 2 - searched]
    assert len(made.generators["copies"].calls) == 24 - written
    assert made.judge.calls == 24 - judged
    for stage, found in before.items():
        assert {s.place: s for s in found}.items() <= {s.place: s for s in file.results(stage)}.items()


def test_a_part_that_has_changed_is_named() -> None:
    class Other(Numbers):
        signature = "others"

    file = begun(parts())
    for here, why in (
        (parts({"near": Nearest(7), "far": Nearest(1)}), "Near has changed since this job began"),
        (parts()._replace(judge=Other()), "Numbers has changed since this job began"),
    ):
        with pytest.raises(StoreError, match=why):
            worked(file, here)


def test_what_makes_no_experiment_is_refused() -> None:
    part, judge = Part("a", "A", "s"), Part("j", "J", "j")
    for chosen, words in (
        (((), (part,), judge, 5), "at least one embedder"),
        (((part, part), (part,), judge, 5), "Each embedder can be chosen once"),
        (((part,), (part,), judge, 0), "k must be a whole number"),
        (((part,), (part, Part("b", "A", "b")), judge), "Each generator needs a title of its own"),
    ):
        with pytest.raises(ValueError, match=words):
            ExperimentPlan("x", *chosen)  # type: ignore[arg-type]
    for empty in (Benchmark("b", (), QUESTIONS), Benchmark("b", PASSAGES, ())):
        with pytest.raises(ValueError, match="needs passages and questions"):
            experiments.create(plan_of(parts()), empty)


def test_hostile_texts_come_back_as_they_were() -> None:
    odd = "<script>alert(1)</script> \u202e right to left; DROP TABLE passages; ' \" \x00 \ud800 end 3"
    benchmark = Benchmark("b", PASSAGES, (Question("q", f"{odd}?", odd, ("p3",)),))
    file = begun(parts({"near": Nearest()}), benchmark)
    assert experiments.questions(file) == list(benchmark.questions)
    assert experiments.passages(file) == list(BENCHMARK.passages)


def test_a_plan_that_lacks_something_is_no_plan() -> None:
    file = begun(parts())
    plan = file.about("plan")
    assert json.loads(json.dumps(plan)) == plan
    del plan["judge"]
    file.set_about("plan", plan)
    with pytest.raises(StoreError, match="is damaged or not a file of a job"):
        experiments.plan_of(file)
    assert listed(KIND)[0] == []
