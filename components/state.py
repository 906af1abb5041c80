"""Session keys in one place, with typed get and set. A session's data never reach another one, nor the disk.

Pasted cases are kept, if their user wants it, for later sessions of the same browser (`groundscope.cases.pasted_store`), and the
answers of matters for everyone who can open the app (`groundscope.review.matters`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

import streamlit as st

from components.team import login
from components.worker.job import Job
from groundscope.cases.browser_name import COOKIE
from groundscope.cases.dataset import LoadedDataset, read
from groundscope.cases.edits.history import EditHistory
from groundscope.cases.edits.variants import Adapted
from groundscope.cases.pasted_store import PastedCases
from groundscope.cases.validation import Check
from groundscope.chat.budget import NOTHING, Cost, Limits
from groundscope.errors import StoreError
from groundscope.grounding.parts import NamedPart
from groundscope.paths import ROOT
from groundscope.review import matters
from groundscope.runtime.kept import MEGABYTE
from groundscope.statistics.risk import Promise
from groundscope.storage.team.acting import here
from groundscope.types import Case, Judgement

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

K = TypeVar("K")
T = TypeVar("T")
_BROWSE_NEXT = "browse_next"
_MAX_JUDGEMENTS = 300
_MAX_MATRICES = 64 * MEGABYTE
_MAX_CHECKED = 4


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Cases loaded together: the samples, a file, or pasted cases; `private` = made of cases that are, see `private`."""

    name: str
    cases: tuple[Case, ...]
    private: bool = False


@lru_cache(maxsize=1)
def _samples() -> CaseSet:
    path = ROOT / "sample_data" / "legal_qa.jsonl"
    return CaseSet(SAMPLES, read(path.name, path.read_bytes()).cases)


def own(key: str, default: T) -> T:
    """What this session keeps under a key; the default, which is then kept, where there is nothing yet."""
    found: T = st.session_state.setdefault(key, default)
    return found


def value(key: str, default: T, new: T | None = None) -> T:
    """What this session keeps under a key; the default where that is nothing of its type. Pass a new one to keep it."""
    if new is not None:
        st.session_state[key] = new
    found = st.session_state.get(key)
    return found if isinstance(found, type(default)) else default


def last_few(found: dict[K, T], most: int = 8) -> dict[K, T]:
    """A dictionary, left with what was added to it last."""
    while len(found) > most:
        found.pop(next(iter(found)))
    return found


def once(kept: dict[Any, Any], key: object, make: Callable[[], T]) -> T:
    """What was made for a key, made only where it is not kept yet: a click must not make it again."""
    if key not in kept:
        kept[key] = make()
    found: T = kept[key]
    return found


def _text(key: str) -> str | None:
    found = st.session_state.get(key)
    return found if isinstance(found, str) else None


def _loaded() -> dict[str, CaseSet]:
    if "sets" not in st.session_state:
        kept = pasted_store().cases()
        found = {PASTED: CaseSet(PASTED, kept)} if kept else {}
        st.session_state["sets"] = found | _of_matters()
    return own("sets", {})


def _of_matters() -> dict[str, CaseSet]:
    """The answers of all matters, so that a link to one of them opens it."""
    store = matters.default()
    if not store.database.is_there():
        return {}
    try:
        answers = {matter_set(m.name): tuple(a.case for a in store.answers(m.number)) for m in store.all()}
    except StoreError:
        # The Cases page says it where it lists the matters.
        return {}
    own("matter_sets", set[str]()).update(answers)
    return {name: CaseSet(name, cases) for name, cases in answers.items() if cases}


def add_matter(name: str, cases: tuple[Case, ...]) -> None:
    """Add the answers of a matter as a set, or replace them."""
    own("matter_sets", set[str]()).add(matter_set(name))
    add(CaseSet(matter_set(name), cases))


def forget_left_matters() -> None:
    """Remove the sets of matters of which the person who logged in is a member no more."""
    loaded = own("matter_sets", set[str]()) & st.session_state.get("sets", {}).keys()
    if not loaded or here() is None:
        return
    try:
        mine = {matter_set(m.name) for m in matters.default().all()}
    except StoreError:
        # What this session holds until the database answers must not be lost; nothing new is read meanwhile.
        return
    for name in loaded - mine:
        remove(name)


def matter_set(name: str) -> str:
    """The name of the set that holds a matter's answers."""
    return f"Matter {name}"


def pasted_store() -> PastedCases:
    """Where the cases that were pasted in this browser are kept; on a server with logins, by this person."""
    name = login.browser_name() or st.context.cookies.get(COOKIE)
    return PastedCases(name if isinstance(name, str) else "")


def sets() -> dict[str, CaseSet]:
    """All loaded sets, the samples first."""
    return {SAMPLES: _samples(), **_loaded()}


def add(new: CaseSet) -> None:
    """Add a set to the session; one with the same name is replaced, and an empty one is not kept."""
    _loaded()[new.name] = new
    if not new.cases:
        del _loaded()[new.name]


