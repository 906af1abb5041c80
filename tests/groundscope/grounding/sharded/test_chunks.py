"""Chunks of a file hold each of its rows once, with its number, and a shard is there as a whole or not at all."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.chat.budget import Limits
from groundscope.errors import DataError, StoreError
from groundscope.experiments.plan import Part
from groundscope.files.rows import Rejected, Row, read_rows
from groundscope.grounding.parts import described
from groundscope.grounding.sharded import shards
from groundscope.grounding.sharded.chunks import chunks_of, rows_of
from groundscope.grounding.sharded.jobs import FOLDER, RayPlan, begin, plan_of
from groundscope.grounding.sharded.shards import folder_of, prepare, shards_in
from groundscope.methods import registry
from tests.groundscope.grounding.sharded.made_shards import judge_chunks

_OBJECTS = st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3).map(json.dumps)
_LINES = st.lists(st.one_of(_OBJECTS, st.sampled_from(["", " ", "{x", "[1]"])), min_size=1, max_size=25)


@given(_LINES, st.integers(1, 9), st.booleans())
def test_lines_stand_in_one_chunk_each_with_their_numbers(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], rows: int, ended: bool
) -> None:
    path = tmp_path_factory.mktemp("chunks") / "rows.jsonl"
    data = ("\n".join(lines) + "\n" * ended).encode()
    path.write_bytes(data)
    chunks = chunks_of([str(path)], rows)
    assert [(c.start, c.end) for c in chunks] == list(zip([0, *(c.end for c in chunks)], [c.end for c in chunks], strict=False))
    found = [row for c in chunks for row in rows_of(c)]
    expected = list(read_rows(path.name, data)) if data.strip() else []
    assert [_number(row) for row in found] == [_number(row) for row in expected]


def _number(row: Row | Rejected) -> int:
    return row.row if isinstance(row, Rejected) else row.number


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_rows_of_parquet_stand_in_one_chunk_each(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"query": [f"q {i}" for i in range(20)]}), path, row_group_size=6)
    found = [row for c in chunks_of([str(tmp_path)], rows) for row in rows_of(c)]
    assert [(r.number, r.values) for r in found if not hasattr(r, "row")] == [(i + 1, {"query": f"q {i}"}) for i in range(20)]


@pytest.mark.parametrize(
    ("name", "why"), [("none.jsonl", "is not there"), ("a.csv", "not cut into chunks"), ("", "has no file that ends")]
)
def test_files_that_cannot_be_cut_are_named(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "a.csv").write_text("x")
    with pytest.raises(DataError, match=why):
        chunks_of([str(tmp_path / name)], 5)


def _row(number: int, **more: object) -> str:
    text = f"Rent {number} is due on May {number % 28 + 1}."
    return json.dumps({"id": f"c{number}", "query": "When?", "context": [text], "response": text, **more})


@pytest.fixture
def part() -> Part:
    return described(Part("overlap"), registry.load("overlap"))


def _judge(out: Path, part: Part, path: Path) -> dict[str, list[Any]]:
    """Judge what is not done yet, in chunks of ten."""
    prepare(out, [part])
    done = {shard.stem for shard in shards_in(out / folder_of(part))}
    left = [c for c in chunks_of([str(path)], 10) if c.name not in done]
    return judge_chunks(out, part, left) if left else {}


def _results(out: Path, part: Part) -> list[dict[str, Any]]:
    return [row for p in sorted((out / folder_of(part)).glob("*.parquet")) for row in pq.read_table(p).to_pylist()]


def test_bad_rows_are_named_and_the_others_judged(tmp_path: Path, part: Part) -> None:
    lines = [_row(i) for i in range(1, 41)]
    bad = {3: "broken", 17: '{"query": "q"}', 40: "[]"}
    path, out = tmp_path / "cases.jsonl", tmp_path / "out"
    path.write_text("\n".join(bad.get(i, line) for i, line in enumerate(lines, 1)))
    assert sum(_judge(out, part, path)["judged"]) == 37
    rejected = [row for p in (out / "rejected").glob("*.parquet") for row in pq.read_table(p).to_pylist()]
    assert sorted(row["row"] for row in rejected) == sorted(bad)
    assert {(row["status"], row["case"] == f"c{row['row']}") for row in _results(out, part)} == {("scored", True)}


def test_a_file_that_grew_is_judged_where_it_is_new_and_a_chunk_that_was_judged_stays(tmp_path: Path, part: Part) -> None:
    path, out = tmp_path / "cases.jsonl", tmp_path / "out"
    path.write_text("".join(_row(i) + "\n" for i in range(15)))
    assert sum(_judge(out, part, path)["judged"]) == 15
    assert _judge(out, part, path) == {}
    # As after a kill between writing a shard and reporting it: a new process gets the same chunks.
    assert judge_chunks(out, part, chunks_of([str(path)], 10))["known"] == [10, 5]
    path.write_text("".join(_row(i) + "\n" for i in range(18)))
    # The second chunk is another one now; its first five cases are known by their keys.
    again = _judge(out, part, path)
    assert (again["judged"], again["known"]) == ([3], [5])
    assert sorted(str(row["case"]) for row in _results(out, part)) == sorted(f"c{i}" for i in range(18))


def test_another_method_or_folder_is_refused(tmp_path: Path, part: Part) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(_row(1))
    other = replace(part, signature="overlap-of-elsewhere")
    assert "install the same versions and weights everywhere" in str(_judge(tmp_path / "out", other, path)["error"])
    assert _results(tmp_path / "out", other) == []
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine.txt").write_text("x")
    with pytest.raises(DataError, match="is not empty and contains no results"):
        prepare(taken, [part])


def test_a_full_disk_leaves_whole_shards(tmp_path: Path, part: Part, monkeypatch: pytest.MonkeyPatch) -> None:
    path, out = tmp_path / "cases.jsonl", tmp_path / "out"
    path.write_text("".join(_row(i) + "\n" for i in range(30)))
    whole = shards.pq.write_table
    written = []

    def full(table: pa.Table, place: Path, **more: object) -> None:
        # A chunk is two files: its cases, and what the method said.
        if len(written) == 2:
            place.write_bytes(b"half")
            raise OSError(28, "No space left on device")
        written.append(place)
        whole(table, place, **more)

    monkeypatch.setattr(shards.pq, "write_table", full)
    error = _judge(out, part, path)["error"]
    assert [bool(one) for one in error] == [False, True, True]
    assert "No space left on device" in str(error[1])
    assert "Make room, and start again" in str(error[1])
    monkeypatch.undo()
    assert len(_results(out, part)) == 10
    assert sum(_judge(out, part, path)["judged"]) == 20
    assert len({bytes(row["key"]) for row in _results(out, part)}) == 30


def test_the_same_start_goes_on_with_its_job_and_another_one_into_the_folder_is_refused(tmp_path: Path, part: Part) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(map(_row, range(40))))
    chunks, plan = chunks_of([str(tmp_path / "a.jsonl")], 10), RayPlan("out", (part,), str(tmp_path / "out"))
    FOLDER.path.mkdir(parents=True, exist_ok=True)
    (FOLDER.path / "damaged.sqlite").write_bytes(b"no database at all, but long enough" * 9)
    file, new = begin(plan, chunks, Limits(calls=5))
    again, also_new = begin(replace(plan, workers=2), chunks, Limits(dollars=1.0))
    assert (new, also_new, again.id) == (True, False, file.id)
    assert (again.limits(), plan_of(again).workers) == (Limits(5, 1.0), 2)
    with pytest.raises(DataError, match="judges something else into"):
        begin(plan, chunks[:2], Limits())
    # What is at work keeps its budget.
    with file.working(), pytest.raises(StoreError):
        begin(plan, chunks, Limits(calls=500))
    assert file.limits() == Limits(5, 1.0)
    file.finish()
    assert begin(plan, chunks, Limits())[1]
