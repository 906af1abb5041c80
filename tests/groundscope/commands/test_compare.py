"""`compare`: two runs side by side; differences only where both judged the same responses."""

import re

import pytest

from groundscope.grounding.comparing.two_runs import RunSide, two_runs
from groundscope.grounding.latency import latencies
from groundscope.grounding.runs.reader import read_folder
from groundscope.grounding.tuning import starting_rules, verdicts
from tests.groundscope.commands.conftest import Shell


@pytest.fixture(scope="module")
def pair(made: Shell) -> Shell:
    """Beside `run`: `same` over the same cases with other parameters."""
    given = ("run", "--methods", "quip,overlap,overlap", "--quiet", "--set", "quip.n=10")
    assert made(*given, "--cases", "cases.jsonl", "--name", "Shorter runs", "--out", "same").code == 0
    return made


def _rows(out: str) -> list[dict[str, str]]:
    head, rule, *rows = out.split("\n\n", 1)[1].splitlines()
    places = [m.span() for m in re.finditer("-+", rule)]
    names = [head[a:b].strip() for a, b in places]
    return [dict(zip(names, (row[a:b].strip() for a, b in places), strict=True)) for row in rows]


def test_methods_stand_side_by_side_with_differences_and_intervals(pair: Shell) -> None:
    said = pair("compare", "run", "same")
    assert (said.code, said.err.startswith("Thresholds of Made: those that methods start with")) == (0, True)
    assert said.out.startswith("A: Made, 60 labelled responses of cases.jsonl\nB: Shorter runs, 60 labelled responses")
    runs = [read_folder(pair.home / name) for name in ("run", "same")]
    sides = [RunSide(run, verdicts(run, starting_rules(run)), starting_rules(run), run.rows()) for run in runs]
    found = two_runs(*sides).methods
    for row, both in zip(_rows(said.out), found, strict=True):
        assert (row["method"], row["F1 A"], row["F1 B"]) == (both.title, f"{both.f1[0]:.3f}", f"{both.f1[1]:.3f}")
        assert row["B less A"] == f"{both.difference:+.3f}"
        assert row["95 % interval"] == f"{both.interval.low:.3f}–{both.interval.high:.3f}"
        assert row["responses"] == "60"
        for name, run in zip("AB", runs, strict=True):
            speed = latencies(run, run.rows())[run.method(both.id)]
            # What takes less than the last printed digit stands as "<0.0001".
            assert float(row[f"mean s {name}"].lstrip("<")) == pytest.approx(speed.mean, abs=1e-4)
            assert float(row[f"p50 s {name}"].lstrip("<")) == pytest.approx(speed.p50, abs=1e-4)
    assert [row["parameters"] for row in _rows(said.out)] == ["differ", "the same"]
    assert _rows(said.out)[1]["B less A"] == "+0.000"


def test_what_is_not_there_is_reported(pair: Shell) -> None:
    empty = pair.done("compare", "run", "same", "--split", "train")
    assert "No labelled response of this split is in both runs." in empty.err
    for given in (("run", "nobody"), ("nobody", "run")):
        assert "There is no run 'nobody'" in pair.refuses("compare", *given)
    assert "There are no frozen thresholds named 'none such'" in pair.refuses("compare", "run", "same", "--rules", "none such")


def test_two_methods_of_other_parameters_are_compared_by_their_names(pair: Shell) -> None:
    (row,) = _rows(pair.done("compare", "run:quip", "same:overlap").out)
    assert (row["method"], row["responses"], row["parameters"]) == ("QUIP / Overlap", "60", "differ")
    whole = {r["method"]: r for r in _rows(pair.done("compare", "run", "same").out)}
    assert (row["F1 A"], row["F1 B"]) == (whole["QUIP"]["F1 A"], whole["Overlap"]["F1 B"])
    assert "Made has no method 'quip:n=9'; there are quip, overlap." in pair.refuses("compare", "run:quip:n=9", "same")
    assert "There is no run 'nobody'" in pair.refuses("compare", "nobody:quip", "same")
