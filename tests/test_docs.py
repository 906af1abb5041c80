"""The documents: links resolve, commands and tables match the program; before a release every line runs and the site builds."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from docs.building import methods as built
from groundscope.__main__ import VERBS, verbs
from groundscope.methods import registry
from tests.groundscope.commands.conftest import Shell
from tests.installed import build
from tests.llm_server import LLMServer
from tests.postgres import postgres  # noqa: F401 - a fixture
from tests.with_integrations import run as run_with_integrations

ROOT = Path(__file__).resolve().parent.parent
INTEGRATIONS = ROOT / "docs" / "how-to" / "integrations.md"
DOCUMENTS = sorted(
    {*ROOT.glob("*.md"), *(p for top in ("docs", "benchmarks", "models", "sample_data") for p in (ROOT / top).rglob("*.md"))}
)
TEXTS = {path: path.read_text(encoding="utf-8") for path in DOCUMENTS}
PAGES = {p.name: p for p in DOCUMENTS if p.is_relative_to(ROOT / "docs") and re.search(r"```(py|sh)\n", TEXTS[p])}
DATABASE = "postgresql+psycopg://groundscope@db.example.com/groundscope"
"""As pages write it; a real server stands in for it."""
OLLAMA = "http://localhost:11434/v1"
PASS = json.dumps({"reasons": ["It says so."], "unsupported": [], "verdict": "PASS"})
_BLOCKS = re.compile(r'```(py|sh|toml|yaml|text)(?: title="([^"]+)")?\n(.*?)```', re.DOTALL)
"""Language, the file that it is, and the code; a block of text is what the command before it prints."""


def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", TEXTS[path], flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_link_leads_to_a_file_and_to_a_heading() -> None:
    broken = []
    for path, text in TEXTS.items():
        for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]+))?\)", re.sub(r"```.*?```", "", text, flags=re.S)):
            file = (path.parent / target).resolve() if target else path
            # Pages of methods are made when the site is built.
            if file.parent == ROOT / "docs" / "methods":
                continue
            if not file.exists() or (anchor and file.suffix == ".md" and anchor not in _anchors(file)):
                broken.append(f"{path.relative_to(ROOT)}: {target}#{anchor}")
    assert broken == []


def test_each_command_has_a_verb_and_options_that_the_program_knows() -> None:
    lines = [
        (path.name, line)
        for path, text in TEXTS.items()
        for line in re.findall(r"^(?: {4}|\s*- run: )?(?:\w+=\S+ )*(?:python -m )?groundscope ([a-z].*)$", text, re.M)
    ]
    assert len(lines) >= 20
    for page, line in lines:
        words = shlex.split(line, comments=True)
        if words[0] == "app":
            continue
        command: click.Command = verbs
        while isinstance(command, click.Group) and words:
            command = command.get_command(click.Context(command), words.pop(0)) or pytest.fail(f"{page}: {line}")
        options = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= options, f"{page}: {line}"


def test_the_shell_page_lists_every_verb_and_the_app_page_every_page() -> None:
    shell_page, app_page = (TEXTS[ROOT / "docs" / name] for name in ("how-to/shell.md", "app.md"))
    rows = re.findall(r"^\| (`[a-z`, -]+) \|.*\| ([A-Z][\w ]+ )?\|$", shell_page, re.M)
    assert sorted(re.findall(r"`([\w-]+)`", " ".join(row[0] for row in rows))) == sorted(["app", *VERBS])
    pages = re.findall(r"^## (.+)$", app_page, re.M)
    stems = {path.stem for path in (ROOT / "pages").glob("*.py")}
    assert {page.lower().replace(" ", "_") for page in pages} == stems | {"overview"}
    assert {row[1].strip() for row in rows if row[1]} <= set(pages)


def test_the_pages_of_methods_hold_the_figures_of_the_benchmark() -> None:
    text = TEXTS[ROOT / "benchmarks" / "README.md"]
    noticed = built.matrix(text)
    row = next(line for line in text[text.index("### grounding_pairs") :].splitlines() if line.startswith("| Negation "))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert [next(share for edit, _, share in pairs if edit == "Negation") for pairs in noticed.values()] == cells[2:]
    overlap = registry.find("overlap")
    assert f"| Negation | {cells[1]} | {cells[2]} |" in built.page("overlap", overlap, noticed[overlap.about.title])
    assert "was not measured on pairs" in built.page("hem_v1", registry.find("hem_v1"), None)
    judge = built.page(
        "grounding_classifier", registry.find("grounding_classifier"), None, built.by_set("grounding_classifier", text)
    )
    assert "| ContractNLI dev | 541 |" in judge
    assert "was not measured on pairs" not in judge
    assert "&lt;b&gt; &#124;" in built.cell("<b> |")


def test_the_tour_shows_what_its_test_takes_pictures_of() -> None:
    taken = re.findall(r'keep\(tour, "([\w-]+)"\)', (ROOT / "tests" / "browser" / "test_tour.py").read_text(encoding="utf-8"))
    pages = "".join(TEXTS[ROOT / "docs" / name] for name in ("index.md", "app.md"))
    shown = re.findall(r"\]\(tour/([\w-]+)\.png\)", pages)
    assert sorted(taken) == sorted(shown) == sorted(p.stem for p in (ROOT / "docs" / "tour").iterdir())


@pytest.mark.release
def test_the_site_builds_without_a_warning_and_asks_no_other_host(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(tmp_path)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    for name in registry.names():
        assert (tmp_path / "methods" / f"{built.file_name(name).removesuffix('.md')}.html").is_file(), name
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(r"<(?:script|img|link)[^>]+(?:src|href)=[\"']?(https?://[^\"' >]+)", page.read_text(encoding="utf-8"))
        assert [url for url in loaded if not url.startswith("https://squidfunk.github.io")] == [], page


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
    """Run a line of a page; gives what it prints. A line says itself where it ends with another code than 0."""
    ended = re.search(r"# ends with (\d)$", line)
    # check-set, 1: a set did not pass a check, which is a result.
    codes = {int(ended[1])} if ended else {0, 1} if "groundscope check-set" in line else {0}
    words = shlex.split(line, comments=True)
    if words[0] == "groundscope" and not more and not set(line) & set("|<>"):
        said = Shell(Path.cwd())(*words[1:])
        assert said.code in codes, f"{line}\n{said.out}\n{said.err}"
        return said.out
    command = ["bash", "-e", "-c", line]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **more})
    assert run.returncode in codes, f"{line}\n{run.stdout}\n{run.stderr}"
    return run.stdout


def steps(workflow: str) -> str:
    """Run what a workflow of GitHub runs, as a pull request does; gives what its steps print."""
    # The file of a package, as a team keeps it in its repository.
    build(Path("wheels").resolve())
    jobs = yaml.safe_load(workflow)["jobs"].values()
    lines = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    places = {"GITHUB_WORKSPACE": str(Path.cwd()), "GITHUB_STEP_SUMMARY": str(Path("summary.md").resolve())}
    printed = "".join(shell(line, **places) for line in lines)
    for job in jobs:
        for files in (step["with"]["path"] for step in job["steps"] if "upload-artifact" in step.get("uses", "")):
            assert list(Path.cwd().glob(files)), files
    assert "promises held" in Path("summary.md").read_text(encoding="utf-8")
    return printed


@pytest.fixture
def chat_model() -> Iterator[LLMServer]:
    """A scripted model that both providers and servers of one's own lead to; it must have been asked."""
    with LLMServer(lambda _: PASS) as server:
        yield server
    assert server.asked


