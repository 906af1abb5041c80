"""A disk that is really full, under Ray: the run ends in words, and goes on where it was when there is room again."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from groundscope.cases.dataset import read
from groundscope.grounding.sharded.run_data import read_shards
from tests.groundscope.commands.conftest import Shell, shell  # noqa: F401 - a fixture
from tests.groundscope.grounding.sharded.made_shards import made_shards

CASES, CHUNK = 400, 20
# In a mount namespace of its own: the file system is gone when the script ends.
MOUNT = ("unshare", "-rm", "bash", "-ec")
SCRIPT = """
mkdir full small
mount -t tmpfs -o size=224k none full
mount -t tmpfs -o size=1m none small
run() { "$PYTHON" -m groundscope run --on ray --cases cases.jsonl --methods overlap --out full/out --chunk "$CHUNK" --workers 1; }
code=0; RAY_TMPDIR="$PWD/small" run 2> temporary.txt || code=$?; echo $code > temporary.code
rm -rf full/*
code=0; run 2> first.txt || code=$?; echo $code > first.code
(cd full/out && find . -type f | sort) > first.files
cp -r full/out first
mount -o remount,size=20m full
code=0; run 2> then.txt || code=$?; echo $code > then.code
cp -r full/out then
"""


def _mounts() -> bool:
    try:
        return subprocess.run([*MOUNT, "mount -t tmpfs -o size=64k none /mnt"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _rows(out: Path) -> list[dict[str, object]]:
    return [row for p in out.glob("overlap-*/*.parquet") for row in pq.read_table(p).to_pylist()]


@pytest.mark.release
@pytest.mark.skipif(not _mounts(), reason="no small file system can be mounted here (unshare -rm)")
@pytest.mark.xdist_group("ray")
def test_a_full_disk_loses_and_doubles_nothing(shell: Shell) -> None:  # noqa: F811
    drawn = np.random.default_rng(1).integers(97, 123, size=(CASES, 400), dtype=np.uint8)
    rows = [
        {"id": f"c{i}", "query": "q", "context": [f"Rent {one.tobytes().decode()} is due."], "response": f"Rent {i} is due."}
        for i, one in enumerate(drawn)
    ]
    (shell.home / "cases.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    shell.environment |= {"PYTHON": sys.executable, "CHUNK": str(CHUNK)}
    child = shell.start(SCRIPT, program=MOUNT)
    _, wrong = child.communicate(timeout=240)
    assert child.returncode == 0, wrong.decode()

    def said(name: str) -> tuple[int, str]:
        return int((shell.home / f"{name}.code").read_text()), (shell.home / f"{name}.txt").read_text()

    code, words = said("temporary")
    assert (code, "Traceback" in words) == (2, False)
    assert f"in {shell.home / 'small'}, which has 1 MB left. Make room for 50 MB at least, or name another folder" in words
    code, words = said("first")
    assert (code, "Traceback" in words) == (3, False)
    assert f"{shell.home / 'full' / 'out'} cannot be written (No space left on device); what is there is complete." in words
    assert "Make room, and start again. Finished chunks are saved; run the same command again to continue." in words
    # Whole shards and nothing else: each opens, and holds all of its chunk.
    files = (shell.home / "first.files").read_text().split()
    assert [file for file in files if not file.endswith(".parquet")] == ["./manifest.json"]
    before = _rows(shell.home / "first")
    assert 0 < len(before) < CASES
    assert len(before) % CHUNK == 0
    code, words = said("then")
    assert code == 0, words
    assert f"{CASES - len(before)} judged" in words
    cases = read("cases.jsonl", (shell.home / "cases.jsonl").read_bytes()).cases
    after, apart = _rows(shell.home / "then"), made_shards(shell.home / "apart", cases, ["overlap"], CHUNK)
    assert sorted(row["case"] for row in after) == sorted(row["id"] for row in rows)  # type: ignore[type-var]
    supports = {row["case"]: (row["support"], row["sentences"]) for row in _rows(apart)}
    assert {row["case"]: (row["support"], row["sentences"]) for row in after} == supports
    one, other = read_shards(shell.home / "then"), read_shards(apart)
    assert one.ids.tolist() == other.ids.tolist()
    assert np.array_equal(one.support, other.support)
    assert one.finished
