"""What the matrix and the list of the errors page hold."""

from dataclasses import replace

import numpy as np

from components.errors.cells import CellChoice, head, kind_words, lines, matrix
from components.opened.run_words import interval, percent, rule_words, titles
from groundscope.grounding.misclassified.calls import UNTYPED
from groundscope.grounding.misclassified.table import GROUNDED, OCCURRENCES, PARTS, UNGROUNDED, error_table, frame, shown
from groundscope.grounding.runs.arrays import PENDING, RunData
from groundscope.grounding.tables import frame_csv
from groundscope.grounding.tuning import Rule, starting_rules
from groundscope.types import ErrorType
from tests.groundscope.grounding.test_misclassified import FACT, calls_of, case, paper_dev, run_of, small
from tests.loops import each

HOSTILE = "<script>alert(1)</script> **b** =1+1"


def drawn(run: RunData, pressed: CellChoice | None = None) -> dict[str, object]:
    calls = calls_of(run)
    return matrix(run, starting_rules(run), calls, error_table(calls), pressed)


def test_the_matrix_of_the_papers_table_4() -> None:
    content = drawn(paper_dev(), CellChoice(FACT, "method_0"))
    line = content["lines"][0]  # type: ignore[index]
    assert (line["title"], line["rule"], line["coverage"]) == ("Method 0", "threshold 0.50", "verdict on 75 of 75")
    fact = line["cells"][2]
    assert (fact["rate"], fact["count"], fact["interval"], fact["none"]) == ("20.3%", "12 of 59", "12–32%", "")
    assert (fact["cases"], fact["pressed"], fact["part"]) == (12, True, FACT)
    total = line["cells"][-1]
    # The sum over the types has no interval: a response with two types is in it twice.
    assert (total["part"], total["rate"], total["count"], total["interval"]) == (OCCURRENCES, "19.6%", "18 of 92", "")
    assert not total["pressed"]
    alarms = line["cells"][1]
    assert (alarms["part"], alarms["rate"], alarms["count"], alarms["cases"]) == (GROUNDED, "–", "0 of 0", 0)
    heads = [h["title"] for h in content["heads"]]  # type: ignore[attr-defined]
    assert heads[:3] == ["All ungrounded", "False alarms", "Factual inaccuracy"]
    assert UNTYPED not in heads


def test_no_verdict_is_named_in_its_cell_and_in_the_coverage() -> None:
    content = drawn(small())
    line = content["lines"][0]  # type: ignore[index]
    assert line["coverage"] == "verdict on 3 of 5"
    by_part = {c["part"]: c for c in line["cells"]}
    assert by_part[ErrorType.REASONING_ERROR]["none"] == "1 no verdict"
    assert by_part[UNTYPED]["count"] == "0 of 1"
    # What is not judged yet is not in it.
    run = small()
    run.status[0, 2] = PENDING
    assert drawn(run)["lines"][0]["coverage"] == "verdict on 3 of 4"  # type: ignore[index]


def test_heads_say_how_many_there_are_and_without_types_there_are_two() -> None:
    table = error_table(calls_of(small()))
    words = {PARTS[i]: head(table, i)["count"] for i in shown(table)}
    assert words[FACT] == "1 response"
    assert words[OCCURRENCES] == "3 occurrences"
    assert words[GROUNDED] == "of 2 grounded"
    run = run_of([case("a", False), case("b", True)], [[0.1, 0.2]])
    assert [PARTS[i] for i in shown(error_table(calls_of(run)))] == [UNGROUNDED, GROUNDED]


def test_names_are_cut_and_reported_apart() -> None:
    run = small()
    first, second = run.methods
    twins = replace(run, methods=(replace(first, title="QUIP"), replace(second, title="QUIP")))
    assert titles(twins) == {"method_0": "QUIP (method_0)", "method_1": "QUIP (method_1)"}
    long = replace(run, methods=(replace(first, title="x" * 500), second))
    assert len(titles(long)["method_0"]) == 60


@each(
    ("rule", "words"),
    [
        (Rule("own", 0.5), "threshold 0.50"),
        (Rule("min", 0.25), "threshold 0.25, the lowest sentence"),
        (Rule("share_below", 0.9, 0.3), "threshold 0.90, the share of sentences not flagged at 0.30"),
    ],
)
def test_rules_in_words(rule: Rule, words: str) -> None:
    assert rule_words(rule) == words


def test_numbers_that_are_none_are_a_dash() -> None:
    assert (percent(float("nan")), interval(float("nan"), float("nan"))) == ("–", "")
    assert (percent(0.2034), interval(0.1204, 0.3227)) == ("20.3%", "12–32%")


def test_the_list_has_every_call_as_a_sign_and_in_words() -> None:
    run = small()
    calls = calls_of(run)
    found = lines(run, calls, run.read_cases([1, 2]), [1, 2], 26, opened=2)
    assert [(r["number"], r["id"], r["label"], r["opened"]) for r in found] == [
        (26, "b", "ungrounded", False),
        (27, "c", "ungrounded", True),
    ]
    assert found[0]["types"] == "Factual inaccuracy, Reasoning error"
    assert [c["symbol"] for c in found[0]["calls"]] == ["✗", "✓"]
    assert found[1]["calls"][0] == {"symbol": "–", "words": "Method 0: no verdict", "outcome": "none"}
    assert kind_words(calls, 3) == "No type given"
    assert kind_words(calls, 0) == ""


def test_a_question_is_cut_and_an_empty_one_stands_for_its_response() -> None:
    run = run_of([replace(case("a", False), query=" \n"), replace(case("b", False), query="x " * 900)], [[0.1, 0.1]])
    found = lines(run, calls_of(run), run.read_cases([0, 1]), [0, 1], 1, None)
    assert found[0]["question"].startswith("The court heard")
    assert len(found[1]["question"]) == 180


def test_hostile_text_is_data_and_no_formula_in_a_file() -> None:
    run = small()
    run = replace(run, methods=(replace(run.methods[0], title=f"={HOSTILE}"), run.methods[1]))
    data = frame(run, starting_rules(run), error_table(calls_of(run)))
    text = frame_csv(data).decode()
    assert f"'={HOSTILE}" in text
    assert text.startswith(
        "method,title,signature,support,threshold,beyond_paper,error_type,misclassified,no_verdict,total,rate,low,high"
    )
    assert len(text.splitlines()) == 1 + len(PARTS) * 2
    assert np.isnan(data.low[data.error_type == OCCURRENCES]).all()
