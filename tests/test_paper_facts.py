"""What the code says of the papers is in the table of facts, paper_facts.toml, and its values are those of the table."""

import ast
import importlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from components.methods.catalogue import _in_paper
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.cases.error_types import TITLES
from groundscope.cases.error_typing import TypingAgreement, agreement_words
from groundscope.grounding.paper_tables import SECTIONS, TABLE_3
from groundscope.grounding.study import preset
from groundscope.methods import registry
from groundscope.models import embedders
from groundscope.models.weights.files import WeightFiles
from groundscope.rag.records import PRINTED
from groundscope.rag.report import _first
from groundscope.training.pair_figures import PAPERS_TABLE_2

ROOT = Path(__file__).resolve().parents[1]
FACTS: dict[str, Any] = tomllib.loads((ROOT / "tests" / "paper_facts.toml").read_text("utf-8"))
BASELINES = ("te3l", "gemini31pro")
"""Of Legal RAG Bench: Text Embedding 3 Large and Gemini 3.1 Pro."""
ROWS: list[dict[str, Any]] = FACTS["table_3"]
FEWEST = 150
"""Claims in the project; with fewer it is this search that is wrong."""
DENIED = re.compile(r"\b(?:not|nor) in the paper\b|\bin no paper\b|\bbeyond the paper\b|\bPlatt's targets\b.*\bhis paper\b", re.I)
QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
PLACE = re.compile(r"\b(section|table|figure|equation)s? (\d+(?:\.\d+)?(?:(?:, | and |, and )\d+(?:\.\d+)?)*)", re.I)
PAPER = re.compile(r"\bpapers?\b(?:['’]s)?|\bas printed\b", re.I)
DOUBT = re.compile(r"\b(?:perhaps|our reading|not certain)\b", re.I)


def _strings() -> Iterator[tuple[str, str, bool]]:
    """File, text and whether it is a docstring, of all strings of the product."""
    for path in (p for top in ("groundscope", "scorers", "components", "pages") for p in sorted((ROOT / top).rglob("*.py"))):
        tree = ast.parse(path.read_text("utf-8"))
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
                yield path.relative_to(ROOT).as_posix(), " ".join(node.value.split()), id(node) in alone


@cache
def claims() -> tuple[tuple[str, str, frozenset[str]], ...]:
    """File, text and cited places of every string that speaks of a paper."""
    speaking = []
    for file, text, docstring in _strings():
        bare = DENIED.sub("", QUOTED.sub("", text))
        cited = [(kind.lower(), re.findall(r"\d+(?:\.\d+)?", numbers)) for kind, numbers in PLACE.findall(bare)]
        places = {f"{kind} {number}" for kind, numbers in cited for number in numbers}
        if PAPER.search(bare) or (docstring and places):
            speaking.append((file, text, frozenset(places)))
    return tuple(speaking)


def facts_of(file: str) -> list[dict[str, Any]]:
    return [fact for fact in FACTS["facts"] if any(fnmatch(file, pattern) for pattern in fact["modules"])]


def test_every_claim_has_its_fact() -> None:
    assert len(claims()) >= FEWEST
    unknown = [f"{file}: {text[:80]}" for file, text, _ in claims() if not facts_of(file)]
    unknown += [
        f"{file}: {place}"
        for file, _, places in claims()
        for place in places - {p for fact in facts_of(file) for p in fact.get("at", ())}
    ]
    assert unknown == []


def test_figures_in_words_are_the_papers() -> None:
    for fact in FACTS["facts"]:
        texts = [text for file, text, _ in claims() if any(fnmatch(file, pattern) for pattern in fact["modules"])]
        assert [words for words in fact.get("words", ()) if not any(words in text for text in texts)] == [], fact["fact"]


def test_what_is_in_doubt_is_said_to_be() -> None:
    doubtful = [
        (file, text) for file, text, places in claims() for fact in facts_of(file) if "doubt" in fact and places & set(fact["at"])
    ]
    assert doubtful
    assert [(file, text[:80]) for file, text in doubtful if not DOUBT.search(text)] == []


