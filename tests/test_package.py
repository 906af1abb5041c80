"""The wheel: what lies in it, what it needs, what its core does without the packages of its extras, and the whole install."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import groundscope
from groundscope.runtime.extras import PACKAGES
from tests.installed import ROOT, build

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = {canonicalize_name(r.name): r for r in map(Requirement, PROJECT["dependencies"])}
BY_EXTRA = {
    extra: {canonicalize_name(r.name): r for r in map(Requirement, asked) if r.name != "groundscope"}
    for extra, asked in PROJECT["optional-dependencies"].items()
}
EXTRAS = {name: r for asked in BY_EXTRA.values() for name, r in asked.items()}
MEGABYTES = 300
"""The most that the core may take once it is installed."""
BROUGHT = {
    "tokenizers": "transformers",
    "lxml": "python-docx",
    "pydantic-core": "pydantic",
    "tqdm": "semchunk",
    "starlette": "streamlit",
}
"""What our code imports and a package of the lists brings along."""
NOT_ASKED_FOR = {"groundscope", "scorers", "components", "_typeshed", "pytest", "ragas", "deepeval"}
"""Our own code; a plugin that pytest alone imports; and what those have who use an integration."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"))


def pins(file: str) -> dict[str, str]:
    """Package -> version that a file pins."""
    lines = (line.partition("#")[0] for line in (ROOT / file).read_text(encoding="utf-8").splitlines())
    pinned = [Requirement(line) for line in lines if line[:1].isalpha() and "==" in line]
    return {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in pinned}


def test_every_pin_is_within_what_the_package_asks_for() -> None:
    app, others, asked = pins("requirements.txt"), pins("constraints.txt"), CORE | EXTRAS
    assert CORE.keys() <= app.keys() <= asked.keys()
    assert app.keys() & others.keys() == set()
    pinned = app | others
    assert [name for name in asked if not asked[name].specifier.contains(pinned[name])] == []
    named = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    assert [name for name in asked.keys() - app.keys() if not re.search(rf"^{name}\b", named, re.M | re.I)] == []


def test_whatever_the_library_and_the_methods_import_is_asked_for() -> None:
    known = packages_distributions()
    for path in (p for top in ("groundscope", "scorers") for p in (ROOT / top).rglob("*.py")):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        names = {a.name for n in nodes if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.module}
        for top in {name.partition(".")[0] for name in names} - NOT_ASKED_FOR - sys.stdlib_module_names:
            found = {canonicalize_name(d) for d in known.get(top, [top])}
            found |= {BROUGHT[d] for d in found & BROUGHT.keys()}
            extras = {extra for extra, asked in BY_EXTRA.items() if found & asked.keys()}
            assert extras or found & CORE.keys(), (path, top)
            # The sentence about a missing package names the extra that brings it.
            assert not extras & {"runs", "models"} or PACKAGES[top] in extras, (path, top)


