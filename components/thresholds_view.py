"""The thresholds page: tune on dev, look at one method, freeze under a name, and only then see test; calibration."""

from pathlib import Path

import streamlit as st

from components import run_choice, shell, thresholds_calibration, thresholds_frozen, thresholds_method, thresholds_tune
from components.thresholds_state import Tuning, tuning, with_hands

_STYLE = f"<style>{(Path(__file__).parent / 'static' / 'thresholds.css').read_text(encoding='utf-8')}</style>"


def show() -> None:
    """The whole page under its title."""
    st.html(_STYLE)
    run = run_choice.choose_run("thresholds")
    if run is None:
        return
    shell.section("All methods, tuned")
    settings = thresholds_tune.settings(run)
    found = with_own = Tuning({}, {}, {})
    place = None
    if settings:
        found = tuning(run, settings)
        with_own = with_hands(run, settings, found)
        thresholds_tune.table(run, settings, with_own)
        shell.section("One method")
        place = thresholds_method.choose(run, settings, found)
        if place is not None:
            thresholds_method.show(run, place, settings, found)
    shell.section("Freeze")
    thresholds_frozen.form(run, settings, with_own)
    shell.section("Frozen thresholds on test")
    decision = thresholds_frozen.choose(run)
    if decision:
        thresholds_frozen.show(run, decision)
    if place is not None:
        shell.section("Calibration")
        thresholds_calibration.show(run, place, with_own, decision)
