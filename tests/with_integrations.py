"""Runs code where LangChain, LlamaIndex, Ragas and DeepEval are installed: in a virtual environment of their own, offline."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OFFLINE = ROOT / "tests" / "groundscope" / "integrations" / "offline"
VARIABLE = "GROUNDSCOPE_INTEGRATIONS_PYTHON"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run that Python in an empty folder; fails if it fails, or tries to reach another host."""
    python = ROOT / (os.environ.get(VARIABLE) or ".venv-integrations/bin/python")
    if VARIABLE not in os.environ and not python.exists():
        pytest.skip(f"{python.relative_to(ROOT)} is not there; `make .venv-integrations/.ready` makes it")
    hosts = folder / "hosts.txt"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join((str(OFFLINE), str(ROOT))),
        "CALLED_HOSTS": str(hosts),
        "GROUNDSCOPE_DATA": str(folder / "data"),
        "RAGAS_DO_NOT_TRACK": "true",
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    }
    done = subprocess.run([python, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert not hosts.exists(), f"it called {hosts.read_text(encoding='utf-8')}"
    return done
