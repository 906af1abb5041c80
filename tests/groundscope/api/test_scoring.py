"""Scoring from Python: tables, heatmaps and files of results; no row is lost, nothing is written, memory does not grow."""

import asyncio
import doctest
import gc
import hashlib
import inspect
import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import groundscope
from groundscope.api.scores import ScoreTable
from groundscope.chat.clients import ceilings
from groundscope.errors import DataError, ScorerUnavailable
from groundscope.findings.listing import listed
from groundscope.methods import Method, registry
from groundscope.types import Case, Judgement, Status
from tests.groundscope.api.test_inputs import ROWS
from tests.groundscope.drawing.parsed import Parsed
from tests.llm_server import Asked, LLMServer
from tests.loops import each

HOSTILE = "<img src=x onerror=alert(1)> \u202e </style><script>alert(2)</script>"
BAD = {"query": HOSTILE, "context": [f"{HOSTILE} It is so."], "response": f"{HOSTILE} It is so. It is not so."}


@pytest.fixture
def scores() -> ScoreTable:
    return groundscope.score([*ROWS, {"query": "Q"}, BAD], ["overlap", "quip"])


def test_every_row_stays_and_only_scored_ones_have_numbers(scores: ScoreTable) -> None:
    assert (len(scores), [one.row for one in scores.rejected]) == (4, [3])
    by_response = scores.frame("response")
    assert by_response["row"].tolist() == [1, 1, 2, 2, 3, 4, 4]
    assert by_response["status"].tolist() == ["scored", "not_assessable"] * 2 + ["rejected"] + ["scored"] * 2
    assert by_response["support"].isna().tolist() == [s != "scored" for s in by_response["status"]]
    assert "Needed: query, context and response" in by_response["note"][4]
    case = scores[0].case
    assert case
    assert by_response["headline"][0] == listed(case, scores[0].readings).headline
    direct = registry.load("overlap").score(case)
    own = scores.frame()[lambda t: (t["row"] == 1) & (t["method"] == "overlap")]
    assert own["support"].tolist() == [s.support for s in direct.sentences]
    assert own["record"].str.contains("On the samples, test split").all()
    assert list(own)[:5] == ["row", "sentence", "support", "flagged", "why"]
    assert "signature" not in {*own, *by_response}
    table = scores.methods().set_index("method")
    assert table["signature"].to_dict() == {name: registry.load(name).signature for name in ("overlap", "quip")}
    with pytest.raises(ValueError, match="sentence or response"):
        scores.frame("word")  # type: ignore[arg-type]


def test_heatmaps_are_html_without_scripts_that_asks_for_nothing(scores: ScoreTable, tmp_path: Path) -> None:
    shown = scores.show()
    assert shown._repr_html_() == scores._repr_html_()
    for page in (shown.html, scores.save(tmp_path / "a.html").read_text(encoding="utf-8")):
        read = Parsed(page)
        assert not read.names & {"script", "img", "link", "iframe", "object"}
        assert not read.attributes & {"src", "href", "onerror", "style"}
        assert "It could not be used" in page
        assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "default-src 'none'" in shown.page
    assert "3 more rows are not drawn" in scores.show(1).html


def test_a_notebook_shows_the_findings_and_where_to_read_as_the_page_does(tmp_path: Path) -> None:
    row = {"query": "Q", "context": ["Rent of $900 is due on May 1."], "response": "Rent of $950 is due on May 1."}
    scored = groundscope.score(row, "overlap")
    shown, page = (re.sub("<[^>]+>", " ", t) for t in (scored.show().html, scored.save(tmp_path / "a.html").read_text("utf-8")))
    for words in ("“$950” is not in the sources; the nearest sentence has “$900”.", "Places in the sources", "Exact checks"):
        assert words in shown
        assert words in page or words == "Exact checks"
    assert [re.findall(r'class="gf-there"[^>]*>([^<]+)', t) for t in (scored.show().html, scored._html().decode())] == [
        ["$900"]
    ] * 2


