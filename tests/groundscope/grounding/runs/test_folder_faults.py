"""Every fault of a run's folder is named with its mend."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from groundscope.errors import DataError
from groundscope.grounding.runs.folder import check, export
from groundscope.grounding.runs.reader import read_folder
from tests.groundscope.grounding.runs.scripted import cases_of, finished, two_methods

CASES = cases_of(20)


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


NO_MANIFEST = "holds no run: there is no manifest.json; name the folder that a run was exported to"
UNREADABLE = "The manifest in .* cannot be read; export the run again"
FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "empty": (lambda folder: [p.unlink() for p in folder.iterdir()], NO_MANIFEST),
    "no folder": (shutil.rmtree, NO_MANIFEST),
    "no manifest": (lambda folder: (folder / "manifest.json").unlink(), NO_MANIFEST),
    "truncated manifest": (_write("manifest.json", lambda data: data[: len(data) // 2]), UNREADABLE),
    "binary manifest": (_write("manifest.json", lambda _: b"\xff\xfe\x00"), UNREADABLE),
    "another manifest": (_write("manifest.json", lambda _: b'{"name": "my-app", "version": "1.0"}'), UNREADABLE),
    "a list": (_write("manifest.json", lambda _: b"[]"), UNREADABLE),
    "deep": (_write("manifest.json", lambda _: b"[" * 100_000), UNREADABLE),
    "no methods": (_manifest(lambda m: m.pop("methods")), UNREADABLE),
    "strange methods": (_manifest(lambda m: m.update(methods=[{"id": "x"}])), UNREADABLE),
    "strange prompts": (_manifest(lambda m: m["methods"][0].update(prompts={"x": {"task": 1}})), UNREADABLE),  # type: ignore[index]
    "no prompts": (_manifest(lambda m: m["methods"][0].update(prompts=["x"])), UNREADABLE),  # type: ignore[index]
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
    "truncated file": (_write("cases.parquet", lambda data: data[:100]), "cases.parquet in .* is not what was written"),
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


def _same_hash(folder: Path, name: str, change: Callable[[Path], None]) -> None:
    """Somebody who edits a file may mend its hash too."""
    from groundscope.grounding.runs.folder import _hash

    (folder / name).chmod(0o644)
    change(folder / name)
    _manifest(lambda m: m["files"][name].update(sha256=_hash(folder / name)))(folder)  # type: ignore[index]


def test_files_that_do_not_fit_together_are_reported(folder: Path, tmp_path: Path) -> None:
    few = export(finished(CASES[:5], two_methods()), tmp_path / "few")
    _same_hash(folder, "cases.parquet", lambda path: path.write_bytes((few / "cases.parquet").read_bytes()) and None)
    with pytest.raises(DataError, match=r"is not consistent \(.*\); export it again"):
        read_folder(folder)


def test_a_file_that_is_no_parquet_is_reported_though_its_hash_is_right(folder: Path) -> None:
    _same_hash(folder, "effort.parquet", lambda path: path.write_bytes(b"PAR1 no PAR1") and None)
    with pytest.raises(DataError, match="is not consistent"):
        read_folder(folder)


def test_files_that_go_away_after_they_were_read_are_reported(folder: Path) -> None:
    found = read_folder(folder)
    shutil.rmtree(folder)
    uses: list[Callable[[], object]] = [
        lambda: found.case(0),
        lambda: found.read_sentences(0),
        lambda: found.read_notes(0, [1]),
    ]
    for use in uses:
        with pytest.raises(DataError, match=r"cannot be read any more .*; export the run again"):
            use()
