"""Cascades chosen from runs: best bands known by hand, budgets, what is not proposed, and that test is read last."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from groundscope.errors import DataError
from groundscope.grounding.runs.arrays import PENDING, STATUSES, MethodRun
from groundscope.training.cascade_bands import CascadeBudget, bands_frame, best_bands
from groundscope.training.cascade_proof import as_json, fitted, prove, proven
from groundscope.training.cascade_records import quickest
from groundscope.training.cascade_words import in_words
from groundscope.training.cascades import choose
from groundscope.types import Status
from tests.groundscope.cascades.runs import FIRST, SECOND, cascade_cases, cascade_run, of_supports

RUN = cascade_run()


@pytest.mark.parametrize(("asked", "seconds", "dollars"), [("sentences", 0.26, 0.00025), ("answer", 1.01, 0.001)])
def test_the_best_band_asks_about_what_is_doubtful_and_nothing_else(asked: Any, seconds: float, dollars: float) -> None:
    found = choose(RUN, FIRST, SECOND, asked=asked)
    band = found.chosen
    assert band is not None
    assert 0.1 < band.low <= 0.5 < band.high <= 0.9
    # One of four sentences of four of eight responses; the second method is right about all of them.
    assert (band.share, band.responses, band.macro_f1) == (1 / 8, 1 / 2, 1.0)
    assert (band.seconds, band.dollars) == (pytest.approx(seconds), pytest.approx(dollars))
    # The first alone finds all grounded and half of the ungrounded ones: F1 0.8 and 2/3.
    assert found.never.macro_f1 == pytest.approx((0.8 + 2 / 3) / 2)
    assert (found.never.seconds, found.never.dollars, found.never.share) == (pytest.approx(0.01), 0.0, 0.0)
    assert (found.always.macro_f1, found.always.seconds, found.always.dollars) == (1.0, 2.0, pytest.approx(0.002))
    assert (found.responses, found.queries, found.split, found.why) == (8, 4, "dev", "")


def test_a_method_that_asks_a_chat_model_reads_the_whole_answer_unless_told_otherwise() -> None:
    assert RUN.methods[1].asks
    assert choose(RUN, FIRST, SECOND).asked == "answer"
    local = replace(RUN, methods=(RUN.methods[0], replace(RUN.methods[1], asks=False)))
    assert choose(local, FIRST, SECOND).asked == "sentences"
    assert choose(local, FIRST, SECOND, asked="answer").asked == "answer"


@pytest.mark.parametrize(
    ("budget", "says"),
    [
        (CascadeBudget(share=0.1), r"No band that keeps to 10% of the sentences asked is better on dev than Method 0 alone"),
        (
            CascadeBudget(seconds=0.005),
            r"No band keeps to 0\.005 s a response; the fastest takes .+ the first method alone 0\.010 s",
        ),
        (CascadeBudget(dollars=1e-9), r"No band that keeps to \$0\.0000 a response is better"),
    ],
)
def test_a_budget_that_buys_nothing_better_proposes_none(budget: CascadeBudget, says: str) -> None:
    found = choose(RUN, FIRST, SECOND, budget, "sentences")
    assert found.chosen is None
    assert re.match(says, found.why), found.why


def test_within_a_budget_the_best_band_is_taken() -> None:
    found = choose(RUN, FIRST, SECOND, CascadeBudget(seconds=0.3, dollars=0.0003, share=0.2), "sentences")
    assert found.chosen is not None
    assert found.chosen.macro_f1 == 1.0
    assert found.budget.words == "$0.0003 and 0.3 s a response and 20% of the sentences asked"


def test_a_second_method_that_is_no_better_is_told_and_not_proposed() -> None:
    found = choose(cascade_run(right=False), FIRST, SECOND)
    assert found.chosen is None
    assert found.why.startswith("Method 1 is no better than Method 0 on dev (macro-F1 ")
    assert "no cascade is proposed" in found.why


def test_a_first_method_that_is_certain_of_everything_leaves_nothing_to_choose() -> None:
    certain = [(grounded, 0.9) for grounded in (True, True, True, False, False, False)]
    found = choose(cascade_run(pattern=certain), FIRST, SECOND)
    assert found.chosen is None
    assert found.why.startswith("Nothing short of asking Method 1 about every sentence reaches its macro-F1 on dev")


def test_without_a_price_or_seconds_that_count_a_budget_of_them_is_never_kept() -> None:
    unpriced = replace(RUN, cost=np.full_like(RUN.cost, np.nan), timed=np.zeros_like(RUN.timed))
    for budget in (CascadeBudget(dollars=1.0), CascadeBudget(seconds=100.0)):
        found = choose(unpriced, FIRST, SECOND, budget)
        assert found.chosen is None
        assert "the run has no seconds that count, and the price of the second method is not known" in found.why
    found = choose(unpriced, FIRST, SECOND)
    assert found.chosen is not None
    assert np.isnan(found.chosen.seconds)
    # Replies that were kept cost nothing now, and would have cost something.
    kept = replace(RUN, calls=np.zeros_like(RUN.calls), cost=np.zeros_like(RUN.cost))
    assert np.isnan(choose(kept, FIRST, SECOND).always.dollars)


def test_what_a_second_method_could_not_do_is_no_support_of_the_first() -> None:
    failed = RUN.status.copy()
    failed[1, 2] = STATUSES.index(Status.INVALID)
    support = RUN.support.copy()
    support[1, 2] = np.nan
    found = choose(replace(RUN, status=failed, support=support), FIRST, SECOND, asked="sentences")
    assert found.chosen is not None
    # One grounded response of four has no verdict: F1 of the grounded 6/7.
    assert found.chosen.macro_f1 == pytest.approx((6 / 7 + 1) / 2)


def test_test_is_read_only_after_the_band_is_chosen() -> None:
    cases, read = cascade_cases(), list[int]()
    supports = np.stack([np.stack([RUN.read_sentences(m).support.reshape(len(cases), -1)]) for m in (0, 1)])[:, 0]
    run = of_supports(cases, supports, lambda rows: read.extend(map(int, rows)))
    found = choose(run, FIRST, SECOND)
    assert read
    assert {cases[i].split for i in read} == {"dev"}
    other = supports.copy()
    other[:, [i for i, c in enumerate(cases) if c.split == "test"]] = 0.25
    assert choose(of_supports(cases, other), FIRST, SECOND) == found
    assert found.chosen is not None
    assert prove(run, found, found.chosen).responses == 8
    assert {cases[i].split for i in read} == {"dev", "test"}


def test_on_test_the_cascade_stands_beside_either_method_alone() -> None:
    found = choose(RUN, FIRST, SECOND, asked="sentences")
    assert found.chosen is not None
    proof = prove(RUN, found, found.chosen)
    assert (proof.responses, proof.queries) == (8, 4)
    assert (proof.cascade.macro_f1, proof.always.macro_f1) == (1.0, 1.0)
    assert proof.never.macro_f1 == pytest.approx((0.8 + 2 / 3) / 2)
    assert (proof.cascade.share, proof.cascade.seconds) == (1 / 8, pytest.approx(0.26))
    assert proof.over_first[0] == pytest.approx(1 - (0.8 + 2 / 3) / 2)
    assert proof.over_second[0] == 0.0
    assert proof.over_second[1].low <= 0.0 <= proof.over_second[1].high
    made = fitted(found, found.chosen, proof, RUN)
    assert (made.first.method, made.second.method, made.low, made.high) == (FIRST, SECOND, found.chosen.low, found.chosen.high)
    words = in_words(made.made["on_test"], "One", "Two")
    assert words.startswith(
        "On test (8 responses to 4 queries), which played no part in choosing, the cascade has a macro-F1 of 1.0"
    )
    assert "asks about 12% of the sentences, 0.260 s and $0.0003 a response; One alone 0.733" in words
    assert "The cascade is not shown to differ from Two (+0.000, 95 % interval " in words


def test_without_a_test_split_the_cascade_says_that_it_was_not_read() -> None:
    run = cascade_run(("dev",))
    found = choose(run, FIRST, SECOND)
    assert found.chosen is not None
    proof = proven(run, found, found.chosen)
    assert isinstance(proof, str)
    assert in_words(as_json(proof), "One", "Two").startswith("The cascade was not read on test. No labelled response of test")


def test_the_table_of_bands_has_both_methods_alone_and_marks_the_chosen_one() -> None:
    found = choose(RUN, FIRST, SECOND)
    frame = bands_frame(found)
    assert list(frame["asks"]) == ["never", *["in doubt"] * len(found.bands), "always"]
    assert frame["chosen"].sum() == 1
    assert found.chosen in best_bands(found)
    shares = [(band.share, band.macro_f1) for band in best_bands(found)]
    assert shares == sorted(shares)
    assert all(share > 0 for share, _ in shares)


def _renamed(**parts: Any) -> tuple[MethodRun, MethodRun]:
    return RUN.methods[0], replace(RUN.methods[1], **parts)


WRONG: dict[str, tuple[Any, tuple[str, str], str]] = {
    "both the same": (RUN, (FIRST, FIRST), "A cascade needs two different methods; method_0 and method_0 judge alike."),
    "one that the run lacks": (RUN, (FIRST, "direct"), "the run has no method 'direct'; there are method_0, method_1"),
    "a first one that asks": (RUN, (SECOND, FIRST), "method_1 asks a chat model; the first method of a cascade works on this"),
    "a cascade": (replace(RUN, methods=_renamed(method="cascade:a")), (FIRST, SECOND), "A cascade cannot be a part of a cascade"),
    "another tool's": (replace(RUN, methods=_renamed(id="recorded:x")), (FIRST, "recorded:x"), "came from another tool"),
    "no dev": (cascade_run(("test",)), (FIRST, SECOND), "No labelled response of dev is judged by both methods; the run has"),
    "one case": (cascade_run(pattern=[(True, 0.5)]), (FIRST, SECOND), r"All labelled responses of dev .+ \(1\) are grounded"),
    "not judged yet": (
        replace(RUN, status=np.full_like(RUN.status, PENDING)), (FIRST, SECOND), "No labelled response of dev is judged by both"
    ),
    "a first one without sentences": (
        of_supports(cascade_cases(), np.stack([np.full((16, 4), np.nan), np.full((16, 4), 0.5)])), (FIRST, SECOND),
        "Method 0 gives no sentence a support; the first method of a cascade must judge single sentences.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("run", "methods", "says"), WRONG.values(), ids=WRONG)
def test_what_no_cascade_can_be_made_of_is_refused_with_the_mend(run: Any, methods: tuple[str, str], says: str) -> None:
    with pytest.raises((DataError, ValueError), match=says):
        choose(run, *methods)


@pytest.mark.parametrize(("name", "value"), [("dollars", 0.0), ("seconds", -1.0), ("share", float("nan")), ("share", 1.5)])
def test_a_budget_of_nothing_is_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=r"buys no question|at most 1"):
        CascadeBudget(**{name: value})


def test_the_quickest_method_is_found_by_what_was_timed() -> None:
    run = cascade_run()
    assert quickest(run, (SECOND, FIRST)) == FIRST
    seconds = run.seconds.copy()
    seconds[0, 0] = 1e6
    timed = run.timed.copy()
    timed[0, 0] = False
    assert quickest(replace(run, seconds=seconds, timed=timed), (SECOND, FIRST)) == FIRST
    assert quickest(replace(run, seconds=seconds), (SECOND, FIRST)) == SECOND
    assert quickest(replace(run, timed=np.zeros_like(timed)), (SECOND, FIRST)) == SECOND
