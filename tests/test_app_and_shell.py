"""App and shell are equals: the tables of docs/app-and-shell.md name every verb and every page, and what they name is there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from groundscope.__main__ import VERBS

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "Overview": "app.py",
    **{path.stem.replace("_", " ").capitalize(): f"pages/{path.name}" for path in sorted((ROOT / "pages").glob("*.py"))},
}
PAGES["Legal RAG"] = PAGES.pop("Legal rag")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading."""
    text = (ROOT / "docs" / "app-and-shell.md").read_text(encoding="utf-8")
    lines = re.search(rf"^## {heading}\n\n((?:\|.*\n)+)", text, re.M)
    assert lines
    return [[cell.strip() for cell in line.strip("|\n").split("|")] for line in lines[1].splitlines()[2:]]


VERB_ROWS = rows("Verbs and their place in the app")
PAGE_ROWS = rows("Pages and what does their work in a shell")


@cache
def reached(file: str) -> frozenset[str]:
    """Files of `components` that a file imports, however far around."""
    todo, found = [file], set[str]()
    while todo:
        tree = ast.parse((ROOT / todo.pop()).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                path = f"{name.replace('.', '/')}.py"
                if name.startswith("components.") and path not in found and (ROOT / path).is_file():
                    found.add(path)
                    todo.append(path)
    return frozenset(found)


def test_every_verb_has_one_row_in_the_order_of_help() -> None:
    order = ["app", *VERBS]
    assert sorted(row[0].strip("`") for row in VERB_ROWS) == sorted(order)


@pytest.mark.parametrize("row", VERB_ROWS, ids=lambda row: row[0].strip("`"))
def test_a_verb_names_a_page_that_draws_its_part_or_says_why_it_needs_none(row: list[str]) -> None:
    _, page, part, why = row
    assert bool(page) == bool(part) != bool(why)
    if page:
        assert part in reached(PAGES[page])
    else:
        assert re.fullmatch(r"[A-Z][^.]+\.", why)


def test_every_page_has_one_row() -> None:
    assert sorted(row[0] for row in PAGE_ROWS) == sorted(PAGES)


@pytest.mark.parametrize("row", PAGE_ROWS, ids=lambda row: row[0])
def test_a_page_names_verbs_that_are_there(row: list[str]) -> None:
    page, verbs, _ = row
    named = set(re.findall(r"`([\w-]+)`", verbs))
    assert named
    assert named <= {"app", *VERBS}
    placed = {r[0].strip("`") for r in VERB_ROWS if r[1] == page}
    assert placed <= named, "the first table places more verbs here"
