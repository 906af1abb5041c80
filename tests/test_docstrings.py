"""What is published, and what computes numbers, says what it takes, gives and raises; all else stays short. Nothing runs."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
Function = ast.FunctionDef | ast.AsyncFunctionDef
MOST = 0.18
"""Share of the library's lines that docstrings may be."""


def _published() -> Iterator[tuple[str, str]]:
    """Module and name of each function of docs/api.md, and of the public methods of its classes."""
    pages = re.findall(r"^::: (\S+)\n.*?members: \[(.*?)\]", (ROOT / "docs" / "api.md").read_text("utf-8"), re.M | re.S)
    assert pages
    for module, members in pages:
        tree = ast.parse((ROOT / Path(*module.split("."))).with_suffix(".py").read_text("utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef | Function) and node.name in members.split(", "):
                inside = node.body if isinstance(node, ast.ClassDef) else ()
                yield module, node.name
                yield from ((module, f"{node.name}.{f.name}") for f in inside if isinstance(f, Function) and _public(f))


def _public(function: Function) -> bool:
    wrapped = {ast.unparse(decorator) for decorator in function.decorator_list} & {"property", "cached_property"}
    return not function.name.startswith("_") and not wrapped


def _numeric() -> Iterator[tuple[str, str]]:
    """Module and name of each public function of the statistics."""
    for path in sorted((ROOT / "groundscope" / "statistics").glob("[!_]*.py")):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield from ((module, f.name) for f in ast.parse(path.read_text("utf-8")).body if isinstance(f, Function) and _public(f))


def _missing(function: Function) -> Iterator[str]:
    """What a docstring leaves out; an error that the function itself catches need not be there."""
    text, a, nodes = ast.get_docstring(function) or "", function.args, list(ast.walk(function))
    sections: dict[str, str] = dict(re.findall(r"^(Args|Returns|Yields|Raises):\n((?: {4}.*\n?|\n)+)", text, re.M))
    for arg in filter(None, (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg)):
        entry = re.search(rf"^ {{4}}\*{{0,2}}{arg.arg}:", sections.get("Args", ""), re.M)
        if arg.arg != "self" and not arg.arg.startswith("_") and not entry:
            yield f"Args: {arg.arg}"
    gives = function.returns is not None and ast.unparse(function.returns) not in ("None", "NoReturn")
    if gives and not sections.keys() & {"Returns", "Yields"}:
        yield "Returns or Yields"
    caught = {ast.unparse(name) for n in nodes if isinstance(n, ast.ExceptHandler) and n.type for name in ast.walk(n.type)}
    raised = {ast.unparse(n.exc.func) for n in nodes if isinstance(n, ast.Raise) and isinstance(n.exc, ast.Call)}
    yield from (f"Raises: {e}" for e in sorted(raised - caught) if e[0].isupper() and e not in sections.get("Raises", ""))


@pytest.mark.parametrize("names", [_published, _numeric])
def test_what_is_published_or_numeric_has_the_sections_of_its_docstring(names: object) -> None:
    missing = {}
    for module, name in names():  # type: ignore[operator]
        body: list[ast.stmt] = ast.parse((ROOT / Path(*module.split("."))).with_suffix(".py").read_text("utf-8")).body
        for part in name.split("."):
            node = next(n for n in body if isinstance(n, ast.ClassDef | Function) and n.name == part)
            body = node.body
        if isinstance(node, Function) and (left_out := list(_missing(node))):
            missing[f"{module}:{name}"] = left_out
    assert missing == {}


def test_docstrings_are_a_small_part_of_the_library() -> None:
    lines = docs = 0
    for path in (ROOT / "groundscope").rglob("*.py"):
        text = path.read_text("utf-8")
        lines += text.count("\n")
        for node in ast.walk(ast.parse(text)):
            body = node.body if isinstance(node, ast.Module | ast.ClassDef | Function) else []
            texts = [
                s
                for s in body
                if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) and isinstance(s.value.value, str)
            ]
            docs += sum((text.end_lineno or 0) - text.lineno + 1 for text in texts)
    assert docs <= MOST * lines
