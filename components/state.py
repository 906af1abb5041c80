"""Session keys in one place, with typed get and set. A session's data never reach another one, nor the disk."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

import streamlit as st

from components.worker.job import Job
from groundscope.cases.dataset import LoadedDataset
from groundscope.cases.edits.variants import Adapted
from groundscope.cases.validation import Check
from groundscope.chat.budget import NOTHING, Cost, Limits
from groundscope.experiments.plan import Part
from groundscope.review import case_key
from groundscope.runtime.byte_cache import MEGABYTE
from groundscope.statistics.risk import Promise
from groundscope.storage.team.acting import current_person
from groundscope.types import Case, Judgement

SELECTED = "case"
"""The id of the open case: key of the case chooser, and the name of the link's parameter."""
REVIEWED = "reviewed"
"""The name of the link's parameter in Review: the key of the open case. Its id could say what was changed in it."""
METHODS = "methods"
CHOOSER = "case_chooser"
KEEP_PRIVATE = "keep_private"

K = TypeVar("K")
T = TypeVar("T")
_BROWSE_NEXT = "browse_next"
_MAX_MATRICES = 64 * MEGABYTE


def own(key: str, default: T) -> T:
    """The session's value under a key; a missing one is set to the default."""
    stored: T = st.session_state.setdefault(key, default)
    return stored


def value(key: str, default: T, new: T | None = None) -> T:
    """The session's value under a key, or the default if it has another type. Pass a new one to set it."""
    if new is not None:
        st.session_state[key] = new
    stored = st.session_state.get(key)
    return stored if isinstance(stored, type(default)) else default


def last_few(entries: dict[K, T], most: int = 8) -> dict[K, T]:
    """Drop the oldest entries of a dictionary, down to `most`."""
    while len(entries) > most:
        entries.pop(next(iter(entries)))
    return entries


def once(key: str, of: object, make: Callable[[], T], most: int = 8) -> T:
    """What is kept under a session key for something, computed if it is missing: a click must not compute it again."""
    cache = own(key, dict[object, T]())
    if of not in cache:
        last_few(cache, most - 1)
        cache[of] = make()
    return cache[of]


def open_case(group: str, case_id: str) -> None:
    """Open a case."""
    st.session_state["opened_set"] = st.session_state[_BROWSE_NEXT] = group
    st.session_state[SELECTED] = case_id


def open_heatmap(group: str, case: Case, **more: str) -> None:
    """Open a case in the heatmap, with more parameters of the link."""
    open_case(group, case.id)
    st.switch_page("pages/heatmap.py", query_params={"case": case.id, **more})


def browse(group: str) -> None:
    """Show a set on the Cases page next."""
    st.session_state[_BROWSE_NEXT] = group


def browsed() -> str | None:
    """The set to show instead of the one chosen before; read once, before its widget is drawn."""
    group = st.session_state.pop(_BROWSE_NEXT, None)
    return group if isinstance(group, str) else None


def see(*cases: Case) -> None:
    """Note that this session shows the findings of cases."""
    own("findings_seen", set[str]()).update(map(case_key, cases))


def seen(case: Case) -> bool:
    """Whether this session has shown the findings of a case: who decides on it then is not blind."""
    return case_key(case) in own("findings_seen", set[str]())


def read_case(case_id: str | None) -> None:
    """Remember the case that is open on the Cases page, also while the user is on another page."""
    st.session_state["read_case"] = case_id


def case_read() -> str:
    """The id of the case that is open on the Cases page, or empty."""
    return value("read_case", "")


def open_review(case: Case, sentence: int, method: str) -> None:
    """Open Review at a sentence of the case that the heatmap shows; the way back keeps case, sentence and method."""
    number = str(sentence + 1)
    st.session_state["review_from_heatmap"] = {SELECTED: case.id, "sentence": number, "method": method}
    st.switch_page("pages/review.py", query_params={REVIEWED: case_key(case), "sentence": number})


