"""The arrows between the folders: pages -> components -> evaluation <- scorers; commands sit beside components. Nothing runs."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENTRIES = (ROOT / "app.py", ROOT / "groundscope.py")
CHARTS = tuple(f"charts/{path.stem}" for path in sorted((ROOT / "components" / "charts").glob("*.py")))
TRAINING = ("processes", "trainer", "training_request", "plain_card", "finetuning_words", "finetuning_forecast")
CITATIONS = tuple(f"citations/{name}" for name in ("exporting", "layer", "outcomes", "tables", "texts", "words"))
PURE_COMPONENTS = ("highlight", "offsets", *CITATIONS, "board", "report", "worker", "runner", "errors_cells", *TRAINING, *CHARTS)


def _files(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    assert found
    return found


def _imports(path: Path) -> Iterator[str]:
    """Dotted names of everything a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _roots(path: Path) -> set[str]:
    return {name.partition(".")[0] for name in _imports(path)}


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        ("evaluation", {"scorers", "components", "pages", "app", "groundscope", "commands", "streamlit", "benchmarks"}),
        ("scorers", {"components", "pages", "app", "groundscope", "commands", "streamlit", "benchmarks"}),
        ("components", {"pages", "app", "groundscope", "commands", "benchmarks"}),
        ("pages", {"app", "groundscope", "commands", "benchmarks", "pages"}),
        ("commands", {"app", "groundscope", "components", "pages", "streamlit", "benchmarks"}),
    ],
)
def test_a_folder_imports_nothing_from_above(folder: str, forbidden: set[str]) -> None:
    wrong = {str(path.relative_to(ROOT)): _roots(path) & forbidden for path in _files(folder)}
    assert {path: roots for path, roots in wrong.items() if roots} == {}


def test_only_components_pages_and_the_app_import_streamlit() -> None:
    folders = [p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(".") and any(p.glob("*.py"))]
    others = set(folders) - {"components", "pages", "tests"}
    assert {"evaluation", "scorers", "commands"} <= others
    # A benchmark may run a page as Streamlit's own testing does.
    drawing = {path for path in _files(*others) for name in _imports(path) if re.match(r"streamlit(?!\.testing\b)", name)}
    assert drawing == set()
    # The shell's entry starts Streamlit's own program, and draws nothing.
    used = {name for name in _imports(ROOT / "groundscope.py") if name.partition(".")[0] == "streamlit"}
    assert used <= {"streamlit.web.cli"}


@pytest.mark.parametrize("module", PURE_COMPONENTS)
def test_a_pure_component_imports_no_streamlit(module: str) -> None:
    assert "streamlit" not in _roots(ROOT / "components" / f"{module}.py")


DOORS = {"names", "load", "parameters", "chat", "base", "embedder", "embedders"}


def test_scorers_are_reached_through_their_doors_alone() -> None:
    users = 0
    for path in [*_files("components", "pages", "commands"), *ENTRIES]:
        imported = {name for name in _imports(path) if name.partition(".")[0] == "scorers"}
        assert imported <= {"scorers"}, f"{path} imports {imported}"
        users += bool(imported)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if imported and isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert node.value.id != "scorers" or node.attr in DOORS, f"{path}: scorers.{node.attr}"
    assert users


def test_no_page_has_the_name_of_a_standard_library_module() -> None:
    assert [p.name for p in _files("pages") if p.stem in sys.stdlib_module_names] == []
