"""The board: figures by hand, rows that nothing learned from, and one origin of every figure that a page states."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import board as command
from benchmarks import papers
from benchmarks.board import PAGES, figures, flagging, ranks, starting_threshold, write
from benchmarks.labelled_sets import LabelledRows, labelled_sets
from groundscope.methods import board as methods_board
from groundscope.methods import registry, same_method
from groundscope.methods.board import ALARMS, PEOPLE, board, from_data, standing
from groundscope.types import Case, Judgement, Passage, SentenceScore, Status
from models import public
from models.public import part_of
from tests.models.test_data import DATA

SOURCES = ("WiCE", "ExpertQA", "BEGIN", "SummEdits/news", "CUAD (LegalBench form)", "RAGBench/emanual")


def test_a_threshold_flags_at_most_one_in_twenty_sound_answers() -> None:
    assert flagging([k / 100 for k in range(100)]) == 0.05  # 0.00 to 0.04 lie below it
    assert flagging([0.5] * 40) == 0.5  # none lies below it
    # The lower middle of 0.05, 0.25 and 0.5; on the median set 5 of 100 are below 0.25.
    sets = [[k / 100 for k in range(100)], [0.2] * 5 + [0.25] * 95, [0.5] * 40]
    assert starting_threshold(sets) == (0.25, 0.05)
    # Half of them have 0: the least that it can flag.
    assert starting_threshold([[0.0, 1.0] * 10] * 3) == (0.01, 0.5)


def answer(name: str, grounded: bool, *supports: float) -> tuple[Case, Judgement]:
    case = Case(name, "", (Passage("p", f"Text {name}."),), "One. " * len(supports), grounded=grounded)
    scores = tuple(SentenceScore(5 * i, 5 * i + 4, s) for i, s in enumerate(supports))
    return case, Judgement(Status.SCORED, min(supports), scores, seconds=0.5)


def test_figures_of_a_set_by_hand() -> None:
    rows = [answer("a", True, 0.9, 0.4), answer("b", True, 0.6), answer("c", False, 0.5, 0.6), answer("d", False, 0.1)]
    cases, judged = zip(*rows, strict=True)
    measured = figures(LabelledRows("set", cases), judged, 0.45)
    # Lowest sentences: of four pairs 0.4 > 0.5 fails; means 0.65, 0.6 above 0.55, 0.1.
    assert (measured["answers"][0], measured["mean"][0]) == (0.75, 1.0)
    assert (measured["flags"], measured["strict"], measured["strict_threshold"]) == ([1, 1], [1, 0], 0.4)
    assert (measured["unscored"], measured["seconds"], "sentences" in measured) == (0, 0.5, False)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    groups = [f"document {i}" for i in range(40)]
    assert {part_of(g) for g in groups} == {"train", "dev", "test"}
    facts: dict[str, Any] = {"claim": "The council granted it.", "context": ["It did."], "grounded": True, "license": "CC-BY-4.0"}
    rows = [{"id": f"{source} {g}", "source": source, "group": g, **facts} for source in SOURCES for g in groups]
    path = tmp_path / public.NAME
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return path


@pytest.mark.parametrize("real", [False, True])
def test_no_row_of_the_board_is_read_by_the_training(pairs: Path, real: bool) -> None:
    path = DATA / public.NAME if real else pairs
    if not path.is_file():
        pytest.skip(f"no {public.NAME} in shared/data")
    learned = {row["id"] for row in public._rows(path)}
    sets = {rows.name: {c.id for c in rows.cases} for rows in labelled_sets([path])}
    assert learned
    assert {"WiCE", "ExpertQA", "BEGIN", "SummEdits", "CUAD", "Samples"} == set(sets)
    for name, ids in sets.items():
        assert ids, name
        assert not ids & learned, name


def test_files_of_other_sets_are_no_source_of_the_training_and_samples_are_of_test() -> None:
    for name in ("ContractNLI", "RAGBench/expertqa", "WiCE", "BEGIN", "ExpertQA"):
        assert not name.startswith(public.SOURCES)
    (samples,) = labelled_sets([])
    assert {c.split for c in samples.cases} == {"test"}  # what test_data holds away from training


SET = {"name": "S", "labelled": PEOPLE, "held": "h", "decides": True, "length": 10, "rows": 9, "wrong": 4, "groups": 9}


def row(name: str) -> dict[str, Any]:
    ranking = {"answers": [0.7, 0.6, 0.8], "flags": [1, 0]}
    facts = {"title": name, "signature": name, "threshold": 0.2, "alarms": 0.05, "seconds": 1.0, "shares": [0.0, 1.0]}
    return {**facts, "sets": {"S": ranking}}


def test_a_run_of_some_methods_keeps_the_others_while_the_sets_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, page = tmp_path / "board.json", tmp_path / "page.md"
    monkeypatch.setattr(command, "FILE", file)
    monkeypatch.setattr(command, "PAGES", {page: ranks})
    page.write_text("Before\n<!-- board -->\nold\n<!-- /board -->\nAfter\n", encoding="utf-8")
    one = {**SET, "ids": "1"}
    methods = lambda: sorted(json.loads(file.read_text(encoding="utf-8"))["methods"])  # noqa: E731
    write([one], {"a": row("a")}, "")
    write([one], {"b": row("b")}, "")
    assert methods() == ["a", "b"]
    write([{**one, "ids": "2"}], {"c": row("c")}, "")
    assert methods() == ["c"]
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before\n<!-- board -->\n| AUROC by answer | wrong | `c` |")
    assert text.endswith("<!-- /board -->\nAfter\n")


def test_the_record_beside_a_verdict_names_the_sets_with_sources_about_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = [{**SET, "name": name, "length": length} for name, length in (("Short", 4), ("Long", 90))]
    ranking = {"Short": {"answers": [0.7, 0.6, 0.8], "flags": [1, 0]}, "Long": {"answers": [0.55, 0.5, 0.6], "flags": [1, 0]}}
    on = from_data({"sets": sets, "methods": {"a": {**row("a"), "sets": ranking}}, "measured": "", "command": ""})
    monkeypatch.setattr(methods_board, "board", lambda: on)
    for length, words in (
        (12, "about as long as these (12 sentences): 70 (Short)."),
        (30, "about as long as these (30 sentences): 55 (Long)."),
        (1_000, "No set has sources about as long as these (1,000 sentences)."),
    ):
        record = standing("a", length)
        assert record
        assert "in 55 of 100 pairs on the worst (Long), in 62 on average" in record["words"]
        assert record["words"].endswith(words)
    assert standing("b", 12) is None


def test_pages_state_what_the_board_states() -> None:
    for page, words in PAGES.items():
        stated = command._BLOCK.findall(page.read_text(encoding="utf-8"))
        assert stated == [words(board())], f"{page.name}: run `python -m benchmarks.board ... --write`"


def test_methods_start_with_the_thresholds_of_the_board() -> None:
    for name, measured in board().methods.items():
        method = registry.load(name)
        if name == "cascade" and not same_method(method.signature, measured.signature):
            continue  # its own starting threshold goes with those of its methods: test_recommendation asks for a new measurement
        about = method.about
        assert (about.threshold, about.threshold_source) == tuple(measured.starting.values()), name
        assert measured.alarms <= ALARMS or measured.threshold == 0.01, name
        assert f"{100 * measured.alarms:.0f} % of the sound answers" in about.threshold_source


def test_the_papers_tables_on_the_page_are_what_the_command_prints() -> None:
    assert papers.page() in papers.PAGE.read_text("utf-8")
