"""The site of docs/: it builds without a warning and asks no other host, and every line of code and command in it runs."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs.building import methods as built
from groundscope.methods import registry
from tests.with_integrations import run as run_with_integrations

ROOT = Path(__file__).resolve().parent.parent
INTEGRATIONS = ROOT / "docs" / "how-to" / "integrations.md"
PAGES = {p.name: p for p in (ROOT / "docs").rglob("*.md") if re.search(r"```(py|sh)\n", p.read_text(encoding="utf-8"))}


def test_the_site_builds_without_a_warning_and_asks_no_other_host(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    for name in registry.names():
        assert (tmp_path / "methods" / f"{built.file_name(name).removesuffix('.md')}.html").is_file(), name
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(r"<(?:script|img|link)[^>]+(?:src|href)=[\"']?(https?://[^\"' >]+)", page.read_text(encoding="utf-8"))
        assert [url for url in loaded if not url.startswith("https://squidfunk.github.io")] == [], page


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
    """What the pages call cases.jsonl, and a file whose fields are not known."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    lines = (ROOT / "sample_data" / "legal_qa.jsonl").read_text(encoding="utf-8").splitlines()[:16]
    rows = [{**json.loads(line), "split": None} for line in lines]
    Path("cases.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with Path("other.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            texts = [passage["text"] for passage in row["context"]]
            label = "yes" if row["grounded"] else "no"
            file.write(json.dumps({"q": row["query"], "docs": texts, "a": row["response"], "ok": label}) + "\n")


@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("name", sorted(PAGES.keys() - {INTEGRATIONS.name}))
def test_every_line_of_code_and_command_of_a_page_runs(name: str) -> None:
    known: dict[str, Any] = {}
    for language, code in re.findall(r"```(py|sh)\n(.*?)```", PAGES[name].read_text(encoding="utf-8"), re.DOTALL):
        if language == "py":
            exec(code, known)  # noqa: S102 - our own pages
        for line in code.splitlines() if language == "sh" else ():
            program, *words = shlex.split(line)
            assert program == "groundscope", line
            run = subprocess.run([sys.executable, "-m", program, *words], capture_output=True, text=True, check=False)
            # 1: a set did not pass a check, which is a result.
            assert run.returncode in ({0, 1} if "check-set" in words else {0}), f"{line}\n{run.stderr}"


SECTIONS = {part.partition("\n")[0]: part for part in INTEGRATIONS.read_text(encoding="utf-8").split("\n## ")[1:]}


@pytest.mark.parametrize("title", SECTIONS)
def test_each_section_on_other_libraries_runs_with_the_real_one(title: str, tmp_path: Path) -> None:
    (code,) = re.findall(r"```py\n(.*?)```", SECTIONS[title], re.DOTALL)
    assert run_with_integrations(tmp_path, "-c", code).stdout
