"""One case with an exact finding, a difference and a doubt: every view and export names the same words, for the same reasons."""

import csv
import io
import json
from collections.abc import Callable

import pytest

from groundscope.api.scores import ScoredRow, ScoreTable
from groundscope.drawing import report
from groundscope.drawing.board import MethodRow, board
from groundscope.findings import Certainty, MethodReading
from groundscope.findings.listing import leading, listed
from groundscope.gate.answering import found_in
from groundscope.grounding.export import to_csv, to_json
from groundscope.methods import registry
from groundscope.review.report import report_content
from groundscope.types import Case, Judgement, Passage, Status
from tests.groundscope.drawing.parsed import Parsed

LEASE = "The rent is $900 a month, due on the first day. The Tenant may end the lease on sixty days' notice."
ANSWER = "The rent is $950 a month, due on the first day. The Tenant must end the lease on sixty days' notice. Pets like gardens."
WORDS = {
    Certainty.EXACT: ("$950", "“$950” is not in the sources; the nearest sentence has “$900”."),
    Certainty.DIFFERS: ("must", "“must” here; “may” in the passage that this sentence otherwise repeats."),
    Certainty.DOUBTFUL: ("Pets like gardens.", "Word overlap finds too little in the sources for it."),
}
CASE = Case("c", "What is owed?", (Passage("p1", LEASE, "Lease"),), ANSWER)
SCORER = registry.load("overlap")
READINGS = (
    MethodReading("quip", "quip|n=21", Judgement(Status.FAILED, note="out of order"), 0.5),
    MethodReading("overlap", SCORER.signature, SCORER.score(CASE), SCORER.about.threshold),
)
ALL = tuple(Certainty)[:3]
Named = set[tuple[str, str]]


def in_text(text: str) -> Named:
    """What a page of running text names."""
    return {(words, why) for words, why in WORDS.values() if words in text and why in text}


def web_page() -> Named:
    return in_text(Parsed(report.page(CASE, READINGS)).text)


def notebook() -> Named:
    return in_text(Parsed(ScoreTable([ScoredRow(1, CASE, "", READINGS)]).show().html).text)


def as_json() -> Named:
    return {(f["text"], f["why"]) for f in json.loads(to_json(CASE, READINGS))["findings"]}


def as_csv() -> Named:
    """Words only of what is exact; a reason of each."""
    rows = list(csv.DictReader(io.StringIO(to_csv(CASE, READINGS[1:]), newline="")))
    assert [r["not_in_context"] for r in rows] == ["$950", "", ""]
    return in_text(" ".join(r["text"] + r["findings"] for r in rows))


def heatmap() -> Named:
    drawn = board(CASE, [MethodRow("overlap", SCORER.about, READINGS[1].judgement, SCORER.about.threshold)])
    assert drawn["methods"][0]["headline"] == listed(CASE, READINGS).headline
    lists = (*drawn["checks"], *drawn["differs"], *drawn["methods"][0]["doubts"])
    return {(f["text"], f["why"]) for of in lists for f in of}


def review_report() -> Named:
    """What DOCX and PDF are written from."""
    content = report_content(CASE, {}, "Ada", listed(CASE, READINGS))
    rows = ("".join(piece for piece, *_ in row.text) + " ".join(row.findings) for row in content.rows)
    # What a method doubts stands in the line of the screening.
    return in_text(" ".join((*rows, *(text for _, text in content.about))))


def gate() -> Named:
    return {(answer.finding.text, answer.finding.why) for answer in found_in(CASE, ["figures", "names"], None, None)}


def gate_with_a_method() -> Named:
    return {(answer.finding.text, answer.finding.why) for answer in found_in(CASE, ["figures"], "overlap", None)}


@pytest.mark.parametrize(
    ("view", "certainties"),
    [
        (heatmap, ALL),
        (review_report, ALL),
        (web_page, ALL),
        (notebook, ALL),
        (as_json, ALL),
        (as_csv, ALL),
        # Only what is exact fails a gate, and what a method doubts where one is asked.
        (gate, (Certainty.EXACT,)),
        (gate_with_a_method, (Certainty.EXACT, Certainty.DOUBTFUL)),
    ],
)
def test_all_name_the_same_findings(view: Callable[[], Named], certainties: tuple[Certainty, ...]) -> None:
    assert view() == {WORDS[c] for c in certainties}


def test_the_list_has_them_in_the_order_to_read_them_and_one_headline_stands_everywhere() -> None:
    findings = listed(CASE, READINGS)
    assert [(f.certainty, (f.text, f.why)) for f in findings.findings] == list(WORDS.items())
    pages = (report.page(CASE, READINGS), str(ScoreTable([ScoredRow(1, CASE, "", READINGS)]).show().html))
    assert all(findings.headline in Parsed(text).text for text in pages)
    assert json.loads(to_json(CASE, READINGS))["headline"] == findings.headline


def test_the_recommended_method_leads_among_those_with_a_support() -> None:
    first, second = READINGS
    judge = MethodReading("grounding_classifier", registry.load("grounding_classifier").signature, second.judgement, 0.25)
    chosen = leading([first, second, judge])
    assert chosen is not None
    assert (chosen.method, chosen.title) == ("grounding_classifier", "Trained judge")
    assert [leading(r) for r in ((), (first,))] == [None, None]
