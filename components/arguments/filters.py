"""Filters of the arguments behind a figure: the choices, the choice of a click, and which arguments pass."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from components.arguments import state, tables
from components.arguments.sources import ArgumentSource
from components.arguments.state import ArgumentFilter
from components.widgets import filters
from groundscope.arguments.scoring import kinds
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Test


def choose(source: ArgumentSource) -> ArgumentFilter:
    """Draw the filters and return the current choice."""
    now = state.wanted()
    judged = source.judged
    levels: dict[str, tuple[str, list[Any]]] = {
        "arguer": ("Model", list(dict.fromkeys(j.arguer for j in judged))),
        "wording": ("Wording", list(dict.fromkeys(j.wording for j in judged if j.wording))),
        "test": ("Test", _tests(judged)),
        "complexity": ("Complexity", sorted({j.scenario.complexity for j in judged})),
        "factor": ("Goes wrong", list(dict.fromkeys([*source.catalogue.by_key, *filter(None, [now.factor])]))),
        "error": ("How", list(tables.ERRORS)),
    }
    levels = {name: (label, options) for name, (label, options) in levels.items() if len(options) > 1}
    new = ArgumentFilter(**filters(now, levels, partial(_title, source), "arguments_filter", source.id, 190))
    if new != now:
        state.wanted(new)
        st.rerun()
    return new


def _tests(judged: Sequence[Judged]) -> list[str]:
    found = [t.value for t in Test if any(j.scenario.test is t for j in judged)]
    # Where all can be argued, "both tests" is the same as no filter.
    return [*found, state.ARGUED] if len(found) > 1 and Test.NON_ARGUABLE.value in found else found


def _title(source: ArgumentSource, name: str, option: Any) -> str:
    if name == "wording":
        return tables.wording_title(str(option))
    if name == "factor":
        factor = source.catalogue.by_key.get(str(option))
        return factor.written if factor else f"{option} (no factor)"
    if name == "complexity" and not option:
        return "unknown"
    return tables.ERRORS[str(option)] if name == "error" else str(option)


def fits(one: Judged, wanted: ArgumentFilter, extractor: str) -> bool:
    """Whether an argument passes the filter, by the factors that an extractor found in it."""
    return (
        wanted.arguer in (None, one.arguer)
        and wanted.wording in (None, one.wording)
        and wanted.test in (None, one.scenario.test.value, None if one.scenario.test is Test.NON_ARGUABLE else state.ARGUED)
        and wanted.complexity in (None, one.scenario.complexity)
        and ((wanted.factor is None and wanted.error is None) or _goes_wrong(one, wanted, extractor))
    )


def _goes_wrong(one: Judged, wanted: ArgumentFilter, extractor: str) -> bool:
    made = one.score(extractor)
    if made is None:
        return False
    for kind, by_case in kinds(made).items():
        if wanted.error not in (None, kind) or (kind == "missed" and made.should_abstain):
            continue
        if any(wanted.factor in keys if wanted.factor else keys for keys in by_case):
            return True
    return False
