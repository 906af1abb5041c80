"""`rag-report` as a user types it."""

import json
import re
from dataclasses import replace

import pytest

from groundscope.rag.outcomes import Answer
from groundscope.rag.records import read_results, to_jsonl, to_row
from groundscope.review import ReviewDecision, Ruling, default
from groundscope.review.audit import audit_case
from groundscope.review.decisions import WHOLE
from tests.groundscope.commands.conftest import Shell
from tests.groundscope.rag.bench_files import results
from tests.groundscope.rag.samples import discordant, published


def _written(shell: Shell) -> str:
    (shell.home / "results.jsonl").write_text("\n".join(json.dumps(to_row(a)) for a in published()), encoding="utf-8")
    return "results.jsonl"


def test_a_report_is_shown_as_text(shell: Shell) -> None:
    said = shell("rag-report", _written(shell), "--baseline-embedder", "Kanon 2 Embedder")
    assert (said.code, said.err) == (0, "")
    assert "600 answers to 100 questions" in said.out
    assert re.search(r"Does the embedder matter\? .* p < 0\.001\*\*\*", said.out)
    assert "Text Embedding 3 Large against Kanon 2 Embedder" in said.out


def test_a_report_is_shown_as_json(shell: Shell) -> None:
    said = shell("rag-report", _written(shell), "--json")
    made = json.loads(said.out)
    assert (made["baseline_embedder"], made["baseline_llm"]) == ("Text Embedding 3 Large", "Gemini 3.1 Pro")
    assert [c["correct"]["count"] for c in made["combinations"]] == [95, 77, 75, 93, 76, 73]


def test_standard_errors_stand_in_the_text_and_every_test_is_a_row_of_csv(shell: Shell) -> None:
    (shell.home / "r.jsonl").write_text(to_jsonl(list(discordant())), encoding="utf-8")
    text = shell("rag-report", "r.jsonl").out
    assert re.search(r"^GPT-5\.2 against Gemini 3\.1 Pro, with Gemini Embedding 001 +not known +-10\.0 \(4\.8\)\*", text, re.M)
    assert "† p < 0.1" in text
    assert "standard_error" in shell("rag-report", "r.jsonl", "--tests-csv").out


def test_embedders_models_and_retrieval_are_in_the_report(shell: Shell) -> None:
    texts = [replace(a, relevant=("p0",), retrieved=("p0", "p1") if a.hit else ("p1", "p2")) for a in published()]
    (shell.home / "r.jsonl").write_text(to_jsonl(texts), encoding="utf-8")
    said = shell("rag-report", "r.jsonl").out
    assert re.search(r"^Kanon 2 Embedder +\(all\) +94\.0 \(", said, re.M)
    assert re.search(r"^\(all\) +GPT-5\.2 +80\.7 \(", said, re.M)
    assert re.search(r"^Text Embedding 3 Large +100 +0\.520 ", said, re.M)


def test_the_judge_is_audited_by_what_people_decided(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(shell.home / "data"))
    names = [path.name for path in results(shell.home)]
    assert "No one has decided on any of these answers yet." in shell("rag-report", *names, "--audit").out
    answers = read_results(names[0], (shell.home / names[0]).read_bytes()).answers
    case = audit_case(answers[0], "grounded")
    assert case is not None
    default().decide(case, "Ada", ReviewDecision(WHOLE, Ruling.NOT_SUPPORTED))
    said = shell("rag-report", *names, "--audit")
    # The same answer stands in the results of six combinations.
    assert re.search(r"^grounded +94\.4 \(.*\) +6 +0\.0 \(", said.out, re.M), said.out
    (made,) = json.loads(shell("rag-report", *names, "--audit", "--json").out)["audit"]
    assert (made["verdict"], made["read"], made["agree with yes"], made["agree with no"]) == ("grounded", 6, 0.0, None)


def test_what_was_never_run_or_is_doubtful_is_said(shell: Shell) -> None:
    rows = [to_row(a) for a in published() if a.cell != ("Kanon 2 Embedder", "GPT-5.2")]
    rows[0]["context"] = 7
    del rows[1]["grounded"]
    (shell.home / "r.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    said = shell("rag-report", "r.jsonl")
    assert "Not every combination was asked all 100 questions: Kanon 2 Embedder with Gemini 3.1 Pro (99), " in said.err
    assert "Kanon 2 Embedder with GPT-5.2 (0)" in said.err
    assert "row 1 has a 'context' that is neither" in said.err
    assert "r.jsonl, row 2: 'grounded' is missing." in said.err
    assert "these means are over different models or embedders" in said.out


def test_what_has_no_figure_is_a_dash(shell: Shell) -> None:
    rows = [Answer("e", m, "1", True if m == "a" else None, True, None) for m in "ab"]
    (shell.home / "r.jsonl").write_text(to_jsonl(rows), encoding="utf-8")
    said = shell("rag-report", "r.jsonl").out
    assert "nan" not in said
    assert re.search(r"^b +- +none", said, re.M)


def test_what_each_setting_of_retrieval_does_is_a_table_of_its_own(shell: Shell) -> None:
    arms = (("BM25, k = 3", "1100"), ("BM25, k = 5", "1111"))
    answers = [Answer(arm, "m", f"q{i}", c == "1", True, True) for arm, said in arms for i, c in enumerate(said)]
    (shell.home / "r.jsonl").write_text(to_jsonl(answers), encoding="utf-8")
    said = shell("rag-report", "r.jsonl").out
    assert "differ in one setting of retrieval alone" in said
    three, five, difference = said.partition("k: 1 combination with each value")[2].splitlines()[1:4]
    assert (three.split()[4], five.split()[4]) == ("50.0", "100.0")
    assert "+50.0 (-36.4 to +136.4)" in difference
    assert "axis" in shell("rag-report", "r.jsonl", "--tests-csv").out
    assert "one setting of retrieval" not in shell("rag-report", _written(shell)).out


def test_what_cannot_be_reported_is_refused_in_one_sentence(shell: Shell) -> None:
    _written(shell)
    for given, words in (
        (("gone.jsonl",), "gone.jsonl cannot be read"),
        (("results.jsonl", "--baseline-llm", "nobody"), "The baseline model nobody is not in these results"),
    ):
        assert words in shell.refuses("rag-report", *given)


def test_files_of_the_benchmarks_own_code_are_one_report(shell: Shell) -> None:
    names = [path.name for path in results(shell.home)]
    said = shell.done("rag-report", *names, "--json")
    assert said.err.count("by exact ids none was") == said.err.count("\n") == 1
    made = json.loads(said.out)
    assert (made["answers"], made["questions"], len(made["combinations"])) == (18, 3, 6)
    assert (made["baseline_embedder"], made["baseline_llm"]) == ("Text Embedding 3 Large", "Gemini 3.1 Pro")
    assert "both have an answer by Kanon 2 Embedder with GPT-5.2 to q1" in shell.refuses("rag-report", names[0], names[0])
