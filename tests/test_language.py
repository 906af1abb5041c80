"""Messages and screens speak plain English of today: a list of words that may not come back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
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

EXEMPT = frozenset({"groundscope/cases/injections.py"})
"""Files whose literals are patterns of what others write."""
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
