"""How a shell says what the fields of a file are, which part of a set is judged, and how it is divided."""

import json
import re
from dataclasses import replace

import pytest

from groundscope.__main__ import VERBS
from groundscope.cases.mapping.saved_mappings import saved
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.reader import read_folder
from tests.groundscope.cases.format_files import content
from tests.groundscope.cases.test_mapping import DATA, MAPPING
from tests.groundscope.chat.clients.scripts import passes
from tests.groundscope.commands.conftest import Said, Shell
from tests.groundscope.commands.test_help import command
from tests.groundscope.grounding.runs import made_cases
from tests.llm_server import LLMServer

CASES = made_cases(60)


def judged(shell: Shell, out: str, *given: str) -> RunData:
    shell.done("run", "--methods", "overlap", "--quiet", "--out", out, *given)
    return read_folder(shell.home / out)


def test_a_file_of_unknown_fields_is_judged_by_a_mapping(shell: Shell) -> None:
    (shell.home / "mine.json").write_bytes(DATA)
    assert "say what its fields are" in shell.refuses("run", "--cases", "mine.json", "--methods", "overlap")
    typed = judged(shell, "typed", "--cases", "mine.json", "--map", MAPPING.line)
    assert typed.splits.tolist() == ["train", "dev", ""]
    assert "there is no saved" in shell.refuses("run", "--cases", "mine.json", "--map", "desk").lower()


def test_a_mapping_is_kept_from_a_shell_and_used_by_its_name(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (shell.home / "mine.json").write_bytes(DATA)
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(shell.home / "data"))

    def checked(*given: str) -> Said:
        return shell("check-set", "--cases", "mine.json", *given)

    for given, words in {
        ("--keep-map", "desk"): "--keep-map keeps what --map says; add --map",
        ("--map", MAPPING.line, "--keep-map", "a=b"): "A mapping's name has 1 to 60 characters and no equals sign.",
        ("--map", "context=none,answer=no", "--keep-map", "desk"): "context=none: no row has this field; there are q, docs",
    }.items():
        refused = checked(*given)
        assert (refused.code, words in refused.err) == (2, True), refused.err
    # What could not be used is not kept.
    assert saved() == {}
    typed = checked("--map", MAPPING.line, "--keep-map", " support desk ")
    # The app keeps and finds its mappings in the same place.
    assert saved() == {"support desk": MAPPING}
    assert checked("--map", "support desk").out == typed.out
    checked("--map", "support desk", "--keep-map", "second name")
    assert saved() == {"second name": MAPPING, "support desk": MAPPING}


READERS = ["run", "stability", "sensitivity", "finetune", "check-set", "error-types", "make-variants", "split"]


@pytest.mark.parametrize("verb", READERS)
def test_each_verb_that_reads_labelled_cases_samples_and_divides_them(verb: str) -> None:
    options = {name: p for p in command(verb).params for name in p.opts}
    assert {"--map", "--keep-map", "--sample", "--seed"} <= options.keys()
    # Types and pairs do not depend on splits, and `split` has shares of its own.
    assert ("--make-splits" in options) == (verb not in ("error-types", "sensitivity", "split"))
    said = options["--seed"].help or ""
    assert "of the sample" in said
    assert ("of the splits" in said) == (verb not in ("error-types", "sensitivity"))


def test_no_other_verb_maps_fields() -> None:
    # A promise is about all answers of a pipeline, so that `check` draws none.
    assert {verb for verb in VERBS if any("--map" in p.opts for p in command(verb).params)} == {*READERS, "check"}


