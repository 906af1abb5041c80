"""The README's promises: the ten-line scorer works as printed, the lines of Python run, and it stays short."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (code,) = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return str(code)


def test_it_is_read_in_three_minutes() -> None:
    assert len(README.splitlines()) <= 140
    assert len(README.encode()) <= 9_000


def test_the_ten_line_scorer_has_ten_lines_and_scores(tmp_path: Path) -> None:
    code = block("python")
    assert sum(bool(line) for line in code.splitlines()) == 10
    for package in ("groundscope", "scorers"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "scorers" / "length.py").write_text(code, encoding="utf-8")
    program = (
        "from groundscope.methods import registry; from groundscope.types import Case, Passage\n"
        "response = 'A short one. And one that is a good deal longer than forty characters are.'\n"
        "case = Case('c', 'q', (Passage('p', 'Some context.'),), response)\n"
        "judgement = registry.load('length').score(case)\n"
        "print('length' in registry.names(), judgement.status, [round(s.support, 2) for s in judgement.sentences])"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stdout == "True scored [1.0, 0.66]\n", run.stderr


def test_a_package_of_ten_lines_brings_the_scorer(tmp_path: Path) -> None:
    assert len(block("toml").splitlines()) == 10
    source, there = tmp_path / "source", tmp_path / "there"
    source.mkdir()
    (source / "pyproject.toml").write_text(block("toml"), encoding="utf-8")
    (source / "length.py").write_text(block("python"), encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target"]
    subprocess.run([*pip, str(there), str(source)], check=True, capture_output=True)
    program = (
        "import groundscope\nrows = {'query': 'Q', 'context': ['Some context.'], 'response': 'A short one.'}\n"
        "print(groundscope.score(rows, 'length')[0].readings[0].judgement.support)"
    )
    environment = {**os.environ, "PYTHONPATH": f"{there}{os.pathsep}{ROOT}"}
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert run.stdout == "1.0\n", run.stderr


def test_the_lines_of_python_score_and_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(block("py"), {})  # noqa: S102 - the README's own lines
    assert "Rent is due on May 3." in capsys.readouterr().out
    assert "Rent is due on May 1." in re.sub("<[^>]+>", "", Path("answers.html").read_text(encoding="utf-8"))
