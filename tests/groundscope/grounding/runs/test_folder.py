"""Finished runs as files: the same inputs give the same bytes, and every fault of a folder is named."""

import hashlib
import json
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from groundscope.cases.dataset import to_row
from groundscope.chat.prompt_files import delete_prompt, save_prompt
from groundscope.errors import DataError, StoreError
from groundscope.experiments.plan import Part
from groundscope.grounding.parts import described
from groundscope.grounding.runs.folder import FILES, check, export, rows_hash
from groundscope.grounding.runs.planning import begin
from groundscope.grounding.runs.reader import read_folder, read_store
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import registry
from groundscope.types import Case, Judgement, Status
from tests.groundscope.grounding.runs.scripted import HOSTILE, ROOT, add, cases_of, finished, judge, planned, two_methods

CASES = cases_of(20)
SAME = FILES[:3]


def test_the_same_inputs_give_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    # Slower, in two goes, under another name, and with the methods' results coming in another order.
    run = planned(CASES, two_methods(), "Another name")
    for row in (7, 3):
        add(run, 1, row, two_methods()["second"].score(CASES[row]), timed=False)
    assert judge(run, two_methods(0.001)).finished
    again = export(run, tmp_path / "again")
    for name in SAME:
        assert (again / name).read_bytes() == (folder / name).read_bytes(), name
    assert check(again)["data_hash"] == check(folder)["data_hash"] == rows_hash(map(to_row, CASES))
    assert [m.cold_seconds for m in read_folder(again).methods] == [run.starts()[0].cold.get(m) for m in ("first", "second")]


def test_the_hash_of_cases_hangs_on_all_that_is_in_them() -> None:
    seen = {rows_hash(map(to_row, cases)) for cases in (CASES, CASES[::-1], CASES[:-1])}
    for change in ({"id": "x"}, {"query": "x"}, {"response": "x"}, {"grounded": None}, {"split": "train"}, {"area": "x"}):
        seen.add(rows_hash(map(to_row, [replace(CASES[0], **change), *CASES[1:]])))  # type: ignore[arg-type]
    assert len(seen) == 9
    assert all(len(found) == 16 for found in seen)