@pytest.mark.release
@pytest.mark.usefixtures("_files")
@pytest.mark.parametrize("name", sorted(PAGES.keys() - {INTEGRATIONS.name}))
def test_every_line_of_code_and_command_of_a_page_runs(name: str, request: pytest.FixtureRequest) -> None:
    names: dict[str, Any] = {}
    printed, text = "", TEXTS[PAGES[name]]
    if DATABASE in text:
        text = text.replace(DATABASE, request.getfixturevalue("postgres").make())
    keys: dict[str, str] = {}
    if OLLAMA in text:
        model = request.getfixturevalue("chat_model")
        text, keys = text.replace(OLLAMA, model.openai), {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": model.anthropic}
    for language, title, code in _BLOCKS.findall(text):
        if title:
            Path(title).parent.mkdir(parents=True, exist_ok=True)
            Path(title).write_text(code, encoding="utf-8")
        elif language == "py":
            exec(code, names)  # noqa: S102 - our own pages
        for line in code.splitlines() if language == "sh" else ():
            printed = shell(line, **keys)
        if language == "yaml":
            printed = steps(code)
        # Before any command, a text is what someone else is asked to do.
        if language == "text" and printed:
            missing = [line for line in code.splitlines() if " ".join(line.split()) not in " ".join(printed.split())]
            assert missing == [], printed


SECTIONS = {part.partition("\n")[0]: part for part in TEXTS[INTEGRATIONS].split("\n## ")[1:]}


@pytest.mark.release
@pytest.mark.parametrize("title", SECTIONS)
def test_each_section_on_other_libraries_runs_with_the_real_one(title: str, tmp_path: Path) -> None:
    (code,) = re.findall(r"```py\n(.*?)```", SECTIONS[title], re.DOTALL)
    assert run_with_integrations(tmp_path, "-c", code).stdout
