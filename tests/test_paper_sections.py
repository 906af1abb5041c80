"""Every cited section of Trautmann et al. 2024 is one that the paper has, and methods name that of their kind. Nothing runs."""

import re
from pathlib import Path

from groundscope.grounding.paper_tables import SECTIONS, TABLE_3
from groundscope.methods import registry

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("groundscope", "components", "scorers", "pages", "benchmarks", "models", "docs", "sample_data")
OTHER_BOOKS = {"groundscope/grounding/alignment_quality.py"}
"""Files that cite sections of something else."""
FEWEST = 25
"""Citations in the project; with fewer it is this search that is wrong."""
_PAPER = re.compile(r"(?:\bpapers?\b|Trautmann).{0,240}?\bsections? (\d(?:\.\d)?)", re.I | re.S)


def test_cited_sections_exist() -> None:
    files = [p for top in TOPS for ending in ("py", "md", "js") for p in (ROOT / top).rglob(f"*.{ending}")]
    cited = [
        (path.name, number)
        for path in (*ROOT.glob("*.md"), *files)
        if path.relative_to(ROOT).as_posix() not in OTHER_BOOKS
        for number in _PAPER.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(cited) >= FEWEST
    assert [(file, number) for file, number in cited if number not in SECTIONS] == []


def test_methods_of_the_paper_name_the_section_that_their_file_names() -> None:
    stated = {i.partition(":")[0]: about.paper.section for i in registry.names() if (about := registry.load(i).about).paper}
    assert stated
    for method in {row.method for row in TABLE_3}:
        first = (ROOT / "scorers" / f"{method}.py").read_text(encoding="utf-8").splitlines()[0]
        number = re.search(r"paper, section ([\d.]*\d)", first)
        assert number, method
        assert number[1] in SECTIONS
        assert stated.get(method, number[1]) == number[1], method
