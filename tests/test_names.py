"""Names say what they hold, not `found`, `made`, `one`; messages and screens speak plain English of today. Nothing runs."""

import ast
import re
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


WORDS = {
    r"tells?(?! apart\b)|told|telling": "shows, states or distinguishes",
    r"(?<!\])mend(?:s|ed|ing)?": "fix, or say what to do",
    r"anew": "again",
    r"nobody('s)?": "no one",
    r"nought|aught": "nothing or 0",
    r"whoever": "the person, process or model that",
    r"go(?:es)? on (?:with|where)|went on": "continue or resume",
    r"reckon(?:s|ed|ing)?": "estimate or count",
    r"at hand": "available",
    r"waits? for your word": "waits until you confirm",
    r"thereof|hither|thither|whence|lest": "an everyday word",
}
"""A pattern that may not come back -> what to write instead."""

EXEMPT = frozenset({"groundscope/cases/injections.py", "groundscope/text/english.py", "groundscope/text/names.py"})
"""Files whose literals are words and patterns of what others write."""
_BANNED = re.compile("|".join(rf"\b(?:{pattern})\b" for pattern in WORDS), re.I)
_CODE = re.compile(r"`[^`\n]*`|\$?\{[^{}\n]*\}")
_LITERAL = re.compile(r"`(?:\\.|[^`\\])*`|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
_IDENTIFIER = re.compile(r"[\w.:/-]*")


def literals(path: Path) -> Iterator[str]:
    """Texts of a file; a literal that is one name, such as a key of a dictionary, is code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".js":
        texts = [literal[1:-1] for literal in _LITERAL.findall(text)]
    else:
        nodes = ast.walk(ast.parse(text))
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return (literal for literal in texts if not _IDENTIFIER.fullmatch(literal))


def test_texts_speak_plain_english() -> None:
    files = [p for top in ("groundscope", "scorers", "components", "pages", "models") for p in (ROOT / top).rglob("*.py")]
    files += (ROOT / "components" / "static").rglob("*.js")
    names = {path.relative_to(ROOT).as_posix(): path for path in files}
    banned = {
        name: words
        for name, path in names.items()
        if name not in EXEMPT and (words := [w[0] for text in literals(path) for w in _BANNED.finditer(_CODE.sub(" ", text))])
    }
    assert banned == {}