def test_results_are_saved_in_four_forms(scores: ScoreTable, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in scores.save(tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["row"] for line in lines] == [1, 2, 3, 4]
    assert (lines[2]["status"], len(lines[0]["results"])) == ("rejected", 2)
    assert len(pd.read_csv(scores.save(tmp_path / "a.csv"))) == len(scores.frame())
    table = pd.read_parquet(scores.save(str(tmp_path / "a.parquet")))
    pd.testing.assert_series_equal(table["support"], scores.frame()["support"])
    single = scores[:1].save(tmp_path / "one.html").read_text(encoding="utf-8")
    assert "<h2>Sources</h2>" in single
    with pytest.raises(DataError, match="The ending of a file says"):
        scores.save(tmp_path / "a.txt")
    with pytest.raises(DataError, match="cannot be written"):
        scores.save(tmp_path / "none" / "a.csv")


class Sleeping(Method):
    """Works ahead for 0.3 s, as embeddings in batches do, then answers at once."""

    signature = "sleeping"

    def read_ahead(self, cases: Sequence[Case]) -> None:
        time.sleep(0.3)

    def score(self, case: Case) -> Judgement:
        return Judgement(Status.SCORED, support=0.5, seconds=1e-6)


@each("timed", [None, False])
def test_seconds_add_up_to_the_calls_time_with_what_is_computed_ahead(
    timed: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Twice the same answer is judged once.
    rows = [ROWS[1] | {"response": f"The tenant pays {i // 2}."} for i in range(20)]
    groundscope.score(rows[:1], Sleeping)
    started = time.perf_counter()
    if timed is None:
        seconds = sum(r.readings[0].judgement.seconds for r in groundscope.stream(rows, Sleeping))
    else:
        seconds = groundscope.run(rows, Sleeping(), timed=timed).data.seconds.sum()
    whole = time.perf_counter() - started
    assert 0.3 <= seconds <= whole
    assert timed is False or whole <= 2 * seconds


def first_word(question: str, sources: Sequence[str], sentence: str) -> float:
    """Whether the first word is in a source."""
    return float(any(sentence.split()[0] in source for source in sources))


def test_methods_are_names_objects_classes_and_functions() -> None:
    rows = [{"query": "Q", "context": ["The tenant pays."], "response": "The tenant pays. Nobody else pays."}]
    one = groundscope.score(rows, first_word)
    assert one.frame()[["method", "support", "flagged"]].to_numpy().tolist() == [
        ["first_word", 1, False],
        ["first_word", 0, True],
    ]
    mixed = groundscope.score(rows, ["overlap", registry.load("quip", n=9), Sleeping, first_word, "quip:n=9"])
    assert [r.method for r in mixed[0].readings] == ["overlap", "quip", "sleeping", "first_word", "quip:n=9"]
    assert mixed[0].readings[1].judgement.support == mixed[0].readings[4].judgement.support
    assert [r.method for r in groundscope.score(rows, "overlap")[0].readings] == ["overlap"]
    hashed = hashlib.sha256(inspect.getsource(first_word).encode()).hexdigest()[:16]
    assert one.methods()["signature"].tolist() == [f"first_word|function|sha256={hashed}"]
    limit = 0.5
    for unlike in (lambda q, s, t: limit, lambda q, s, t: 0.5, Callable()):
        (signature,) = groundscope.score(rows, unlike).methods()["signature"]
        assert "not comparable across processes" in signature
    for wrong, words in (
        ([first_word, first_word], "first_word is named twice"),
        (lambda q: 0.5, "must take a question, the sources and a sentence"),
        ([lambda q, s, t: 0.5, lambda q, s, t: 0.7], "lambda is named twice; give each a name of its own, as def does"),
        (lambda sentence, sources, question: 0.5, "gets question, sources and sentence in this order"),
        (waiting, "waiting is async"),
        (Waiting(), "Waiting is async"),
        ([3], "int is no method"),
        (3, "int is no method"),
        (dict, "dict is no subclass"),
    ):
        with pytest.raises(ValueError, match=words):
            groundscope.score(rows, wrong)  # type: ignore[arg-type]


async def waiting(question: str, sources: Sequence[str], sentence: str) -> float:
    return 0.5


class Waiting:
    async def __call__(self, question: str, sources: Sequence[str], sentence: str) -> float:
        return 0.5


class Callable:
    def __call__(self, question: str, sources: Sequence[str], sentence: str) -> float:
        return 0.5


@each(
    ("value", "status", "words"),
    [
        (1.4, "failed", "gave 1.4 for sentence 1; a support is a number from 0 to 1"),
        ("a text", "failed", "gave str"),
        (None, "not_assessable", "given gave no sentence a support."),
        (np.float32("nan"), "not_assessable", "given gave no sentence a support."),
        (np.array([0.4, 0.5]), "failed", "gave ndarray"),
        (np.array(1), "scored", ""),
        (np.True_, "scored", ""),
    ],
)
def test_what_a_function_gives_is_a_support_or_a_state(value: object, status: str, words: str) -> None:
    def given(question: str, sources: Sequence[str], sentence: str) -> float:
        return value  # type: ignore[return-value]

    (judgement,) = (r.judgement for r in groundscope.score(ROWS[1], given)[0].readings)
    assert judgement.status == status
    assert words in judgement.note
    assert judgement.seconds > 0
    assert "a text" not in judgement.note


def test_there_is_no_other_option() -> None:
    with pytest.raises(TypeError, match="no option limit; there are mapping, settings, model, dollars"):
        next(groundscope.stream(ROWS, "overlap", limit=3))  # type: ignore[call-arg]


def test_what_cannot_run_is_said_before_anything_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROUNDSCOPE_MODEL", raising=False)
    read = iter(ROWS)
    with pytest.raises(ScorerUnavailable, match="direct: Choose a model"):
        next(groundscope.stream(read, ["overlap", "direct"]))
    assert len(list(read)) == 2
    with pytest.raises(ValueError, match="no method 'similarity'"):
        groundscope.score(ROWS, ["similarity"])
    with pytest.raises(ValueError, match="name a method"):
        groundscope.score(ROWS, [])


def test_the_cases_that_were_judged_do_not_stay_in_memory() -> None:
    rows = ({"query": f"Q{i}", "context": ["The tenant pays."], "response": f"The tenant pays {i}."} for i in range(1_500))
    most, before = 0, _cases_in_memory()
    for one in groundscope.stream(rows, ["overlap"]):
        if one.row % 250 == 0:
            most = max(most, _cases_in_memory() - before)
    assert 0 < most < 1_000


def _cases_in_memory() -> int:
    gc.collect()
    return sum(isinstance(thing, Case) for thing in gc.get_objects())


def test_beside_other_tasks_it_gives_the_same_and_can_be_cancelled() -> None:
    async def both() -> list[float | None]:
        found = await groundscope.ascore(ROWS, ["overlap"])
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(groundscope.ascore((row for _ in iter(int, 1) for row in ROWS), ["overlap"]), 0.2)
        return [one.readings[0].judgement.support for one in found]

    expected = [one.readings[0].judgement.support for one in groundscope.score(ROWS, ["overlap"])]
    # A test of the browser may have left a loop running in this thread.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(asyncio.run, both()).result() == expected


def test_the_import_brings_no_other_package() -> None:
    heavy = ("numpy", "pandas", "torch", "transformers", "click", "streamlit")
    code = f"import sys, groundscope; print([m for m in {heavy!r} if m in sys.modules], dir(groundscope).count('score'))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[] 1\n"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        groundscope.nothing  # noqa: B018


def test_a_chat_model_is_asked_several_at_a_time_within_the_limit_and_no_fault_loses_a_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A server that is gone is asked again after short pauses.
    monkeypatch.setattr(ceilings, "_FIRST_PAUSE", 0.002)
    monkeypatch.setattr(ceilings, "_LONGEST_PAUSE", 0.004)
    rows = [
        {"query": f"Q{i}", "context": ["The rent is due in May."], "response": f"The rent of year {i} is due."} for i in range(12)
    ]

    def answer(call: Asked) -> str:
        time.sleep(0.05)
        good = json.dumps({"reasons": ["So it is."], "unsupported": [], "verdict": "PASS"})
        return "no reply in form" if call.data["question"] == "Q3" else good

    with LLMServer(answer) as server:
        found = groundscope.score(rows, ["direct", "overlap"], model=f"server:scripted-1@{server.openai}")
        assert 1 < server.busiest <= 8
        states = found.frame("response").query("method == 'direct'")["status"].tolist()
        assert states == ["scored"] * 3 + ["invalid"] + ["scored"] * 8
        assert found.frame()["support"].dtype == float
        assert found.frame()["support"].notna().sum() >= 12
    # Replies to the rows before are held in memory.
    others = [{**row, "query": f"Another {row['query']}"} for row in rows[:2]]
    gone = groundscope.score(others, ["direct", "overlap"], model=f"server:scripted-1@{server.openai}").frame("response")
    assert gone["status"].tolist() == ["failed", "scored"] * 2
    assert gone["support"].isna().tolist() == [True, False] * 2


@each("name", ["inputs", "runs", "scores", "scoring"])
def test_examples_of_docstrings_give_what_they_say(name: str) -> None:
    done = doctest.testmod(import_module(f"groundscope.api.{name}"))
    assert done.failed == 0
    assert done.attempted >= 3 or name != "scoring"
