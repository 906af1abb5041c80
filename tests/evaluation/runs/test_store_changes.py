"""What changes in a store: retries, budgets, spending, deletion, and threads that share it."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import strategies as st

from evaluation import planning
from evaluation.errors import StoreError
from evaluation.plans import Kept, Listed, Start
from evaluation.recorded_methods import Attached
from evaluation.run_data import MethodRun
from evaluation.store import Store
from evaluation.types import Claim, Judgement, Match, SentenceScore, Status
from tests.evaluation.runs.scripted import Scripted, cases_of, finished, planned, two_methods

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


def test_spending_adds_up_over_the_starts_and_never_falls(store: Store) -> None:
    run = planned(store, CASES, two_methods())
    assert store.spent(run) == (0, 0.0)
    one, two = (store.started(run, Start("now", ())) for _ in range(2))
    store.spend(one, 5, 0.5)
    store.spend(one, 4, 0.25)
    store.spend(two, 2, 0.25)
    assert store.spent(run) == (7, 0.75)
    assert store.spent("nobody") == (0, 0.0)


def test_what_failed_is_forgotten_and_made_again(store: Store) -> None:
    run = finished(store, CASES, two_methods())
    failed = {(k.method, k.row) for m in (0, 1) for k in store.judgements(run, m) if k.content["status"] == "failed"}
    assert failed
    before = store.done(run)
    assert store.retry(run) == len(failed)
    assert store.done(run) == before - failed
    assert store.run(run).finished == ""
    assert store.retry(run) == 0


def test_where_nothing_failed_a_finished_run_stays_finished(store: Store) -> None:
    run = planned(store, CASES, two_methods())
    store.add(run, 0, 0, Judgement(Status.INVALID), timed=False)
    store.finish(run)
    at = store.run(run).finished
    assert store.retry(run) == 0
    assert store.run(run).finished == at


def test_scores_of_another_tool_are_there_from_the_start_and_are_not_made_again(store: Store) -> None:
    method = MethodRun("recorded:tool.metric", "recorded:tool.metric|file=1", "Tool: metric")
    judgements_ = (Judgement(Status.SCORED, support=0.5), *[Judgement(Status.FAILED, note="Not there.")] * 4)
    plan = planning.plan("With scores", "cases.jsonl", CASES, [planning.method_run("first", Scripted("first"), {})])
    run = planning.begin(store, plan, CASES, [Attached(method, judgements_)])
    listed = store.run(run)
    assert (listed.done, listed.failed, listed.finished) == ((0, 5), (0, 4), "")
    assert store.retry(run) == 0
    assert store.run(run).done == (0, 5)
    alone = planning.begin(store, planning.plan("Scores", "cases.jsonl", CASES, ()), CASES, [Attached(method, judgements_)])
    assert store.run(alone).finished


def test_a_budget_is_changed(store: Store) -> None:
    run = planned(store, CASES, two_methods(), calls=3)
    before = store.run(run).plan
    store.allow(run, 10, 0.5)
    assert store.run(run).plan == replace(before, calls=10, dollars=0.5)


def test_a_deleted_run_leaves_no_text_behind(store: Store, path: Path) -> None:
    secret = "The confidential clause of Aurelia Quist. " + "".join(map(chr, range(0x4E00, 0x5E00)))
    cases = [replace(c, response=secret) for c in CASES]
    gone, stays = finished(store, cases, two_methods()), finished(store, CASES, two_methods())
    for folder in (store.folder(gone), store.folder(gone).with_name(f"{gone}.abc.aside"), store.folder(stays)):
        folder.mkdir(parents=True)
        (folder / "cases.parquet").write_text("x", encoding="utf-8")
    with store.working(gone), closing(sqlite3.connect(path)) as db:
        contents = [c for (c,) in db.execute("SELECT content FROM cases WHERE run = ?", (gone,))]
    store.delete(gone)
    assert [listed.id for listed in store.runs()] == [stays]
    files = [file for file in path.parent.rglob("*") if file.is_file()]
    for file in files:
        assert not any(content[i : i + 40] in file.read_bytes() for content in contents for i in range(0, 4_000, 400)), file
    assert not [file for file in path.parent.rglob("*") if gone in file.name]
    assert store.folder(stays).exists()
    assert len(store.done(stays)) == 10
    with pytest.raises(StoreError, match="deleted"):
        store.cases(gone, [0])
    store.delete(gone)
    store.delete("../..")
    assert path.exists()


def test_a_run_that_is_worked_on_is_neither_deleted_nor_retried(store: Store, path: Path) -> None:
    run = finished(store, CASES, two_methods())
    other = Store(path)
    with other.working(run):
        assert store.busy(run)
        for work in (store.delete, store.retry):
            with pytest.raises(StoreError, match="Another process works on this run"):
                work(run)
    assert not store.busy(run)
    assert len(store.done(run)) == 10
    store.delete(run)
    other.close()


def test_threads_share_one_store(store: Store) -> None:
    run = planned(store, cases_of(40), two_methods())

    def work(thread: int) -> None:
        for row in range(40):
            store.add(run, thread % 2, row, Judgement(Status.SCORED, support=thread / 10), timed=True)
            store.done(run)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert store.done(run) == {(m, row) for m in (0, 1) for row in range(40)}


def test_a_closed_store_opens_again(store: Store) -> None:
    run = planned(store, CASES, two_methods())
    store.close()
    store.close()
    assert isinstance(store.run(run), Listed)
    assert list(store.judgements(run, 0)) == list[Kept]()
