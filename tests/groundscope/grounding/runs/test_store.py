"""Runs on disk: what is kept comes back, once, until it is deleted."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.dataset import to_row
from groundscope.chat.budget import Limits
from groundscope.errors import StoreError
from groundscope.experiments.listing import listed, one
from groundscope.experiments.plan import Part
from groundscope.files.typed import stored
from groundscope.grounding.imported.scores import ImportedMethod
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.reader import read_store
from groundscope.grounding.runs.store import (
    FOLDER,
    KIND,
    RunPlan,
    cases_of,
    create,
    exported,
    judgements,
    packed,
    plan_of,
)
from groundscope.types import Claim, Judgement, Match, SentenceScore, Status
from tests.groundscope.grounding.runs.scripted import HOSTILE, Scripted, add, done, failed, finished, judge, planned, two_methods
from tests.groundscope.grounding.runs.scripted import cases_of as made_cases

CASES = made_cases(5)
texts = st.text(st.characters(), max_size=20)
shares = st.floats(0, 1)
spans = st.tuples(st.integers(0, 50), st.integers(1, 50)).map(lambda s: (s[0], s[0] + s[1]))
matches = st.builds(lambda span, passage, support: Match(passage, *span, support), spans, st.integers(0, 9), shares)
sentences = st.builds(
    lambda span, support, found: SentenceScore(*span, support, tuple(found)),
    spans,
    st.none() | shares,
    st.lists(matches, max_size=3),
)
claims = st.builds(
    lambda text, support, span, reason: Claim(text, support, *span, reason), texts, st.none() | shares, spans, texts
)


@st.composite
def any_judgement(draw: st.DrawFn) -> Judgement:
    status = draw(st.sampled_from(Status))
    return Judgement(
        status,
        support=draw(shares) if status is Status.SCORED else None,
        sentences=tuple(draw(st.lists(sentences, max_size=3))),
        claims=tuple(draw(st.lists(claims, max_size=2))),
        seconds=draw(st.floats(0, 1e6)),
        calls=draw(st.integers(0, 9)),
        tokens=draw(st.integers(0, 10**6)),
        cost=draw(st.none() | st.floats(0, 9)),
        context_seen=draw(shares),
        cached=draw(shares),
        note=draw(texts),
        raw=draw(texts),
    )


def _unbroken(text: str) -> str:
    return "".join("\N{REPLACEMENT CHARACTER}" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in text)


@given(given_=st.lists(any_judgement(), min_size=1, max_size=5), timed=st.booleans())
def test_judgements_come_back_but_for_their_matrix_and_all_but_the_best_match(given_: list[Judgement], timed: bool) -> None:
    run = planned(CASES, two_methods())
    for row, judgement in enumerate(given_):
        add(run, 1, row, judgement, timed=timed)
    kept = list(judgements(run, 1))
    FOLDER.delete(run.id)
    assert [(k.place.part, k.place.row, k.timed) for k in kept] == [(1, row, timed) for row in range(len(given_))]
    assert [k.status for k in kept] == [j.status for j in given_]
    for judgement, found in zip(given_, (k.content for k in kept), strict=True):
        assert found == json.loads(json.dumps(packed(judgement)))
        for name in ("support", "seconds", "calls", "tokens", "cost", "context_seen", "cached"):
            assert found[name] == getattr(judgement, name), name
        assert (found["note"], found["raw"]) == (_unbroken(judgement.note), _unbroken(judgement.raw))
        best = [[[m.passage, m.start, m.end, m.support] for m in s.matches[:1]] for s in judgement.sentences]
        assert found["sentences"] == [
            [s.start, s.end, s.support, m, s.contradiction] for s, m in zip(judgement.sentences, best, strict=True)
        ]
        assert [(c["text"], c["support"], c["start"], c["end"], c["reason"]) for c in found["claims"]] == [
            (_unbroken(c.text), c.support, c.start, c.end, _unbroken(c.reason)) for c in judgement.claims
        ]


def test_runs_are_listed_newest_first_with_how_far_they_are() -> None:
    runs = [planned(CASES, two_methods(), f"Run {i}") for i in range(3)]
    add(runs[0], 0, 0, Judgement(Status.SCORED, support=1.0), timed=True)
    add(runs[0], 1, 0, Judgement(Status.FAILED, note="Why."), timed=False)
    add(runs[0], 1, 1, Judgement(Status.INVALID), timed=False)
    runs[1].finish()
    (_, second, first), problems = listed(KIND)
    assert problems == []
    assert (second.id, second.name, bool(second.finished), first.finished) == (runs[1].id, "Run 1", True, "")
    assert [(part.done, part.failed, part.wanted) for part in first.parts] == [(1, 0, 5), (2, 1, 5)]
    assert (first.faults, first.about) == ({"Why.": 1}, "5 responses of cases.jsonl")
    assert first == one(KIND, runs[0])


def test_plans_come_back() -> None:
    methods = (
        Part("a", "Ä", "s", options={"n": 3, "x": [1, "é"]}, tuned_on="train", tunes="rule"),
        Part("b", "B", "t", threshold=0.5),
    )
    plan = RunPlan(HOSTILE, "f", "0" * 16, 5, methods, keeps_replies=False)
    assert stored(RunPlan, asdict(plan)) == plan
    # Runs of an earlier version know no prompts, and go on.
    earlier = asdict(plan)
    for method in earlier["methods"]:
        del method["prompts"]
    assert stored(RunPlan, earlier) == plan
    run = FOLDER.open(create(plan, [to_row(c) for c in CASES], limits=Limits(3, 0.5)))
    assert (plan_of(run), run.limits()) == (plan, Limits(3, 0.5))
    assert cases_of(run) == CASES
    with pytest.raises(StoreError, match="does not hold this input"):
        cases_of(run, [5])
    assert [plan.label(m) for m in (0, 1)] == ["Ä", "B"]
    twice = replace(plan, methods=(replace(methods[0], title="B"), methods[1]))
    assert [twice.label(m) for m in (0, 1)] == ["a", "b"]


def test_names_are_one_line_that_every_file_takes() -> None:
    plan = plan_of(FOLDER.open(planning.begin("a\nb\t\udc80 \0", "x\n", CASES, ())))
    assert (plan.name, plan.source) == ("a b \N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}", "x")
    assert plan_of(FOLDER.open(planning.begin(" \n", "cases.csv", CASES, ()))).name == "cases.csv"


def test_scores_of_another_tool_are_there_from_the_start_and_are_not_made_again() -> None:
    method = Part("recorded:tool.metric", "Tool: metric", "recorded:tool.metric|file=1")
    found = ImportedMethod(method, (Judgement(Status.SCORED, support=0.5), *[Judgement(Status.FAILED, note="Not there.")] * 4))
    own = [described(Part("first"), Scripted("first"))]
    run = FOLDER.open(planning.begin("With scores", "cases.jsonl", CASES, own, [found]))
    assert (done(run), failed(run), run.finished()) == ((0, 5), (0, 4), "")
    assert run.retry(but=KIND.given(plan_of(run))) == 0
    assert judge(run, {"first": Scripted("first")}).finished
    data = read_store(run)
    assert (data.support[1, 0], data.timed[1].any(), data.timed[0].any()) == (0.5, False, True)
    assert FOLDER.open(planning.begin("Scores", "cases.jsonl", CASES, (), [found])).finished()


def test_runs_lie_in_the_data_folder_or_where_the_environment_says(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert FOLDER.path == data / "runs"
    assert exported("x") == data / "runs" / "x"
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path / "mine"))
    run = finished(CASES, two_methods())
    assert run.path == tmp_path / "mine" / f"{run.id}.sqlite"
    assert not data.exists()
    run.path.write_bytes(b"damaged" * 1_000)
    assert "move it away, or set GROUNDSCOPE_STORE to another folder" in listed(KIND)[1][0]
    # What an older version wrote is named and left alone.
    monkeypatch.delenv("GROUNDSCOPE_STORE")
    data.mkdir()
    (data / "runs.sqlite").write_bytes(b"SQLite format 3\0 of runs")
    runs, (problem,) = listed(KIND)
    assert (runs, problem.partition(";")[0]) == ([], f"An older Groundscope wrote {data / 'runs.sqlite'}")
    assert (data / "runs.sqlite").read_bytes() == b"SQLite format 3\0 of runs"
