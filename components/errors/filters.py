"""The filters of the errors page. They are in the page's address, and stay while the user is on another page."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from components.errors.cells import KIND_TITLES, OUTCOME_TITLES, CellChoice
from components.opened.runs import CAUGHT, METHOD
from groundscope.grounding.misclassified.calls import KINDS, OUTCOMES, Calls, CaseFilter, Codes, ConfusionCell, Order
from groundscope.grounding.misclassified.table import GROUNDED, OCCURRENCES, UNGROUNDED
from groundscope.grounding.runs.arrays import TYPES

ALL = "all"
KIND, OUTCOME, AREA, SPLIT, ORDER = "type", "outcome", "area", "within", "order"

Values = dict[str, list[str]]
_LAST, _FIRST = "errors_filters", "errors_first_method"
_NOT_CAUGHT = [ConfusionCell.MISSED.value, ConfusionCell.NONE.value]
_EMPTY: Values = {KIND: [], METHOD: [ALL], OUTCOME: [ALL], AREA: [], SPLIT: [], CAUGHT: ["any"]}
_DEFAULTS: Values = {**_EMPTY, OUTCOME: [ConfusionCell.MISSED.value, ConfusionCell.ALARM.value], ORDER: ["disagreement"]}
_ORDERS: dict[str, str] = {
    "disagreement": "methods disagree most",
    "furthest": "most confident call",
    "nearest": "closest call",
    "case": "as in the run",
}


def choose(calls: Calls, names: Mapping[str, str], first_method: str, *, just_come: bool) -> tuple[CaseFilter, Order]:
    """Draw the filters, with a method that is chosen until another one is; return the choice, and the order of the list."""
    st.session_state[_FIRST] = first_method
    now = _values(just_come=just_come)
    first = st.columns(4 if len(calls.splits.names) > 1 else 3)
    kinds = _several(first[0], "Error type", KIND, KINDS, "All types", KIND_TITLES, now)
    methods = _several(first[1], "Method", METHOD, calls.ids, "Any method", names, now)
    areas = _column(first[2], "Area of law", AREA, calls.areas, "All areas", now)
    splits = _column(first[-1], "Split", SPLIT, calls.splits, "All splits", now)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        waiting = bool((calls.outcomes == OUTCOMES.index(ConfusionCell.WAITING)).any())
        offered = [o.value for o in ConfusionCell if waiting or o is not ConfusionCell.WAITING]
        titles = {o.value: title for o, title in OUTCOME_TITLES.items()}
        outcomes = _several(st, "Outcome", OUTCOME, offered, "Every outcome", titles, now, width=330)
        catchers = {"any": "any method, or none", "nobody": "no method", **{f"only:{i}": f"only {names[i]}" for i in calls.ids}}
        about = "Counts all methods of the run, not only the chosen ones. A method without a verdict catches nothing."
        who, _, catcher = _single("Error caught by", CAUGHT, catchers, now, about).partition(":")
        order = _single("Sort by", ORDER, _ORDERS, now, "Confident and close: by a call that matches the filters.")
    case_filter = CaseFilter(
        kinds=kinds,
        methods=methods,
        outcomes=tuple(map(ConfusionCell, outcomes)),
        areas=areas,
        splits=splits,
        caught=who,  # type: ignore[arg-type]
        catcher=catcher,
    )
    return case_filter, order  # type: ignore[return-value]


def _values(*, just_come: bool = False) -> Values:
    """The choice in the address; without one, a user who comes from another page gets the last choice again."""
    linked = {name: st.query_params.get_all(name) for name in _DEFAULTS if name in st.query_params}
    last: Values = st.session_state.get(_LAST, {}) if just_come and not linked else linked
    values = {**_defaults(), **last}
    _put(values)
    return values


def _defaults() -> Values:
    return {**_DEFAULTS, METHOD: [st.session_state.get(_FIRST, ALL)]}


def _put(values: Values) -> None:
    """Store the choice, and write it into the address, without defaults."""
    chosen = {name: values[name] for name, first in _defaults().items() if values[name] != first}
    st.session_state[_LAST] = chosen
    before = {name: st.query_params.get_all(name) for name in st.query_params}
    others = {name: value for name, value in before.items() if name not in _DEFAULTS}
    after = {**others, **chosen}
    if after != before:
        # All at once: every change of the address is one step of the browser's Back button.
        st.query_params.from_dict(after)


def _take(name: str) -> None:
    value = st.session_state[_widget(name)]
    texts = [str(v) for v in value] if isinstance(value, list) else [str(value)]
    if name in (METHOD, OUTCOME):
        texts = texts or [ALL]
    _put({**_values(), name: texts})


def _widget(name: str) -> str:
    return f"errors_{name}"


def _several(
    place: Any,
    label: str,
    name: str,
    options: Sequence[str],
    none: str,
    words: Mapping[str, str],
    now: Values,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> tuple[str, ...]:
    """A choice of several; values of an old link or another run that are not here are left out."""
    st.session_state[_widget(name)] = [o for o in options if o in now[name]]
    chosen = place.multiselect(
        label,
        list(options),
        key=_widget(name),
        placeholder=none,
        format_func=lambda o: words.get(o, o),
        on_change=_take,
        args=(name,),
        width=width,
    )
    return tuple(chosen)


def _column(place: Any, label: str, name: str, column: Codes, none: str, now: Values) -> tuple[str, ...]:
    """A filter over a column's values, if it has more than one."""
    if len(column.names) < 2:
        return ()
    return _several(place, label, name, column.names, none, {"": "(none given)"}, now)


def _single(label: str, name: str, words: Mapping[str, str], now: Values, hint: str) -> str:
    value = now[name][0]
    st.session_state[_widget(name)] = value if value in words else _DEFAULTS[name][0]
    chosen: str = st.selectbox(
        label, list(words), key=_widget(name), format_func=lambda o: words[o], on_change=_take, args=(name,), help=hint, width=230
    )
    return chosen


def clear() -> None:
    """Clear all filters; the order stays."""
    _put({**_values(), **_EMPTY})


def of_pick(pick: CellChoice) -> None:
    """Set the filters to the cases that a cell of the matrix counts; the order stays."""
    _put({**_values(), **values_of(pick)})


def values_of(pick: CellChoice) -> Values:
    """The filters for the cases that a cell of the matrix counts."""
    kinds: Sequence[str] = {UNGROUNDED: (), GROUNDED: (), OCCURRENCES: tuple(t.value for t in TYPES)}.get(pick.part, (pick.part,))
    outcomes = [ConfusionCell.ALARM.value] if pick.part == GROUNDED else _NOT_CAUGHT
    return {**_EMPTY, KIND: list(kinds), METHOD: [pick.method], OUTCOME: outcomes}


def picked(case_filter: CaseFilter) -> CellChoice | None:
    """The cell of the matrix that matches the filters, if there is one."""
    if case_filter.areas or case_filter.splits or case_filter.caught != "any" or len(case_filter.methods) != 1:
        return None
    method, kinds = case_filter.methods[0], set(case_filter.kinds)
    if case_filter.outcomes == (ConfusionCell.ALARM,) and not kinds:
        return CellChoice(GROUNDED, method)
    if set(case_filter.outcomes) != set(_NOT_CAUGHT):
        return None
    if len(kinds) == 1:
        return CellChoice(case_filter.kinds[0], method)
    by_kinds = {frozenset[str](): UNGROUNDED, frozenset(t.value for t in TYPES): OCCURRENCES}
    part = by_kinds.get(frozenset(kinds))
    return CellChoice(part, method) if part else None
