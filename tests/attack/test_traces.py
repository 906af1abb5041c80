"""What is deleted by the app's buttons is gone: its texts are in no file, no temp file and no open file without a name."""

import json
import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from streamlit.testing.v1 import AppTest

from components import case_sets
from components.experiments.jobs import jobs
from groundscope import review
from groundscope.arguments import loading as arguments
from groundscope.arguments import runs
from groundscope.arguments.catalogue import read_catalogue
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.types import Test
from groundscope.cases.browser_name import new_name
from groundscope.cases.passages import from_paste
from groundscope.cases.pasted_store import PastedCases
from groundscope.experiments.listing import Kind
from groundscope.experiments.plan import Part
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import KIND
from groundscope.methods import registry
from groundscope.paths import Variable
from groundscope.rag import experiments
from groundscope.rag.planning import planned
from groundscope.rag.types import Benchmark, Question
from groundscope.review import ReviewDecision, Ruling, matters
from groundscope.review.sources import SourceFile
from groundscope.training import jobs as trainings
from groundscope.training.finetuning import reports
from groundscope.training.folders import own_models
from groundscope.training.options import Options
from groundscope.training.pairs import parts
from groundscope.types import Case, Passage
from tests.attack.conftest import Open, sound
from tests.attack.detectors import traces
from tests.attack.tally import Tally
from tests.attack.test_forms import look, press, uploaded
from tests.attack.test_kills import PATIENCE, until
from tests.components.labelled_set import cases as labelled
from tests.llm_server import Asked, LLMServer
from tests.scorers import tiny

CANARY = "Thrushwillow-5512"
LONG = " ".join(f"Clause {i} binds the tenant of house {i % 70}." for i in range(200))


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(Variable.MODEL, raising=False)


def left(data: Path) -> list[str]:
    """Where the canary lies: the data folder, the temp folder, and what this process or its children have open."""
    pids = [os.getpid(), *(int(p) for p in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split())]
    return traces(CANARY, [data, data.parent / "temp"], pids)


def cases(count: int) -> list[Case]:
    passage = Passage("p", f"{CANARY} {LONG}", f"Source {CANARY}")
    return [Case(f"c{i} {CANARY}", f"Who? {CANARY}", (passage,), f"{CANARY} {LONG} {i}") for i in range(count)]


def _run(count: int = 3, method: str = "overlap") -> str:
    part = described(Part(method), registry.load(method))
    return planning.begin(f"Run {CANARY}", f"{CANARY}.jsonl", cases(count), [part], keeps_replies=True)


def _experiment() -> str:
    passages = tuple(Passage(f"p{i}", f"{CANARY} Rule {i} holds.", f"Act {CANARY}") for i in range(8))
    asked = tuple(Question(f"q{i}", f"Which rule {i}? {CANARY}", f"Rule {i}. {CANARY}", (f"p{i}",)) for i in range(3))
    plan = planned(f"Mine {CANARY}", ["bm25", "embed:minilm"], ["similar"], "offline:overlap", 2)
    return experiments.create(plan, Benchmark(f"Mine {CANARY}", passages, asked))


def _arguments() -> str:
    lines = [f"{i},{CANARY}-{'abcdefghijkl'[i - 1]},{'P' if i % 2 else 'D'},{CANARY}" for i in range(1, 13)]
    domain = read_catalogue(f"{CANARY}.csv", "\n".join(["number,name,side,description", *lines]).encode())
    plan = arguments.planned(f"Mine {CANARY}", domain, [f"{arguments.BUILT_IN}faithful"], ["plain"], "")
    return runs.create(plan, make_all(domain, list(Test), 1, [5], 0))


KINDS: dict[str, tuple[Kind, Callable[[], str], str, dict[str, str]]] = {
    "a finished run": (KIND, _run, "runs", {}),
    "a run that was killed": (KIND, lambda: _run(2_000), "runs", {}),
    "an experiment": (experiments.KIND, _experiment, "legal_rag", {"rag_turn_page": "Results"}),
    "arguments": (runs.KIND, _arguments, "arguments", {"arguments_page": "Results", "arguments_tab": "Options and export"}),
}


def _worked(kind: Kind, job: str, *, killed: bool) -> None:
    """Work on a job in the app's own way, to its end or until it is killed."""
    jobs().resume(job)
    if killed:
        with closing(kind.folder.open(job)) as file:
            until(lambda: file.counts("judgement") or file.done("judgement"))
        os.kill(jobs()._processes[job].process.pid, signal.SIGKILL)
    assert jobs().wait(job, PATIENCE)


def _press_delete(app: AppTest, job: str) -> None:
    (button,) = [b for b in app.button if str(b.key).endswith(f"delete_{job}")]
    button.click().run()
    sound(app)


@pytest.mark.parametrize("what", KINDS)
def test_a_deleted_job_leaves_no_text(opened: Open, data: Path, tried: Tally, what: str) -> None:
    kind, make, where, state = KINDS[what]
    job = make()
    _worked(kind, job, killed="killed" in what)
    assert left(data), "the canary must lie there first"
    _press_delete(opened(where, **state), job)
    with tried("traces", what):
        assert left(data) == []


