"""Every citation of a section of Trautmann et al. 2024 is of the heading that its own words are about. Nothing runs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundscope.grounding.paper_tables import SECTIONS, TABLE_3
from groundscope.methods import registry

ROOT = Path(__file__).resolve().parents[1]
TOPS = ("groundscope", "components", "scorers", "pages", "benchmarks", "models", "docs", "sample_data")
ABOUT = {
    "4": "responses|queries",
    "4.1": "source",
    "4.2": "altered|edits|variant",
    "4.3": "split|train|dev|queries",
    "5": "support|method",
    "5.1": "cosine|similarity|n-gram|QUIP",
    "5.2": "contradict|entail|evaluation model|FactKB|SelfCheck|consistent",
    "5.3": "prompt|claims|PASS|triplet|judge",
    "5.4": "fine-tun|train|ungrounded variant|learns",
    "6": "seconds|tune|tuned|separates|decision|label",
    "8": "error type",
}
"""What a citation of a section must be about: a pattern that its paragraph has to match."""
FEWEST = 25
"""Citations in the project; with fewer it is this search that is wrong."""

_CITED = re.compile(r"\bsections? (\d(?:\.\d)?)(?:,? and (\d(?:\.\d)?))?\b")
_PAPER = re.compile(r"\bpapers?\b|Trautmann", re.I)
_NEAR = 240
_OTHER_BOOKS = {"groundscope/grounding/alignment_quality.py"}
"""Files that cite sections of something else."""


def _files() -> Iterator[Path]:
    yield from ROOT.glob("*.md")
    for top in TOPS:
        yield from (p for ending in ("py", "md", "js") for p in (ROOT / top).rglob(f"*.{ending}") if ".venv" not in p.parts)


def _citations() -> Iterator[tuple[str, str, str]]:
    """File, number and the words around it, of each section of the paper that is cited."""
    for path in _files():
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        if name in _OTHER_BOOKS:
            continue
        for found in _CITED.finditer(text):
            around = text[max(0, found.start() - _NEAR) : found.end() + _NEAR]
            if _PAPER.search(around):
                yield from ((name, number, " ".join(around.split())) for number in found.groups() if number)


CITATIONS = list(_citations())


def test_citations_are_found() -> None:
    assert len(CITATIONS) >= FEWEST


@pytest.mark.parametrize(("file", "number", "around"), CITATIONS, ids=[f"{f}:{n}" for f, n, _ in CITATIONS])
def test_a_cited_section_is_about_what_the_citation_says(file: str, number: str, around: str) -> None:
    assert number in SECTIONS, f"{file} cites section {number}, which the paper lacks"
    assert re.search(ABOUT[number], around, re.I), f"{file} cites {number} ({SECTIONS[number]}): {around}"


KINDS = {
    "similarity": {"cos_sim", "quip"},
    "entailment": {"hem_v1", "hem_v2", "factkb", "multi_gen", "context_nli"},
    "prompting": {"direct", "lynx", "refchecker", "claims_verify"},
    "fine-tuning": {"grounding_classifier"},
}


def test_each_row_of_table_3_is_in_the_section_of_its_kind() -> None:
    kinds = {method: kind for kind, methods in KINDS.items() for method in methods}
    assert set(kinds) == {row.method for row in TABLE_3}
    for method, kind in kinds.items():
        first = (ROOT / "scorers" / f"{method}.py").read_text(encoding="utf-8").splitlines()[0]
        assert [SECTIONS[n] for n in re.findall(r"paper, section ([\d.]*\d)", first)] == [kind], method


def test_methods_name_the_section_that_their_file_names() -> None:
    kinds = {method: kind for kind, methods in KINDS.items() for method in methods}
    named = {i: about.paper.section for i in registry.names() if (about := registry.load(i).about).paper}
    assert named
    assert {i: SECTIONS[number] for i, number in named.items()} == {i: kinds[i.partition(":")[0]] for i in named}
