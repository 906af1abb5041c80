"""Variables and parameters are named by what they hold: support, evidence, verdicts; not `found`, `made`, `one`. Nothing runs."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EMPTY = {"found", "made", "one", "known", "said", "kept", "own", "here", "given", "wanted", "open_", "it_"}
EXCEPTIONS: set[tuple[str, str]] = set()
"""File and name where such a word is the best one."""
SHORT = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def _names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of what is assigned or taken, but for comprehensions of at most two lines and for fields of classes."""
    short = [n for n in ast.walk(tree) if isinstance(n, SHORT) and (n.end_lineno or 0) - n.lineno < 2]
    fields = [
        s for n in ast.walk(tree) if isinstance(n, ast.ClassDef) for s in n.body if isinstance(s, ast.Assign | ast.AnnAssign)
    ]
    left_out = {id(inner) for node in (*short, *fields) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg


@pytest.mark.parametrize("top", ["groundscope", "components", "scorers", "pages", "app.py"])
def test_names_say_what_they_hold(top: str) -> None:
    paths = [ROOT / top] if top.endswith(".py") else sorted((ROOT / top).rglob("*.py"))
    names = [(str(p.relative_to(ROOT)), *name) for p in paths for name in _names(ast.parse(p.read_text("utf-8")))]
    assert names
    assert [f"{p}:{line} {n}" for p, line, n in names if n in EMPTY and (p, n) not in EXCEPTIONS] == []
