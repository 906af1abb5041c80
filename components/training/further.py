"""Part of the form: pairs besides those of the cases, from files, and from the supports of a method of a finished run."""

from html import escape
from typing import Any, NamedTuple

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import shell, state
from components.controls import left_out, read_uploads, removable, select_one, several_of
from components.runs import choice, runs
from components.training import state as keys
from components.training.state import PairUpload
from groundscope.errors import DataError
from groundscope.files.apart import FILES, apart
from groundscope.grounding.runs.arrays import RunData
from groundscope.text.humanize import plural
from groundscope.training.data import LabelledSplits
from groundscope.training.further_pairs import SHIPPED, PairFileSize, size_of_pairs, supports_of

_NONE = ""
_SHOWN = 20
_HELP = (
    "JSON lines, a pair a line: evidence (or context), statement (or claim, sentence) and label (supported, contradicted, "
    "not_stated, true, false or a number from 0 to 1); a split and a group if there are any. Up to 25 MB a file. Pairs of the "
    "split test are left out."
)


class Further(NamedTuple):
    """What is learned from besides the cases: files by name, a teacher as RUN/METHOD, how many pairs, what is wrong."""

    files: dict[str, bytes]
    teacher: str
    pairs: int
    problem: str


def show(found: LabelledSplits) -> Further:
    """The fields, with a message for each row of a file that cannot be used."""
    with st.expander("Further pairs and a teacher", key="tune_further"):
        files, of_files = _files()
        teacher, of_teacher = _teacher(found)
    problem = of_teacher if isinstance(of_teacher, str) else ""
    return Further(files, teacher, of_files + (0 if isinstance(of_teacher, str) else of_teacher), problem)


def _files() -> tuple[dict[str, bytes], int]:
    """The files chosen, and how many pairs to learn from they have."""
    uploads = st.file_uploader(
        "Files of labelled pairs", type=["jsonl"], accept_multiple_files=True, key="tune_pairs_upload", help=_HELP
    )
    read_uploads(uploads, keys.pairs_seen(), _read)
    own = keys.pair_files()
    titles = {SHIPPED.name: f"{SHIPPED.name}, comes with the app", **{name: name for name in own if name != SHIPPED.name}}
    look: dict[str, Any] = {"persist_state": "session", "placeholder": "None", "width": 500}
    chosen = several_of(st, "Learn also from the pairs of", titles, keys.PAIRS, **look)
    several = {name: own[name] if name in own else _shipped() for name in chosen}
    for name, one in several.items():
        alone = f" {plural(one.size.untouched, 'pair')} of test {'is' if one.size.untouched == 1 else 'are'} left out."
        words = f"{name}: {plural(one.size.train, 'pair')} to learn from, {one.size.dev:,} to steer by."
        st.html(f"<p class='gs-note'>{escape(words + (alone if one.size.untouched else ''))}</p>")
        for line in left_out(one.size.rejected, _SHOWN):
            shell.notice("bad", f"{name}: {line}")
    removable("Remove", {n: f"{plural(u.size.train, 'pair')}" for n, u in own.items()}, "tune_pairs_forget", _forget)
    return {name: one.data for name, one in several.items()}, sum(one.size.train for one in several.values())


def _read(file: UploadedFile) -> str:
    size = apart(FILES, size_of_pairs, file.name, file.getvalue())
    keys.pair_files()[file.name] = PairUpload(file.getvalue(), size)
    # A file that was just uploaded is meant to be used.
    st.session_state[keys.PAIRS] = list(dict.fromkeys([*st.session_state.get(keys.PAIRS, ()), file.name]))
    return ""


def _forget(name: str) -> None:
    keys.pair_files().pop(name, None)
    st.session_state[keys.PAIRS] = [n for n in st.session_state.get(keys.PAIRS, ()) if n != name]


@st.cache_data(show_spinner=False)
def _shipped_size() -> PairFileSize:
    return size_of_pairs(SHIPPED.name, SHIPPED.read_bytes())


def _shipped() -> PairUpload:
    return PairUpload(SHIPPED.read_bytes(), _shipped_size())


def _teacher(found: LabelledSplits) -> tuple[str, int | str]:
    """The teacher as RUN/METHOD, and how many sentences it judged, or why it cannot teach."""
    entries = {i: entry for i, entry in runs.shelf().entries.items() if entry.finished}
    st.html(
        "<p class='gs-note gs-measure'>A teacher is a method whose supports of the same sentences are learned, too, such as "
        "those of a chat model that is too slow or too dear for every answer. They come from a finished run of these cases: "
        "nothing is asked or sent here. Where no run has the method, start one on the Runs page: it shows the cost and asks "
        "before it sends.</p>"
    )
    st.page_link("pages/runs.py", label="Go to the runs")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = {_NONE: "No teacher", **{i: choice.label(entry) for i, entry in entries.items()}}
        run_id = select_one(st, "Teacher, from the run", titles, keys.TEACHER_RUN, width=420)
        if run_id == _NONE:
            return "", 0
        run = runs.readable(entries[run_id])
        if isinstance(run, str):
            return "", run
        method = select_one(
            st, "Method that teaches", {m.id: m.title for m in run.methods}, f"{keys.TEACHER}_{run_id}", width=330
        )
    taught = _taught(run, method, found)
    if isinstance(taught, int):
        st.html(f"<p class='gs-note'>It judged {plural(taught, 'sentence')} of the responses to learn from.</p>")
    return f"{run_id}/{method}", taught


def _taught(run: RunData, method: str, found: LabelledSplits) -> int | str:
    """How many sentences of train the method judged, or why it cannot teach; read once while the cases are the same."""
    cache = state.last_few(keys.taught())
    key = (run.id, run.created, method)
    if key not in cache or cache[key][0] is not found:
        try:
            made: int | str = sum(map(len, supports_of(run, method, found.train).values()))
        except DataError as error:
            made = str(error)
        cache[key] = (found, made)
    return cache[key][1]
