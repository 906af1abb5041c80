"""Sets of cases that a session has loaded: samples, files, pasted cases, variants, and the answers of matters.

Pasted cases are kept, if their user wants it, for later sessions of the same browser (`groundscope.cases.pasted_store`), and the
answers of matters for everyone who can open the app (`groundscope.review.matters`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import count, groupby
from typing import Any

import streamlit as st

from components.state import KEEP_PRIVATE, last_few, own, upload_report
from components.team import login
from groundscope.cases.browser_name import COOKIE
from groundscope.cases.dataset import read
from groundscope.cases.edits.by_hand import EditHistory
from groundscope.cases.pasted_store import PastedCases
from groundscope.errors import StoreError
from groundscope.paths import ROOT
from groundscope.review import matters
from groundscope.storage.team.acting import current_person
from groundscope.types import Case

PASTED = "Pasted"
SAMPLES = "Samples"
VARIANTS = "Made variants"
SHOWCASE = ("overtime-exempt-a", "cell-site-records-c", "oversight-duty-d")
"""The samples that the overview offers; the first is the one that the heatmap opens with."""


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Cases loaded together: the samples, a file, or pasted cases; `private` = made of cases that are, see `private`."""

    name: str
    cases: tuple[Case, ...]
    private: bool = False


@lru_cache(maxsize=1)
def _older_ids() -> dict[str, str]:
    """Ids of the samples by their older ones, which named the label and stand in older links."""
    ids: dict[str, str] = {}
    for group, cases in groupby(_samples().cases, lambda c: c.group):
        sound, wrong = iter(("grounded", "paraphrased")), count(1)
        ids |= {f"{group}-{next(sound) if c.grounded else f'variant-{next(wrong)}'}": c.id for c in cases}
    return ids


@lru_cache(maxsize=1)
def _samples() -> CaseSet:
    path = ROOT / "sample_data" / "legal_qa.jsonl"
    return CaseSet(SAMPLES, read(path.name, path.read_bytes()).cases)


def _loaded() -> dict[str, CaseSet]:
    if "sets" not in st.session_state:
        pasted = pasted_store().cases()
        loaded = {PASTED: CaseSet(PASTED, pasted)} if pasted else {}
        st.session_state["sets"] = loaded | _of_matters()
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
    """Remove the sets of matters of which the logged-in person is no longer a member."""
    loaded = own("matter_sets", set[str]()) & st.session_state.get("sets", {}).keys()
    if not loaded or current_person() is None:
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
    """Add a case to the user's own, also for the next visit where they are kept; an error there leaves it in the session."""
    add(CaseSet(PASTED, (*cases_of(PASTED), case)))
    pasted_store().add(case)


def remove(name: str) -> None:
    """Remove a set and its upload report; kept cases of it are deleted."""
    _loaded().pop(name, None)
    if name == PASTED:
        pasted_store().forget()
    upload_report(tuple(report for report in upload_report() if report.name != name))


def choose(label: str, key: str, **more: Any) -> CaseSet:
    """Let the user choose a set; the samples where the chosen one is gone."""
    name = st.selectbox(label, list(sets()), key=key, persist_state="session", **more)
    return sets().get(name, _samples())


def cases_of(name: str) -> tuple[Case, ...]:
    """The cases of a set; none where it is not loaded."""
    return sets()[name].cases if name in sets() else ()


def add_variants(parent: Case, variants: Sequence[Case]) -> CaseSet:
    """Save variants beside the answer they were made from; variants with the same id are replaced."""
    by_id = {c.id: c for c in (*cases_of(VARIANTS), parent, *variants)}
    add(CaseSet(VARIANTS, tuple(by_id.values())))
    return sets()[VARIANTS]


def find(case_id: str | None) -> tuple[CaseSet, Case] | None:
    """The case with this id; where several sets have it, in the set opened last, then in the one loaded last."""
    opened_set = own("opened_set", SAMPLES)
    newest_first = list(reversed(sets().values()))
    for group in [s for s in newest_first if s.name == opened_set] + newest_first:
        for case in group.cases:
            if case.id == case_id:
                return group, case
    newer = _older_ids().get(case_id or "")
    return find(newer) if newer else None


def mixed(ids: Iterable[str]) -> list[str]:
    """Ids in an order that says nothing of labels: in many sets the sound answers to a question come first."""
    return sorted(ids, key=lambda i: sha256(i.encode("utf-8", "replace")).digest())


def other_answers(group: CaseSet, case: Case) -> tuple[Case, ...]:
    """Other answers to the question of a case, those of its set first; a user's own ones the newest first."""
    words = case.query.split()
    answers: dict[str, Case] = {}
    for of in (group, *(s for s in sets().values() if s.name != group.name)):
        # The first word alone is quick to compare where sets are long.
        alike = {c.id: c for c in of.cases if words and c.query.split(None, 1)[:1] == words[:1] and c.query.split() == words}
        for i in list(alike)[::-1] if _private(of) else mixed(alike):
            answers.setdefault(alike[i].response, alike[i])
    answers.pop(case.response, None)
    return tuple(answers.values())


def may_keep(*cases: Case) -> bool:
    """Whether results about cases may be saved on disk; about pasted and made ones only if this session turned it on."""
    return bool(st.session_state.get(KEEP_PRIVATE)) or not private(*cases)


def edits() -> dict[Case, EditHistory]:
    """Edit histories of the cases that this session edited last, by the original case."""
    return last_few(own("edits", {}))


def original(case: Case) -> Case | None:
    """The original of a case that the user edited in this session; None if it is not an edited version, or was saved."""
    return next((first for first, history in edits().items() if any(case == v.case for v in history.versions[1:])), None)


def edited(case: Case) -> bool:
    """Whether a case is an unsaved version that the user typed in this session."""
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
