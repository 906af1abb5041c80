"""Small jobs for the engine's tests."""

import subprocess
import sys
from pathlib import Path

from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Place, Result
from groundscope.experiments.store import JobFile
from groundscope.paths import Variable

ROOT = Path(__file__).resolve().parents[3]
FOLDER = JobDirectory("jobs", "job", Variable.STORE, "jobs.sqlite")
STAGE = "sum"


def begun(rows: int = 3, limits: Limits = NO_LIMITS) -> JobFile:
    """A job with some rows to work on."""
    return FOLDER.open(FOLDER.create({"name": "A job"}, {"rows": [{"text": f"Row {i}."} for i in range(rows)]}, (), limits))


def result(value: object = 0.5, status: str = "done", why: str = "") -> Result:
    """A result of the one stage."""
    return Result(STAGE, {"value": value}, status, why=why)


def place(row: int, part: int = 0) -> Place:
    return Place(part, -1, row)


def started(code: str, *arguments: object) -> "subprocess.Popen[str]":
    """A child that runs the code; it says `ready` and waits for a line."""
    child = subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n", child.communicate()[1]
    return child


def go(child: "subprocess.Popen[str]") -> None:
    assert child.stdin is not None
    child.stdin.write("go\n")
    child.stdin.flush()


def ended(child: "subprocess.Popen[str]") -> str:
    """What a child wrote until its end."""
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    return str(out)
