"""`check-set` as a user types it."""

import json

from tests.components.labelled_set import rows
from tests.groundscope.commands.conftest import Shell


def _written(shell: Shell, **changes: object) -> str:
    (shell.home / "set.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows(**changes)), encoding="utf-8")
    return "set.jsonl"


def test_the_samples_pass_and_their_size_is_shown(shell: Shell) -> None:
    said = shell("check-set")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("legal_qa.jsonl: no check failed.\n")
    assert "passed          Splits share no group and no sentence" in said.out
    assert "near-copy of another query's" in said.out


def test_a_set_at_fault_says_where_and_ends_with_1(shell: Shell) -> None:
    made = rows()
    leaking = [{**row, "split": "test" if i == 0 else row["split"], "group": "one"} for i, row in enumerate(made)]
    (shell.home / "leaks.jsonl").write_text("".join(json.dumps(r) + "\n" for r in leaking), encoding="utf-8")
    said = shell("check-set", "--cases", "leaks.jsonl", "--json")
    found = json.loads(said.out)
    assert said.code == 1
    (splits,) = [c for c in found["checks"] if c["check"] == "Splits share no group and no sentence"]
    assert splits["outcome"] == "failed"
    assert splits["findings"]
    text = shell("check-set", "--cases", "leaks.jsonl")
    assert text.code == 1
    assert f"  {splits['findings'][0]['case']}: {splits['findings'][0]['finding']}" in text.out


def test_near_copies_are_looked_for_when_asked(shell: Shell) -> None:
    said = shell("check-set", "--cases", _written(shell), "--near-copies", "--json")
    last = json.loads(said.out)["checks"][-1]
    assert last["outcome"] in ("passed", "failed")
    assert "Not measured yet" not in last["measured"]
