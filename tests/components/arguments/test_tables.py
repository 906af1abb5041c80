"""Tables of the Arguments page: what stands in a cell is so, and no two parts contradict one another."""

import re
from dataclasses import replace

from components.arguments import tables
from components.arguments.messages import of_one
from groundscope.arguments.arguers import arguer
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import exact
from groundscope.arguments.records import pasted
from groundscope.arguments.report import report
from groundscope.arguments.scenarios import make_all
from groundscope.arguments.scoring import Score
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Scenario, Test

SCENARIOS = make_all(TRADE_SECRETS, list(Test), 2, [5], 0)
ARGUABLE, NON_ARGUABLE = (next(s for s in SCENARIOS if s.test is t) for t in (Test.ARGUABLE, Test.NON_ARGUABLE))


def score(scenario: Scenario, who: str) -> Score:
    argument = arguer(who).argue(scenario, TRADE_SECRETS)
    made = Judged(scenario, "m", "", argument, exact(argument.plies, TRADE_SECRETS)).score()
    assert made is not None
    return made


def test_who_argues_where_nothing_is_in_common_is_reported_that_it_is_wrong() -> None:
    made = score(NON_ARGUABLE, "never-abstains")
    assert made.hallucinated == 0
    found = tables.errors(made, TRADE_SECRETS)
    assert found == "<ul class='gs-offer'><li><b>Argues, although no factor is shared</b></li></ul>"


def test_a_right_abstention_has_left_nothing_out() -> None:
    made = score(NON_ARGUABLE, "faithful")
    assert tables.errors(made, TRADE_SECRETS) == "<p class='gs-note'>It abstains, as it should.</p>"
    table = tables.triple(NON_ARGUABLE, TRADE_SECRETS, made)
    assert "not used" not in table
    assert table.count("<td>has it</td>") == NON_ARGUABLE.size


def test_what_is_left_out_of_an_argument_is_marked_in_its_cell() -> None:
    table = tables.triple(ARGUABLE, TRADE_SECRETS, score(ARGUABLE, "omits"))
    assert table.count("<span class='gs-cell gs-unused'>not used</span>") == 3
    assert table.count("<span class='gs-cell gs-right'>used</span>") == ARGUABLE.size - 3


def test_a_factor_said_of_the_wrong_case_is_not_called_unused() -> None:
    made = score(ARGUABLE, "misattributes")
    assert made.unused
    found = tables.errors(made, TRADE_SECRETS)
    assert "Used for no case" not in found
    assert "<b>Given to no case that has it</b>: F17 " in found
    assert "<b>Wrong case</b>, TSC1: F17 " in found


def test_what_no_model_could_extract_from_is_not_measured_rather_than_silent() -> None:
    unread = replace(pasted(ARGUABLE, "m", "TSC1 had F4.", TRADE_SECRETS), unread="The reply is no JSON.")
    table = tables.paper_table(report([unread], TRADE_SECRETS, "model"))
    assert "Not measured</th>" in table
    assert table.endswith("<td>1</td></tr></tbody></table>")
    assert "No argument" not in table
    assert "could not be read" in of_one(unread, unread.score("model"))


def test_arguments_that_say_nothing_are_counted_beside_the_means() -> None:
    found = [pasted(NON_ARGUABLE, who, text, TRADE_SECRETS) for who, text in (("a", ""), ("b", "TSC1 had F4."))]
    for left_out, abstains in ((False, "100.0"), (True, "–")):
        table = tables.paper_table(report(found, TRADE_SECRETS, without_silent=left_out))
        rows = [re.findall("<td>([0-9.–]+)", row) for row in table.split("<tr>")[2:]]
        assert [row[-1] for row in rows] == ["1", "0"]
        assert rows[0][-2] == abstains
