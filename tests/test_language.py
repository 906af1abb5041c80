"""Docstrings, messages and screens speak plain English of today: a list of words that may not come back."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

WORDS = {
    r"told": "shown, said or stated",
    r"tells?(?! apart\b)": "shows, says, states or distinguishes",
    r"telling": "showing or revealing",
    r"(?<!\])mend(?:s|ed|ing)?": "fix, or say what to do",
    r"anew": "again",
    r"nobody('s)?": "no one, no model, or say that it is not done",
    r"nought": "nothing or 0",
    r"whoever": "the person, process or model that",
    r"thereof": "of it",
    r"go(?:es)? on (?:with|where)|went on": "continue or resume",
    r"met an? case": "found a case",
    r"holds? together": "is consistent",
    r"(?:is|are) asked of": "is sent to or is required of",
    r"reckon(?:s|ed|ing)?": "estimate or count",
    r"at hand": "available",
    r"others' puzzles": "the puzzles of other people",
    r"waits? for your word": "waits until you confirm",
    r"hither|thither|whence|lest|aught": "an everyday word",
}
"""A pattern that may not come back -> what to write instead."""

EXEMPT = frozenset({"groundscope/cases/injections.py"})
"""Files whose literals are patterns of what others write."""

_BANNED = re.compile("|".join(rf"(?P<w{i}>\b(?:{pattern})\b)" for i, pattern in enumerate(WORDS)), re.I)
_CODE = re.compile(r"`[^`\n]*`|\{[^{}\n]*\}|\$\{[^}\n]*\}")
"""Names in code, which are no words."""
_LITERAL = re.compile(r"`(?:\\.|[^`\\])*`|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/", re.S)
_IDENTIFIER = re.compile(r"[\w.:/-]*")


def _python(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each comment, docstring and string literal; of f-strings what stands between the values."""
    for node in ast.walk(ast.parse(text)):
        # A literal that is one name, such as a key of a dictionary, is code.
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not _IDENTIFIER.fullmatch(node.value):
            yield node.lineno, node.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def _javascript(text: str) -> Iterator[tuple[int, str]]:
    for found in _LITERAL.finditer(text):
        if not _IDENTIFIER.fullmatch(found.group()[1:-1]):
            yield text.count("\n", 0, found.start()) + 1, found.group()


def _wrong(text: str, suffix: str) -> list[str]:
    """What is wrong in a file, one sentence a word, with the line it is on or begins on."""
    hints = list(WORDS.values())
    found = []
    for line, words in _javascript(text) if suffix == ".js" else _python(text):
        for match in _BANNED.finditer(_CODE.sub(" ", words)):
            hint = hints[int(str(match.lastgroup)[1:])]
            found.append(f"line {line}: “{match.group()}”; write {hint}")
    return found


def _rooms() -> dict[str, list[Path]]:
    rooms: dict[str, list[Path]] = {}
    for top in ("groundscope", "scorers", "components", "pages", "models"):
        for path in sorted((ROOT / top).rglob("*.py")):
            inside = path.relative_to(ROOT).parts
            rooms.setdefault("/".join(inside[:2]) if top == "groundscope" and len(inside) > 2 else top, []).append(path)
    rooms["components"] += sorted((ROOT / "components" / "static").rglob("*.js"))
    return rooms


def _faults(room: str) -> dict[str, list[str]]:
    names = {str(path.relative_to(ROOT)): path for path in _rooms()[room]}
    found = {name: _wrong(path.read_text(encoding="utf-8"), path.suffix) for name, path in names.items() if name not in EXEMPT}
    return {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.parametrize("room", sorted(_rooms()))
def test_a_room_speaks_plain_english(room: str) -> None:
    assert _faults(room) == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('"""Is told how many."""', ["told"]),
        ("# with the mend", ["mend"]),
        ('f"{told} was asked anew"', ["anew"]),
        ('x = {"told": 1}', []),
        ('"""Gives `told` back; kept apart by name."""', []),
        ('"""It does not hold together, and goes on with others."""', ["hold together", "goes on with"]),
    ],
)
def test_words_are_found_in_text_and_not_in_names(text: str, words: list[str]) -> None:
    assert [line.split("“")[1].split("”")[0] for line in _wrong(text, ".py")] == words


def test_words_are_found_in_javascript() -> None:
    assert len(_wrong('const told = "told"; title.textContent = "Nobody is here"; // with the mend', ".js")) == 2
