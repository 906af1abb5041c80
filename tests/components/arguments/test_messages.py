"""What the Arguments page says of its figures: true of what was measured, and no more."""

from dataclasses import replace

from components.arguments import messages
from groundscope.arguments.arguers import arguer
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import exact
from groundscope.arguments.records import pasted
from groundscope.arguments.report import report
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Scenario, Test

SCENARIOS = make_all(TRADE_SECRETS, list(Test), 2, [5], 0)
ARGUABLE = [s for s in SCENARIOS if s.test is Test.ARGUABLE]
NON_ARGUABLE = [s for s in SCENARIOS if s.test is Test.NON_ARGUABLE]
STRANGERS = f"TSC1 had {', '.join(f'F{n}' for n in range(100, 140))}."


def argued(scenario: Scenario, who: str = "faithful", name: str = "m") -> Judged:
    argument = arguer(who).argue(scenario, TRADE_SECRETS)
    return Judged(scenario, name, "", argument, exact(argument.plies, TRADE_SECRETS))


def headline(*found: Judged) -> str:
    return messages.headline(report(found, TRADE_SECRETS))


def test_a_negative_accuracy_stands_as_a_figure_and_not_as_a_share_of_something() -> None:
    said = headline(*(pasted(s, "m", STRANGERS, TRADE_SECRETS) for s in ARGUABLE))
    size = sum(1 - 40 / s.size for s in ARGUABLE) / len(ARGUABLE)
    assert said == f"m: −{-100 * size:.0f} % of the facts right (100 = nothing invented); 0 % of the facts used."


def test_the_headline_praises_no_one_where_nothing_was_measured() -> None:
    assert headline(*(pasted(s, m, "", TRADE_SECRETS) for s in SCENARIOS for m in "ab")) == ("No model has written an argument.")


def test_the_headline_praises_for_what_was_tested_alone() -> None:
    both = "No model invents a fact, leaves one out or argues where nothing can be argued."
    assert headline(*(argued(s, name=m) for s in SCENARIOS for m in "ab")) == both
    assert headline(*(argued(s, name=m) for s in NON_ARGUABLE for m in "ab")) == "No model argues where nothing can be argued."
    assert headline(*(argued(s, name=m) for s in ARGUABLE for m in "ab")) == "No model invents a fact or leaves one out."


def test_one_model_under_several_wordings_is_named_with_the_wording() -> None:
    texts = {"plain": "TSC1 had F4.", "odd one": STRANGERS}
    made = report([pasted(s, "m", t, TRADE_SECRETS, w) for s in SCENARIOS for w, t in texts.items()], TRADE_SECRETS)
    names = messages.names(made)
    assert names == ["m, Plain", "m, odd one"]
    assert "Invents or mixes up most: “m, odd one” (−" in messages.headline(made)
    alt = messages.levels_alt(made.rows, names, "acc_h", "Acc_H")
    assert "m, Plain" in alt
    assert "m, odd one" in alt


def test_a_complexity_that_is_not_known_is_reported_nowhere() -> None:
    unknown = [pasted(replace(s, complexity=0), "m", "TSC1 had F4.", TRADE_SECRETS) for s in ARGUABLE[:1]]
    made = report([*unknown, pasted(ARGUABLE[1], "m", "TSC1 had F4.", TRADE_SECRETS)], TRADE_SECRETS)
    rec = 100 / ARGUABLE[1].size if 4 in ARGUABLE[1].tsc1.factors else 0
    assert messages.levels_alt(made.rows, ["m"], "rec_u", "Rec_U") == f"Rec_U by complexity in percent. m 5: {rec:.1f}."


def test_an_argument_without_figures_says_why() -> None:
    silent, spoken = (pasted(ARGUABLE[0], "m", text, TRADE_SECRETS) for text in ("", "TSC1 had F4."))
    counted = "There is no argument. By the paper’s formulas that is an abstention: Acc_H 100 %, Rec_U 0 %."
    assert messages.of_one(silent, silent.score()) == messages.of_one(silent, silent.score("model")) == counted
    assert messages.of_one(silent, None) == "There is no argument, and such arguments are left out."
    unread = replace(spoken, unread="The reply is no JSON.")
    lost = "The other model's extraction could not be read, so there is nothing to measure."
    assert messages.of_one(unread, unread.score("model")) == lost
    not_yet = "The other model has not read this argument, so there is nothing to measure."
    assert messages.of_one(spoken, spoken.score("model")) == not_yet
    assert "(Acc_H " in messages.of_one(unread, unread.score())


def test_how_arguments_count_that_say_nothing_stands_beside_the_figures() -> None:
    found = [pasted(s, "m", text, TRADE_SECRETS) for s in NON_ARGUABLE for text in ("", "TSC1 had F4.")]
    made = report(found, TRADE_SECRETS)
    assert messages.silence(made).startswith("2 of 4 arguments say nothing. As in the paper’s formulas, each counts")
    left_out = report(found, TRADE_SECRETS, without_silent=True)
    assert messages.silence(left_out) == "2 of 4 arguments say nothing and are left out of all figures."
    assert messages.silence(report(found[1::2], TRADE_SECRETS)) == ""


def test_it_is_said_beside_the_figures_whether_the_error_of_the_extractor_is_in_them() -> None:
    arguments = [argued(s) for s in SCENARIOS]
    assert messages.checked(report(arguments, TRADE_SECRETS)) == "intervals leave out what the extractor gets wrong"
    arguments[0] = replace(arguments[0], human=arguments[0].exact)
    assert messages.checked(report(arguments, TRADE_SECRETS)) == "corrected by 1 argument that people read"
