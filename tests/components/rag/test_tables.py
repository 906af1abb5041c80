"""Tables of the Legal RAG page, as a reader and as a program sees them."""

import csv as reader
import io

import pytest

from components.rag.messages import OUTCOME_TITLES
from components.rag.tables import axes_html, csv, printed_html, rankings_html, shares_html
from groundscope.grounding.tables import frame_csv
from groundscope.rag.effects.printed import frame
from groundscope.rag.outcomes import Answer, rows
from groundscope.rag.ranking import Ranking, rank
from groundscope.rag.report import report
from groundscope.rag.types import Question
from tests.groundscope.rag.samples import discordant, published

HOSTILE = "<img src=x onerror=alert(1)>"


def ranking(name: str, *relevant: str, matching: str = "exact") -> Ranking:
    """A ranking of lists in which the first passage is `a`, the second `b` and so on."""
    asked = [Question(f"q{i}", "?", relevant=(one,)) for i, one in enumerate(relevant)]
    return rank(name, asked, [list("abcde")] * len(asked), 5, matching)  # type: ignore[arg-type]


def test_each_measure_has_a_table_with_a_column_a_known_k() -> None:
    hit, *others, mrr = rankings_html([ranking("one", "a", "b"), ranking("two", "c", "z")])
    # Five passages were asked for, so nothing is known at ten.
    assert [t.count("k = 5") for t in (hit, *others, mrr)] == [1, 1, 1, 0]
    assert not [t for t in (hit, *others, mrr) if "k = 10" in t]
    assert "<bdi>one</bdi></th><td>0.500<br><small>0.00–1.00</small></td><td>1.000" in hit
    assert "<td>0.750<br>" in mrr
    assert "<td>0.167<br>" in mrr


def test_one_question_has_a_figure_and_no_interval() -> None:
    found = ranking("one", "b")
    said = "".join(rankings_html([found]))
    assert "<td>0.500</td>" in said
    assert "nan" not in said
    assert list(found.row())[:7] == ["retriever", "matching", "questions", "left_out", "unlisted", "hit@1", "hit@3"]


def test_substring_figures_are_named_and_names_are_no_markup() -> None:
    said = "".join(rankings_html([ranking(HOSTILE, "a", "b"), ranking(HOSTILE, "a", "b", matching="substring")]))
    assert "<img" not in said
    assert said.count("<small>by substring</small>") == 4


def test_what_is_not_known_is_a_dash() -> None:
    deep = rank("deep", [Question("q", "?", relevant=("a",))], [["a"]], 10)
    hit = rankings_html([ranking("flat", "a", "b"), deep])[0]
    assert "<td>–</td></tr>" in hit.split("<bdi>flat</bdi>")[1].split("<bdi>deep</bdi>")[0]


@pytest.mark.parametrize("hit", [True, None])
def test_errors_without_a_cause_have_a_column_where_there_are_some(hit: bool | None) -> None:
    found = rows([Answer("e", "m", "1", False, True, hit), Answer("e", "m", "2", True, True, hit)])
    said = shares_html(found, "C")
    assert ("Not correct, cause not known" in said) is (hit is None)
    heads, cells = said.split("<tbody>")
    assert heads.count("<th ") == cells.count("<td") + cells.count("<th ")
    table = next(reader.DictReader(io.StringIO(csv(report([Answer("e", "m", "1", False, True, hit)])).decode())))
    assert (table["cause not known"], table["reasoning error"]) == (("100.0", "0.0") if hit is None else ("0.0", "100.0"))


def test_a_table_of_published_shares_prints_them() -> None:
    said = shares_html(rows(list(published())), "Combinations")
    assert "<td title='95 of 100'>95.0<br>" in said
    assert "Not correct" not in said


def test_tests_stand_in_one_table_a_column_an_outcome() -> None:
    said = printed_html(report(list(discordant())), OUTCOME_TITLES)
    joint, *others = said.split("</table>")[:-1]
    assert joint.count("<tr>") == 1 + 3
    assert "Correct</th><th scope='col'>Grounded</th><th scope='col'>Correct and grounded</th>" in joint
    within = next(part for part in others if "Models within one embedder: points (standard error), 95 % interval" in part)
    assert "'>not known</td><td>-10.0 (4.8)*<br><small>-19.4 to -0.6</small></td><td title='" in within


def test_names_in_tests_are_no_markup_and_no_formula() -> None:
    answers = [
        Answer(e, m, f"q{i}", bool((i + len(e)) % 3), bool((i + len(m)) % 2), None)
        for e in (HOSTILE, "=1+1") for m in ("a", "bb") for i in range(9)
    ]  # fmt: skip
    found = report(answers)
    assert "<img" not in printed_html(found, OUTCOME_TITLES)
    lines = list(reader.DictReader(io.StringIO(frame_csv(frame(found)).decode())))
    assert {line["what"] for line in lines} >= {"'=1+1", "bb"}
    assert len(lines) == 3 * (3 + 1 + 1 + 2 + 2 + 1)


def test_a_setting_has_lines_of_shares_and_of_differences_below() -> None:
    arms = ((f"{HOSTILE}, k = 3", "1100"), (f"{HOSTILE}, k = 5", "1111"))
    found = report([Answer(arm, "m", f"q{i}", c == "1", True, True) for arm, said in arms for i, c in enumerate(said)])
    said = axes_html(found.axes, "Settings")
    title, first, second, difference = said.partition("<tbody>")[2].split("</tr>")[:4]
    assert title == "<tr><th scope='row' colspan='8'><b>k: 1 combination with each value</b></th>"
    assert "<bdi>k = 3</bdi>" in first
    assert "title='2 of 4'>50.0<br>" in first
    assert "title='4 of 4'>100.0<br>" in second
    assert "<bdi>against k = 3</bdi>" in difference
    assert "<td title=''>+50.0<br><small>-36.4 to +136.4</small></td>" in difference.replace("<td>", "<td title=''>")
    # Grounding is the same everywhere: no figure, and why on hover.
    assert "title='No variance" in difference
    assert "<img" not in said
