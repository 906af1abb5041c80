"""The command with a data folder of its own: in this process, or as a shell starts it."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import sqlalchemy as sa

from groundscope.__main__ import main
from groundscope.cases.dataset import to_jsonl
from groundscope.experiments.store import JobFile
from groundscope.grounding.rules.frozen_rules import FROZEN
from groundscope.storage.database import FILE, Database
from groundscope.types import Case
from tests.groundscope.chat.clients.conftest import fresh
from tests.groundscope.grounding.runs import made_cases

__all__ = ["fresh"]
"""Models are made again for each test, and closed after it."""

ROOT = Path(__file__).resolve().parents[3]
HOSTILE = "<b>$x$</b> \x1b[31m\x9b2J \x07 \u202e =1+1"
_FOREIGN = ("GROUNDSCOPE_", "ANTHROPIC_", "OPENAI_", "AZURE_")


def narrow(out: str) -> str:
    """A table with two spaces between its columns."""
    return re.sub(r"(?<=\S) {2,}", "  ", out)


@dataclass(frozen=True)
class Said:
    """What a command wrote, and its exit code."""

    code: int
    out: str
    err: str


@dataclass
class Shell:
    """Runs the command.

    Attributes:
        home: holds the data folder, and is where file names begin.
        environment: variables of its own.
    """

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str | Path, stdin: str = "") -> Said:
        """Run it in this process: a process of its own takes seconds to import, and has `child`."""
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for name in [n for n in os.environ if n.startswith(_FOREIGN)]:
                patch.delenv(name)
            for name, value in {"HF_HUB_OFFLINE": "1", **self._environment()}.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdin", io.StringIO(stdin))
            patch.chdir(self.home)
            before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
            os.umask(umask := os.umask(0o077))
            try:
                code = main(list(map(str, arguments)))
            except SystemExit as ended:
                code = int(ended.code or 0)
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)
                os.umask(umask)
        return Said(code, out.getvalue(), err.getvalue())

    def done(self, *arguments: str | Path) -> Said:
        """Run it where all of it can be done; what it wrote."""
        ended = self(*arguments)
        assert ended.code == 0, ended.err
        return ended

    def refuses(self, *arguments: str | Path, stdin: str = "") -> str:
        """Run it where nothing can be done; standard error, which says why."""
        ended = self(*arguments, stdin=stdin)
        assert (ended.code, ended.out) == (2, ""), ended
        return ended.err

    def child(self, *arguments: str | Path, encoding: str = "utf-8") -> Said:
        """Run it in a process of its own, for what a process alone has: streams, signals, an exit."""
        child = self.start(*arguments)
        out, err = child.communicate(timeout=120)
        assert b"Traceback" not in err, err.decode()
        return Said(child.returncode, out.decode(encoding), err.decode(encoding))

    def runs(self) -> list[JobFile]:
        """The runs of its data folder, the newest first."""
        return [JobFile(path) for path in sorted((self.home / "data" / "runs").glob("*.sqlite"), reverse=True)]

    def frozen(self, name: str) -> str | None:
        """The frozen thresholds of a name in its data folder, as they are kept; None where there are none."""
        with closing(Database.at(self.home / "data" / FILE)) as database:
            if not database.is_there():
                return None
            with database.reading() as connection:
                content: str | None = connection.scalar(sa.select(FROZEN.c.content).where(FROZEN.c.name == name))
                return content

    def _environment(self) -> dict[str, str]:
        return {"GROUNDSCOPE_DATA": str(self.home / "data"), **self.environment}

    def start(
        self, *arguments: str | Path, program: Sequence[str] = (sys.executable, "-m", "groundscope"), **options: object
    ) -> "subprocess.Popen[bytes]":
        kept = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
            [*program, *map(os.fsencode, map(str, arguments))],
            cwd=self.home,
            env={**kept, "PYTHONPATH": str(ROOT), **self._environment()},
            **pipes,
        )

    def write(self, name: str, cases: Sequence[Case]) -> Path:
        """A file of cases."""
        (self.home / name).write_text(to_jsonl(cases), encoding="utf-8")
        return Path(name)

    def manifest(self, folder: str) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.home / folder / "manifest.json").read_text("utf-8"))
        return found


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell with a finished run of made-up cases, in the folder `run`, for tests that only read."""
    shell = Shell(tmp_path_factory.mktemp("made"))
    cases = shell.write("cases.jsonl", made_cases(60))
    said = shell("run", "--cases", cases, "--methods", "quip,overlap", "--name", "Made", "--out", "run")
    assert (said.code, said.out) == (0, "run\n"), said.err
    return shell
