"""The thresholds of the heatmap: frozen ones with their promises stay for later visits, until others are chosen."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components import state
from components.case_sets import CaseSet
from groundscope.grounding.rules.frozen_rules import Decision, forget, freeze
from groundscope.grounding.tuning import Objective, Rule, Tuned
from groundscope.methods import registry
from groundscope.statistics.risk import MissLimit, MissRate, Promise
from groundscope.types import Case, Passage
from tests.pages.drawn import html, session

CASE = Case("kept", "Who pays?", (Passage("a", "Tenants pay the monthly rent."),), "Tenants pay the monthly rent.")
PROMISE = Promise(MissLimit(0.1, 0.9), 0.3125, MissRate(0.02, 60, 3, 120, 40, 200))


@pytest.fixture(autouse=True)
def careful(data: Path) -> None:
    """`Careful` is frozen, for overlap as it is and for quip with other settings."""
    tuned = {name: Tuned(Rule("min", 0.3125), "dev", 0.7, 60) for name in ("overlap", "quip")}
    signatures = {"overlap": registry.load("overlap").signature, "quip": registry.load("quip", n=9).signature}
    about = "Careful", "2026-11-26T10:00:00+00:00", "Ours", "hash", Objective()
    freeze(Decision(*about, tuned, signatures, promises=dict.fromkeys(tuned, PROMISE)))


def visit() -> AppTest:
    """The heatmap in a session of its own."""
    app = session(sets={"Test": CaseSet("Test", (CASE,))}, opened_set="Test")
    app.session_state[state.SELECTED] = CASE.id
    app.session_state[state.METHODS] = ["overlap", "quip"]
    app.switch_page("pages/heatmap.py").run()
    assert not app.exception
    return app


def thresholds(app: AppTest) -> dict[str, float]:
    return dict(app.session_state["thresholds"]) if "thresholds" in app.session_state else {}


def choose(app: AppTest, name: str) -> AppTest:
    box = next(box for box in app.selectbox if box.label == "Thresholds")
    box.set_value(name).run()
    assert not app.exception
    return app


def test_frozen_thresholds_and_their_promises_stay_for_the_next_visit_until_others_are_chosen() -> None:
    first = visit()
    assert thresholds(first) == {}
    choose(first, "Careful")
    # The other method has other settings than the rule was found with.
    assert thresholds(first) == {"overlap": 0.3125}
    later = visit()
    assert thresholds(later) == {"overlap": 0.3125}
    promise = later.session_state["promises"]["overlap"]
    assert (promise.promise, promise.place) == (PROMISE, "dev of Ours")
    choose(later, "")
    assert thresholds(later) == {}
    assert later.session_state["promises"] == {}
    assert thresholds(visit()) == {}


def test_a_threshold_that_was_moved_by_hand_is_named_and_goes_back() -> None:
    app = choose(visit(), "Careful")
    assert "Moved by hand" not in html(app)
    app.session_state["thresholds"]["overlap"] = 0.2
    assert "Moved by hand since: Overlap." in html(app.run())
    app.button(key="rules_back").click().run()
    assert thresholds(app) == {"overlap": 0.3125}
    assert "Moved by hand" not in html(app)
    assert thresholds(visit()) == {"overlap": 0.3125}


def test_deleted_thresholds_are_not_looked_for() -> None:
    choose(visit(), "Careful")
    forget("Careful")
    assert thresholds(visit()) == {}


def test_thresholds_that_were_frozen_under_an_earlier_id_hold_for_the_method_of_today() -> None:
    earlier = "grounding_classifier:smollm2"
    tuned, signatures = {earlier: Tuned(Rule("min", 0.4375), "dev", 0.7, 60)}, {earlier: registry.load(earlier).signature}
    freeze(Decision("Earlier", "2026-11-27T10:00:00+00:00", "Ours", "hash", Objective(), tuned, signatures))
    assert thresholds(choose(visit(), "Earlier")) == {"grounding_classifier": 0.4375}
