"""Starts of `run --on ray` for measurements: made-up rows, the command, its processes, and what it wrote."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq

from groundscope.paths import ROOT

_PARENT = re.compile(r"^PPid:\t(\d+)", re.MULTILINE)
_WORDS = "rent notice lease deposit tenant landlord repair boiler garden parking key balcony lift cellar roof".split()


def write_rows(path: Path, count: int, bad: dict[int, str] | None = None) -> None:
    """Write made-up cases as JSONL; `bad` replaces rows by their number from 1."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(1, count + 1):
            word, other = _WORDS[i % len(_WORDS)], _WORDS[i // 15 % len(_WORDS)]
            text = f"The {word} clause {i} of the lease is about the {other} and ends on May {i % 28 + 1}."
            row = {
                "id": f"c{i}",
                "query": f"What is clause {i} about?",
                "context": [f"{text} It binds both sides."],
                "response": text,
            }
            file.write(((bad or {}).get(i) or json.dumps(row)) + "\n")


def command(cases: Path, out: Path, methods: str, *more: str) -> list[str]:
    """The command that a user types."""
    words = ["run", "--on", "ray", "--cases", str(cases), "--methods", methods, "--out", str(out), *more]
    return [sys.executable, "-m", "groundscope", *words]


def start(words: list[str], home: Path, log: Path, **environment: str) -> "subprocess.Popen[bytes]":
    """Start it, with a data folder of its own."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "GROUNDSCOPE_DATA": str(home / "data"), **environment}
    with log.open("ab") as file:
        return subprocess.Popen(  # noqa: S603 - our own command
            words, cwd=home, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )


def below(pid: int) -> dict[int, str]:
    """The processes that a process has begun, and those that these have, with their command lines."""
    parents: dict[int, int] = {}
    words: dict[int, str] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            above = _PARENT.search((place / "status").read_text())
            words[int(place.name)] = (place / "cmdline").read_bytes().decode("utf-8", "replace").replace("\0", " ")
        except OSError:
            continue
        if above:
            parents[int(place.name)] = int(above[1])

    def is_below(child: int) -> bool:
        while (child := parents.get(child, 0)) > 1:
            if child == pid:
                return True
        return False

    return {one: line for one, line in words.items() if is_below(one)}


def rows_of_part(out: Path, part: str) -> list[bytes]:
    """The keys of all rows that a part has written."""
    return [key for path in out.glob(f"{part}-*/*.parquet") for key in pq.read_table(path, columns=["key"])["key"].to_pylist()]