def add_own(case: Case) -> None:
    """Add a case to those of the user's own, here and, where they are kept, for the next visit.

    Raises:
        GroundscopeError: it cannot be kept for the next visit; it is in the session all the same.
    """
    add(CaseSet(PASTED, (*cases_of(PASTED), case)))
    pasted_store().add(case)


def remove(name: str) -> None:
    """Remove a set and its upload report; kept cases of it are deleted."""
    _loaded().pop(name, None)
    if name == PASTED:
        pasted_store().forget()
    upload_report(tuple(report for report in upload_report() if report.name != name))


def cases_of(name: str) -> tuple[Case, ...]:
    """The cases of a set; none where it is not loaded."""
    return sets()[name].cases if name in sets() else ()


def add_variants(parent: Case, variants: Sequence[Case]) -> CaseSet:
    """Save variants beside the answer they were made from; variants with the same id are replaced."""
    found = {c.id: c for c in (*cases_of(VARIANTS), parent, *variants)}
    add(CaseSet(VARIANTS, tuple(found.values())))
    return sets()[VARIANTS]


def find(case_id: str | None) -> tuple[CaseSet, Case] | None:
    """The case with this id; where several sets have it, in the set opened last, then in the one loaded last."""
    opened_set = own("opened_set", SAMPLES)
    newest_first = list(reversed(sets().values()))
    for group in [s for s in newest_first if s.name == opened_set] + newest_first:
        for case in group.cases:
            if case.id == case_id:
                return group, case
    return None


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
    found = st.session_state.pop(_BROWSE_NEXT, None)
    return found if isinstance(found, str) else None


def read_case(case_id: str | None) -> None:
    """Remember the case that is open on the Cases page, also while the user is on another page."""
    st.session_state["read_case"] = case_id


def case_read() -> str | None:
    """The id of the case that is open on the Cases page."""
    return _text("read_case")


def opened() -> str | None:
    """The id of the open case."""
    return _text(SELECTED)


def judgements() -> dict[tuple[str, Case], Judgement]:
    """This session's results by signature and case, oldest first."""
    return last_few(own("judgements", {}), _MAX_JUDGEMENTS)


def judge(key: tuple[str, Case], judgement: Judgement) -> None:
    """Add a result; the oldest ones of other cases go where all matrices of the session would take too much memory."""
    found = judgements()
    found[key] = judgement
    for old in [k for k in found if k[1] != key[1]]:
        if sum(j.matrix.nbytes for j in found.values() if j.matrix is not None) <= _MAX_MATRICES:
            break
        del found[old]


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
    return last_few(own("checked", {}), _MAX_CHECKED)


def adapted() -> tuple[Case, Adapted] | None:
    """The answer that variants were last made of, and the result."""
    found = st.session_state.get("adapted")
    return found if isinstance(found, tuple) else None


def options() -> dict[str, dict[str, Any]]:
    """The options of methods that this session changed, by method id; methods at their defaults are left out."""
    return own("options", {})


def parts() -> dict[str, NamedPart]:
    """Parts of runs that the heatmap shows in this session as methods of their own, by name."""
    return own("parts", {})


def show_method(method: str) -> None:
    """Add a method to the heatmap's choice of this session, if there is one."""
    chosen = st.session_state.get(METHODS)
    if chosen and method not in chosen:
        st.session_state[METHODS] = [*chosen, method]


def may_keep(*cases: Case) -> bool:
    """Whether results about cases may be saved on disk; about pasted and made ones only if this session turned it on."""
    return bool(st.session_state.get(KEEP_PRIVATE)) or not private(*cases)


def edits() -> dict[Case, EditHistory]:
    """What this session made by hand of the cases that it edited last, by the case as it was."""
    return last_few(own("edits", {}))


def original(case: Case) -> Case | None:
    """What a case was before the user typed over it in this session; None where it is no edited version, or was kept."""
    return next((first for first, history in edits().items() if any(case == v.case for v in history.versions[1:])), None)


def edited(case: Case) -> bool:
    """Whether a case is a version that the user typed by hand in this session, and did not keep."""
    return original(case) is not None


def private(*cases: Case) -> bool:
    """Whether one was pasted, made in this session, or is of a matter: results are kept only if the user allows it."""
    own_cases = [group.cases for group in _loaded().values() if _private(group)]
    # A hash for each is quicker than looking through whole sets, once there are many.
    held = [frozenset(found) for found in own_cases] if len(cases) > 1 else own_cases
    return any(edited(case) or any(case in found for found in held) for case in cases)


def _private(group: CaseSet) -> bool:
    return group.private or group.name in (PASTED, VARIANTS) or group.name.startswith(matter_set(""))


def made_of(group: CaseSet, name: str, cases: tuple[Case, ...]) -> CaseSet:
    """Add a set that was made of another one; it is private where that one is."""
    add(CaseSet(name, cases, _private(group)))
    return sets().get(name, group)


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
    person = here()
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
