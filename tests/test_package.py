"""The wheel: what lies in it, what it needs, and that it works in an empty folder without the packages of its extras."""

import ast
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

from tests.installed import ROOT, build, install

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = {canonicalize_name(r.name): r for r in map(Requirement, PROJECT["dependencies"])}
EXTRAS = {canonicalize_name(r.name): r for extra in PROJECT["optional-dependencies"].values() for r in map(Requirement, extra)}
BROUGHT = {
    "tokenizers": "transformers",
    "lxml": "python-docx",
    "fonttools": "fpdf2",
    "tqdm": "transformers",
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
            assert found & (CORE | EXTRAS).keys(), (path, top)


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


@pytest.mark.release
def test_it_scores_in_an_empty_folder_without_the_packages_of_the_extras(wheel: Path, tmp_path: Path) -> None:
    environment = install(wheel, tmp_path / "site") | {"GROUNDSCOPE_DATA": str(tmp_path / "data")}
    extras = {top for top, found in packages_distributions().items() if {canonicalize_name(d) for d in found} & EXTRAS.keys()}
    (tmp_path / "site" / "sitecustomize.py").write_text(
        f"import sys\nfor name in {extras - {'google'}!r}: sys.modules[name] = None\n"
    )
    empty = tmp_path / "empty"
    empty.mkdir()

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "groundscope", *arguments]
        return subprocess.run(command, cwd=empty, env=environment, capture_output=True, text=True, check=False)

    made = call("run", "--methods", "overlap,grounding_classifier", "--limit", "2", "--name", "first")
    assert made.returncode == 0, made.stderr
    exported = call("report", Path(made.stdout.strip()).name, "--format", "csv")
    assert exported.returncode == 0, exported.stderr
    assert "Grounding classifier SmolLM2" in exported.stdout
    refused = call("app")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "pip install 'groundscope[app]'" in refused.stderr
    assert list(empty.iterdir()) == []
