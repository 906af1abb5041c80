"""`tune`: thresholds found on a split, frozen under a name once, written to a file, and read on another split."""

import pytest

from groundscope.grounding.rules import frozen_rules
from groundscope.grounding.rules.frozen_rules import from_json
from groundscope.grounding.runs.reader import read_folder
from groundscope.grounding.tuning import tune_all
from tests.groundscope.commands.conftest import Shell


def test_thresholds_are_shown_and_kept_under_a_name(made: Shell) -> None:
    said = made.done("tune", "run")
    run = read_folder(made.home / "run")
    tuned, _ = tune_all(run)
    head, _, *rows = said.out.splitlines()
    assert head.split("  ")[0] == "method"
    for row, found in zip(rows, tuned.values(), strict=True):
        assert f"{found.value:.3f}" in row
        assert f"{found.rule.threshold:.3f}" in row
        assert " dev " in row
        assert " 12 " in row
    assert made.frozen("Our first") is None
    said = made.done("tune", "run", "--freeze", "Our first")
    report = "python -m groundscope report run --rules 'Our first' --split test"
    assert f"Frozen as Our first. Now: {report}" in said.err
    frozen = made.done("report", "run", "--rules", "Our first", "--split", "test")
    starting = made.done("report", "run", "--rules", "starting", "--split", "test")
    default = made.done("report", "run", "--split", "test")
    assert frozen.out == default.out != starting.out
    words = "Thresholds of Made: frozen as Our first, the newest that hold for all of its methods; --rules starting reads"
    assert words in default.err
    assert "Thresholds of" not in frozen.err + starting.err
    decision = from_json(made.frozen("Our first") or "")
    assert (decision.run, decision.data_hash, dict(decision.tuned)) == ("Made", run.data_hash, tuned)


def test_a_frozen_name_is_never_taken_twice(made: Shell) -> None:
    assert made("tune", "run", "--freeze", "Once").code == 0
    before = made.frozen("Once")
    assert before
    for name in ("Once", "once"):
        refused = made("tune", "run", "--split", "test", "--freeze", name)
        assert (refused.code, "This name is taken" in refused.err) == (2, True)
    assert made.frozen("Once") == before


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../x", "A name has letters, digits, spaces"),
        ("\x1b[31m", "A name has letters, digits, spaces"),
        ("Starting", "names the thresholds that methods start with"),
    ],
)
def test_a_name_that_means_nothing_is_refused(made: Shell, name: str, why: str) -> None:
    refused = made("tune", "run", "--freeze", name)
    assert (refused.code, why in refused.err) == (2, True)


def test_thresholds_are_written_to_a_file_and_nowhere_else(made: Shell) -> None:
    before = set((made.home / "data").rglob("*"))
    for given, name in (((), "Made"), (("--freeze", "Tuned on dev"), "Tuned on dev")):
        out = f"{name}.json"
        made.done("tune", "run", *given, "--out", out)
        decision = from_json((made.home / out).read_text("utf-8"))
        assert decision.name == name
        assert frozen_rules.to_json(decision) == (made.home / out).read_text("utf-8")
        assert set(decision.tuned) == {"quip", "overlap"}
        refused = made("tune", "run", "--out", out)
        assert (refused.code, f"{out} already exists" in refused.err) == (2, True)
    assert set((made.home / "data").rglob("*")) == before
    assert "no/where.json cannot be written" in made("tune", "run", "--out", "no/where.json").err


def test_tuning_hears_its_options(made: Shell) -> None:
    costs = made("tune", "run", "--missed", "5")
    assert "cost" in costs.out.splitlines()[0]
    on_test = made.done("tune", "run", "--split", "test", "--how", "share_below")
    assert " 48 " in on_test.out
    assert "sentences" in on_test.out


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--split", "train"), "QUIP: There is no labelled response in train; the run has dev, test. Tune on another split."),
        (("--how", "max"), "--how must be one of own, min, mean, share_below, got 'max'"),
        (("--missed", "0"), "0.0 is not in the range x>0."),
    ],
)
def test_what_cannot_be_tuned_is_reported(made: Shell, given: tuple[str, ...], says: str) -> None:
    assert says in made.refuses("tune", "run", *given)


def test_rules_of_other_parameters_give_no_verdict_and_that_is_reported(made: Shell) -> None:
    other = ("--cases", "cases.jsonl", "--methods", "quip,overlap", "--set", "quip.n=5", "--quiet", "--out", "other")
    assert made("run", *other).code == 0
    assert made("tune", "run", "--freeze", "For the first").code == 0
    report = made.done("report", "other", "--rules", "For the first", "--format", "csv")
    assert "quip: For the first was not made for it as it stands in cases; it gets no verdicts." in report.err
    assert "overlap" not in report.err
    words = "Thresholds of cases: those that methods start with, since no frozen ones hold for all of its methods."
    assert words in made.done("report", "other").err
    pair = made.done("compare", "run", "other")
    assert "Thresholds of Made: frozen as For the first" in pair.err
    assert "Thresholds of cases: those that methods start with" in pair.err, "what the others do not hold for"
    figures = {line[:4]: line.split("  ") for line in pair.out.splitlines()}
    assert "+0.000" in " ".join(figures["Over"]), "the same parameters, the same threshold"
    pair = made.done("compare", "run", "other", "--rules", "For the first").err
    assert "quip: For the first was not made for it as it stands in cases" in pair


def test_a_promise_is_frozen_with_its_threshold_and_read_on_test(made: Shell) -> None:
    said = made.done("tune", "run", "--promise", "60", "--confidence", "75", "--freeze", "Promised")
    head, _, *rows = said.out.splitlines()
    assert head.split("  ")[0] == "method"
    assert "Promised: at most 60 % missed, with 75 % confidence." in said.err
    decision = from_json(made.frozen("Promised") or "")
    assert len(rows) == len(decision.promises) > 0
    for row, (method, promise) in zip(rows, decision.promises.items(), strict=True):
        assert f"{promise.threshold:.4f}" in row
        assert decision.tuned[method].rule.threshold == promise.threshold
    said = made.done("report", "run", "--rules", "Promised", "--split", "test")
    assert said.err.count("promised at most 60 % missed, with 75 % confidence; ") == len(rows)
    said = made("report", "run", "--rules", "Promised", "--split", "dev")
    assert "those that the promises were found on" in said.err


def test_a_promise_that_no_threshold_carries_is_refused_with_what_could_be_promised(made: Shell) -> None:
    err = made.refuses("tune", "run", "--promise", "0.5", "--freeze", "Never")
    assert "No threshold can promise this: " in err
    assert "are too few; it takes 460 or more. The smallest that can be promised with 90 % confidence is " in err
    assert made.frozen("Never") is None


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--promise", "10", "--missed", "2"), "name one of them"),
        (("--confidence", "95"), "goes with --promise"),
        (("--promise", "100"), "not in the range"),
    ],
)
def test_a_promise_that_means_nothing_is_refused(made: Shell, given: tuple[str, ...], words: str) -> None:
    assert words in made.refuses("tune", "run", *given)
