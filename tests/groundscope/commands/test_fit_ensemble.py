"""`fit-ensemble`: what it writes where, and what it refuses with a sentence."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groundscope.grounding.runs.reader import read_folder
from groundscope.methods import registry
from groundscope.training.ensembles import read, write
from groundscope.training.pair_figures import figures
from groundscope.types import Case, Passage
from tests.groundscope.commands.conftest import HOSTILE, Shell
from tests.groundscope.commands.ensemble_cases import CASES, FIT, made_cases
from tests.scorers.fitted import ensemble


def _own(shell: Shell, name: str = "mine") -> Path:
    return shell.home / "data" / "models" / "ensembles" / f"{name}.json"


def _left(shell: Shell) -> list[str]:
    """What lies in the data folder."""
    return sorted(str(p.relative_to(shell.home / "data")) for p in (shell.home / "data").rglob("*") if p.is_file())


def test_an_ensemble_is_fitted_and_reported(shell: Shell) -> None:
    shell.write("cases.jsonl", CASES)
    said = shell(*FIT)
    assert (said.code, said.out) == (0, f"{_own(shell)}\n"), said.err
    found = read(_own(shell))
    assert found.methods == ("quip", "overlap")
    # 3 of 5 queries are train's, with two responses of three sentences; 24 of them are wrong.
    assert found.made["sentences"] == 144
    assert found.made["unsupported"] == 24
    assert (found.made["data"], found.made["train"], found.made["dev"]) == ("cases.jsonl", 48, 16)
    assert found.made["on_dev"]["macro_f1"] == 1.0
    assert found.threshold == found.made["on_dev"]["threshold"]
    weights = dict(zip(found.names, found.weights, strict=True))
    assert weights["support by quip"] > 0 < weights["support by overlap"]
    lines = said.err.splitlines()
    assert re.fullmatch(r"1 of 64 responses judged, about .+ left", lines[0])
    rows = [re.fullmatch(r"(\S.+?) {2,}([+-]\d\.\d{3})", line) for line in lines[-14:-1]]
    assert {m[1]: m[2] for m in rows if m} == {name: f"{w:+.3f}" for name, w in weights.items()}
    sizes = [abs(float(m[2])) for m in rows if m]
    assert sizes == sorted(sizes, reverse=True)
    assert lines[-1] == f"dev: macro-F1 1.000 at {found.threshold:.2f}, AUROC 1.000."


def test_the_ensemble_is_a_method_from_then_on_and_its_figures_are_those_of_the_fit(shell: Shell) -> None:
    shell.write("cases.jsonl", CASES)
    assert shell.here(*FIT, "--quiet").code == 0
    assert re.search(r"^ensemble:mine +Ensemble mine +ready", shell.here("methods").out, re.M)
    said = shell.here("run", "--cases", "cases.jsonl", "--methods", "ensemble:mine", "--split", "dev", "--quiet", "--out", "out")
    assert said.code == 0, said.err
    run = read_folder(shell.home / "out")
    fitted = read(_own(shell))
    assert run.methods[0].threshold == fitted.threshold
    assert fitted.signatures == {m: registry.load(m).signature for m in fitted.methods}
    grounded = [bool(c.grounded) for c in CASES if c.split == "dev"]
    assert figures(run.support[0].astype(np.float64), np.array(grounded)) == read(_own(shell)).made["on_dev"]


def test_the_same_data_give_the_same_file(shell: Shell) -> None:
    shell.write("cases.jsonl", CASES)
    assert shell.here(*FIT, "--out", "one.json").code == 0
    said = shell.here(*FIT, "--out", "two.json", "--quiet")
    assert (said.code, said.out) == (0, "two.json\n")
    assert "judged" not in said.err
    assert (shell.home / "one.json").read_bytes() == (shell.home / "two.json").read_bytes()
    assert not _own(shell).exists()


def test_nothing_of_test_reaches_it(shell: Shell) -> None:
    shell.write("cases.jsonl", CASES)
    without = [c for c in CASES if c.split != "test"]
    (shell.home / "less").mkdir()
    shell.write("less/cases.jsonl", without)
    assert shell.here(*FIT, "--out", "all.json").code == 0
    assert shell.here(*FIT[:2], "less/cases.jsonl", *FIT[3:], "--out", "less.json").code == 0
    assert (shell.home / "all.json").read_bytes() == (shell.home / "less.json").read_bytes()


def test_a_taken_name_is_refused_and_replaced_where_that_is_asked_for(shell: Shell) -> None:
    shell.write("cases.jsonl", CASES)
    write(ensemble("overlap"), _own(shell))
    before = _own(shell).read_bytes()
    said = shell.here(*FIT)
    assert (said.code, said.out) == (2, "")
    assert said.err == "There is an ensemble mine.json already; choose another name, or add --replace.\n"
    assert _own(shell).read_bytes() == before
    assert shell.here(*FIT, "--replace").code == 0
    assert read(_own(shell)).methods == ("quip", "overlap")
    # What fails leaves the old one.
    after = _own(shell).read_bytes()
    assert shell.here(*FIT, "--replace", "--split", "test").code == 2
    assert _own(shell).read_bytes() == after
    assert _left(shell) == ["models/ensembles/mine.json"]


def test_responses_that_one_method_cannot_assess_take_part(shell: Shell) -> None:
    short = Case("short", "Who paid?", (Passage("p1", "He paid rent."),), "He paid rent.", True, split="train", group="short")
    shell.write("cases.jsonl", [*CASES, short])
    assert registry.load("quip").score(short).support is None
    assert shell.here(*FIT, "--quiet").code == 0
    assert read(_own(shell)).made["sentences"] == 145


def _unspanned(cases: Sequence[Case]) -> list[Case]:
    return [replace(c, errors=()) for c in cases]


def _in(cases: Sequence[Case], splits: Sequence[str]) -> list[Case]:
    return [c for c in cases if c.split in splits]


DATA: dict[str, tuple[list[Case], str]] = {
    "no spans": (_unspanned(CASES), "there are 72 and 0 of 24 queries"),
    "no spans and nothing grounded on train": (
        [c if c.split == "dev" or not c.grounded else replace(c, grounded=None) for c in _unspanned(CASES)],
        "The split train needs grounded and ungrounded responses",
    ),
    "no labels": ([replace(c, grounded=None, errors=()) for c in CASES], "These cases have no labels"),
    "test alone": (_in(CASES, ["test"]), "No labelled case is in the split train; there are test."),
    "no dev": (_in(CASES, ["train"]), "The split dev needs grounded and ungrounded responses"),
    "too little": (_in(made_cases(8), ["train", "dev"]), "there are 25 and 5 of 5 queries; label more."),
    "a query in two splits": (
        [*CASES, replace(CASES[0], id="again", split="dev")],
        "has responses in two splits, train and dev",
    ),
}


@pytest.mark.parametrize(("cases", "says"), DATA.values(), ids=DATA)
def test_data_that_tell_too_little_are_refused(cases: list[Case], says: str, shell: Shell) -> None:
    shell.write("cases.jsonl", cases)
    said = shell.here(*FIT, "--quiet")
    assert (said.code, said.out) == (2, ""), said.err
    assert says in said.err
    assert len(said.err.splitlines()) == 1
    assert not (shell.home / "data").exists()


def test_dev_that_no_method_can_assess_is_reported(shell: Shell) -> None:
    blank = [replace(c, response="It was so.", errors=(), unsupported=()) if c.split == "dev" else c for c in CASES]
    shell.write("cases.jsonl", blank)
    said = shell.here(*FIT, "--quiet")
    assert (said.code, said.out) == (2, "")
    assert "The methods could not assess grounded and ungrounded responses of dev, which the threshold needs." in said.err
    assert not (shell.home / "data").exists()


GIVEN: dict[str, tuple[tuple[str, ...], str]] = {
    "test": (("--split", "test"), "A test split is for the last look only: nothing is trained on it. Choose train."),
    "dev": (("--split", "dev"), "The dev split steers the training and finds the threshold"),
    "an unknown split": (("--split", HOSTILE), "No labelled case is in the split"),
    "an unknown method": (("--methods", "quip,no_such"), "no method 'no_such'; there are"),
    "no method": (("--methods", " , "), "--methods names no method"),
    "an ensemble": (("--methods", "quip,ensemble"), "An ensemble cannot be a part of an ensemble; name its methods themselves."),
    "an own ensemble": (("--methods", "quip,ensemble:other"), "An ensemble cannot be a part of an ensemble"),
    "a method that asks": (("--methods", "quip,direct"), "direct asks a chat model"),
    "a name that is a path": (("--name", "../mine"), "An ensemble's name has 1 to 40 small letters, figures and hyphens"),
    "a hostile name": (("--name", HOSTILE), "An ensemble's name has 1 to 40 small letters, figures and hyphens"),
    "no file": (("--cases", "nowhere.jsonl"), "nowhere.jsonl cannot be read (No such file or directory)."),
    "a folder below a file": (("--out", "cases.jsonl/a/mine.json"), "cannot be written (Not a directory); check the folder."),
    "an unknown option": (("--nothing",), "No such option '--nothing'."),
}


@pytest.mark.parametrize(("given", "says"), GIVEN.values(), ids=GIVEN)
def test_what_is_wrongly_given_is_reported_in_a_sentence(given: tuple[str, ...], says: str, shell: Shell) -> None:
    shell.write("cases.jsonl", CASES)
    write(ensemble("overlap"), _own(shell, "other"))
    said = shell.here(*FIT, "--quiet", *given)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert not re.search("[\x1b\x9b\x07\u202e]", said.err)
    assert _left(shell) == ["models/ensembles/other.json"]


def test_a_method_that_cannot_run_here_is_reported_before_anything_is_judged(shell: Shell) -> None:
    shell.write("cases.jsonl", CASES)
    known: dict[str, Any] = {m: registry.load(m) for m in ("factkb", "hem_v1")}
    lacking = [m for m, scorer in known.items() if scorer.unavailable()]
    if not lacking:
        pytest.skip("the weights of all methods are on this machine")
    said = shell.here(*FIT, "--methods", f"quip,{lacking[0]}")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"{lacking[0]}: ")
    assert "judged" not in said.err


def test_a_name_is_needed(shell: Shell) -> None:
    said = shell.here("fit-ensemble", "--cases", "cases.jsonl")
    assert said.code == 2
    assert "Missing option '--name'." in said.err


def test_help_says_every_option_and_what_comes_of_it(shell: Shell) -> None:
    said = shell.here("fit-ensemble", "--help")
    assert (said.code, said.err) == (0, "")
    for option in ("--cases", "--name", "--methods", "--split", "--out", "--replace", "--quiet"):
        assert re.search(rf"^  {option}\b", said.out, re.M), option
    assert "test is refused" in " ".join(said.out.split())
    assert "It appears as the method ensemble:NAME." in " ".join(said.out.split())
    assert re.search(r"^  fit-ensemble\s+fit an ensemble of methods on labelled cases$", shell.here("--help").out, re.M)
