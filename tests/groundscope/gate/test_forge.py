"""Reports for continuous integration: parsed back with real parsers, with hostile text in every place."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html
from markdown_it import MarkdownIt

from groundscope.findings.finding import Finding, FindingKind
from groundscope.gate.forge import GateReport, annotations, to_junit, to_page, to_summary
from groundscope.gate.measuring import AnswerFinding, MeasuredShare
from groundscope.gate.outcomes import SharePromise, invalid_outcome, share_outcomes
from groundscope.gate.rules import ShareLimit
from groundscope.text.sentences import split
from groundscope.types import Case, Passage

HOSTILE = '<script>alert(1)</script> ]]> & "x" \' | `y` [a](javascript:b) \x00\x0b\ud800 ::error::no %0A {{ 7*7 }} @all'
ENVIRONMENT = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "me/rag", "GITHUB_SHA": "abc123"}


def made(text: str = HOSTILE, file: str = "a,b:c%/cases.jsonl") -> tuple[GateReport, list[Case]]:
    """Two answers, the first with a finding, and a row that cannot be read; the text stands everywhere."""
    response = f"A sound one. {text} pays 950 dollars."
    start = response.index("pays")
    cases = [Case(text or "c", text, (Passage("p1", f"{text} pays 900 dollars.", text),), response), Case("d", "q", (), "Yes.")]
    sentence = sum(s.start <= start for s in split(response)) - 1
    finding = Finding(FindingKind.FIGURE, sentence, start + 5, start + 8, "950", f"{text} is wrong")
    place = AnswerFinding(0, (finding,))
    promise = SharePromise(text, "sentences", ShareLimit(0.1), MeasuredShare(np.array([[1.0, 2.0], [0.0, 1.0]]), (place,)))
    fine = SharePromise("Fine", "sentences", ShareLimit(0.9), promise.now)
    outcomes = [*share_outcomes([promise, fine]), invalid_outcome([], [(5, text)], 3, 0.0)]
    return GateReport(file, tuple(outcomes), text, "run-1", (text,), (2, 7)), cases


def unescaped(command: str) -> tuple[dict[str, str], str]:
    """A workflow command as GitHub's runner reads it: properties and text; half characters stay, which `unquote` replaces."""
    head, _, text = command.removeprefix("::error ").partition("::")

    def plain(value: str, *signs: str) -> str:
        for sign in (*signs, "\r", "\n", "%"):
            value = value.replace(f"%{ord(sign):02X}", sign)
        return value

    properties = (part.partition("=") for part in head.split(","))
    return {name: plain(value, ":", ",") for name, _, value in properties}, plain(text)


def test_junit_is_read_back_with_a_failure_for_each_broken_promise() -> None:
    report, cases = made()
    root = etree.fromstring(to_junit(report, cases), etree.XMLParser(resolve_entities=False, recover=False))
    (suite,) = root
    assert (root.tag, suite.tag, suite.get("tests"), suite.get("failures"), suite.get("errors")) == (
        "testsuites", "testsuite", "3", "2", "0",
    )  # fmt: skip
    assert {p.get("name"): p.get("value") for p in suite.iter("property")} == {
        "run": "run-1",
        "baseline": (shown := HOSTILE.translate({0: "\ufffd", 11: "\ufffd", 0xD800: "\ufffd"})),
        "note": shown,
    }
    first, fine, rows = suite.iter("testcase")
    assert [len(t.findall("failure")) for t in (first, fine, rows)] == [1, 0, 1]
    failure = first.find("failure")
    assert failure is not None
    assert failure.get("message") == "1 of 3 sentences, 33.3 %; allowed: at most 10.0 %."
    assert "a,b:c%/cases.jsonl:2: " in failure.text
    assert "<script>" in failure.text
    # ElementTree writes line ends in attributes; no text of a case becomes an element.
    elements = "testsuites testsuite properties property testcase failure system-out"
    assert {e.tag for e in root.iter()} == set(elements.split())
    assert "a,b:c%/cases.jsonl:5: " in rows.find("failure").text


def test_annotations_name_file_and_line_and_are_escaped() -> None:
    report, cases = made(HOSTILE + "\r\nsecond line")
    found = [unescaped(line) for line in annotations(report, cases)]
    assert all("\n" not in line and "\r" not in line for line in annotations(report, cases))
    assert [p.get("line") for p, _ in found] == ["2", "5", None]
    assert {p["file"] for p, _ in found} == {"a,b:c%/cases.jsonl"}
    properties, text = found[0]
    assert set(properties) == {"file", "line", "title"}
    assert text.startswith(f"{HOSTILE}\r\nsecond line is wrong\n")
    assert "pays 950 dollars." in text
    assert found[-1][0]["title"] == "groundscope check: 2 of 3 promises not held."


