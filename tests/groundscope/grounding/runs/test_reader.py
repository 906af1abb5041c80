"""What is read of a folder is what is read of the store, and cases come back exactly."""

import re
import tempfile
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundscope.cases.dataset import read, to_row
from groundscope.grounding.rules.frozen_rules import frozen
from groundscope.grounding.runs.arrays import PENDING, RunData
from groundscope.grounding.runs.folder import CASES_IN_A_GROUP, export, rows_hash
from groundscope.grounding.runs.listing import SAMPLES, copies, samples
from groundscope.grounding.runs.listing import read as read_run
from groundscope.grounding.runs.reader import read_folder, read_store
from groundscope.grounding.runs.store import cases_of as kept_cases
from groundscope.grounding.sensitivity import pairs
from groundscope.grounding.stability import copies as stability_copies
from groundscope.methods import registry
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Judgement, Passage, Status
from tests.groundscope.grounding.runs.scripted import Steady, add, cases_of, finished, planned, two_methods
from tests.groundscope.grounding.runs.test_store import any_judgement

CASES = cases_of(20)
READERS = ("read_cases", "read_sentences", "read_notes")


def _same(one: RunData, other: RunData) -> None:
    for field in fields(RunData):
        first, second = getattr(one, field.name), getattr(other, field.name)
        if isinstance(first, np.ndarray):
            assert first.dtype == second.dtype, field.name
            np.testing.assert_array_equal(first, second, field.name)
        elif field.name not in READERS:
            assert first == second, field.name
    rows = [*range(len(one.ids)), 0, len(one.ids) - 1]
    assert one.read_cases(rows) == other.read_cases(rows)
    for method in range(len(one.methods)):
        assert one.read_notes(method, rows) == other.read_notes(method, rows)
        for first, second in zip(one.read_sentences(method), other.read_sentences(method), strict=True):
            assert first.dtype == second.dtype
            np.testing.assert_array_equal(first, second)