def test_a_verb_counts_the_drawn_cases_in_the_splits_that_it_made(shell: Shell) -> None:
    cases = str(shell.write("cases.jsonl", CASES))
    given = ("--cases", cases, "--make-splits", "50/25/25", "--sample", "20", "--seed", "3")
    one, again = (json.loads(shell("check-set", *given, "--json").out)["splits"] for _ in range(2))
    assert one == again
    counts = {row["split"]: row["responses"] for row in one}
    assert counts.keys() == {"all", "train", "dev", "test"}
    assert 18 <= int(counts["all"]) <= 22, "whole queries"
    shell.done("split", "--cases", cases, "--replace", "--sample", "20", "--seed", "3", "--out", "few.jsonl")
    assert 18 <= len((shell.home / "few.jsonl").read_text("utf-8").splitlines()) <= 22


def test_stability_draws_the_sample_that_a_run_draws(shell: Shell) -> None:
    cases = str(shell.write("cases.jsonl", CASES))
    asked = ("--cases", cases, "--methods", "overlap", "--quiet", "--seed", "4")
    ran = judged(shell, "ran", "--cases", cases, "--sample", "7", "--seed", "4")
    for name in ("--sample", "--most"):
        shell.done("stability", *asked, "--kinds", "repeats", "--times", "2", name, "7", "--out", f"out{name}")
        assert {i.partition("~")[0] for i in read_folder(shell.home / f"out{name}").ids.tolist()} == {*ran.ids.tolist()}


def test_a_sample_is_drawn_by_a_seed(shell: Shell) -> None:
    cases = str(shell.write("cases.jsonl", CASES))
    seven, eight = (judged(shell, seed, "--cases", cases, "--sample", "12", "--seed", seed) for seed in "78")
    assert len(seven.ids) == len(eight.ids) == 12
    assert seven.ids.tolist() != eight.ids.tolist()
    assert len(judged(shell, "few", "--cases", cases, "--sample", "12", "--limit", "3").ids) == 3


def test_splits_are_made_before_one_is_chosen(shell: Shell) -> None:
    given = ("--cases", str(shell.write("cases.jsonl", CASES)), "--make-splits", "60/20/20", "--seed", "1")
    run = judged(shell, "split", *given)
    assert set(run.splits.tolist()) == {"train", "dev", "test"}
    only = judged(shell, "dev", *given, "--split", "dev")
    assert set(only.ids.tolist()) == {i for i, s in zip(run.ids.tolist(), run.splits.tolist(), strict=True) if s == "dev"}


@pytest.mark.parametrize("shares", ["70/30", "a/b/c", "inf/1/1"])
def test_shares_that_are_none_are_refused(shares: str, shell: Shell) -> None:
    said = shell("run", "--make-splits", shares)
    assert said.code == 2
    assert re.search(r"is not three shares above 0, such as 70/10/20", " ".join(said.err.split()))


def test_without_keeping_replies_are_neither_read_nor_written(shell: Shell) -> None:
    cases = str(shell.write("cases.jsonl", [replace(c, response=f"{c.response} {i}") for i, c in enumerate(CASES[:3])]))
    store = shell.home / "data" / "replies.sqlite"
    with LLMServer(passes) as server:
        given = ("--cases", cases, "--methods", "direct", "--model", f"server:m@{server.openai}", "--yes", "--quiet")

        def asked(*more: str) -> int:
            before = len(server.asked)
            shell.done("run", *given, *more)
            return len(server.asked) - before

        assert asked("--no-keep") == 3
        assert not store.exists()
        assert asked() == 3
        assert asked() == 0
        kept = store.read_bytes()
        assert asked("--no-keep") == 3
        assert store.read_bytes() == kept
        assert asked() == 0


def test_the_scores_that_a_set_stores_are_methods_of_its_run(shell: Shell) -> None:
    (shell.home / "batch.json").write_bytes(content("faithbench_batch.json"))
    run = judged(shell, "out", "--cases", "batch.json")
    assert [m.id for m in run.methods][:3] == ["overlap", "recorded:faithbench.hhem_1", "recorded:faithbench.hhem_2_1"]
    assert len(run.methods) == 9
    given = judged(shell, "given", "--cases", "batch.json", "--scores", "batch.json")
    assert [m.signature for m in given.methods] == [m.signature for m in run.methods]
