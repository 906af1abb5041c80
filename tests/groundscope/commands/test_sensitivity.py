"""`sensitivity` and `sensitivity-report` from a shell."""

import csv
import io
import re
from pathlib import Path

from groundscope.grounding.runs import listing
from groundscope.grounding.runs.reader import read_folder
from groundscope.grounding.sensitivity.pairs import SOURCE
from groundscope.types import Case, Passage
from tests.groundscope.commands.conftest import Shell

CASES = [
    Case(f"c{i}", "What is due?", (Passage("p", "The tenant must pay the rent in 30 days."),), text, grounded=i < 3)
    for i, text in enumerate(["The tenant must pay the rent.", "It is due in 30 days.", "The tenant pays.", "No rent is due."])
]


def test_pairs_are_made_judged_and_shown(shell: Shell) -> None:
    cases = shell.write("lease.jsonl", CASES)
    given = ("sensitivity", "--cases", cases, "--methods", "overlap,quip", "--edits", "modal,deadline,judge,bold")
    ended = shell(*map(str, given))
    assert ended.code == 0
    assert "4 pairs from 3 grounded answers of lease.jsonl." in ended.err
    assert "No place for: judge." in ended.err
    # The one modal is another word, and so shares fewer pairs of words with the source.
    assert re.search(r"^Shall, may, must +Overlap +1 +100.0% ", ended.out, re.M)
    assert re.search(r"^All changes of form ", ended.out, re.M)
    folder, _, shown = ended.out.partition("\n")
    run = read_folder(Path(folder))
    assert (run.name, run.source) == ("Sensitivity, lease", f"{SOURCE}lease.jsonl")
    assert not run.timed.any(), "what shares a context is made once, so that no time is right"

    again = shell("sensitivity-report", run.id)
    assert again.out == shown
    rows = list(csv.DictReader(io.StringIO(shell("sensitivity-report", run.id, "--form", "csv").out)))
    assert {r["edit"] for r in rows} == {"edits", "deadline", "modal", "controls", "bold"}
    assert {r["method_id"] for r in rows} == {"overlap", "quip"}


def test_what_cannot_be_done_is_said(shell: Shell) -> None:
    wrong = str(shell.write("wrong.jsonl", CASES[3:]))
    assert "no case of this set is labelled as one" in shell("sensitivity", "--cases", wrong, "--methods", "quip").err
    sound = str(shell.write("sound.jsonl", CASES))
    assert "there is no edit 'verb'; there are number, date," in shell("sensitivity", "--cases", sound, "--edits", "verb").err
    assert "No edit applies" in shell("sensitivity", "--cases", sound, "--edits", "judge").err
    name = listing.samples()[0].id
    refused = shell("sensitivity-report", name)
    assert (refused.code, refused.out) == (2, "")
    assert "This run has no pairs" in refused.err
