"""F1 against latency: a run's methods and the paper's as points, and the figure as a file."""

import re
from dataclasses import replace

import numpy as np
import pytest

from groundscope.drawing import figure_2
from groundscope.drawing.study_files import figure_page, study_files
from groundscope.grounding.comparing.comparisons import pairs
from groundscope.grounding.level_results import gold_of, level_results
from groundscope.grounding.paper_tables import RESPONSES, TABLE_3
from groundscope.grounding.results import RunResults, results
from groundscope.grounding.runs.arrays import RunData, SentenceTable
from groundscope.grounding.study import Study, StudyRow, title_of
from groundscope.grounding.tuning import starting_rules, verdicts
from tests.groundscope.grounding.runs import made_cases, made_run

NAN = float("nan")


@pytest.fixture(scope="module")
def run() -> RunData:
    return made_run(made_cases(150), 3)


def measure(run: RunData) -> RunResults:
    rules = starting_rules(run)
    return results(run, verdicts(run, rules), rules, run.rows("test"), "test")


def test_points_hold_what_the_table_does(run: RunData) -> None:
    found = measure(run)
    for over in ("dev", "shown"):
        for point, method in zip(figure_2.spots(found, over), found.methods, strict=True):  # type: ignore[arg-type]
            latency = method.dev_latency if over == "dev" else method.latency
            assert (point.id, point.f1, point.seconds) == (method.id, method.scores.macro_f1, latency.mean)
            assert (point.low, point.slow) == (method.f1.low, latency.interval.high)
            text = "\n".join(point.hover)
            for word in ("Precision", "AUROC", "p95", "scored", "Rule", "timed"):
                assert word in text


def test_points_of_another_level_have_its_f1(run: RunData) -> None:
    rows = run.rows("test")
    levels = level_results(run, gold_of(run, rows), starting_rules(run), rows, "span")
    for point, level in zip(figure_2.spots(measure(run), "dev", levels), levels, strict=True):
        assert (point.f1, point.low) == (level.f1, level.interval.low)
        assert "Precision" not in "\n".join(point.hover)


def test_an_f1_without_any_verdict_is_no_point(run: RunData) -> None:
    status = run.status.copy()
    status[0] = 1
    supports = run.support.copy()
    supports[0] = np.nan
    assert np.isnan(figure_2.spots(measure(replace(run, status=status, support=supports)), "dev")[0].f1)


def test_the_papers_points_are_its_table_and_two_have_a_latency_on_dev_alone() -> None:
    test, dev = figure_2.paper_spots("test", dev_seconds=True), figure_2.paper_spots("dev", dev_seconds=True)
    assert [s.f1 for s in test] == [row.test.macro_f1 for row in TABLE_3]
    assert [s.f1 for s in dev] == [row.dev.macro_f1 for row in TABLE_3]
    assert figure_2.paper_spots(None, dev_seconds=True) == dev
    assert {s.title: s.seconds for s in dev if s.seconds > 0} == {"GPT-4o": 2.2, "DeepEval Claims Verify": 26.1}
    assert all(("not printed" in "\n".join(s.hover)) == bool(np.isnan(s.seconds)) for s in dev)
    for beside_others in (test, figure_2.paper_spots(None, dev_seconds=False), figure_2.paper_spots("dev", dev_seconds=False)):
        assert all(np.isnan(s.seconds) for s in beside_others)
    assert ({s.size for s in dev}, {s.size for s in test}) == ({"dev, 150 responses"}, {"test, 316 responses"})


def test_the_papers_dev_figures_are_fractions_of_150_responses_and_not_of_the_162_that_its_table_1_counts() -> None:
    # LYNX and RefChecker have responses without a verdict, which no fraction shows.
    rows = [r for r in TABLE_3 if r.method not in ("lynx", "refchecker")]

    def fractions(of: int) -> set[str]:
        return {f"{k / of:.3f}" for k in range(of + 1)}

    printed = {f"{r.dev.accuracy:.3f}" for r in rows}
    assert printed <= fractions(RESPONSES["dev"])
    assert not printed <= fractions(162)


def test_a_page_of_the_figure_needs_nothing_from_elsewhere_and_parts_dev_from_test(run: RunData) -> None:
    rules = starting_rules(run)
    both = []
    for split in ("dev", "test"):
        rows = run.rows(split)
        said = verdicts(run, rules)
        both.append((results(run, said, rules, rows, split), pairs(run, said, rules, rows)))
    page = figure_page("<b>Mine</b>", both)
    assert "<b>Mine" not in page
    assert "default-src 'none'" in page
    assert not re.findall(r"<(?:script|link|img)[^>]+(?:src|href)=", page)
    assert [f"F1 against latency, {s}" in page for s in ("dev", "test")] == [True, True]
    first, second = page.split("F1 against latency, test")
    assert "dev, 150 responses" in first
    assert "26.1" in first
    assert "150 responses" not in second
    assert "test, 316 responses" in second


def test_seconds_and_cost_in_words(run: RunData) -> None:
    found = measure(run)
    assert figure_2.latency_words(found.methods[0].latency).endswith(")")
    assert " s (95 % " in figure_2.latency_words(found.methods[0].latency)
    cached = measure(replace(run, timed=np.zeros_like(run.timed))).methods[0]
    assert (figure_2.latency_words(cached.latency), figure_2.tail_words(cached.latency)) == ("not measured", "no p50 and p95")
    assert figure_2.cost_words(found.methods[0]) == "Free: it runs within Groundscope"
    assert figure_2.cost_words(found.methods[2]) == "$0.0020 per response"
    assert "Cost unknown: enter the model's price" in figure_2.cost_words(replace(found.methods[2], cost=NAN))
    elsewhere = replace(found.methods[0], part=replace(found.methods[0].part, id="recorded:tool.metric"), cost=0.002)
    assert figure_2.cost_words(elsewhere) == "$0.0020 per response, as exported"
    assert figure_2.cost_words(replace(elsewhere, cost=NAN)) == "The export has no cost"
    assert [s.recorded for s in figure_2.spots(replace(found, methods=(elsewhere, found.methods[2])), "shown")] == [True, False]


def test_the_axis_says_what_is_averaged_over_what(run: RunData) -> None:
    results = measure(run)
    assert "mean over dev, as in the paper (" in figure_2.over_words("dev", "test", results)
    assert "mean over test (" in figure_2.over_words("shown", "test", results)


def test_a_study_has_a_table_of_three_answers_where_labels_and_a_method_tell_them_apart(run: RunData) -> None:
    study = Study("Three", (StudyRow("overlap", "Words"), StudyRow("quip", sweep={"n": "5,9"})))
    assert [title_of(study, part) for part in ("overlap:Words", "quip:n=9", "overlap")] == ["Words", "", ""]
    decision, _ = study.decide(run, "2026-11-29T12:00:00+00:00")
    assert not {name for name in study_files(study, run, decision) if name.startswith("three")}
    cases = [replace(c, contradicted=None if c.grounded else i % 2 == 0) for i, c in enumerate(made_cases(150))]
    labelled = made_run(cases, 3)

    def sentences(method: int) -> SentenceTable:
        table = labelled.read_sentences(method)
        return table._replace(contradiction=1 - table.support)

    files = study_files(study, replace(labelled, read_sentences=sentences), decision)
    assert {"three-answers.md", "three-answers.html", "three-answers.tex"} < files.keys()
    assert "| Method 1 |" in files["three-answers.md"]
    assert "Contradicted" in files["three-answers.md"]
