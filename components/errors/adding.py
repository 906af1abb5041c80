"""Error types for a finished run: from a set of this session or from a file, matched to the run's cases by their texts."""

from html import escape

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import errors_shown, left_out, needs, read_uploads, removable, select_one
from components.runs import runs
from groundscope.cases.dataset import LoadedDataset, read_many
from groundscope.errors import GroundscopeError
from groundscope.files.apart import FILES, apart
from groundscope.grounding.runs.added_types import MatchedTypes, added_words, matched, without_types
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.listing import RunEntry, keep_types
from groundscope.grounding.sharded.manifest import is_sharded
from groundscope.storage.team.roles import Role
from groundscope.text.humanize import plural
from groundscope.types import Case

_SAID, _SOURCE, _NONE = "error_types_added", "errors_types_source", ""
_SHOWN = 20
_ABOUT = (
    "Types are labels for people. They are kept beside the run and exported with it; no score, label, threshold or sentence "
    "changes. A response is found by its question, sources and answer."
)
_HELP = (
    "Cases with types, as the Cases page downloads them and the command error-types writes them: JSONL, JSON, CSV or Parquet. "
    "Up to 25 MB."
)


def show(run: RunData) -> None:
    """What types a run lacks or got later, and the form that adds and removes them; nothing where it needs none."""
    shell.show_said(_SAID)
    left, wrong = without_types(run), int((run.gold == 0).sum())
    if said := added_words(run.added):
        shell.notice("info", said)
    entry = runs.shelf().entries.get(run.id)
    if entry is None or not (left or run.added):
        return
    fixed = entry.comes_with_app or (entry.folder is not None and is_sharded(entry.folder))
    if left:
        shell.notice("info", _lacking(left, wrong, entry, fixed=fixed))
    if fixed or not entry.finished:
        return
    with st.expander("Error types of this run", key="errors_types"):
        st.html(f"<p class='gs-note gs-measure'>{escape(_ABOUT)}</p>")
        if left:
            _form(run, entry)
        if run.added:
            st.button(
                "Remove the added types",
                key="errors_types_remove",
                on_click=_remove,
                args=(entry, run.name),
                **needs(Role.REVIEWER),
            )


def _lacking(left: int, wrong: int, entry: RunEntry, *, fixed: bool) -> str:
    """How many of the ungrounded responses have no type, and what to do."""
    if left == wrong:
        words = "No ungrounded response of this run has an error type, so all are in one column."
    else:
        words = f"{left:,} of {plural(wrong, 'ungrounded response')} of this run {'has' if left == 1 else 'have'} no error type."
    if fixed:
        return words
    return f"{words} {'Add types from a set or a file below.' if entry.finished else 'Add types when it is finished.'}"


def _form(run: RunData, entry: RunEntry) -> None:
    files = st.file_uploader(
        "Files of cases with error types", type=["jsonl", "json", "csv", "parquet", "gz"], accept_multiple_files=True,
        key="errors_types_upload", help=_HELP,
    )  # fmt: skip
    read_uploads(files, state.own("errors_types_seen", {}), _read)
    for name, loaded in _uploaded().items():
        for line in left_out(loaded.rejected, _SHOWN):
            shell.notice("bad", f"{name}: {line}")
    removable("Remove", {n: plural(len(u.cases), "case") for n, u in _uploaded().items()}, "errors_types_forget", _forget)
    sources = _sources()
    titles = {name: f"{name} · {plural(sum(bool(c.types) for c in cases), 'typed case')}" for name, cases in sources.items()}
    source = select_one(st, "Take types from", {_NONE: "Choose a set or a file", **titles}, _SOURCE, width=420)
    if source in sources:
        _offer(run, entry, source, sources[source])
    _own_cases(run)


def _sources() -> dict[str, tuple[Case, ...]]:
    """Sets with a typed case, those from files of this form first."""
    loaded = {group.name: group.cases for group in case_sets.sets().values()}
    found = {name: one.cases for name, one in _uploaded().items()}
    found |= {name: cases for name, cases in loaded.items() if name not in found}
    return {name: cases for name, cases in found.items() if any(c.types for c in cases)}


def _offer(run: RunData, entry: RunEntry, source: str, cases: tuple[Case, ...]) -> None:
    found = _matched(run, cases, source)
    if isinstance(found, str):
        shell.notice("bad", found)
        return
    for problem in found.problems[:_SHOWN]:
        shell.notice("bad", problem)
    if (more := len(found.problems) - _SHOWN) > 0:
        shell.notice("bad", f"The types of {plural(more, 'more case')} are not taken either.")
    known = f" {plural(found.known, 'response has', 'responses have')} these types already." if found.known else ""
    words = f"{plural(len(found.types), 'response')} of this run would get types.{known}"
    st.html(f"<p class='gs-sub'>{escape(words)}</p>")
    if found.types:
        given = (entry, run, found, source)
        st.button(
            "Add these types to the run",
            type="primary",
            key="errors_types_add",
            on_click=_add,
            args=given,
            **needs(Role.REVIEWER),
        )


def _add(entry: RunEntry, run: RunData, found: MatchedTypes, source: str) -> None:
    try:
        keep_types(entry, [*run.added, found.named(source)])
    except GroundscopeError as error:
        shell.say(_SAID, "bad", str(error))
    else:
        st.session_state[_SOURCE] = _NONE
        shell.say(_SAID, "good", f"{plural(len(found.types), 'response')} of this run got types from {source}.")


def _matched(run: RunData, cases: tuple[Case, ...], source: str) -> MatchedTypes | str:
    """What a set's types mean for the run, or why it has none for it; read again only when either changes."""
    kept: dict[object, tuple[object, MatchedTypes | str]] = state.last_few(state.own("errors_types_matched", {}))
    key = (run.id, run.created, run.types.tobytes(), source)
    if key not in kept or kept[key][0] is not cases:
        try:
            made: MatchedTypes | str = matched(run, cases, source)
        except GroundscopeError as error:
            made = str(error)
        kept[key] = (cases, made)
    return kept[key][1]


def _own_cases(run: RunData) -> None:
    """Two models may choose the types of the run's own cases: these become a set of the Cases page."""
    st.html(
        "<p class='gs-note gs-measure'>No set here has types? Load the run’s own cases as a set, let two chat models choose "
        "types on the Cases page (it shows the cost and asks before it sends), keep them with the set, and come back.</p>"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Load this run’s cases as a set", key="errors_types_load"):
            with errors_shown():
                group = CaseSet(f"Run {run.name}"[:80], tuple(run.read_cases(range(len(run.ids)))))
                case_sets.add(group)
                state.browse(group.name)
                shell.say(_SAID, "good", f"The set “{group.name}” is on the Cases page; two models can choose its types there.")
                st.rerun()
        st.page_link("pages/cases.py", label="Go to the cases")


def _uploaded() -> dict[str, LoadedDataset]:
    return state.own("errors_types_files", {})


def _read(file: UploadedFile) -> str:
    for loaded in apart(FILES, read_many, [(file.name, file.getvalue())]):
        _uploaded()[loaded.name] = loaded
        st.session_state[_SOURCE] = loaded.name
    return ""


def _forget(name: str) -> None:
    _uploaded().pop(name, None)


def _remove(entry: RunEntry, name: str) -> None:
    try:
        keep_types(entry, ())
    except GroundscopeError as error:
        shell.say(_SAID, "bad", str(error))
    else:
        shell.say(_SAID, "good", f"The added types were removed: {name} is as it was judged.")
