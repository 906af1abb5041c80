"""`check` and `verify` as a pipeline runs them: exit codes, reports, baselines, packs."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from groundscope.__main__ import main
from groundscope.review.pack import evidence_pack
from groundscope.review.report import MissingMethod, report_content
from groundscope.types import Case
from tests.groundscope.chat.clients.scripts import passes
from tests.groundscope.commands.conftest import HOSTILE, Shell, narrow
from tests.groundscope.gate.answers import CITED, SOUND, WRONG_FIGURE, answer
from tests.groundscope.review.test_pack import CASE, changed, packed_method
from tests.llm_server import Asked, LLMServer

FACTS = "[facts]\nat_most = 0.3\n"
COUNT = 12


def answers(wrong: int = 0, count: int = COUNT) -> list[Case]:
    """Answers to as many questions; the first ones have a figure that their sources lack."""
    return [
        answer(SOUND, WRONG_FIGURE if i < wrong else "The rent is $900 a month.", CITED, id=f"q{i}", query=f"Question {i}?")
        for i in range(count)
    ]


def checked(shell: Shell, rules: str, *more: str, cases: Sequence[Case] | None = None) -> "tuple[int, str, str]":
    """Check answers in this process."""
    if cases is not None:
        shell.write("cases.jsonl", cases)
    (shell.home / "rules.toml").write_text(rules, encoding="utf-8")
    said = shell("check", "cases.jsonl", "--rules", "rules.toml", "--quiet", *more)
    return said.code, narrow(said.out), said.err


def test_the_program_ends_with_0_where_promises_are_held_and_with_1_where_one_is_broken(shell: Shell) -> None:
    shell.write("cases.jsonl", answers(wrong=3))
    (shell.home / "rules.toml").write_text("[facts]\nat_most = 0.09\n[citations]\nat_most = 0\n", encoding="utf-8")
    said = shell("check", "cases.jsonl", "--rules", "rules.toml")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("cases.jsonl: All 4 promises held.\n")
    assert "held  Sentences with facts that the sources lack  3 of 36 sentences, 8.3 %  at most 9.0 %" in narrow(said.out)
    (shell.home / "rules.toml").write_text("[facts]\nat_most = 0.08\n[citations]\nat_most = 0\n", encoding="utf-8")
    said = shell("check", "cases.jsonl", "--rules", "rules.toml")
    assert (said.code, said.err) == (1, "")
    assert said.out.startswith("cases.jsonl: 1 of 4 promises not held.\n")
    assert "  cases.jsonl:1: q0, sentence 2: “$950” is not in the sources; the nearest sentence has “$900”.\n" in said.out
    said = shell("check", "cases.jsonl", "--rules", "none.toml")
    assert (said.code, said.out) == (2, "")
    assert said.err == "none.toml cannot be read (No such file or directory); name a file of rules.\n"


def test_a_method_judges_and_its_run_is_the_next_baseline(shell: Shell) -> None:
    rules = '[unsupported]\nmethod = "quip"\nat_most = 0.5\n[latency]\nat_most = 60\n[cost]\nat_most = 0\n'
    assert checked(shell, rules, cases=answers())[0] == 0
    assert shell.runs() == []
    code, out, err = checked(shell, rules, "--out", "base", "--keep")
    assert code == 0, out + err
    (run,) = shell.runs()
    assert f"These answers are kept as run {run.id}, in base; name one of the two with --baseline in the next check." in err
    for baseline in ("base", run.id):
        code, out, err = checked(shell, rules, "--baseline", baseline)
        assert code == 0, out + err
        assert "Sentences that QUIP calls unsupported, against the baseline" in out
        assert "+0.0 points" in out
        assert "judged again" not in err
    assert [r.id for r in shell.runs()] == [run.id]


def test_a_baseline_is_paired_by_question(shell: Shell) -> None:
    code, _, err = checked(shell, FACTS, "--out", "base", cases=answers())
    assert (code, err) == (0, "These answers are kept as base; name it with --baseline in the next check.\n")
    assert shell.manifest("base")["methods"] == shell.runs() == []
    ended, out, _ = checked(shell, FACTS, "--baseline", "base", cases=list(reversed(answers(wrong=5))))
    assert ended == 1
    # Only answers that became worse: one of 2^5 swaps makes as large a difference.
    assert "p = 0.031" in out
    assert "13.9 %, before 0.0 %: +13.9 points" in out


def test_a_baseline_of_other_questions_is_refused_before_anything_is_judged(shell: Shell) -> None:
    rules = '[unsupported]\nmethod = "quip"\n'
    assert checked(shell, FACTS, "--out", "base", cases=answers())[0] == 0
    code, out, err = checked(shell, rules, "--baseline", "base", cases=answers(count=14)[1:])
    assert (code, out) == (2, "")
    assert "2 questions are only in the file (q12, q13), 1 question is only in the baseline (q0)" in err
    assert shell.runs() == []
    code, _, err = checked(shell, rules, "--baseline", "nowhere")
    assert (code, "There is no run 'nowhere'" in err) == (2, True)


def test_a_baseline_of_another_signature_is_judged_again_and_that_is_said(shell: Shell) -> None:
    rules = '[unsupported]\nmethod = "quip"\noptions = { n = %d }\n'
    assert checked(shell, rules % 9, "--out", "base", cases=answers())[0] == 0
    code, out, err = checked(shell, rules % 12, "--baseline", "base")
    assert code == 0, err
    assert "The baseline was not judged by QUIP as it stands here: it is judged again." in err
    assert "+0.0 points" in out
    assert shell.runs() == []


def test_rows_that_cannot_be_read_break_a_promise_unless_it_allows_them(shell: Shell) -> None:
    shell.write("cases.jsonl", answers())
    path = shell.home / "cases.jsonl"
    bad = '{"query": "q", "response": NaN, "context": ["a"]}\n{"query": "q"}\nno json\n'
    path.write_text(path.read_text("utf-8") + "\n" + bad, encoding="utf-8")
    code, out, err = checked(shell, FACTS, "--github")
    assert code == 1
    assert "broken  Rows that cannot be read or judged  3 of 15 rows, 20.0 %" in out
    assert "::error file=cases.jsonl,line=14,title=Rows that cannot be read or judged%3A row that cannot be used::" in out
    assert "cases.jsonl, row 14: 'response' is empty." in err
    assert checked(shell, FACTS + "[invalid]\nat_most = 0.2\n")[0] == 0


def test_a_row_that_is_lost_takes_its_question_out_of_the_comparison(shell: Shell) -> None:
    assert checked(shell, FACTS, "--out", "base", cases=answers())[0] == 0
    shell.write("cases.jsonl", answers()[1:])
    path = shell.home / "cases.jsonl"
    path.write_text("no json\n" + path.read_text("utf-8"), encoding="utf-8")
    code, out, err = checked(shell, FACTS + "[invalid]\nat_most = 0.1\n", "--baseline", "base")
    assert code == 0, out
    assert "1 question of the baseline cannot be compared: rows here could not be read." in err
    assert "11 questions." in out


def test_a_method_that_needs_a_key_or_a_threshold_is_named_and_nothing_is_judged(shell: Shell) -> None:
    rules = '[unsupported]\nmethod = "%s"\n'
    code, out, err = checked(shell, rules % "direct", "--model", "anthropic:claude-haiku-5-5", cases=answers())
    assert (code, out) == (2, "")
    assert "Direct prompting: Set ANTHROPIC_API_KEY in the environment" in err
    code, _, err = checked(shell, rules % "nothing")
    assert (code, err.startswith("no method 'nothing'; there are ")) == (2, True)
    code, _, err = checked(shell, rules % "quip" + 'thresholds = "none such"\n')
    assert (code, err.startswith("There are no frozen thresholds named 'none such'")) == (2, True)
    assert shell.runs() == []


def test_frozen_thresholds_decide_and_those_of_other_parameters_are_refused(shell: Shell) -> None:
    labelled = [replace(c, grounded=i >= 6, split="dev") for i, c in enumerate(answers(wrong=6))]
    shell.write("labelled.jsonl", labelled)
    assert shell("run", "--cases", "labelled.jsonl", "--methods", "quip", "--quiet", "--out", "run").code == 0
    assert shell("tune", "run", "--split", "dev", "--how", "min", "--freeze", "ours").code == 0
    rules = '[unsupported]\nmethod = "quip"\nthresholds = "ours"\nat_most = 0.0\n'
    code, out, _ = checked(shell, rules, cases=answers(wrong=6))
    assert code == 1
    frozen = json.loads(shell.frozen("ours") or "")["tuned"]["quip"]["rule"]
    assert f"needed {frozen['threshold']:.2f}." in out
    code, _, err = checked(shell, rules + "options = { n = 9 }\n")
    assert code == 2
    assert err.startswith("ours was not made for quip as it stands here (quip|n=9|")


def test_replies_of_a_chat_model_that_cannot_be_read_are_lost_rows(shell: Shell) -> None:
    def says(asked: Asked) -> str:
        return "no verdict at all" if "$950" in asked.user else passes(asked)

    rules = '[unsupported]\nmethod = "direct"\nat_most = 0.0\n[cost]\nat_most = 1.0\n'
    with LLMServer(says) as server:
        model = f"server:scripted-1@{server.openai}"
        code, out, err = checked(shell, rules, "--model", model, cases=answers(wrong=2))
        assert code == 1, err
        assert "broken  Rows that cannot be read or judged  2 of 12 rows, 16.7 %" in out
        assert "held  US dollars an answer, mean (of judging)  $0 over 12 answers" in out
        assert "q0: Direct prompting gave no judgement" in out
        other = [replace(c, response=f"{c.response} Indeed.") for c in answers()]
        code, out, err = checked(shell, rules, "--model", model, "--calls", "1", cases=other)
        assert (code, out, "To resume: " in err) == (2, "", True)
        server.refusal = "no such model"
        code, out, err = checked(shell, rules, "--model", model, cases=[replace(c, response="None.") for c in answers()])
        assert (code, out, "12 times: " in err) == (2, "", True)


def test_a_field_of_the_rows_holds_seconds_and_money(shell: Shell) -> None:
    path = shell.home / shell.write("cases.jsonl", answers())
    rows = [{**json.loads(line), "s": i + 1, "usd": 0.01} for i, line in enumerate(path.read_text("utf-8").splitlines())]
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    code, out, _ = checked(shell, '[latency]\nat_most = 11.45\nfield = "s"\n[cost]\nat_most = 0.01\nfield = "usd"\n')
    # The 95th percentile of 1 to 12 lies at 11.45.
    assert (code, "11.4 s over 12 answers" in out) == (0, True)


def test_all_reports_are_written_and_name_the_file_from_the_repository(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = [replace(c, id=f"{c.id} {HOSTILE}", query=f"{HOSTILE} {c.id}") for c in answers(wrong=6)]
    (shell.home / "repo" / "data").mkdir(parents=True)
    shell.write("repo/data/cases.jsonl", hostile)
    (shell.home / "rules.toml").write_text("[facts]\nat_most = 0.0\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(shell.home / "repo"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shell.home / "step.md"))
    for name, value in (("SERVER_URL", "https://github.com"), ("REPOSITORY", "me/rag"), ("SHA", "abc")):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    (shell.home / "step.md").write_text("before\n", encoding="utf-8")
    to = ("--junit", "out.xml", "--summary", "out.md", "--html", "out.html", "--github")
    said = shell("check", "repo/data/cases.jsonl", "--rules", "rules.toml", "--quiet", *to)
    assert said.code == 1, said.err
    assert "::error file=data/cases.jsonl,line=1,title=" in said.out
    assert "\x1b" not in said.out
    (suite,) = etree.parse(str(shell.home / "out.xml")).getroot()
    assert (suite.get("name"), suite.get("failures")) == ("data/cases.jsonl", "1")
    summary = (shell.home / "out.md").read_text("utf-8")
    assert "(https://github.com/me/rag/blob/abc/data/cases.jsonl#L6)" in summary
    assert (shell.home / "step.md").read_text("utf-8") == f"before\n{summary}"
    page = (shell.home / "out.html").read_text("utf-8")
    assert "<b>$x$" not in page
    assert page.count("<section>") == 6


def test_csv_has_no_lines_and_its_rows_are_named(shell: Shell) -> None:
    (shell.home / "cases.csv").write_text('id,query,context,response\na,q,The sky is blue.,"It cost $950."\n', encoding="utf-8")
    (shell.home / "rules.toml").write_text("[facts]\nat_most = 0\n", encoding="utf-8")
    said = shell("check", "cases.csv", "--rules", "rules.toml", "--github")
    assert said.code == 1
    assert "  cases.csv: a, sentence 1: “$950” is not in the sources.\n" in said.out
    assert "::error file=cases.csv,title=" in said.out


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    path = tmp_path / "evidence.zip"
    content = report_content(CASE, {}, "Ada", None, [MissingMethod("Cascade", "still at work")])
    path.write_bytes(evidence_pack(CASE, [packed_method("overlap")], [], content).data)
    return path


def test_a_whole_pack_is_said_to_be_whole(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(pack)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Seal: ")
    assert "  report.pdf: same\n" in said
    assert "  overlap: same, " in said
    counted = "how often checks and methods are right (that was counted on labelled answers, which are not in the pack)"
    assert "  findings of checks: same, " in said
    assert said.endswith(
        "No file has changed since the pack was made; 1 of 1 methods were scored again and agree. "
        f"Not scored again: {counted}. Not in the pack: Cascade (still at work).\n"
    )
    assert main(["verify", str(pack), "--no-scores", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["sound"], found["methods"]) == (True, [])
    assert [(c["name"], c["state"]) for c in found["unchecked"]] == [
        ("findings of checks", "not scored again"),
        ("figures of all methods", "not scored again"),
        ("how often checks and methods are right", "not scored again"),
        ("Cascade", "not in the pack"),
    ]
    assert found["summary"].startswith(
        "No file has changed since the pack was made; no method was scored again. Not scored again:"
    )


def test_a_changed_pack_is_named_and_ends_with_1(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pack.write_bytes(changed(pack.read_bytes(), lambda files: files.update({"case.jsonl": files["case.jsonl"] + b" "})))
    assert main(["verify", str(pack)]) == 1
    said = capsys.readouterr().out
    assert "  case.jsonl: changed, its SHA-256 is " in said
    assert said.endswith("Not as it was packed: case.jsonl (changed). Nothing was scored again.\n")


def test_what_is_no_pack_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.zip").write_bytes(b"x")
    unread = "cannot be read"
    for path, words in ((tmp_path / "a.zip", "not a zip"), (tmp_path / "none.zip", unread), (tmp_path, unread)):
        assert main(["verify", str(path)]) == 2
        assert words in capsys.readouterr().err