@given(st.text())
def test_any_text_survives_an_annotation(text: str) -> None:
    report, cases = made(text, file=text or "f")
    for line in annotations(report, cases):
        assert not {"\n", "\r"} & set(line)
    properties, said = unescaped(next(iter(annotations(report, cases))))
    assert properties["file"] == (text or "f")
    assert said.startswith(f"{text} is wrong")


def test_at_most_ten_annotations_are_written_and_the_last_is_about_the_whole() -> None:
    report, cases = made()
    many = tuple(AnswerFinding(0, (Finding(FindingKind.FIGURE, 0, i, i + 1, "x", "x"),)) for i in range(40))
    promise = SharePromise("Many", "sentences", ShareLimit(0.0), MeasuredShare(np.array([[40.0, 50.0]]), many))
    lines = list(annotations(GateReport("f", tuple(share_outcomes([promise])), lines=report.lines), cases))
    assert len(lines) == 10
    assert "1 of 1 promise not held." in lines[-1]


def test_every_form_lists_as_many_places_and_counts_the_others_rows_that_cannot_be_read_too() -> None:
    report, cases = made()
    lost = [AnswerFinding(1, (Finding(FindingKind.FIGURE, 0, i, i + 1, "x", "x"),)) for i in range(3)]
    outcome = replace(invalid_outcome(lost, [(i, "bad") for i in range(40)], 43, 0.0), findings=tuple(lost))
    report = replace(report, outcomes=(outcome,))
    texts = [to_junit(report, cases).decode(), to_summary(report, cases, {})]
    assert [(t.count("bad"), t.count("... and 18 more")) for t in texts] == [(25, 1)] * 2


def test_the_summary_is_markdown_in_which_text_stays_text_and_places_are_links() -> None:
    report, cases = made(file="data/cases.jsonl")
    text = to_summary(report, cases, ENVIRONMENT)
    drawn = MarkdownIt("commonmark").enable("table").render(text)
    page = html.fromstring(drawn)
    assert [a.get("href") for a in page.iter("a")] == [
        "https://github.com/me/rag/blob/abc123/data/cases.jsonl#L2",
        "https://github.com/me/rag/blob/abc123/data/cases.jsonl#L5",
    ]
    assert not list(page.iter("script", "img"))
    rows = [[c.text_content() for c in row] for row in page.iter("tr")]
    assert rows[0] == ["promise", "here", "allowed", "outcome"]
    assert rows[1][1:] == ["1 of 3 sentences, 33.3 %", "at most 10.0 %", "broken"]
    assert rows[2] == ["Fine", "1 of 3 sentences, 33.3 %", "at most 90.0 %", "held"]


def test_outside_a_workflow_and_outside_the_repository_there_are_no_links() -> None:
    for file, environment in (("cases.jsonl", dict[str, str]()), ("/home/me/x.jsonl", ENVIRONMENT), ("../x", ENVIRONMENT)):
        assert "](http" not in to_summary(*made(file=file), environment)


def test_the_page_escapes_everything_and_marks_the_words_of_each_finding() -> None:
    report, cases = made()
    text = to_page(report, cases)
    page = html.document_fromstring(text)
    assert not list(page.iter("script", "img", "iframe", "link"))
    assert "{{ 7*7 }}" in "".join(page.xpath("//section//text()"))
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'")
    assert page.xpath("//mark[contains(@class, 'gf-exact')]/text()")[0] == "950"
    (number,) = page.xpath("//sup[following-sibling::mark[contains(@class, 'gf-exact')]][last()]/text()")
    assert page.xpath("//section//li/text()")[0].startswith(f"Sentence {number}: ")
    assert "pays 900 dollars." in "".join(page.xpath("//blockquote//text()"))
    assert len(page.xpath("//tbody/tr")) == 3
    assert "Line 5: " in "".join(page.xpath("//li/text()"))


def test_the_page_of_held_promises_has_the_table_alone() -> None:
    report, cases = made()
    page = html.document_fromstring(to_page(GateReport("f.jsonl", report.outcomes[1:2]), cases))
    assert page.xpath("//h1/text()") == ["f.jsonl: Held."]
    assert not page.xpath("//section | //h2")