@settings(max_examples=40)
@given(made=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 19), any_judgement(), st.booleans()), max_size=12))
def test_a_folder_holds_what_the_store_holds(made: list[tuple[int, int, Judgement, bool]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        run = planned(CASES, two_methods())
        for method, row, judgement, timed in made:
            add(run, method, row, judgement, timed=timed)
        run.finish()
        _same(read_store(run), read_folder(export(run, Path(place) / "run")))


def test_a_worked_run_reads_the_same_both_ways(tmp_path: Path) -> None:
    run = finished(CASES, two_methods())
    data = read_folder(export(run, tmp_path / "run"))
    _same(read_store(run), data)
    assert data.finished
    assert (data.status != PENDING).all()
    assert len(set(data.status.ravel())) > 2
    assert data.machine


def test_arrays_hold_what_the_methods_said_and_nothing_of_one_that_said_nothing(tmp_path: Path) -> None:
    run = planned(CASES, two_methods())
    add(run, 0, 3, Judgement(Status.SCORED, support=0.5, seconds=2.0, calls=3, tokens=9, cost=None), timed=True)
    assert not read_store(run).finished
    run.finish()
    data = read_folder(export(run, tmp_path / "run"))
    assert (data.support[0, 3], data.seconds[0, 3], data.calls[0, 3], data.tokens[0, 3]) == (0.5, 2.0, 3, 9)
    assert np.isnan([data.cost[0, 3], data.lowest[0, 3]]).all()
    assert (data.timed.sum(), (data.status == PENDING).sum()) == (1, 39)
    assert len(data.read_sentences(1).case) == 0
    assert (data.read_notes(1, [0, 5]), data.machine) == (["", ""], ())


@pytest.mark.parametrize("count", [1, CASES_IN_A_GROUP, 3 * CASES_IN_A_GROUP + 5])
def test_cases_are_read_at_any_rows(tmp_path: Path, count: int) -> None:
    cases = cases_of(count)
    data = read_folder(export(finished(cases, {"a": Steady("a")}), tmp_path / "run"))
    rng = np.random.default_rng(count)
    rows = [*rng.integers(0, count, 20).tolist(), count - 1, 0, count - 1]
    assert data.read_cases(rows) == [cases[row] for row in rows]
    assert data.read_cases(np.array(rows, dtype=np.int32)) == [cases[row] for row in rows]  # type: ignore[arg-type]
    assert data.read_cases([]) == []
    assert data.case(count - 1) == cases[-1]


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
name = text.filter(bool)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    response = draw(text)
    passages = tuple(draw(st.lists(st.builds(Passage, name, text, text), max_size=3)))
    spans = st.tuples(st.integers(0, max(0, len(response) - 1)), st.integers(1, max(1, len(response)))).map(sorted)
    found = [tuple(s) for s in draw(st.lists(spans, max_size=3)) if s[0] < s[1] <= len(response)]
    kinds, labels = st.sampled_from(ErrorType), st.none() | st.booleans()
    errors = tuple(ErrorSpan(*s, draw(kinds), draw(text), draw(labels)) for s in found[:2])
    long = [(i, p) for i, p in enumerate(passages) if p.text]
    evidence = tuple(EvidenceSpan(*s, long[0][0], 0, len(long[0][1].text)) for s in found[1:] if long)
    return Case(
        draw(name),
        draw(text),
        passages,
        response,
        grounded=draw(st.none() | st.booleans()),
        errors=errors,
        evidence=evidence,
        unsupported=tuple((a, b) for a, b in found[:1]),
        split=draw(st.none() | st.sampled_from(["train", "dev", "test", "éxtra"])),
        group=draw(st.none() | name),
        parent=draw(st.none() | name),
        area=draw(text),
    )


@given(made=st.lists(cases(), min_size=1, max_size=4))
def test_cases_come_back_exactly_from_the_store_and_from_a_folder(made: list[Case]) -> None:
    made = [replace(case, id=f"{i} {case.id}") for i, case in enumerate(made)]
    with tempfile.TemporaryDirectory() as place:
        run = finished(made, {"a": Steady("a")})
        assert kept_cases(run) == made
        data = read_folder(export(run, Path(place) / "run"))
        assert data.read_cases(range(len(made))) == made
        assert [*data.ids] == [case.id for case in made]
        assert data.gold.tolist() == [-1 if case.grounded is None else int(case.grounded) for case in made]
        assert data.types.sum() == sum(len(case.errors) for case in made)


MAKE = "run `make sample-run`"


@pytest.fixture(scope="module")
def run() -> RunData:
    return read_run(samples()[0])


def test_the_run_of_a_small_chat_model_has_real_replies_of_these_answers_and_no_seconds() -> None:
    first, entry = samples()
    assert (first.id, entry.id) == ("offline-methods", "small-chat-model"), "pages open with the first"
    run = read_run(entry)
    path = SAMPLES.parent / "legal_qa.jsonl"
    by_id = {case.id: case for case in read(path.name, path.read_bytes()).cases}
    assert all(case == by_id[case.id] and case.split == "test" for case in run.read_cases(range(len(run.ids))))
    asks = [i for i, m in enumerate(run.methods) if m.asks]
    assert len(asks) == 5
    assert all("server:qwen2.5-coder-1.5b-instruct" in run.methods[i].signature for i in asks)
    assert run.calls[asks].sum() > 100
    assert not run.timed.any()
    # One says of a claim what the sources contradict, and one is asked to.
    assert not np.isnan(run.read_sentences(run.method("direct:three")).contradiction).all()


def test_it_judges_the_sample_set_as_it_is_now(run: RunData) -> None:
    path = SAMPLES.parent / "legal_qa.jsonl"
    cases = read(path.name, path.read_bytes()).cases
    assert run.data_hash == rows_hash(map(to_row, cases)), f"the sample set changed: {MAKE}"
    assert run.case(len(cases) - 1) == cases[-1]
    assert set(np.unique(run.status)) <= {list(Status).index(s) for s in (Status.SCORED, Status.NOT_ASSESSABLE)}
    assert run.finished


def test_its_methods_still_have_these_signatures(run: RunData) -> None:
    for method in run.methods:
        # The precision is the machine's, also of an embedder or a method inside; the run was made where it was.
        now = _without_precision(registry.load(method.loads, **method.options).signature)
        assert _without_precision(method.signature) == now, f"{method.id} changed: {MAKE}"


def test_the_runs_over_copies_are_of_these_answers_and_methods() -> None:
    # The train split is left out: a method learned from edits of it.
    path = SAMPLES.parent / "legal_qa.jsonl"
    cases = [c for c in read(path.name, path.read_bytes()).cases if c.split == "test"]
    (sensitivity, stability) = map(read_run, copies())
    readings = stability_copies.make(cases, 4, most=30).cases
    for copied, made in ((sensitivity, pairs.make(cases, 2_000).cases), (stability, readings)):
        assert copied.finished
        assert copied.data_hash == rows_hash(map(to_row, made)), "run `make sample-copies`"
        for method in copied.methods:
            now = _without_precision(registry.load(method.loads).signature)
            assert _without_precision(method.signature) == now, "run `make sample-copies`"


def _without_precision(signature: str) -> str:
    return re.sub(r"\b(?:bf16|fp32)\b", "", signature)


def test_its_seconds_were_measured_and_its_machine_is_named(run: RunData) -> None:
    assert (run.seconds[run.timed] > 0).all()
    assert run.timed[:, run.rows("dev")].all(), "latency is measured on dev, where nothing is used again"
    assert all(m.cold_seconds and m.cold_seconds > 0 for m in run.methods)
    assert "cores" in run.machine[0]


def test_thresholds_tuned_on_its_dev_split_come_with_it(run: RunData) -> None:
    (decision,) = frozen(SAMPLES / run.id).values()
    assert decision.strangers(run) == ()
    assert {t.split for t in decision.tuned.values()} == {"dev"}
    assert set(decision.rules(run)) == {m.id for m in run.methods}
