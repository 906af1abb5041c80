"""Cases of s3:// and gs:// stores, which are real servers on loopback: the rows, the reasons, and no key anywhere."""

import json
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from groundscope.errors import DataError
from groundscope.files import addresses
from groundscope.files.addresses import shown
from groundscope.files.rows import Row
from groundscope.grounding.sharded.chunks import chunks_of, rows_of
from groundscope.grounding.sharded.manifest import checked
from groundscope.grounding.sharded.run_data import read_shards
from groundscope.grounding.sharded.scanning import scan
from groundscope.grounding.sharded.shards import CASES, CASES_FOLDER
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
        ("s3://me:HIDDEN@bucket/a.jsonl?region=eu-west-1", "s3://bucket/a.jsonl"),
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
    assert checked(out)["files"] == [*names, str((shell.home / "here.jsonl").resolve())]
    cases, _ = scan(out / CASES_FOLDER, sorted(p.name for p in (out / CASES_FOLDER).glob("*.parquet")), CASES, ["file"])
    assert set(cases["file"].to_pylist()) == set(checked(out)["files"])
    written = b"".join(p.read_bytes() for p in shell.home.rglob("*") if p.is_file())
    assert SECRET.encode() not in written + said.err.encode() + said.out.encode()
