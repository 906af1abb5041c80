"""The site of docs/: it builds without a warning and asks no other host, and every line of code and command in it runs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from docs.building import methods as built
from groundscope.methods import registry
from tests.installed import build
from tests.postgres import postgres  # noqa: F401 - a fixture
from tests.with_integrations import run as run_with_integrations

ROOT = Path(__file__).resolve().parent.parent
INTEGRATIONS = ROOT / "docs" / "how-to" / "integrations.md"
PAGES = {p.name: p for p in (ROOT / "docs").rglob("*.md") if re.search(r"```(py|sh)\n", p.read_text(encoding="utf-8"))}
DATABASE = "postgresql+psycopg://groundscope@db.example.com/groundscope"
"""As pages write it; a real server stands in for it."""
_BLOCKS = re.compile(r'```(py|sh|toml|yaml|text)(?: title="([^"]+)")?\n(.*?)```', re.DOTALL)
"""Language, the file that it is, and the code; a block of text is what the command before it says."""


def test_the_site_builds_without_a_warning_and_asks_no_other_host(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    for name in registry.names():
        assert (tmp_path / "methods" / f"{built.file_name(name).removesuffix('.md')}.html").is_file(), name
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(r"<(?:script|img|link)[^>]+(?:src|href)=[\"']?(https?://[^\"' >]+)", page.read_text(encoding="utf-8"))
        assert [url for url in loaded if not url.startswith("https://squidfunk.github.io")] == [], page


def test_the_tour_shows_what_its_test_takes_pictures_of() -> None:
    taken = re.findall(r'keep\(tour, "(\w+)"\)', (ROOT / "tests" / "browser" / "test_tour.py").read_text(encoding="utf-8"))
    shown = re.findall(r"\]\(tour/(\w+)\.png\)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    assert sorted(taken) == sorted(shown) == sorted(p.stem for p in (ROOT / "docs" / "tour").iterdir())


def test_the_pages_of_methods_hold_the_figures_of_the_benchmark() -> None:
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    noticed = built.matrix(text)
    row = next(line for line in text[text.index("### grounding_pairs") :].splitlines() if line.startswith("| Negation "))
    cells = [one.strip() for one in row.strip("|").split("|")]
    assert [next(share for edit, _, share in found if edit == "Negation") for found in noticed.values()] == cells[2:]
    classifier = registry.find("grounding_classifier")
    page = built.page("grounding_classifier", classifier, noticed[classifier.about.title])
    assert f"| Negation | {cells[1]} | {cells[5]} |" in page
    assert "was not measured on pairs" in built.page("hem_v1", registry.find("hem_v1"), None)
    assert "&lt;b&gt; &#124;" in built.cell("<b> |")


@pytest.fixture
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the pages call cases.jsonl, a file whose fields are not known, and the programs of an installed wheel."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setenv("PYTEST_PLUGINS", "groundscope.gate.plugin")
    # What a page installs must be there, and stays as it is.
    for name in ("DRY_RUN", "NO_DEPS", "NO_INDEX"):
        monkeypatch.setenv(f"PIP_{name}", "1")
    program = tmp_path / "bin" / "groundscope"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nexec python -m groundscope "$@"\n')
    program.chmod(0o755)
    lines = (ROOT / "sample_data" / "legal_qa.jsonl").read_text(encoding="utf-8").splitlines()[:16]
    rows = [{**json.loads(line), "split": None} for line in lines]
    Path("cases.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with Path("other.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            texts = [passage["text"] for passage in row["context"]]
            label = "yes" if row["grounded"] else "no"
            file.write(json.dumps({"q": row["query"], "docs": texts, "a": row["response"], "ok": label}) + "\n")


def shell(line: str, **more: str) -> str:
    """Run a line of a page; gives what it says. A line says itself where it ends with another code than 0."""
    ended = re.search(r"# ends with (\d)$", line)
    # check-set, 1: a set did not pass a check, which is a result.
    codes = {int(ended[1])} if ended else {0, 1} if "groundscope check-set" in line else {0}
    command = ["bash", "-e", "-c", line]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **more})
    assert run.returncode in codes, f"{line}\n{run.stdout}\n{run.stderr}"
    return run.stdout


def steps(workflow: str) -> str:
    """Run what a workflow of GitHub runs, as a pull request does; gives what its steps say."""
    # The file of a package, as a team keeps it in its repository.
    build(Path("wheels").resolve())
    jobs = yaml.safe_load(workflow)["jobs"].values()
    lines = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    here = {"GITHUB_WORKSPACE": str(Path.cwd()), "GITHUB_STEP_SUMMARY": str(Path("summary.md").resolve())}
    said = "".join(shell(line, **here) for line in lines)
    for job in jobs:
        for kept in (step["with"]["path"] for step in job["steps"] if "upload-artifact" in step.get("uses", "")):
            assert list(Path.cwd().glob(kept)), kept
    assert "promises held" in Path("summary.md").read_text(encoding="utf-8")
    return said


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("name", sorted(PAGES.keys() - {INTEGRATIONS.name}))
def test_every_line_of_code_and_command_of_a_page_runs(name: str, request: pytest.FixtureRequest) -> None:
    known: dict[str, Any] = {}
    said = ""
    text = PAGES[name].read_text(encoding="utf-8")
    if DATABASE in text:
        text = text.replace(DATABASE, request.getfixturevalue("postgres").make())
    for language, title, code in _BLOCKS.findall(text):
        if title:
            Path(title).parent.mkdir(parents=True, exist_ok=True)
            Path(title).write_text(code, encoding="utf-8")
        elif language == "py":
            exec(code, known)  # noqa: S102 - our own pages
        for line in code.splitlines() if language == "sh" else ():
            said = shell(line)
        if language == "yaml":
            said = steps(code)
        # Before any command, a text is what someone else is asked to do.
        if language == "text" and said:
            missing = [line for line in code.splitlines() if " ".join(line.split()) not in " ".join(said.split())]
            assert missing == [], said


SECTIONS = {part.partition("\n")[0]: part for part in INTEGRATIONS.read_text(encoding="utf-8").split("\n## ")[1:]}


@pytest.mark.parametrize("title", SECTIONS)
def test_each_section_on_other_libraries_runs_with_the_real_one(title: str, tmp_path: Path) -> None:
    (code,) = re.findall(r"```py\n(.*?)```", SECTIONS[title], re.DOTALL)
    assert run_with_integrations(tmp_path, "-c", code).stdout
