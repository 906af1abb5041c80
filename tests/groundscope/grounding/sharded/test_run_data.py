"""A folder of shards is the run that one machine would have made, to the last bit, and reads no text that is not asked for."""

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from groundscope.cases.dataset import read
from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.experiments.work import work
from groundscope.grounding.misclassified.calls import calls
from groundscope.grounding.misclassified.table import error_table
from groundscope.grounding.parts import described
from groundscope.grounding.results import RunResults, results
from groundscope.grounding.runs import listing, planning
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.runs.work import Judging
from groundscope.grounding.sharded import columns
from groundscope.grounding.sharded.shards import CASES_FOLDER, MANIFEST
from groundscope.grounding.tuning import Rule, starting_rules, verdicts
from groundscope.methods import registry
from groundscope.types import Case
from tests.groundscope.grounding.sharded.made_shards import made_shards

ROOT = Path(__file__).resolve().parents[4]
METHODS = ("overlap", "quip")


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("GROUNDSCOPE_STORE", raising=False)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    found = list(read("legal_qa.jsonl", (ROOT / "sample_data" / "legal_qa.jsonl").read_bytes()).cases[:120])
    # One that nothing can be said of, too, with hostile texts.
    return [*found, Case("<script>alert(1)</script>", "<img src=x>", (), "It is so.", group="alone", area="<b>Torts</b>")]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, cases: list[Case]) -> Path:
    return made_shards(tmp_path_factory.mktemp("judged") / "out", cases, METHODS)


@pytest.fixture
def out(tmp_path: Path, judged: Path) -> Path:
    return shutil.copytree(judged, tmp_path / "out")


def _on_one_machine(cases: list[Case]) -> RunData:
    loaded = {name: registry.load(name) for name in METHODS}
    made = planning.begin("One", "a file", cases, [described(Part(n), m) for n, m in loaded.items()])
    with closing(FOLDER.open(made)) as file:
        work(file, Judging(file, loaded))
    return listing.find(made)


def _measured(run: RunData, rules: dict[str, Rule]) -> RunResults:
    found = results(run, verdicts(run, rules), rules, run.rows())
    timeless = [
        replace(m, part=replace(m.part, cold_seconds=None), latency=None, dev_latency=None, note="")  # type: ignore[arg-type]
        for m in found.methods
    ]
    return replace(found, run="", machine=(), methods=tuple(timeless))


def test_a_sharded_run_is_the_run_of_one_machine_to_the_last_bit(out: Path, cases: list[Case]) -> None:
    sharded, one = listing.find(str(out)), _on_one_machine(cases)
    for name in ("ids", "splits", "areas", "gold", "groups", "types", "words", "context_words", "status", "calls", "tokens"):
        assert getattr(sharded, name).tolist() == getattr(one, name).tolist(), name
    for name in ("support", "lowest", "mean", "context_seen", "cost"):
        assert getattr(sharded, name).tobytes() == getattr(one, name).tobytes(), name
    assert [replace(m, cold_seconds=None) for m in one.methods] == list(sharded.methods)
    for rules in (starting_rules(one), {name: Rule("share_below", 0.5, 0.4) for name in METHODS}):
        assert repr(_measured(sharded, rules)) == repr(_measured(one, rules))
        tables = [error_table(calls(run, rules, verdicts(run, rules), run.rows())) for run in (sharded, one)]
        assert tables[0].wrong.tolist() == tables[1].wrong.tolist()
    for method in range(len(METHODS)):
        for mine, theirs in zip(sharded.read_sentences(method), one.read_sentences(method), strict=True):
            assert np.array_equal(mine, theirs, equal_nan=mine.dtype.kind == "f")
        assert sharded.read_notes(method, range(len(cases))) == one.read_notes(method, range(len(cases)))
        for row in (0, 77, 120):
            assert sharded.sentences(method, row).support.tolist() == one.sentences(method, row).support.tolist()
    assert sharded.read_cases(range(len(cases))) == one.read_cases(range(len(cases))) == cases
    assert sharded.finished


