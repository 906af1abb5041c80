"""Session keys in one place, with typed get and set. Nothing of a session reaches another one or the disk."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import streamlit as st

from components.worker import Job
from evaluation.adaptation import Adapted
from evaluation.dataset import Loaded, read
from evaluation.types import Case, Judgement
from evaluation.validation import Check

SELECTED = "case"
"""The id of the open case: key of the case chooser, and the name of the link's parameter."""
METHODS = "methods"
CHOOSER = "case_chooser"
KEEP_PRIVATE = "keep_private"
PASTED = "Pasted"
SAMPLES = "Samples"
VARIANTS = "Made variants"
SHOWCASE = ("overtime-exempt-variant-1", "cell-site-records-variant-1", "oversight-duty-grounded")
"""The samples that the overview offers; the first is the one that the heatmap opens with."""

_BROWSE_NEXT = "browse_next"
_JUDGEMENTS_KEPT = 300
_CHECKED_KEPT = 4


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Cases that came together: the samples, a file, or what was pasted."""

    name: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class CopiesSearch:
    """A search for near-copies under way: the set it belongs to, its texts, and the job that embeds them."""

    group: CaseSet
    texts: tuple[str, ...]
    job: Job


@lru_cache(maxsize=1)
def _samples() -> CaseSet:
    path = Path(__file__).parent.parent / "sample_data" / "legal_qa.jsonl"
    return CaseSet(SAMPLES, read(path.name, path.read_bytes()).cases)


def _own(key: str, default: Any) -> Any:
    if key not in st.session_state:
        st.session_state[key] = default
    return st.session_state[key]


def sets() -> dict[str, CaseSet]:
    """All loaded sets, the samples first."""
    return {SAMPLES: _samples(), **_own("sets", {})}


def add(new: CaseSet) -> None:
    """Keep a set; one with the same name is replaced, the others stay."""
    _own("sets", {})[new.name] = new


def remove(name: str) -> None:
    """Forget a set and what the upload said of it."""
    _own("sets", {}).pop(name, None)
    upload_report(tuple(report for report in upload_report() if report.name != name))


def paste_number() -> int:
    """How many texts were pasted so far in this session, plus one."""
    return len(sets()[PASTED].cases) + 1 if PASTED in sets() else 1


def add_variants(parent: Case, variants: Sequence[Case]) -> CaseSet:
    """Keep made variants beside the answer they were made from; made anew, they replace themselves."""
    kept = {c.id: c for c in sets()[VARIANTS].cases} if VARIANTS in sets() else {}
    kept |= {c.id: c for c in (parent, *variants)}
    add(CaseSet(VARIANTS, tuple(kept.values())))
    return sets()[VARIANTS]


def add_pasted(case: Case) -> None:
    """Keep a pasted case."""
    earlier = sets()[PASTED].cases if PASTED in sets() else ()
    add(CaseSet(PASTED, (*earlier, case)))


def find(case_id: str | None) -> tuple[CaseSet, Case] | None:
    """The case with this id; where several sets have it, in the set opened last, then in the one loaded last."""
    opened_set = _own("opened_set", SAMPLES)
    newest_first = list(reversed(sets().values()))
    for group in [s for s in newest_first if s.name == opened_set] + newest_first:
        for case in group.cases:
            if case.id == case_id:
                return group, case
    return None


def open_case(group: str, case_id: str) -> None:
    """Make a case the open one."""
    st.session_state["opened_set"] = st.session_state[_BROWSE_NEXT] = group
    st.session_state[SELECTED] = case_id


def browse(group: str) -> None:
    """Make a set the one that the Cases page shows next."""
    st.session_state[_BROWSE_NEXT] = group


def browsed() -> str | None:
    """The set to show instead of the one chosen before; asked once, before its widget is drawn."""
    value = st.session_state.pop(_BROWSE_NEXT, None)
    return value if isinstance(value, str) else None


def read_case(case_id: str | None) -> None:
    """Keep which case is being read on the Cases page, also while the user is on another page."""
    st.session_state["read_case"] = case_id


def case_read() -> str | None:
    """The id of the case that is being read on the Cases page."""
    value = st.session_state.get("read_case")
    return value if isinstance(value, str) else None


def copies_search(search: CopiesSearch | Literal["clear"] | None = None) -> CopiesSearch | None:
    """The search for near-copies that runs in this session; give a value to keep it."""
    if search is not None:
        st.session_state["copies_search"] = None if search == "clear" else search
    value = st.session_state.get("copies_search")
    return value if isinstance(value, CopiesSearch) else None


def opened() -> str | None:
    """The id of the open case."""
    value = st.session_state.get(SELECTED)
    return value if isinstance(value, str) else None


def judgements() -> "OrderedDict[tuple[str, Case], Judgement]":
    """This session's results by signature and case, oldest first."""
    kept: OrderedDict[tuple[str, Case], Judgement] = _own("judgements", OrderedDict())
    while len(kept) > _JUDGEMENTS_KEPT:
        kept.popitem(last=False)
    return kept


