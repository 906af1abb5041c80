"""`kill -9` of a worker, of the driver and of Ray's head, in turn, while rows are judged; the same command goes on each time.

    python -m benchmarks.cluster.kills [ROWS [KILLS]]

The bill is compared with what the scripted server counts: it knows each call that it answered. A call that a kill cut off is in
the ledger as unanswered, at its highest cost; how many of these the server did answer is counted, too.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from benchmarks import machine
from benchmarks.cluster.starting import below, command, rows_of_part, start, write_rows
from groundscope.chat.budget import Cost
from groundscope.experiments.store import JobFile
from tests.groundscope.chat.clients.scripts import KEY, line, model, passes
from tests.groundscope.chat.clients.test_budgets import usage
from tests.llm_server import LLMServer

_VICTIMS = ("worker", "driver", "head: gcs_server", "worker", "driver", "head: raylet")
_FEW = 16
"""New shards between two kills."""
_PATIENCE = 120.0


def figures(rows: int = 20_000, kills: int = 20) -> Iterator[str]:
    """What each kill did, and what is left in the end."""
    home = Path(tempfile.mkdtemp(prefix="kills-"))
    cases, out = home / "cases.jsonl", home / "out"
    write_rows(cases, rows)
    with LLMServer(passes) as server:
        spec = line("anthropic", server, at_once=16)
        words = command(
            cases, out, "overlap,direct", "--model", spec, "--chunk", "100", "--workers", "2", "--quiet", "--dollars", "1000"
        )
        run = _Run(words, home, out, ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=server.anthropic)
        began = time.monotonic()
        for number in range(kills):
            yield f"{number + 1}: {run.kill(_VICTIMS[number % len(_VICTIMS)])}"
        code = run.finish()
        yield f"ended with {code} after {run.starts} starts and {time.monotonic() - began:.0f} s"
        for part in ("overlap", "direct"):
            keys = rows_of_part(out, part)
            yield f"{part}: {len(keys):,} rows, {rows - len(set(keys)):,} lost, {len(keys) - len(set(keys)):,} twice"
        os.environ["ANTHROPIC_BASE_URL"] = server.anthropic
        (job,) = (home / "data" / "on_ray").glob("*.sqlite")
        yield from _bill(server, JobFile(job).spent(), spec)
    yield str(home)


def _bill(server: LLMServer, cost: Cost, spec: str) -> Iterator[str]:
    used = [usage(asked, said) for asked, said in server.answered]
    dollars, tokens = sum(model(spec).price(u) or 0.0 for u in used), sum(u.total for u in used)
    settled, lost = cost.calls - cost.unanswered, len(used) - (cost.calls - cost.unanswered)
    yield f"server: {len(server.asked):,} calls came, {len(used):,} were answered, {tokens:,} tokens, ${dollars:.6f}"
    more = f"{cost.unanswered} unanswered, at most ${cost.risk:.6f} more"
    yield f"ledger: {settled:,} settled, {cost.tokens:,} tokens, ${cost.dollars:.6f}, {more}"
    again = sum(count - 1 for count in Counter(asked.unmarked for asked, _ in server.answered).values())
    within = cost.dollars - 1e-9 <= dollars <= cost.dollars + cost.risk + 1e-9
    yield f"answered and cut off by a kill: {lost}; asked for again: {again}; the bill lies within the ledger's bounds: {within}"


def _lives(pid: int) -> bool:
    with suppress(OSError):
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    return False


class _Run:
    """The command, started as often as it takes."""

    def __init__(self, words: list[str], home: Path, out: Path, **environment: str) -> None:
        self.words, self.home, self.out, self.environment = words, home, out, environment
        self.child: subprocess.Popen[bytes] | None = None
        self.starts = 0

    def _up(self) -> "subprocess.Popen[bytes]":
        if self.child is None or self.child.poll() is not None:
            self.starts += 1
            self.child = start(self.words, self.home, self.home / "log.txt", **self.environment)
        return self.child

    def _shards(self) -> int:
        return len(list(self.out.glob("*-*/*.parquet")))

    def kill(self, victim: str) -> str:
        """Wait until it has done something, kill, and say what became of it."""
        child, before, until = self._up(), self._shards(), time.monotonic() + 300
        while self._shards() < before + _FEW and child.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        if child.poll() is not None:
            return f"{victim}: the command had ended with {child.returncode} before"
        there = below(child.pid)
        names = {"worker": "ray::ChunkJudge", "head: gcs_server": "gcs_server", "head: raylet": "raylet/raylet"}
        pids = [child.pid] if victim == "driver" else [pid for pid, words in there.items() if names[victim] in words][:1]
        if not pids:
            return f"{victim}: there was none"
        os.kill(pids[0], signal.SIGKILL)
        if victim == "worker":
            return f"{victim}: killed at {self._shards()} shards, the command goes on"
        began = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            child.wait(_PATIENCE)
        how = (
            f"ended by itself with {child.poll()} after {time.monotonic() - began:.0f} s" if child.poll() is not None else "hung"
        )
        for pid in (child.pid, *there):
            with suppress(OSError):
                if victim != "driver" and pid == child.pid and child.poll() is None:
                    os.kill(pid, signal.SIGKILL)
        child.wait()
        until = time.monotonic() + 30
        while (left := sum(map(_lives, there))) and time.monotonic() < until:
            time.sleep(0.1)
        return f"{victim}: killed at {self._shards()} shards, the command {how}; {left} of its processes were left"

    def finish(self) -> int:
        """Let it end."""
        code = 3
        for _ in range(4):
            if (code := self._up().wait()) == 0:
                break
        return code


if __name__ == "__main__":
    machine.show(figures(*map(int, sys.argv[1:])))
