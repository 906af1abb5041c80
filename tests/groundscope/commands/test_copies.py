"""`sensitivity`, `stability` and the reports of their runs from a shell."""

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from threading import Lock

from groundscope.grounding.runs.reader import read_folder
from groundscope.grounding.sensitivity.pairs import SOURCE as PAIRS_SOURCE
from groundscope.grounding.stability.copies import SOURCE
from groundscope.types import Case, Passage
from tests.groundscope.commands.conftest import Shell
from tests.llm_server import Asked, LLMServer

CASES = [
    Case(
        f"c{i}",
        f"What is due in {i}?",
        (Passage("p", "The rent is due."), Passage("q", "In May.")),
        "The rent is due. It is May.",
    )
    for i in range(4)
]


def test_readings_are_made_judged_and_shown(shell: Shell) -> None:
    cases = shell.write("lease.jsonl", CASES)
    asked: Counter[str] = Counter()
    lock = Lock()

    def answer(call: Asked) -> str:
        """Passes everything but the second asking about the first case with its passages in their own order."""
        texts = str({name: text for name, text in call.data.items() if name not in ("question", "answer", "response")})
        first = call.data["question"] == CASES[0].query and texts.find("The rent is due.") < texts.find("In May.")
        with lock:
            asked[CASES[0].query] += first
            passed = not first or asked[CASES[0].query] != 2
        return json.dumps({"reasons": ["So it is."], "unsupported": [], "verdict": "PASS" if passed else "FAIL"})

    with LLMServer(answer) as server:
        model = f"server:scripted-1@{server.openai}"
        given = ("stability", "--cases", str(cases), "--methods", "overlap,direct", "--model", model, "--times", "3")
        ended = shell.done(*given, "--kinds", "repeats,passages", "--yes")
        assert len(server.asked) == 4 * (3 + 1)
    assert "16 readings of 4 responses of lease.jsonl." in ended.err
    assert re.search(r"16 calls", ended.err)
    assert re.search(r"^\| Asked again +\| Direct prompting +\| 4 +\| 0.250 .* 0.167 ", ended.out, re.M)
    assert re.search(r"^\| Asked again +\| Overlap +\| 4 +\| 0.000 ", ended.out, re.M)
    folder, _, shown = ended.out.partition("\n")
    run = read_folder(Path(folder))
    assert (run.name, run.source) == ("Stability, lease", f"{SOURCE}lease.jsonl")
    again = shell("report", run.id)
    assert again.out == shown
    rows = list(csv.DictReader(io.StringIO(shell("report", run.id, "--format", "csv").out)))
    assert [(r["kind"], r["method_id"]) for r in rows] == [
        ("repeats", "overlap"), ("repeats", "direct"), ("passages", "overlap"), ("passages", "direct"),
    ]  # fmt: skip


def test_what_cannot_be_done_is_said(shell: Shell) -> None:
    cases = str(shell.write("lease.jsonl", CASES[:1]))
    assert "is not in the range 2<=x<=50" in shell("stability", "--cases", cases, "--times", "1").err
    wrong = shell("stability", "--cases", cases, "--methods", "overlap", "--kinds", "mood")
    assert "there is no kind 'mood'; there are repeats, passages, sentences, wording" in wrong.err
    assert "None of this can be done" in shell.refuses("stability", "--cases", cases, "--methods", "quip", "--kinds", "wording")
    assert "Choose a model" in shell.refuses("stability", "--cases", cases, "--methods", "direct", "--kinds", "repeats", "--yes")


LEASE = [
    Case(f"c{i}", "What is due?", (Passage("p", "The tenant must pay the rent in 30 days."),), text, grounded=i < 3)
    for i, text in enumerate(["The tenant must pay the rent.", "It is due in 30 days.", "The tenant pays.", "No rent is due."])
]


def test_pairs_are_made_judged_and_shown(shell: Shell) -> None:
    cases = shell.write("lease.jsonl", LEASE)
    given = ("sensitivity", "--cases", cases, "--methods", "overlap,quip", "--edits", "modal,deadline,judge,bold")
    ended = shell.done(*map(str, given))
    assert "4 pairs from 3 grounded answers of lease.jsonl." in ended.err
    assert "No place for: judge." in ended.err
    # The one modal is another word, and so shares fewer pairs of words with the source.
    assert re.search(r"^\| Shall, may, must +\| Overlap +\| 1 +\| 1.000 ", ended.out, re.M)
    assert re.search(r"^\| All changes of form ", ended.out, re.M)
    folder, _, shown = ended.out.partition("\n")
    run = read_folder(Path(folder))
    assert (run.name, run.source) == ("Sensitivity, lease", f"{PAIRS_SOURCE}lease.jsonl")
    assert not run.timed.any(), "what shares a context is made once, so that no time is right"

    again = shell("report", run.id)
    assert again.out == shown
    rows = list(csv.DictReader(io.StringIO(shell("report", run.id, "--format", "csv").out)))
    assert {r["edit"] for r in rows} == {"edits", "deadline", "modal", "controls", "bold"}
    assert {r["method_id"] for r in rows} == {"overlap", "quip"}


def test_pairs_that_cannot_be_made_are_reported(shell: Shell) -> None:
    wrong = str(shell.write("wrong.jsonl", LEASE[3:]))
    assert "no case of this set is labelled as one" in shell("sensitivity", "--cases", wrong, "--methods", "quip").err
    sound = str(shell.write("sound.jsonl", LEASE))
    assert "there is no edit 'verb'; there are number, date," in shell("sensitivity", "--cases", sound, "--edits", "verb").err
    assert "No edit applies" in shell("sensitivity", "--cases", sound, "--edits", "judge").err
