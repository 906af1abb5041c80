"""`split` and `make-variants` as users type them."""

import json
import re

import pytest

from groundscope.cases.dataset import read
from tests.groundscope.commands.conftest import Shell, made_cases


def test_a_set_is_split_by_query(shell: Shell) -> None:
    cases = made_cases(60)
    shell.write("cases.jsonl", cases)
    bare = [json.loads(line) for line in (shell.home / "cases.jsonl").read_text("utf-8").splitlines()]
    for row in bare:
        row["split"] = None
    (shell.home / "bare.jsonl").write_text("".join(json.dumps(row) + "\n" for row in bare), encoding="utf-8")
    said = shell.here("split", "--cases", "bare.jsonl", "--shares", "60/20/20", "--seed", "2", "--out", "new.jsonl")
    assert (said.code, said.out) == (0, "new.jsonl\n"), said.err
    found = read("new.jsonl", (shell.home / "new.jsonl").read_bytes()).cases
    assert [c.id for c in found] == [row["id"] for row in bare]
    groups: dict[str, set[str | None]] = {}
    for case in found:
        groups.setdefault(case.group or case.id, set()).add(case.split)
    assert {len(splits) for splits in groups.values()} == {1}
    assert {c.split for c in found} == {"train", "dev", "test"}
    assert re.search(r"^train +\d+ +\d+", said.err, re.M)
    again = shell.here("split", "--cases", "bare.jsonl", "--out", "new.jsonl")
    assert (again.code, again.err) == (2, "new.jsonl is there already; name a new file.\n")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--out", "n.jsonl"), "cases.jsonl has splits already: dev, test"),
        (("--replace", "--shares", "a/b/c", "--out", "n.jsonl"), "a/b/c is not three shares above 0"),
        (("--replace", "--shares", "50/50", "--out", "n.jsonl"), "50/50 is not three shares above 0"),
    ],
)
def test_what_cannot_be_split_is_refused(given: tuple[str, ...], words: str, shell: Shell) -> None:
    shell.write("cases.jsonl", made_cases(30))
    said = shell.here("split", "--cases", "cases.jsonl", *given)
    assert (said.code, said.out) == (2, "")
    assert words in said.err
    assert not (shell.home / "n.jsonl").exists()


def test_a_whole_set_gets_variants_and_a_card(shell: Shell) -> None:
    said = shell.here("make-variants", "--edits", "modal,deadline,court", "--most", "1", "--quiet", "--out", "made")
    assert (said.code, said.out) == (0, "made\n"), said.err
    found = read("variants.jsonl", (shell.home / "made" / "variants.jsonl").read_bytes()).cases
    variants = [c for c in found if c.parent]
    assert {c.grounded for c in variants} == {False}
    assert re.search(rf"^{len(variants):,} variants of [\d,]+ of 178 grounded answers\.$", said.err, re.M)
    card = (shell.home / "made" / "README.md").read_text("utf-8")
    assert "| Legal edits | modal, deadline, court |" in card
    assert "near-copy" in card
    assert "give its label away" in card
    again = shell.here("make-variants", "--out", "made")
    assert (again.code, again.err) == (2, "made is there already; name a new folder.\n")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--edits", "none"), "Nothing writes variants"),
        (("--edits", "clever"), "there is no edit 'clever'; there are"),
        (("--model", "nothing"), "model"),
        (("--versions", "99"), "--versions"),
    ],
)
def test_what_makes_no_variants_is_refused(given: tuple[str, ...], words: str, shell: Shell) -> None:
    said = shell.here("make-variants", *given, "--out", "made")
    assert (said.code, said.out) == (2, "")
    assert words in said.err
    assert not (shell.home / "made").exists()
