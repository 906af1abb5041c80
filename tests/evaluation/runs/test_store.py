"""The store: what is put comes back, once, until it is deleted."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import planning
from evaluation.errors import StoreError
from evaluation.plans import Start, packed, plan_from_json, plan_to_json
from evaluation.run_data import MethodRun
from evaluation.store import Store, address
from evaluation.types import Claim, Judgement, Match, SentenceScore, Status
from tests.evaluation.runs.scripted import HOSTILE, cases_of, planned, two_methods

CASES = cases_of(5)
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
def judgements(draw: st.DrawFn) -> Judgement:
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


@settings(max_examples=60)
@given(given_=st.lists(judgements(), min_size=1, max_size=5), timed=st.booleans())
def test_judgements_come_back_but_for_their_matrix_and_all_but_the_best_match(given_: list[Judgement], timed: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "runs.sqlite")
        run = planned(store, CASES, two_methods())
        for row, judgement in enumerate(given_):
            store.add(run, 1, row, judgement, timed=timed)
        kept = list(store.judgements(run, 1))
        store.close()
    assert [(k.method, k.row, k.timed) for k in kept] == [(1, row, timed) for row in range(len(given_))]
    for judgement, found in zip(given_, (k.content for k in kept), strict=True):
        assert found == json.loads(json.dumps(packed(judgement)))
        for name in ("status", "support", "seconds", "calls", "tokens", "cost", "context_seen", "cached"):
            assert found[name] == getattr(judgement, name), name
        assert (found["note"], found["raw"]) == (_unbroken(judgement.note), _unbroken(judgement.raw))
        best = [[[m.passage, m.start, m.end, m.support] for m in s.matches[:1]] for s in judgement.sentences]
        assert found["sentences"] == [[s.start, s.end, s.support, m] for s, m in zip(judgement.sentences, best, strict=True)]
        assert [(c["text"], c["support"], c["start"], c["end"], c["reason"]) for c in found["claims"]] == [
            (_unbroken(c.text), c.support, c.start, c.end, _unbroken(c.reason)) for c in judgement.claims
        ]


def test_a_judgement_that_is_there_stays(store: Store) -> None:
    run = planned(store, CASES, two_methods())
    store.add(run, 0, 2, Judgement(Status.SCORED, support=0.5), timed=True)
    store.add(run, 0, 2, Judgement(Status.FAILED, note="later"), timed=False)
    assert [(k.row, k.timed, k.content["status"]) for k in store.judgements(run, 0)] == [(2, True, "scored")]
    assert store.done(run) == {(0, 2)}


def test_runs_are_listed_newest_first_with_how_far_they_are(store: Store) -> None:
    runs = [planned(store, CASES, two_methods(), f"Run {i}") for i in range(4)]
    store.add(runs[1], 0, 0, Judgement(Status.SCORED, support=1.0), timed=True)
    store.add(runs[1], 1, 0, Judgement(Status.FAILED), timed=False)
    store.add(runs[1], 1, 1, Judgement(Status.INVALID), timed=False)
    store.finish(runs[2])
    listed = store.runs()
    assert [found.id for found in listed] == runs[::-1]
    assert [found.plan.name for found in listed] == ["Run 3", "Run 2", "Run 1", "Run 0"]
    assert [bool(found.finished) for found in listed] == [False, True, False, False]
    assert (listed[2].done, listed[2].failed) == ((1, 2), (0, 1))
    assert listed[2] == store.run(runs[1])


def test_a_run_that_is_not_there_is_named(store: Store) -> None:
    for _ in range(2):
        with pytest.raises(StoreError, match=r"no run nobody .*groundscope runs` list"):
            store.run("nobody")
        planned(store, CASES, two_methods())


def test_looking_makes_no_file(store: Store, path: Path) -> None:
    assert store.runs() == []
    assert not path.exists()


def test_cases_come_back_whole_or_by_row(store: Store) -> None:
    cases = [*cases_of(30), replace(cases_of(1)[0], id=HOSTILE.replace("\x1b", ""), response=HOSTILE, query="\u2028 é")]
    run = planned(store, cases, two_methods())
    assert store.cases(run) == cases
    assert store.cases(run, [30, 0, 7, 7]) == [cases[30], cases[0], cases[7], cases[7]]
    assert store.cases(run, []) == []


def test_plans_come_back(store: Store) -> None:
    methods = (MethodRun("a", "s", "Ä", None, {"n": 3, "x": [1, "é"]}, "train", True, None), MethodRun("b", "t", "B", 0.5))
    plan = planning.plan(HOSTILE, "f", CASES, methods, keeps_replies=False, calls=3, dollars=0.5)
    assert plan_from_json(plan_to_json(plan)) == plan
    assert store.run(store.create(plan, CASES)).plan == plan


def test_names_are_one_line_that_every_file_takes() -> None:
    plan = planning.plan("a\nb\t\udc80 \0", "x\n", CASES, ())
    assert (plan.name, plan.source) == ("a b \N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}", "x")
    assert planning.plan(" \n", "cases.csv", CASES, ()).name == "cases.csv"


def test_starts_come_back_in_order(store: Store) -> None:
    run, other = (planned(store, CASES, two_methods()) for _ in range(2))
    first = Start("2026-01-02T00:00:00+00:00", ("x", "y"), {"first": 1.5})
    starts = [first, Start("2026-01-01T00:00:00+00:00", ("z",), {}, (4, 0))]
    for start in starts:
        store.started(run, start)
    store.started(other, starts[0])
    assert store.starts(run) == starts


def test_the_store_lies_in_the_data_folder_or_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    monkeypatch.delenv("GROUNDSCOPE_STORE", raising=False)
    assert address() == tmp_path / "runs.sqlite"
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path / "mine.db"))
    assert Store().path == tmp_path / "mine.db"
    assert Store().folder("x") == tmp_path / "runs" / "x"
