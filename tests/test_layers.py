"""The arrows between the rooms: pages -> components -> groundscope <- scorers, and those inside the library. Nothing runs."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENTRIES = (ROOT / "app.py", ROOT / "groundscope" / "__init__.py", ROOT / "groundscope" / "__main__.py")
ABOVE = {
    "groundscope": {"scorers", "components", "pages", "app", "models", "streamlit", "benchmarks"},
    "scorers": {"components", "pages", "app", "streamlit", "benchmarks"},
    "components": {"scorers", "pages", "app", "benchmarks"},
    "pages": {"scorers", "app", "benchmarks", "pages"},
}
"""What a folder of the first floor may not import."""

ROOMS: dict[str, set[str]] = {
    "runtime": set(),
    "statistics": {"runtime"},
    "storage": {"runtime"},
    "text": {"runtime", "statistics"},
    "files": {"runtime", "text"},
    "chat": {"runtime", "files", "storage", "text"},
    "methods": {"runtime", "storage", "text", "chat"},
    "experiments": {"runtime", "files", "storage", "text", "chat"},
    "cases": {"runtime", "files", "storage", "text", "chat", "experiments"},
    "models": {"runtime", "files", "statistics", "storage", "text", "chat", "methods", "experiments"},
    "citations": {"runtime", "files", "statistics", "text", "chat", "methods", "experiments"},
    "findings": {"runtime", "statistics", "text", "methods", "citations"},
    "grounding": {
        "runtime",
        "files",
        "statistics",
        "storage",
        "text",
        "chat",
        "methods",
        "cases",
        "citations",
        "findings",
        "experiments",
    },
    "rag": {
        "runtime",
        "files",
        "statistics",
        "storage",
        "text",
        "chat",
        "methods",
        "models",
        "cases",
        "experiments",
        "grounding",
    },
    "drawing": {"runtime", "files", "statistics", "text", "methods", "cases", "citations", "findings", "grounding"},
    "review": {
        "runtime",
        "files",
        "statistics",
        "storage",
        "text",
        "methods",
        "cases",
        "findings",
        "experiments",
        "grounding",
        "rag",
    },
    "gate": {"runtime", "files", "statistics", "text", "methods", "cases", "citations", "findings", "grounding", "drawing"},
    "arguments": {"runtime", "files", "statistics", "storage", "text", "chat", "experiments"},
    "training": {"runtime", "files", "statistics", "storage", "text", "methods", "models", "cases", "experiments", "grounding"},
    "api": {
        "runtime",
        "files",
        "statistics",
        "text",
        "chat",
        "experiments",
        "methods",
        "cases",
        "findings",
        "grounding",
        "drawing",
    },
    "integrations": {"statistics", "methods", "cases", "findings", "grounding", "gate", "api"},
}
"""What a room of the library may import besides the modules at its root, which import no room."""

SHARED: dict[str, set[str]] = {
    "worker": set(),
    "team": set(),
    "charts": set(),
    "state": {"worker"},
    "case_sets": {"team", "state"},
    "scoring": {"worker", "team", "state", "case_sets"},
    "shell": {"team", "state", "case_sets", "scoring"},
    "controls": {"worker", "team", "state", "shell"},
    "experiments": {"state", "shell", "controls"},
    "chat": {"worker", "state", "shell", "controls", "scoring"},
    "opened": {"worker", "team", "state", "case_sets", "shell", "controls", "scoring", "experiments"},
}
"""What a shared room of `components/`, or a file at its root, may import of the others."""
PAGES = {
    "arguments",
    "cases",
    "citations",
    "compare",
    "copies",
    "errors",
    "heatmap",
    "methods",
    "rag",
    "review",
    "runs",
    "thresholds",
    "training",
}
"""The rooms of pages: each may import every shared room, and no other page."""

INSIDE: dict[str, set[str]] = {
    "chat": {"clients"},
    "methods": {"asking"},
    "models/weights": {"embedders", "pairs"},
    "models/embedders": {"pairs"},
}
"""Folders inside a room that the files of another folder of it may not import."""

TOPS = ("groundscope", "scorers", "components", "pages", "models", "benchmarks")

PURE = (
    *(f"charts/{path.stem}" for path in sorted((ROOT / "components" / "charts").glob("*.py"))),
    *(f"citations/{name}" for name in ("outcomes", "texts", "messages")),
    "experiments/jobs",
    *("worker/process", "errors/cells", "opened/run_words", "training/progress", "thresholds/tables"),
)
"""Components that draw nothing on a page themselves."""

SOURCES = "groundscope/methods/_sources.py"
MOST_ENTRIES = 26


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


def _modules() -> dict[str, Path]:
    """Dotted name -> file, of everything that ships."""
    found = {}
    for path in _files("groundscope", "scorers", "components", "pages", "models", "benchmarks"):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


@pytest.mark.parametrize("folder", ABOVE)
def test_a_folder_imports_nothing_from_above(folder: str) -> None:
    files = [path for path in _files(folder) if path not in ENTRIES]
    wrong = {str(path.relative_to(ROOT)): _roots(path) & ABOVE[folder] for path in files}
    assert {path: roots for path, roots in wrong.items() if roots} == {}


def test_commands_draw_nothing() -> None:
    forbidden = {"components", "pages", "app", "streamlit", "scorers", "benchmarks"}
    assert [path.name for path in _files("groundscope/commands") if _roots(path) & forbidden] == []


def test_every_room_of_the_library_has_its_arrows_here() -> None:
    found = {path.name for path in (ROOT / "groundscope").iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert found == {*ROOMS, "commands"}
    # The table itself must have no circle: each room may only use rooms that stand above it in the table.
    for place, (room, used) in enumerate(ROOMS.items()):
        assert used <= set(list(ROOMS)[:place]), room


@pytest.mark.parametrize("room", ["", *ROOMS])
def test_a_room_uses_only_the_rooms_it_may(room: str) -> None:
    folder = ROOT / "groundscope" / room
    files = sorted(folder.rglob("*.py") if room else (p for p in folder.glob("*.py") if p not in ENTRIES))
    assert files
    rooms = {*ROOMS, "commands"}
    imported = {(path.name, name.split(".")[1]) for path in files for name in _imports(path) if name.startswith("groundscope.")}
    used = {(name, part) for name, part in imported if part in rooms}
    mine = {(name, part) for name, part in used if part not in {room, *ROOMS.get(room, ())}}
    assert mine == set()


def test_a_room_of_components_uses_only_those_below_it_and_no_page_another() -> None:
    for place, (room, used) in enumerate(SHARED.items()):
        assert used <= set(list(SHARED)[:place]), room
    rooms = {path.relative_to(ROOT / "components").parts[0].removesuffix(".py") for path in _files("components")} - {"__init__"}
    assert rooms == {*SHARED, *PAGES}
    arrows = {
        (path.relative_to(ROOT / "components").parts[0].removesuffix(".py"), name.split(".")[1])
        for path in _files("components")
        for name in _imports(path)
        if name.startswith("components.")
    }
    wrong = {(room, used) for room, used in arrows if used not in {room, *SHARED.get(room, SHARED)}}
    assert wrong == set()


@pytest.mark.parametrize("folder", INSIDE)
def test_arrows_inside_a_room_go_one_way(folder: str) -> None:
    room = folder.partition("/")[0]
    wrong = tuple(f"groundscope.{room}.{name}." for name in INSIDE[folder])
    files = sorted((ROOT / "groundscope" / folder).glob("*.py"))
    assert files
    assert [path.name for path in files if any(f"{name}.".startswith(wrong) for name in _imports(path))] == []


def test_no_two_files_import_each_other_however_far_around() -> None:
    modules = _modules()
    arrows = {
        name: {used if used in modules else used.rpartition(".")[0] for used in _imports(path)} & set(modules) - {name}
        for name, path in modules.items()
    }
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join([*way[way.index(name) :], name])
        if name not in done:
            for other in sorted(arrows[name]):
                visit(other, (*way, name))
            done.add(name)

    for name in modules:
        visit(name, ())


def test_no_class_name_stands_for_two_things() -> None:
    named: dict[str, set[str]] = {}
    for path in (p for top in TOPS for p in _files(top)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                named.setdefault(node.name, set()).add(str(path.relative_to(ROOT)))
    assert {name: places for name, places in named.items() if len(places) > 1} == {}


@pytest.mark.parametrize("top", TOPS)
def test_no_folder_is_too_long_to_take_in(top: str) -> None:
    folders = {path.parent for path in _files(top)}
    sizes = {
        str(f.relative_to(ROOT)): len([p for p in f.iterdir() if p.suffix == ".py" or (p.is_dir() and p.name != "__pycache__")])
        for f in folders
    }
    # The library's own folder holds the rooms, and five files that belong to none.
    assert {folder: size for folder, size in sizes.items() if size > MOST_ENTRIES + (folder == "groundscope")} == {}


def test_only_components_pages_and_the_app_import_streamlit() -> None:
    folders = [p.name for p in ROOT.iterdir() if p.is_dir() and not p.name.startswith(".") and any(p.glob("*.py"))]
    others = set(folders) - {"components", "pages", "tests"}
    assert {"groundscope", "scorers"} <= others
    # A benchmark may run a page as Streamlit's own testing does, or speak as a browser does; the shell's entry starts Streamlit.
    allowed = re.compile(r"(?!streamlit\b)|streamlit\.(testing|proto|web\.cli)\b")
    drawing = {path for path in _files(*others) for name in _imports(path) if not allowed.match(name)}
    assert drawing == set()


@pytest.mark.parametrize("module", PURE)
def test_a_pure_component_imports_no_streamlit(module: str) -> None:
    assert "streamlit" not in _roots(ROOT / "components" / f"{module}.py")


def test_scorers_are_reached_through_the_registry_alone() -> None:
    """No import names them, so they are found when the app runs; and none is named in a text that could be imported."""
    for path in _files("groundscope", "components", "pages"):
        named = {n.value for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Constant)}
        modules = {text for text in named if isinstance(text, str) and re.fullmatch(r"scorers(\.\w+)*", text)}
        assert modules == ({"scorers"} if path == ROOT / SOURCES else set()), path


def test_scorers_holds_methods_and_nothing_else() -> None:
    """Every file is a method, which `tests/scorers/test_contract.py` loads; what methods share is in the library."""
    entries = {path.name for path in (ROOT / "scorers").iterdir()} - {"__pycache__", "py.typed"}
    assert {name for name in entries if name.startswith("_") or not name.endswith(".py")} == {"__init__.py"}
    assert len(ast.parse((ROOT / "scorers" / "__init__.py").read_text(encoding="utf-8")).body) == 1, "a docstring alone"


def test_no_page_has_the_name_of_a_standard_library_module() -> None:
    assert [p.name for p in _files("pages") if p.stem in sys.stdlib_module_names] == []


def _faces() -> dict[str, list[str]]:
    """Folder, dotted -> what its `__init__` lists in `__all__`; none where it lists nothing."""
    faces = {}
    for name, path in _modules().items():
        if path.name == "__init__.py" and name.startswith(("groundscope.", "components.")):
            body = ast.parse(path.read_text(encoding="utf-8")).body
            lists = [ast.literal_eval(node.value) for node in body if isinstance(node, ast.Assign) and _is_all(node)]
            faces[name] = lists[0] if lists else []
    return faces


def _is_all(node: ast.Assign) -> bool:
    return ast.unparse(node.targets[0]) == "__all__"


def test_a_room_is_entered_through_what_its_face_lists_and_its_face_lists_no_more() -> None:
    faces = _faces()
    entered: dict[str, set[str]] = {room: set() for room in faces}
    for path in (ROOT / "app.py", *_files("groundscope", "scorers", "components", "pages")):
        place = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for name in _imports(path):
            for room in faces:
                if name.startswith(f"{room}.") and not f"{place}.".startswith(f"{room}."):
                    entered[room].add(name.removeprefix(f"{room}.").partition(".")[0])
    assert {room: sorted(names - set(faces[room])) for room, names in entered.items() if names - set(faces[room])} == {}
    # Names that a face imports are for users, too; what is loaded by name, such as verbs, is in no list.
    modules = {room: {name for name in names if f"{room}.{name}" in _modules()} for room, names in faces.items()}
    assert {room: sorted(names - entered[room]) for room, names in modules.items() if names - entered[room]} == {}
