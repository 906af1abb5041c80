"""The thresholds page: tune on dev, look at one method, freeze under a name, and only then see test; calibration."""

import streamlit as st

from components import assets, shell
from components.runs import choice
from components.thresholds import calibration, frozen, method, promise, tune
from components.thresholds.state import Tuning, tuning, with_hands

_STYLE = assets.style("thresholds")


def show() -> None:
    """The whole page under its title."""
    st.html(_STYLE)
    run = choice.choose_run("thresholds")
    if run is None:
        return
    shell.section("All methods, tuned")
    settings = tune.settings(run)
    found = with_own = Tuning({}, {}, {})
    place = None
    if settings:
        found = tuning(run, settings)
        with_own = with_hands(run, settings, found)
        tune.table(run, settings, with_own)
        shell.section("One method")
        place = method.choose(run, settings, found)
        if place is not None:
            method.show(run, place, settings, found)
        shell.section("A promise about misses")
        promise.section(run, settings)
    shell.section("Freeze")
    frozen.form(run, settings, with_own)
    shell.section("Frozen thresholds on test")
    decision = frozen.choose()
    if decision:
        frozen.show(run, decision)
    if place is not None:
        shell.section("Calibration")
        calibration.show(run, place, with_own, decision)
