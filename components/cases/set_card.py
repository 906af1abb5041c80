"""The card of a set of variants that was made in this session: shown, and as a file."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from components import state
from components.case_sets import CaseSet
from components.controls import download, unfolded
from components.figure import slug
from components.methods.card import card_html
from groundscope.cases.edits.whole_set import VariedSet, card
from groundscope.drawing.html import region

_MOST = 16


class _Origin(NamedTuple):
    """Where a set of variants came from: as it was made, the name of the set that it was made of, and what was chosen."""

    made: VariedSet
    source: str
    settings: Mapping[str, str]


def keep(name: str, made: VariedSet, source: str, settings: Mapping[str, str]) -> None:
    """Keep what the card of a set says, for this session."""
    kept: dict[str, _Origin] = state.own("set_cards", {})
    kept[name] = _Origin(made, source, settings)
    state.last_few(kept, _MOST)


def panel(group: CaseSet) -> None:
    """The card, folded; nothing where the set has none."""
    if text := _card(group):
        unfolded("Card of this set", f"set_card_{group.name}", _show, group.name, text)


def button(group: CaseSet) -> None:
    """A button that saves the card; nothing where the set has none."""
    if text := _card(group):
        download("Download its card", text, f"{slug(group.name)}.md", "download_card")


def _show(name: str, text: str) -> None:
    st.html(region(f"Card of {name}", card_html(text, heading="h2")))


def _card(group: CaseSet) -> str:
    """The card by the checks of now; empty where the set is none of those that were made, or has other cases by now."""
    kept: dict[str, _Origin] = state.own("set_cards", {})
    origin = kept.get(group.name)
    if origin is None or [c.id for c in origin.made.cases] != [c.id for c in group.cases]:
        return ""
    # Types that were kept with the set since then count.
    made = replace(origin.made, cases=group.cases)
    return card(made, origin.source, origin.settings, state.checked().get(group.cases, ()))
