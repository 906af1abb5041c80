"""The labelled set that a training learns from: its choice, what is computed of it, and a name made of its title."""

from collections.abc import Callable, Collection
from typing import TypeVar

import streamlit as st

from components import case_sets, state
from components.case_sets import CaseSet
from components.training import state as keys
from components.training.request import file_name
from groundscope.errors import DataError

T = TypeVar("T")


def choose(key: str) -> CaseSet:
    """The set that the user chose."""
    chosen = st.selectbox("Labelled cases", list(case_sets.sets()), key=key, persist_state="session", width=420)
    return case_sets.sets()[chosen if chosen in case_sets.sets() else case_sets.SAMPLES]


def cached(what: str, group: CaseSet, make: Callable[[], T]) -> T | str:
    """A value computed from a set, cached while the set is the same; or the reason why the set cannot be used."""
    cache = state.last_few(keys.counted())
    place = (what, group.name)
    if place not in cache or cache[place][0] is not group.cases:
        try:
            computed: T | str = make()
        except DataError as error:
            computed = str(error)
        cache[place] = (group.cases, computed)
    stored: T | str = cache[place][1]
    return stored


def suggested(title: str, taken: Collection[str]) -> str:
    """A free name made of the set's title."""
    stem = file_name(title).removesuffix(".jsonl").lower()
    bare = "-".join("".join(c if c.isalnum() else " " for c in stem).split())[:30].strip("-") or "model"
    return next(n for i in range(1, len(taken) + 2) if (n := f"{bare}-{i}") not in taken)