def test_pages_read_the_texts_of_the_case_that_is_shown_alone(
    tmp_path: Path, cases: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [replace(cases[i % 120], id=f"c{i}") for i in range(400)]
    run = listing.find(str(made_shards(tmp_path / "many", many, ["overlap"], rows=100)))
    groups, columns_read = list[int](), set[str]()

    class Watched(pq.ParquetFile):  # type: ignore[misc]
        def read(self, columns: list[str], **more: object) -> pa.Table:
            columns_read.update(columns)
            return super().read(columns=columns, **more)

        def read_row_groups(self, row_groups: list[int], columns: list[str], **more: object) -> pa.Table:
            groups.extend(row_groups)
            columns_read.update(columns)
            return super().read_row_groups(row_groups, columns=columns, **more)

    monkeypatch.setattr(columns.pq, "ParquetFile", Watched)
    rules = starting_rules(run)
    said = verdicts(run, rules)
    results(run, said, rules, run.rows())
    error_table(calls(run, rules, said, run.rows()))
    assert columns_read == set()
    assert [case.id for case in run.read_cases([399, 3])] == ["c399", "c3"]
    assert (columns_read, len(groups)) == ({"case"}, 2)
    shutil.rmtree(tmp_path / "many" / columns.FOLDER)
    columns_read.clear()
    groups.clear()
    listing.find(str(tmp_path / "many"))
    assert "case" not in columns_read, "texts are read to make the columns"
    assert {"key", "support", "gold"} <= columns_read


def test_the_order_of_rows_is_that_of_the_files_and_a_case_is_there_once(tmp_path: Path, cases: list[Case]) -> None:
    out = made_shards(tmp_path / "grown", cases[:25], ["overlap"])
    # The last chunk becomes another one, whose first five cases were judged before.
    again = made_shards(out, cases[:28], ["overlap"])
    run = listing.find(str(again))
    assert run.ids.tolist() == [case.id for case in cases[:28]]
    assert (run.status >= 0).all()
    assert run.read_cases([27, 0, 21]) == [cases[27], cases[0], cases[21]]


def test_what_is_not_judged_yet_waits(tmp_path: Path, cases: list[Case]) -> None:
    out = made_shards(tmp_path / "part", cases, METHODS, ended=False)
    quip = next(out.glob("quip-*"))
    for path in sorted(quip.glob("*.parquet"))[3:]:
        path.unlink()
    run = listing.find(str(out))
    assert not run.finished
    assert (run.status[0] >= 0).all()
    assert int((run.status[1] >= 0).sum()) in (30, 21)
    assert np.isnan(run.support[1][run.status[1] < 0]).all()
    assert run.read_notes(1, np.flatnonzero(run.status[1] < 0)[:2].tolist()) == ["", ""]


def _without_column(path: Path) -> None:
    pq.write_table(pq.read_table(path).drop_columns("lowest"), path)


def _other_type(path: Path) -> None:
    table = pq.read_table(path)
    pq.write_table(table.set_column(table.schema.get_field_index("support"), "support", table["case"]), path)


def _no_parquet(path: Path) -> None:
    path.write_bytes(b"broken")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_without_column, "cannot be read as what"),
        (_other_type, "cannot be read as what"),
        (_no_parquet, "cannot be read as what"),
        (Path.unlink, "1 of 13 shards are missing"),
    ],
)
def test_a_shard_that_is_not_as_it_was_written_is_named(out: Path, change: Callable[[Path], None], why: str) -> None:
    path = sorted(next(out.glob("overlap-*")).glob("*.parquet"))[2]
    change(path)
    shutil.rmtree(out / columns.FOLDER)
    with pytest.raises(DataError, match=why) as found:
        listing.find(str(out))
    assert str(path.parent) in str(found.value)


def test_judgements_without_their_cases_are_refused(out: Path) -> None:
    (out / MANIFEST).write_text((out / MANIFEST).read_text().replace('"cases": 13', '"cases": 12'))
    sorted((out / CASES_FOLDER).glob("*.parquet"))[0].unlink()
    with pytest.raises(DataError, match="judgements of cases that are not in cases"):
        listing.find(str(out))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": 1}, "an older Groundscope"),
        ({"version": 99}, "a newer Groundscope"),
        ({"files": [1]}, "manifest in .* cannot be read"),
        ({"parts": {"x": {"about": {"id": "x"}}}}, "manifest in .* cannot be read"),
    ],
)
def test_another_manifest_is_refused_in_words(out: Path, change: dict[str, object], why: str) -> None:
    content = json.loads((out / MANIFEST).read_text("utf-8"))
    (out / MANIFEST).write_text(json.dumps({**content, **change}))
    with pytest.raises(DataError, match=why):
        listing.find(str(out))


def test_columns_are_made_once_and_again_where_shards_change(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = listing.find(str(out)).version
    monkeypatch.setattr(columns, "scan", lambda *given: pytest.fail("the shards are read again"))
    assert listing.find(str(out)).version == first
    moved = out.rename(out.with_name("moved"))
    assert listing.find(str(moved)).version == first
    monkeypatch.undo()
    listing.find(
        str(made_shards(moved, [replace(c, id=f"{c.id} again") for c in listing.find(str(moved)).read_cases([1])], METHODS))
    )
    assert [p.name != first for p in (moved / columns.FOLDER).iterdir()] == [True]


def test_more_texts_than_fit_are_refused_and_types_are_not_added(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_TEXTS", 5)
    with pytest.raises(DataError, match="the texts of 6 responses, and at most 5"):
        listing.find(str(out)).read_cases(range(6))
    with pytest.raises(DataError, match="label the cases with types"):
        listing.keep_types(listing.entry_of(str(out)), ())