def way_back(case: Case) -> dict[str, str] | None:
    """The link's parameters of the heatmap from which a case was opened in Review; None where it was opened otherwise."""
    link: dict[str, str] | None = st.session_state.get("review_from_heatmap")
    return link if link and link[SELECTED] == case.id else None


def opened() -> str:
    """The id of the open case, or empty."""
    return value(SELECTED, "")


def judgements() -> dict[tuple[str, Case], Judgement]:
    """This session's results by signature and case, oldest first."""
    return last_few(own("judgements", {}), 300)


def judge(key: tuple[str, Case], judgement: Judgement) -> None:
    """Add a result; the oldest ones of other cases are dropped if the session's matrices take too much memory."""
    results = judgements()
    results[key] = judgement
    for old in [k for k in results if k[1] != key[1]]:
        if sum(j.matrix.nbytes for j in results.values() if j.matrix is not None) <= _MAX_MATRICES:
            break
        del results[old]


def jobs() -> dict[tuple[str, Case], Job]:
    """This session's running scores by signature and case."""
    return own("jobs", {})


def thresholds() -> dict[str, float]:
    """The user's own thresholds by method id."""
    return own("thresholds", {})


class SetPromise(NamedTuple):
    """What a threshold of the heatmap promises about misses: found for the method of a signature, on the responses of a place."""

    signature: str
    promise: Promise
    place: str


def promises() -> dict[str, SetPromise]:
    """What the user's own thresholds promise, by method id; those that promise nothing are left out."""
    return own("promises", {})


def upload_report(report: tuple[LoadedDataset, ...] | None = None) -> tuple[LoadedDataset, ...]:
    """The report of the last upload, one entry per file; pass a value to set it, an empty one to clear it."""
    return value("upload_report", (), report)


def checked() -> dict[tuple[Case, ...], tuple[Check, ...]]:
    """Results of the checks by the cases of a set; the last few sets."""
    return last_few(own("checked", {}), 4)


def adapted() -> tuple[Case, Adapted] | None:
    """The answer that variants were last made of, and the result."""
    stored = st.session_state.get("adapted")
    return stored if isinstance(stored, tuple) else None


def options() -> dict[str, dict[str, Any]]:
    """The options of methods that this session changed, by method id; methods at their defaults are left out."""
    return own("options", {})


def parts() -> dict[str, Part]:
    """Parts of runs that the heatmap shows in this session as methods of their own, by name."""
    return own("parts", {})


def show_method(method: str) -> None:
    """Add a method to the heatmap's choice of this session, if there is one."""
    chosen = st.session_state.get(METHODS)
    if chosen and method not in chosen:
        st.session_state[METHODS] = [*chosen, method]


def cancelled() -> set[tuple[str, Case]]:
    """Scores that the user stopped in this session."""
    return own("cancelled", set())


def gold(shown: bool | None = None) -> bool:
    """Whether this session sees gold labels; not until it asks for them. Pass whether to set it."""
    return value("gold", False, shown)


def session() -> str:
    """A unique name of this session."""
    return own("session_name", uuid4().hex)


def user() -> str:
    """Whose turn it is when this session asks for work: the person's who logged in, else the session's own."""
    person = current_person()
    return person.email if person else session()


def chat_model(line: str | None = None) -> str:
    """The spec of the chat model that this session chose, or empty; pass one to set it."""
    return value("chat_model", "", line)


def agreed() -> set[tuple[str, Case | None]]:
    """Where the user agreed to send texts: (host, case), or (host, None) for every case of this session."""
    return own("agreed", set())


def limits(new: Limits | None = None) -> Limits:
    """What this session may spend on chat models, at first a dollar; pass limits to set them."""
    return value("limits", Limits(dollars=1.0), new)


def spent(new: Cost | None = None) -> Cost:
    """What this session has spent on models; pass a sum to set it."""
    return value("spent", NOTHING, None if new is None else max(new, spent()))