def jobs() -> dict[tuple[str, Case], Job]:
    """This session's running scores by signature and case."""
    running: dict[tuple[str, Case], Job] = _own("jobs", {})
    return running


def thresholds() -> dict[str, float]:
    """The user's own thresholds by method id."""
    own: dict[str, float] = _own("thresholds", {})
    return own


def upload_report(report: tuple[Loaded, ...] | None = None) -> tuple[Loaded, ...]:
    """What the last upload brought, a file each; give a value to keep it, an empty one to forget."""
    if report is not None:
        st.session_state["upload_report"] = report
    value = st.session_state.get("upload_report")
    return value if isinstance(value, tuple) else ()


def checked() -> dict[tuple[Case, ...], tuple[Check, ...]]:
    """What the checks of a set found, by its cases; the last few sets."""
    kept: dict[tuple[Case, ...], tuple[Check, ...]] = _own("checked", {})
    while len(kept) > _CHECKED_KEPT:
        kept.pop(next(iter(kept)))
    return kept


def adapted() -> tuple[Case, Adapted] | None:
    """The answer that variants were last made of, and what came of it."""
    value = st.session_state.get("adapted")
    return value if isinstance(value, tuple) else None


def options() -> dict[str, dict[str, Any]]:
    """This session's choices where a method leaves one, by method id; a method at its defaults is not in it."""
    own: dict[str, dict[str, Any]] = _own("options", {})
    return own


def keeps_private() -> bool:
    """Whether supports of pasted and self-made cases may be kept on disk too; off until this session turns it on."""
    return bool(st.session_state.get(KEEP_PRIVATE))


def private(case: Case) -> bool:
    """Whether a case was pasted, or made in this session: nothing of it is kept on disk unless the user says so."""
    return any(case in sets()[name].cases for name in (PASTED, VARIANTS) if name in sets())


def cancelled() -> set[tuple[str, Case]]:
    """Scores that the user stopped in this session."""
    stopped: set[tuple[str, Case]] = _own("cancelled", set())
    return stopped


@dataclass(frozen=True, slots=True)
class Limits:
    """What this session may spend on models that are asked; None = no limit."""

    dollars: float | None = 1.0
    calls: int | None = None


def session() -> str:
    """A name for this session that no other has."""
    name: str = _own("session_name", uuid4().hex)
    return name


def chat_model(line: str | None = None) -> str:
    """The spec of the chat model that this session chose; empty where it chose none. Give one to keep it."""
    if line is not None:
        st.session_state["chat_model"] = line
    value = st.session_state.get("chat_model")
    return value if isinstance(value, str) else ""


def agreed() -> set[tuple[str, Case | None]]:
    """Where the user agreed to send texts: (host, a case), or (host, None) for every case of this session."""
    found: set[tuple[str, Case | None]] = _own("agreed", set())
    return found


def limits(new: Limits | None = None) -> Limits:
    """What this session may spend; give new limits to keep them."""
    if new is not None:
        st.session_state["limits"] = new
    value = st.session_state.get("limits")
    return value if isinstance(value, Limits) else Limits()


def spent(new: tuple[int, float] | None = None) -> tuple[int, float]:
    """Calls made and US dollars spent by this session so far; give new sums to keep them."""
    if new is not None:
        st.session_state["spent"] = max(new, spent())
    value = st.session_state.get("spent")
    return value if isinstance(value, tuple) else (0, 0.0)
