"""Pages of the methods, made when the site is built: what each says of itself, and what it was measured to notice."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from groundscope.grounding.paper_tables import rows_of
from groundscope.methods import Method, registry

ROOT = Path(__file__).resolve().parents[2]
_MATRIX = "### grounding_pairs, all sources"
_PAIRS = "Sound sentences stand beside a copy with one edit."
_SOURCE = "How it was measured, and all figures: `benchmarks/README.md`."
_ALL, _FORM = "All legal edits", "All changes of form"
_OF_FORM = {_FORM, "Other words for the same", "Clauses the other way round", "A word in bold", "Apostrophes, dashes, spaces"}
_SHARE = re.compile(r"\d+")
_FEWEST = 50
"""Pairs of an edit that is named; shares of fewer say little."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page a method, and their list."""
    figures = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    noticed = matrix(figures)
    pages = {"methods/index.md": index()}
    for name in registry.names():
        method = registry.find(name)
        pages[f"methods/{file_name(name)}"] = page(name, method, noticed.get(method.about.title), by_set(name, figures))
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def file_name(method: str) -> str:
    """The file of a method's page."""
    return f"{method.replace(':', '-')}.md"


def index() -> str:
    """The list of all methods."""
    rows = ["# Methods", "", "| method | what its support means | paper |", "|---|---|---|"]
    for name in registry.names():
        about = registry.find(name).about
        paper = f"{', '.join(r.name for r in rows_of(name))}, section {about.paper}" if about.paper else "not in the paper"
        rows.append(f"| [{cell(about.title)}]({file_name(name)}) | {cell(about.measures)} | {cell(paper)} |")
    return "\n".join(rows) + "\n"


def page(name: str, method: Method, noticed: list[tuple[str, int, str]] | None, sets: Sequence[str] = ()) -> str:
    """The page of one method."""
    about = method.about
    threshold = "none yet: tune one" if about.threshold is None else f"{about.threshold:g} ({about.threshold_source})"
    facts = {
        "Id": f"`{name}`",
        "Support of a response": about.aggregation,
        "Starting threshold": threshold,
        "Needs": about.needs or "nothing beyond the install",
        "Asks a chat model": "yes" if method.asks else "no",
        "Licence": about.licence,
        "Parameters": ", ".join(f"`{key}={method.parameters[key]!r}`" for key in registry.parameters(name)) or "none",
    }
    lines = [f"# {escape(about.title)}", "", escape(about.measures), "", "| what | |", "|---|---|"]
    lines += [f"| {key} | {value if '`' in value else cell(value)} |" for key, value in facts.items()]
    lines += ["", "## What it sees", "", *_seen(noticed, sets)]
    return "\n".join(lines) + "\n"


def _seen(noticed: list[tuple[str, int, str]] | None, sets: Sequence[str]) -> list[str]:
    if sets:
        return [
            f"{_PAIRS} The shares are of copies that score lower (95 %), and in the last column of edits and of sound "
            "sentences that are flagged at the starting threshold.",
            "",
            *sets,
            "",
            _SOURCE,
        ]
    if not noticed:
        return ["It was not measured on pairs of a sentence and its edited copy; the Sensitivity page does it on your cases."]
    legal = sorted((one for one in noticed if one[1] >= _FEWEST), key=lambda one: -int(_SHARE.search(one[2])[0]))  # type: ignore[index]
    form = next(one for one in noticed if one[0] == _FORM)
    legal = [one for one in legal if one[0] not in _OF_FORM]
    head = ["| edit | pairs | copies that score lower (95 %) |", "|---|---|---|"]
    return [
        f"{_PAIRS} Compare with the first line: changes of form alone, such as a word in bold, leave the meaning as it is.",
        "",
        *head,
        f"| changes of form alone | {form[1]:,} | {form[2]} |",
        *(f"| {cell(edit)} | {pairs:,} | {share} |" for edit, pairs, share in legal),
        "",
        _SOURCE,
    ]


def matrix(text: str) -> dict[str, list[tuple[str, int, str]]]:
    """By title of a method, the edits with the number of pairs and the share noticed, from the table of the benchmark."""
    lines = iter(text[text.index(_MATRIX) :].splitlines())
    rows = [_cells(line) for line in _table(lines)]
    heads = rows[0][2:]
    found: dict[str, list[tuple[str, int, str]]] = {head: [] for head in heads}
    for edit, pairs, *shares in rows[2:]:
        if pairs and edit != _ALL:
            for head, share in zip(heads, shares, strict=True):
                found[head].append((edit, int(pairs.replace(",", "")), share))
    return found


def by_set(name: str, text: str) -> list[str]:
    """The lines of a method's table by sets of pairs; none where the benchmark has none."""
    return _table(text.partition(f"\n`{name}`, on fewer pairs:\n")[2].splitlines())


def _table(lines: Iterable[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        if line.startswith("|"):
            found.append(line)
        elif found:
            break
    return found


def _cells(line: str) -> list[str]:
    return [one.strip() for one in line.strip("|").split("|")]


def cell(text: str) -> str:
    """A text as the cell of a table."""
    return escape(" ".join(text.split())).replace("|", "&#124;")
