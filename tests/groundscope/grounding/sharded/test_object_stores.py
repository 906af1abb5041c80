"""Cases of s3:// and gs:// stores (real servers on loopback), no key anywhere, and a disk that fills up."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from groundscope.errors import DataError
from groundscope.files import addresses
from groundscope.files.addresses import shown
from groundscope.files.rows import Row
from groundscope.grounding.sharded.chunks import chunks_of, rows_of
from groundscope.grounding.sharded.columns import read_shards
from groundscope.grounding.sharded.shards import CASES, CASES_FOLDER, read_manifest, scan, shards_in
from tests.groundscope.commands.conftest import Shell, shell  # noqa: F401 - a fixture
from tests.object_stores import free_port, gs_store, refusing, s3_store, silent

LINES = [json.dumps({"id": f"c{i}", "query": "q", "context": [f"Rent {i} is due."], "response": f"Rent {i}."}) for i in range(9)]
SECRET = "sW33t%2Fkey"  # noqa: S105 - of no store
HEADS = {"s3": "s3://bucket", "gs": "gs://anonymous@bucket"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def _fill(address: str, start: int) -> None:
    system, place = fs.FileSystem.from_uri(address)
    with system.open_output_stream(f"{place}/cases/a b.jsonl") as file:
        file.write("".join(f"{line}\n" for line in LINES[start : start + 2]).encode())
    rows = [json.loads(line) for line in LINES[start + 2 : start + 4]]
    pq.write_table(pa.Table.from_pylist(rows), f"{place}/cases/deep/b.parquet", filesystem=system)
    with system.open_output_stream(f"{place}/cases/notes.txt") as file:
        file.write(b"no cases")


@pytest.fixture(scope="module")
def stores() -> Iterator[dict[str, str]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "someone")
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        with s3_store() as s3, gs_store() as gs:
            made = {"s3": s3, "gs": gs}
            for start, kind in ((0, "s3"), (4, "gs")):
                _fill(f"{HEADS[kind]}?{made[kind]}", start)
            yield made


@pytest.mark.parametrize(("kind", "start"), [("s3", 0), ("gs", 4)])
def test_a_folder_is_read_as_one_on_disk_and_so_is_a_file(stores: dict[str, str], kind: str, start: int) -> None:
    chunks = chunks_of([f"{HEADS[kind]}/cases?{stores[kind]}"], 1)
    assert [c.shown for c in chunks] == [f"{kind}://bucket/cases/a%20b.jsonl"] * 2 + [f"{kind}://bucket/cases/deep/b.parquet"] * 2
    rows = [row for chunk in chunks for row in rows_of(chunk)]
    assert [row.values for row in rows if isinstance(row, Row)] == [json.loads(line) for line in LINES[start : start + 4]]
    (alone,) = chunks_of([f"{HEADS[kind]}/cases/a%20b.jsonl?{stores[kind]}"], 5)
    assert (alone.shown, alone.rows) == (f"{kind}://bucket/cases/a%20b.jsonl", 2)


def test_the_environment_may_name_the_store(stores: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    host = stores["s3"].partition("&")[0].partition("=")[2]
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}")
    assert sum(chunk.rows for chunk in chunks_of(["s3://bucket/cases"], 5)) == 4


@pytest.mark.parametrize("kind", ["s3", "gs"])
def test_what_is_not_there_is_said(stores: dict[str, str], kind: str) -> None:
    head, options = HEADS[kind], stores[kind]
    for path, why in [
        (f"{head}/none.jsonl", f"{kind}://bucket/none.jsonl is not there.$"),
        (f"{head}-of-others/a.jsonl", "is not there. There is no bucket bucket-of-others at this store"),
        (f"{head}/cases/notes.txt", "notes.txt is of a kind that is not cut into chunks"),
    ]:
        with pytest.raises(DataError, match=why):
            chunks_of([f"{path}?{options}"], 5)


@pytest.mark.parametrize("kind", ["s3", "gs"])
def test_a_key_that_is_refused_and_a_store_that_is_away_are_said(kind: str) -> None:
    mend = {"s3": "AWS_ACCESS_KEY_ID", "gs": "GOOGLE_APPLICATION_CREDENTIALS"}[kind]
    with refusing(403) as options, pytest.raises(DataError, match=f"the store refuses the key of this machine; see {mend}"):
        chunks_of([f"{HEADS[kind]}/a.jsonl?{options}"], 5)
    away = f"endpoint_override=127.0.0.1:{free_port()}&scheme=http" + "&retry_limit_seconds=1" * (kind == "gs")
    with pytest.raises(DataError, match=r"does not answer \(could not connect to server\)\. See that every machine reaches it"):
        chunks_of([f"{HEADS[kind]}/a.jsonl?{away}"], 5)


@pytest.mark.parametrize("kind", ["s3", "gs"])
def test_a_store_that_is_silent_is_given_up(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Instead of half a minute. pyarrow itself waits for two minutes and more.
    monkeypatch.setattr(addresses, "FIRST", 1.0)
    with silent() as options, pytest.raises(DataError, match=r"does not answer \(no answer within 1 s\)"):
        chunks_of([f"{HEADS[kind]}/a.jsonl?{options}"], 5)


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("s3:/me:HIDDEN@bucket/a.jsonl", "s3://bucket/a.jsonl"),
        ("s3://me:HID/DEN?HIDDEN@bucket/a.jsonl", "s3://bucket/a.jsonl"),
        ("gs://anonymous@bucket/me@home.jsonl", "gs://bucket/me@home.jsonl"),
        ("/home/me@work/a.jsonl", "/home/me@work/a.jsonl"),
    ],
)
def test_a_key_in_an_address_is_never_shown(address: str, named: str) -> None:
    assert shown(address) == named
    if "HIDDEN" in address and "://" in address:
        with pytest.raises(DataError, match="typed with a name or a key in it; leave it out and see AWS_") as raised:
            chunks_of([address], 5)
        assert "HIDDEN" not in str(raised.value)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--on", "ray", "--cases", "s3://me:HIDDEN@b/a.jsonl", "--out", "o"), "s3://b/a.jsonl was typed with a name or a key"),
        (
            ("--on", "ray", "--cases", "a.jsonl", "--out", "s3://me:HIDDEN@b/o"),
            "s3://b/o is an address; name with --out a folder",
        ),
        (("--cases", "s3://me:HIDDEN@b/a.jsonl"), "s3://b/a.jsonl is an address, which `run --on ray` alone reads"),
    ],
)
def test_addresses_that_are_not_taken_are_refused_without_their_key(
    shell: Shell,  # noqa: F811
    words: tuple[str, ...],
    why: str,
) -> None:
    said = shell("run", "--methods", "overlap", *words)
    assert (said.code, said.out) == (2, "")
    assert why in said.err
    assert "HIDDEN" not in said.err
    assert not [p for p in shell.home.rglob("*") if p.name == "o"]


@pytest.mark.release
@pytest.mark.xdist_group("ray")
def test_ray_judges_cases_of_both_stores(shell: Shell, stores: dict[str, str]) -> None:  # noqa: F811
    (shell.home / "here.jsonl").write_text(f"{LINES[8]}\n{{broken\n")
    shell.environment |= {"AWS_ACCESS_KEY_ID": "someone", "AWS_SECRET_ACCESS_KEY": SECRET}
    files = [f"{HEADS[kind]}/cases?{stores[kind]}" for kind in ("s3", "gs")]
    said = shell.child(
        *("run", "--on", "ray", "--cases", *files, "here.jsonl", "--methods", "overlap", "--out", "out", "--workers", "1")
    )
    assert said.code == 0, said.err
    out = shell.home / "out"
    assert [str(one) for one in read_shards(out).ids] == [f"c{i}" for i in range(9)]
    names = [f"{kind}://bucket/cases/{name}" for kind in ("s3", "gs") for name in ("a%20b.jsonl", "deep/b.parquet")]
    assert read_manifest(out)["files"] == [*names, str((shell.home / "here.jsonl").resolve())]
    cases, _ = scan(shards_in(out / CASES_FOLDER), CASES, ["file"])
    assert set(cases["file"].to_pylist()) == set(read_manifest(out)["files"])
    written = b"".join(p.read_bytes() for p in shell.home.rglob("*") if p.is_file())
    assert SECRET.encode() not in written + said.err.encode() + said.out.encode()


RESPONSES, CHUNK = 400, 20
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
    drawn = np.random.default_rng(1).integers(97, 123, size=(RESPONSES, 400), dtype=np.uint8)
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
    assert (code, "Traceback" in words) == (3, False)
    assert f"in {shell.home / 'small'}, which has 1 MB left. Make room for 50 MB at least, or name another folder" in words
    code, words = said("first")
    assert (code, "Traceback" in words) == (3, False)
    assert f"{shell.home / 'full' / 'out'} cannot be written (No space left on device); what is there is complete." in words
    assert re.search(r"Make room, and start again\.\nTo resume: python -m groundscope resume \S+", words)
    # Whole shards and nothing else: each opens, and holds all of its chunk.
    files = (shell.home / "first.files").read_text().split()
    assert [file for file in files if not file.endswith(".parquet")] == ["./manifest.json"]
    before = _rows(shell.home / "first")
    assert 0 < len(before) < RESPONSES
    assert len(before) % CHUNK == 0
    code, words = said("then")
    assert code == 0, words
    assert f"Overlap: {RESPONSES} judged, 0 already judged, 0 rows rejected." in words
    after = {row["case"]: row for row in _rows(shell.home / "then")}
    assert len(_rows(shell.home / "then")) == len(after) == RESPONSES
    assert [after[row["case"]] for row in before] == before
    run = read_shards(shell.home / "then")
    assert (run.ids.tolist(), run.finished) == ([row["id"] for row in rows], True)