@pytest.mark.release
def test_the_wheel_holds_two_packages_the_app_the_weights_and_the_samples(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    assert {name.partition("/")[0] for name in names} == {"groundscope", "scorers", f"groundscope-{PROJECT['version']}.dist-info"}
    site = "groundscope/_site"
    needed = "app.py pages/heatmap.py .streamlit/config.toml components/static/pages.css sample_data/legal_qa.jsonl"
    assert {f"{site}/{name}" for name in needed.split()} <= set(names)
    assert [name for name in names if re.search(r"(^|/)(tests|benchmarks)/|\.pyc$", name)] == []
    shipped = {f"{site}/{p.relative_to(ROOT)}" for p in (ROOT / "models").glob("*/*") if p.parent.name != "__pycache__"}
    assert {name for name in names if name.startswith(f"{site}/models/")} == shipped


ANSWERS = [
    {"query": "When is rent due?", "context": [{"text": "Rent is due on May 1.", "source": "Lease"}], "response": response}
    for response in ("Rent is due on May 1.", "Rent of $900 is due on May 3.")
]
CORE_WORK = """
import groundscope
from groundscope.findings import listing
from groundscope.gate import assert_grounded
from groundscope.review.report import report_content
from groundscope.review.report_docx import docx_report
from groundscope.review.report import pdf_report

assert [f.text for f in groundscope.exact_findings(["Rent is due on May 1."], "Rent is due on May 3.")] == ["May 3"]
assert_grounded("Rent is due on May 1.", ["Rent is due on May 1."], checks=["figures"], method="overlap")
scores = groundscope.score("answers.jsonl", ["overlap", "quip"])
assert [[r.judgement.support for r in row.readings] for row in scores][0] == [1.0, 1.0]
assert "$900" in scores.save("page.html").read_text(encoding="utf-8")
case = scores[1].case
content = report_content(case, {}, "Ada", listing.listed(case, scores[1].readings))
assert (docx_report(content)[:2], pdf_report(content)[:4]) == (b"PK", b"%PDF")
for use in (scores.frame, lambda: groundscope.score("answers.jsonl", ["grounding_classifier"])):
    try:
        use()
    except groundscope.errors.GroundscopeError as error:
        print(error)
"""


def test_the_core_checks_judges_reports_and_guards_without_the_packages_of_extras(tmp_path: Path) -> None:
    block = f"import sys\nfor name in {sorted(PACKAGES)!r}: sys.modules[name] = None\n"
    (tmp_path / "sitecustomize.py").write_text(block, encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ANSWERS), encoding="utf-8")
    rules = "".join(f'[[unsupported]]\nmethod = "{name}"\nat_most = 1.0\n' for name in ("overlap", "quip"))
    (tmp_path / "rules.toml").write_text(f"{rules}[facts]\nat_most = 0.0\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "GROUNDSCOPE_DATA": str(tmp_path / "data")}

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *words]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    worked = call("-c", CORE_WORK)
    assert worked.returncode == 0, worked.stderr
    assert re.findall(r"pip install 'groundscope\[(\w+)\]'", worked.stdout) == ["runs", "models"]
    checked = call("-m", "groundscope", "check", "answers.jsonl", "--rules", "rules.toml", "--html", "check.html")
    assert checked.returncode == 1, checked.stderr
    assert re.search(r"broken +Sentences with facts that the sources lack +1 of 2", checked.stdout), checked.stdout
    assert "$900" in (tmp_path / "check.html").read_text(encoding="utf-8")
    for verb, extra in (("app", "app"), ("report", "runs")):
        refused = call("-m", "groundscope", verb, *(["offline-methods"] if verb == "report" else []))
        assert (refused.returncode, refused.stdout) == (2, "")
        assert f"pip install 'groundscope[{extra}]'" in refused.stderr


@pytest.mark.release
def test_a_fresh_environment_has_a_light_core_and_with_the_app_the_judge_of_the_repository(wheel: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "GROUNDSCOPE_DATA": str(tmp_path / "data")}
    environment.pop("PYTHONPATH", None)
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in ANSWERS), encoding="utf-8")

    def call(*command: str) -> str:
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def python(extra: str) -> str:
        place = tmp_path / (extra or "core")
        call(sys.executable, "-m", "venv", str(place))
        of_before = size(place)
        call(str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", f"{wheel}{extra}")
        assert extra or size(place) - of_before <= MEGABYTES
        return str(place / "bin" / "python")

    def size(place: Path) -> float:
        return sum(p.stat().st_size for p in (place / "lib").rglob("*") if p.is_file()) / 1e6

    judge = "import groundscope; print([row.readings[0].judgement.support for row in groundscope.score('answers.jsonl', [{!r}])])"
    assert call(python(""), "-c", judge.format("overlap")) == "[1.0, 0.0]\n"
    of_app = python("[app]")
    call(of_app, "-m", "groundscope", "methods", "--get", "grounding_classifier")
    here = groundscope.score(ANSWERS, ["grounding_classifier"])
    printed = json.loads(call(of_app, "-c", judge.format("grounding_classifier")))
    assert printed == pytest.approx([row.readings[0].judgement.support for row in here], abs=0.01)