def test_a_removed_set_leaves_no_text(opened: Open, data: Path, tried: Tally) -> None:
    row = {"id": CANARY, "query": CANARY, "context": [CANARY], "response": f"The rent is due. {CANARY}"}
    pq.write_table(pa.Table.from_pylist([row]), data.parent / "made.parquet")
    packed = (data.parent / "made.parquet").read_bytes()
    for name, content in (("a.jsonl", json.dumps(row).encode()), ("a.parquet", packed)):
        app = uploaded(opened, name, content)
        assert app.session_state["sets"][name].cases
        look(app, CANARY)
        app.switch_page("pages/cases.py").run()
        app.session_state["cases_tab"] = "Upload"
        app.run()
        with tried("traces", name):
            for button in [b for b in app.button if b.label == "Remove these cases"]:
                button.click().run()
            assert left(data) == []


@pytest.mark.parametrize("button", ["forget_pasted-1", "forget_all_yes", "remove_browsed", "keep_pasted"])
def test_a_forgotten_pasted_case_leaves_no_text(
    opened: Open, data: Path, tried: Tally, monkeypatch: pytest.MonkeyPatch, button: str
) -> None:
    name = new_name()
    monkeypatch.setattr(case_sets, "pasted_store", lambda: PastedCases(name))
    PastedCases(name).add(from_paste(CANARY, f"It is due. {CANARY}", CANARY, "pasted-1"))
    assert left(data), "the canary must lie there first"
    tab = "Samples and loaded cases" if button == "remove_browsed" else "Paste"
    app = opened("cases", cases_tab=tab, browse_set=case_sets.PASTED)
    if button == "keep_pasted":
        app.checkbox(key=button).uncheck().run()
    else:
        app.button(key=button).click().run()
    with tried("traces", button):
        sound(app)
        assert left(data) == []


def test_a_deleted_matter_leaves_no_text(opened: Open, data: Path, tried: Tally) -> None:
    store = matters.default()
    matter = store.create(f"Matter {CANARY}")
    passage = Passage("1", f"{CANARY} {LONG}", f"{CANARY}.pdf", ((0, 1),))
    store.add_source(matter.number, SourceFile(f"{CANARY}.pdf", (passage,), (f"{CANARY}.pdf is long.",)))
    store.add_answer(matter, cases(1)[0])
    assert left(data), "the canary must lie there first"
    app = opened("cases", cases_tab="Matters")
    app.button(key="matter_delete").click().run()
    with tried("traces", "a matter"):
        sound(app)
        assert store.all() == ()
        assert left(data) == []


def test_deleted_decisions_and_withdrawn_queues_leave_no_text(opened: Open, data: Path, tried: Tally) -> None:
    first, second = cases(2)
    store = review.default()
    store.decide(first, f"Ada {CANARY}", ReviewDecision(0, Ruling.PARTLY, note=f"Why? {CANARY}"))
    store.queues.assign(f"Queue {CANARY}", [f"Bo {CANARY}"], [second])
    assert left(data), "the canary must lie there first"
    app = opened("review", sets={"s": case_sets.CaseSet("s", (first,))}, review_name=f"Ada {CANARY}", review_set="s")
    app.button(key="review_delete").click().run()
    store.queues.withdraw(1)
    with tried("traces", "decisions and a queue"):
        sound(app)
        assert left(data) == []


def _quotes(asked: Asked) -> str:
    return json.dumps({"reasons": [f"It says {CANARY}."], "unsupported": [], "verdict": "PASS"})


def test_saved_replies_that_quote_a_text_are_deleted_by_their_own_button(
    opened: Open, data: Path, tried: Tally, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LLMServer(_quotes) as server:
        monkeypatch.setenv(Variable.MODEL, f"server:scripted-1@{server.openai}")
        job = _run(2, "direct")
        _worked(KIND, job, killed=False)
        _press_delete(opened("runs"), job)
        with tried("traces", "the run itself"):
            assert {Path(place).name.partition(".")[0] for place in left(data)} <= {"replies"}
        press(opened("methods"), "Delete replies")
        with tried("traces", "saved replies"):
            assert left(data) == []


@pytest.mark.parametrize("finished", [True, False], ids=["finished", "killed"])
def test_a_deleted_model_leaves_no_text(opened: Open, data: Path, tried: Tally, tmp_path: Path, *, finished: bool) -> None:
    tiny.quiet()
    base = str(tiny.bert_cross_encoder(tmp_path / "tiny"))
    options = Options(epochs=1 if finished else 500, patience=5000, longest=64)
    plan = trainings.planned("own", f"{CANARY} own.jsonl", base, "paper", options)
    job = trainings.create(plan, parts(labelled(f" {CANARY}")))
    jobs().resume(job)
    if not finished:
        until(lambda: len(reports(trainings.place_of(job))) > 1)
        os.kill(jobs()._processes[job].process.pid, signal.SIGKILL)
    assert jobs().wait(job, PATIENCE)
    assert own_models() == (("own",) if finished else ())
    assert left(data), "the canary must lie there first"
    app = opened("methods")
    app.button(key="discard_yes_own" if finished else f"trainings_delete_{job}").click().run()
    with tried("traces", "a model"):
        sound(app)
        assert own_models() == ()
        assert left(data) == []
