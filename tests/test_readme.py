"""The README's promises: the ten-line scorer works as printed, the sample row loads, the links lead somewhere."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from groundscope.cases.dataset import read

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found
    return found.group(1)


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


def test_the_sample_row_loads_with_its_error() -> None:
    loaded = read("row.jsonl", block("json").encode())
    assert loaded.rejected == ()
    error = loaded.cases[0].errors[0]
    assert loaded.cases[0].response[error.start : error.end] == "60"


def test_every_local_link_leads_to_a_file() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", README)
    assert targets
    assert [t for t in targets if not (ROOT / t).exists()] == []


def test_the_lines_for_a_notebook_score_and_show() -> None:
    table = pd.DataFrame([{"query": "When?", "context": ["Within 30 days."], "response": "Within 60 days."}])
    names: dict[str, Any] = {"table": table}
    exec(block("py"), names)  # noqa: S102 - the README's own lines
    assert names["scores"].frame()["text"].tolist() == ["Within 60 days."] * 2