def test_every_fact_is_of_a_paper_and_claimed_by_a_file_or_has_a_value() -> None:
    files = {file for file, *_ in claims()}
    for fact in FACTS["facts"]:
        assert fact["paper"] in FACTS["papers"]
        assert "code" in fact or all(any(fnmatch(file, pattern) for file in files) for pattern in fact["modules"]), fact


def _value(code: str) -> Any:
    module, _, path = code.partition(":")
    value: Any = importlib.import_module(module)
    for name in path.split("."):
        if isinstance(value, type) and is_dataclass(value) and name in (own := {f.name: f.default for f in fields(value)}):
            assert own[name] is not MISSING, code
            value = own[name]
        elif isinstance(value, Mapping):
            value = value[name]
        else:
            value = value[int(name)] if name.isdecimal() else getattr(value, name)
    return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value


def _coded() -> Iterator[tuple[str, object]]:
    """Each value that the table has, with the place of the code that must have it."""
    for fact in FACTS["facts"]:
        if isinstance(fact.get("code"), list):
            yield from zip(fact["code"], fact["value"], strict=True)
        elif "code" in fact:
            yield fact["code"], fact["value"]


@pytest.mark.parametrize(("code", "value"), list(_coded()))
def test_the_code_has_the_papers_value(code: str, value: object) -> None:
    assert _value(code) == value


def test_headings_and_tables_2_and_3_are_as_printed() -> None:
    assert dict(SECTIONS) == FACTS["sections"]
    assert {base: list(figures.values()) for base, figures in PAPERS_TABLE_2.items()} == FACTS["table_2"]
    printed = [(row["name"], row["method"], row["dev"], row["test"], row.get("seconds")) for row in ROWS]
    assert [(r.name, r.method, list(r.dev), list(r.test), r.seconds) for r in TABLE_3] == printed


@pytest.mark.parametrize("method", sorted({row["method"] for row in ROWS}))
def test_a_method_names_its_section_and_its_card_shows_its_printed_rows(method: str) -> None:
    # The weights that come with the project are none of the paper's; those that the user fine-tunes by its recipe may be.
    trained = {"weights": WeightFiles("grounding-classifier", "folder")} if method == "grounding_classifier" else {}
    rows = [row for row in ROWS if row["method"] == method]
    about = registry.load(next(n for n in registry.names() if n.partition(":")[0] == method), **trained).about
    assert {(about.paper, about.tuned_on)} == {(row["section"], row["tuned_on"]) for row in rows}
    assert f"paper, section {about.paper}" in (ROOT / "scorers" / f"{method}.py").read_text("utf-8").splitlines()[0]
    card = _in_paper(method, about.paper)
    assert all(f"{r['name']}, macro-F1 {r['dev'][2]:.3f} on dev and {r['test'][2]:.3f} on test" in card for r in rows)


def test_only_methods_of_the_table_say_that_they_are_in_the_paper() -> None:
    stated = {name.partition(":")[0] for name in registry.names() if registry.load(name).about.paper}
    assert stated | {"grounding_classifier"} == {row["method"] for row in ROWS}


def test_error_types_bear_the_papers_names() -> None:
    def singular(name: str) -> str:
        return name.replace("Inaccuracies", "Inaccuracy").removesuffix("s").lower()

    assert {title.lower() for title in TITLES.values()} == {singular(name) for name in FACTS["table_4"]}
    assert "(the paper: 29 % and 100 %)" in agreement_words(TypingAgreement(1, 1.0, 1.0, 0))


def test_factors_bear_the_papers_names_and_sides() -> None:
    assert {str(f.number): [f.name, f.side.value] for f in TRADE_SECRETS.factors} == FACTS["factors"]


def test_embedders_and_models_bear_the_names_that_legal_rag_bench_prints() -> None:
    names = FACTS["names"]
    assert dict(PRINTED) == names
    titles = {offer.title.partition(" (")[0] for offer in embedders.offered().values()}
    assert {names[name] for name in ("te3l", "kanon2", "gemini001")} <= titles
    assert [_first(["other", names[name]], at) for at, name in enumerate(BASELINES)] == [names[name] for name in BASELINES]


def test_the_preset_of_a_study_has_the_rows_of_table_3_by_name() -> None:
    rows = tomllib.loads(preset())["row"]
    assert [(row["title"], row["method"].partition(":")[0]) for row in rows] == [(row["name"], row["method"]) for row in ROWS]
