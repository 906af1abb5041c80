"""What a room of the library offers to others says what it takes, gives and raises. Nothing runs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("groundscope", "scorers", "components", "pages", "models", "benchmarks")
FEWEST = 300
"""Functions that other rooms use; with fewer it is this search that is wrong."""


def _names(tree: ast.Module) -> dict[str, str]:
    """What a file imports: name in the file -> dotted name."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: f"{node.module}.{alias.name}" for node in imports for alias in node.names}


def _used(tree: ast.Module) -> Iterator[str]:
    """Dotted names of what a file imports, and of the attributes that it reads of that."""
    names = _names(tree)
    yield from names.values()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
            yield f"{names[node.value.id]}.{node.attr}"


def _missing(function: ast.FunctionDef) -> Iterator[str]:
    """What a docstring leaves out; an error that the function itself catches need not be there."""
    text, a, nodes = ast.get_docstring(function) or "", function.args, list(ast.walk(function))
    found: dict[str, str] = dict(re.findall(r"^(Args|Returns|Yields|Raises):\n((?: {4}.*\n?)+)", text, re.M))
    for arg in filter(None, (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg)):
        if not re.search(rf"^ {{4}}\*{{0,2}}{arg.arg}:", found.get("Args", ""), re.M):
            yield f"Args: {arg.arg}"
    gives = function.returns is not None and ast.unparse(function.returns) not in ("None", "NoReturn")
    if gives and not found.keys() & {"Returns", "Yields"}:
        yield "Returns or Yields"
    caught = {ast.unparse(name) for n in nodes if isinstance(n, ast.ExceptHandler) and n.type for name in ast.walk(n.type)}
    raised = {ast.unparse(n.exc.func) for n in nodes if isinstance(n, ast.Raise) and isinstance(n.exc, ast.Call)}
    yield from (f"Raises: {e}" for e in sorted(raised - caught) if e[0].isupper() and e not in found.get("Raises", ""))


def test_what_other_rooms_use_has_the_sections_of_its_docstring() -> None:
    paths = (ROOT / "app.py", *(path for top in TOPS for path in sorted((ROOT / top).rglob("*.py"))))
    files = {path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    modules = {path: ".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in files}
    rooms = {path: path.parts[: 2 if path.parts[0] == "groundscope" and len(path.parts) > 2 else 1] for path in files}
    passed_on = {f"{modules[path]}.{name}": origin for path, tree in files.items() for name, origin in _names(tree).items()}
    users: dict[str, set[tuple[str, ...]]] = {}
    for path, tree in files.items():
        for name in _used(tree):
            users.setdefault(passed_on.get(name, name), set()).add(rooms[path])
    library = [(path, f) for path, tree in files.items() if path.parts[0] == "groundscope" for f in tree.body]
    functions = [(path, f) for path, f in library if isinstance(f, ast.FunctionDef)]
    shared = [(path, f) for path, f in functions if users.get(f"{modules[path]}.{f.name}", set()) - {rooms[path]}]
    assert len(shared) >= FEWEST
    assert {f"{path}:{f.name}": missing for path, f in shared if (missing := list(_missing(f)))} == {}
