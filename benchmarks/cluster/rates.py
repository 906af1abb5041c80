"""Judgements a second on Ray by 1 and 2 processes, what the steps around them take, and a million rows of which ten are bad.

python -m benchmarks.cluster.rates [rates | steps | million]
"""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import machine
from benchmarks.cluster.starting import command, rows_of_part, start, write_rows
from groundscope.cases.dataset import read_rows_of
from groundscope.chat.budget import Cost
from groundscope.grounding.sharded.chunks import chunks_of, rows_of
from groundscope.grounding.sharded.shards import SCHEMA, write
from tests.groundscope.experiments.local_ledger import ledger

_ROWS = {"overlap": 20_000, "cos_sim:minilm": 600, "grounding_classifier": 300}
_BAD = {100_000 * i + 17: ("broken", '{"query": "no answer"}', "[]")[i % 3] for i in range(10)}


def rates() -> Iterator[str]:
    """Judgements a second, first and last shard apart, so that starting Ray and loading the model do not count."""
    for method, rows in _ROWS.items():
        for workers in (1, 2):
            home = Path(tempfile.mkdtemp(prefix="rates-"))
            write_rows(home / "cases.jsonl", rows)
            chunk = max(10, rows // 60)
            began = time.time()
            words = command(
                home / "cases.jsonl", home / "out", method, "--chunk", str(chunk), "--workers", str(workers), "--quiet"
            )
            code = start(words, home, home / "log.txt").wait()
            whole = time.time() - began
            times = sorted(p.stat().st_mtime for p in (home / "out").glob("*-*/*.parquet"))
            # The first shard of each process ends what is left out.
            left = len(times) - workers
            rate = left * chunk / (times[-1] - times[workers - 1])
            yield f"{method}, {workers}: {rate:,.1f} a second, {whole:.0f} s with the start, ended with {code}"


def steps() -> Iterator[str]:
    """What reading, writing and granting calls take, in one process."""
    home = Path(tempfile.mkdtemp(prefix="steps-"))
    write_rows(home / "cases.jsonl", 50_000)
    began = time.perf_counter()
    chunks = chunks_of([str(home / "cases.jsonl")], 1_000)
    yield f"cutting: {50_000 / (time.perf_counter() - began):,.0f} rows a second"
    began = time.perf_counter()
    read = sum(1 for chunk in chunks for _ in read_rows_of(chunk.path, rows_of(chunk), None))
    yield f"reading: {read / (time.perf_counter() - began):,.0f} rows a second"
    sentences = [{"start": 0, "end": 60, "support": 0.5}]
    row = {
        "key": b"k" * 16,
        "file": "f",
        "row": 1,
        "case": "c",
        "method": "m",
        "signature": "s",
        "status": "scored",
        "support": 0.5,
    }
    more = {"threshold": 0.5, "grounded": True, "sentences": sentences, "seconds": 0.1, "note": ""}
    began = time.perf_counter()
    for i in range(20):
        write(home / f"{i}.parquet", pa.Table.from_pylist([row | more] * 1_000, SCHEMA))
    yield f"writing: {20_000 / (time.perf_counter() - began):,.0f} rows a second"
    with ledger(home) as ask:
        began = time.perf_counter()
        for i in range(1_000):
            ask("replies", "get", str(i))
            ask("enter", "m", 64, 0, str(i), "w")
            ask("reserve", str(i), 0.001, 1)
            ask("settle", str(i), Cost(1, 10, 0.0001))
            ask("leave", "m", str(i), False, None)
        yield f"granting: {1_000 / (time.perf_counter() - began):,.0f} calls a second"


def million() -> Iterator[str]:
    """A million rows, ten of them bad."""
    home = Path(tempfile.mkdtemp(prefix="million-"))
    write_rows(home / "cases.jsonl", 1_000_000, _BAD)
    began = time.monotonic()
    words = command(home / "cases.jsonl", home / "out", "overlap", "--chunk", "10000", "--workers", "2", "--quiet")
    code = start(words, home, home / "log.txt").wait()
    keys = rows_of_part(home / "out", "overlap")
    named = sorted(row["row"] for p in (home / "out" / "rejected").glob("*.parquet") for row in pq.read_table(p).to_pylist())
    yield f"ended with {code} after {time.monotonic() - began:.0f} s; {len(keys):,} rows, {len(set(keys)):,} of them different"
    yield f"rows named as bad: {named}; {'those' if named == sorted(_BAD) else 'NOT those'} that are bad"


if __name__ == "__main__":
    for what in sys.argv[1:] or ("rates", "steps", "million"):
        machine.show({"rates": rates, "steps": steps, "million": million}[what]())
