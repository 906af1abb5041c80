"""The human check of the extractors: the sample, what is kept, and agreement worked out by hand."""

from collections import Counter
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest

from groundscope.arguments.arguers import ARGUERS
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.checking.agreement import check_rows
from groundscope.arguments.checking.sample import argument_key, draw
from groundscope.arguments.checking.store import FactorCheck, keep_check, kept_checks
from groundscope.arguments.extraction import exact, of_sets
from groundscope.arguments.parsing import Argument
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Test
from groundscope.paths import data_folder

SCENARIOS = make_all(TRADE_SECRETS, list(Test), 4, [5], 3)


def judged(*names: str) -> list[Judged]:
    chosen = [a for a in ARGUERS if a.id in names]
    made = [(a, s, a.argue(s, TRADE_SECRETS)) for a in chosen for s in SCENARIOS]
    return [Judged(s, a.title, "", text, exact(text.plies, TRADE_SECRETS)) for a, s, text in made]


FOUND = judged("faithful", "invents")


def said(one: Judged, person: str = "Ann", *, sets: tuple[frozenset[str], ...] | None = None) -> FactorCheck:
    return FactorCheck(argument_key(one), person, sets if sets is not None else one.exact.sets)


def by_person(*checks: FactorCheck) -> dict[str, dict[str, FactorCheck]]:
    found: dict[str, dict[str, FactorCheck]] = {}
    for check in checks:
        found.setdefault(check.person, {})[check.argument] = check
    return found


def test_a_sample_is_of_every_model_and_test_alike_and_the_same_again() -> None:
    found = judged("faithful", "invents", "never-abstains")
    sample = draw(found, 9, 5)
    assert sample == draw(found, 9, 5) != draw(found, 9, 6)
    counts = Counter((j.arguer, j.scenario.test) for j in sample)
    # Where the built-in arguers write the same text, it is read once, under the first of them.
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len({argument_key(j) for j in sample}) == 9


def test_what_says_nothing_is_not_drawn_and_a_small_set_is_drawn_whole() -> None:
    silent = replace(FOUND[0], argument=Argument(("", " ")))
    assert draw([silent], 5) == []
    assert len(draw([silent, *FOUND[1:4], FOUND[1]], 50)) == 3
    with pytest.raises(ValueError, match="at least 1 argument, got 0"):
        draw(FOUND, 0)


def test_the_key_is_of_the_text_and_the_triple_and_not_of_who_wrote_it() -> None:
    one = FOUND[0]
    assert argument_key(one) == argument_key(replace(one, arguer="other", wording="plain", other=one.exact))
    assert argument_key(one) != argument_key(replace(one, argument=Argument(("x", "y", "z"))))
    assert argument_key(one) != argument_key(replace(one, scenario=SCENARIOS[1]))


def test_the_last_check_of_a_person_counts_and_nothing_of_the_text_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "new"))
    one, two = FOUND[:2]
    keys = [argument_key(j) for j in (one, two)]
    assert kept_checks(keys) == {}
    none = (frozenset[str](),) * 3
    for check in (said(one, sets=none), said(one), said(two, "Bo"), said(FOUND[2])):
        keep_check(check)
    with (data_folder() / "argument_checks.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"argument": "cut o')
    found = kept_checks(keys)
    assert list(found) == ["Ann", "Bo"]
    assert found["Ann"][keys[0]].sets == one.exact.sets
    assert set(found["Ann"]) == {keys[0]}
    text = (data_folder() / "argument_checks.jsonl").read_text(encoding="utf-8")
    assert one.argument.plies[0][:20] not in text
    assert len(text.splitlines()) == 5


def test_who_says_what_the_extractor_found_agrees_wholly() -> None:
    rows = check_rows(FOUND, by_person(*map(said, FOUND[:6])), TRADE_SECRETS)
    (row,) = rows
    assert (row.first, row.second, row.arguments) == ("exact", "Ann", 6)
    assert (row.agreement.kappa, row.agreement.share, row.precision.value, row.recall.value) == (1.0, 1.0, 1.0, 1.0)


def test_agreement_is_that_of_cells_worked_out_by_hand() -> None:
    one = replace(FOUND[0], exact=of_sets([frozenset({"F1", "F2"}), frozenset({"F4"}), frozenset()]))
    check = said(one, sets=(frozenset({"F1"}), frozenset({"F4"}), frozenset({"F6"})))
    (row,) = check_rows([one], by_person(check), TRADE_SECRETS)
    # 78 cells: two named by both, F2 by the extractor alone, F6 by the person alone.
    assert row.agreement.items == 3 * 26
    assert row.agreement.share == pytest.approx(76 / 78)
    chance = (3 * 3 + 75 * 75) / 78**2
    assert row.agreement.kappa == pytest.approx((76 / 78 - chance) / (1 - chance))
    assert (row.precision.value, row.recall.value) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    # One argument has no interval: nothing else could have been drawn.
    assert isnan(row.precision.interval.low)


def test_intervals_enclose_the_figures_and_the_other_model_and_people_have_rows_of_their_own() -> None:
    found = [replace(j, other=of_sets([frozenset()] * 3)) if i % 2 else j for i, j in enumerate(FOUND)]
    half = [said(j, sets=(j.exact.sets[0], j.exact.sets[1], frozenset())) for j in found[:8]]
    rows = check_rows(found, by_person(*half, *(said(j, "Bo") for j in found[2:5])), TRADE_SECRETS)
    assert [(r.first, r.second, r.arguments) for r in rows] == [
        ("exact", "Ann", 8), ("exact", "Bo", 3), ("model", "Ann", 4), ("model", "Bo", 1), ("Ann", "Bo", 3),
    ]  # fmt: skip
    ann = rows[0]
    assert ann.recall.value == 1.0
    assert ann.precision.interval.low <= ann.precision.value <= ann.precision.interval.high < 1.0
    assert ann.agreement.kappa_interval.low <= ann.agreement.kappa <= ann.agreement.kappa_interval.high
    assert isnan(rows[2].precision.value)
    assert rows[2].recall.value == 0.0


def test_a_check_has_a_set_for_every_case() -> None:
    with pytest.raises(ValueError, match="3 sets, one a case, got 1"):
        FactorCheck("a", "Ann", (frozenset(),))