def test_the_manifest_says_what_how_when_and_where(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    (run,) = FOLDER.files()
    assert (manifest["id"], manifest["name"], manifest["source"]) == (run.id, "A run", "cases.jsonl")
    assert (manifest["created"], manifest["finished"]) == (run.created(), run.finished())
    assert [m["signature"] for m in manifest["methods"]] == ["first|scripted", "second|scripted"]
    assert (manifest["cases"], "Python" in manifest["machines"][0]["machine"][1]) == (20, True)
    assert {name: found["rows"] for name, found in manifest["files"].items()} == {
        name: pq.read_metadata(folder / name).num_rows for name in FILES
    }
    assert not any((folder / name).stat().st_mode & 0o222 for name in (*FILES, "manifest.json"))


def test_the_prompts_that_were_used_are_in_the_run_and_its_files_though_they_are_deleted(tmp_path: Path) -> None:
    texts = {"system": "You judge.", "task": 'Be strict: "quotes", é and </b>.'}
    save_prompt("direct", "strict", texts, registry.load("direct").prompts())
    part = Part("direct:prompt=strict", method="direct", options={"prompt": "strict"})
    run = FOLDER.open(begin("Asked", "f", CASES, [described(part, registry.load("direct", prompt="strict"))]))
    delete_prompt("direct", "strict")
    for row in range(len(CASES)):
        add(run, 0, row, Judgement(Status.SCORED, support=1.0), timed=False)
    run.finish()
    found = [read_store(run), read_folder(export(run, tmp_path / "run"))]
    assert [[dict(m.prompts) for m in one.methods] for one in found] == [[{"strict": texts}]] * 2
    assert json.loads((tmp_path / "run" / "manifest.json").read_text("utf-8"))["methods"][0]["prompts"] == {"strict": texts}


def test_hostile_broken_and_missing_texts_are_written(tmp_path: Path) -> None:
    case = replace(CASES[0], id=HOSTILE, response=HOSTILE, query="\u2028", area="=1+1")
    run = planned([case, Case("bare", "q", (), "")], two_methods(), f"{HOSTILE}\udcff")
    for method in (0, 1):
        add(run, method, 0, Judgement(Status.INVALID, note="half \ud83d", raw='\udfff{"x"'), timed=False)
    run.finish()
    found = read_folder(export(run, tmp_path / "run"))
    assert found.case(0) == case
    assert found.read_notes(0, [0]) == ["half \N{REPLACEMENT CHARACTER}"]
    assert found.name.endswith("\N{REPLACEMENT CHARACTER}")
    assert (found.splits[1], found.gold[1], found.areas[1], found.words[1], found.context_words[1]) == ("", -1, "", 0, 0)
    assert found.groups[0] != found.groups[1]


def test_an_unfinished_run_is_not_exported(tmp_path: Path) -> None:
    run = planned(CASES, two_methods())
    with pytest.raises(StoreError, match="not finished; resume it first, then export it"):
        export(run, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_nothing_is_overwritten_and_a_place_that_cannot_be_written_is_reported(folder: Path, tmp_path: Path) -> None:
    (run,) = FOLDER.files()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    for place in (folder, tmp_path / "file", tmp_path):
        with pytest.raises(DataError, match="is not empty, and a run's files are never overwritten; name a new folder"):
            export(run, place)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before
    for place in (tmp_path / ("a" * 300), tmp_path / "file" / "a" / "b"):
        with pytest.raises(DataError, match=r"cannot be written .*; name a folder with room. The run itself is kept"):
            export(run, place)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data", "file", "out"]


def test_an_empty_folder_is_taken_also_by_the_name_of_a_dot(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run,) = FOLDER.files()
    (tmp_path / "empty").mkdir()
    check(export(run, tmp_path / "empty"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    export(run, Path())
    check(tmp_path / "here")


FULL = """
import resource, signal, sys
from pathlib import Path
from groundscope.errors import DataError
from groundscope.grounding.runs.folder import export
from groundscope.grounding.runs.store import FOLDER
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
run = FOLDER.open(sys.argv[1])
run.finished()
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, 2_000))
try:
    export(run, Path(sys.argv[2]))
except DataError as error:
    print(error)
"""


def test_a_disk_that_fills_up_leaves_no_half_a_run(tmp_path: Path) -> None:
    assert hasattr(resource, "RLIMIT_FSIZE")
    run = finished(cases_of(300), two_methods())
    place = tmp_path / "out" / "run"
    child = subprocess.run([sys.executable, "-c", FULL, run.id, str(place)], cwd=ROOT, capture_output=True, text=True, check=True)
    assert re.search("cannot be written.*name a folder with room. The run itself is kept.", child.stdout)
    assert list((tmp_path / "out").iterdir()) == []
    check(export(run, place))


def _manifest(change: Callable[[dict[str, object]], object]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / "manifest.json"
        content = json.loads(path.read_text("utf-8"))
        change(content)
        path.chmod(0o644)
        path.write_text(json.dumps(content), encoding="utf-8")

    return edit


def _write(name: str, make: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / name
        path.chmod(0o644)
        path.write_bytes(make(path.read_bytes()))

    return edit


UNREADABLE = "The manifest in .* cannot be read; export the run again"
FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no manifest": (
        lambda folder: (folder / "manifest.json").unlink(),
        "contains no run: there is no manifest.json; name the folder of an exported run",
    ),
    "truncated manifest": (_write("manifest.json", lambda data: data[: len(data) // 2]), UNREADABLE),
    "deep": (_write("manifest.json", lambda _: b"[" * 100_000), UNREADABLE),
    "no methods": (_manifest(lambda m: m.pop("methods")), UNREADABLE),
    "strange prompts": (_manifest(lambda m: m["methods"][0].update(prompts={"x": {"task": 1}})), UNREADABLE),  # type: ignore[index]
    "strange files": (_manifest(lambda m: m.update(files={"cases.parquet": "x"})), UNREADABLE),
    "endless version": (_write("manifest.json", lambda d: d.replace(b'"version": 1', b'"version": 1e999')), UNREADABLE),
    "newer": (_manifest(lambda m: m.update(version=2, methods="new")), "A newer Groundscope wrote .*; install the newer one"),
    "missing file": (
        lambda folder: (folder / "effort.parquet").unlink(),
        "effort.parquet is missing in .*; export the run again, or copy the folder as a whole",
    ),
    "edited file": (
        _write("judgements.parquet", lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]),
        "judgements.parquet in .* is not what was written .its hash differs.; export the run again",
    ),
    "swapped files": (
        lambda folder: (folder / "effort.parquet").replace(folder / "sentences.parquet"),
        "sentences.parquet in .* is not what was written",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_folder_is_named_with_its_fix(folder: Path, fault: str) -> None:
    damage, says = FAULTS[fault]
    damage(folder)
    for read in (check, read_folder):
        with pytest.raises(DataError, match=says):
            read(folder)


def test_files_that_do_not_fit_together_or_are_no_tables_are_reported_though_their_hash_is_right(
    folder: Path, tmp_path: Path
) -> None:
    few = export(finished(CASES[:5], two_methods()), tmp_path / "few")
    for name, content in (("cases.parquet", (few / "cases.parquet").read_bytes()), ("effort.parquet", b"PAR1 no PAR1")):
        edited = shutil.copytree(folder, tmp_path / name)
        manifest = json.loads((edited / "manifest.json").read_text("utf-8"))
        # Who edits a file may correct its hash, too.
        manifest["files"][name]["sha256"] = hashlib.sha256(content).hexdigest()
        for path, data in ((edited / name, content), (edited / "manifest.json", json.dumps(manifest).encode())):
            path.chmod(0o644)
            path.write_bytes(data)
        with pytest.raises(DataError, match=r"is not consistent \(.*\); export it again"):
            read_folder(edited)


def test_files_that_go_away_after_they_were_read_are_reported(folder: Path) -> None:
    found = read_folder(folder)
    shutil.rmtree(folder)
    for use in (lambda: found.case(0), lambda: found.read_sentences(0), lambda: found.read_notes(0, [1])):
        with pytest.raises(DataError, match=r"cannot be read any more .*; export the run again"):
            use()
