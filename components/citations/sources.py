"""The texts that the citation recall page compares: the sample, a pasted pair, or a file."""

import json
from functools import lru_cache
from itertools import count

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import shell, state
from components.controls import errors_shown, left_out, read_uploads, removable
from groundscope.citations.batch import AnalysisEntry, Batch, read_batch, with_answer
from groundscope.errors import DataError
from groundscope.files.rows import ENDINGS, KINDS
from groundscope.files.sandbox import FILES, sandboxed
from groundscope.paths import ROOT

SAMPLE = "Sample analyses"
_FOLDER = ROOT / "sample_data"
_PASTED = "Pasted "


@lru_cache(maxsize=2)
def _sample(name: str = "citation_analyses.jsonl") -> Batch:
    return read_batch(name, (_FOLDER / name).read_bytes())


def _batches() -> dict[str, Batch]:
    """Texts pasted or loaded in this session, by name; the last few."""
    return state.last_few(state.own("cites_batches", {}))


def for_points(batch: Batch) -> Batch:
    """The texts of the tab of key points: the sample has its own, without citations."""
    return _sample("citation_key_points.jsonl") if batch is _sample() else batch


def choose() -> Batch:
    """Let the user choose; the texts loaded last come first."""
    names = [*reversed(_batches()), SAMPLE]
    if (added := st.session_state.pop("cites_added", None)) in names:
        st.session_state["cites_batch"] = added
    name = st.selectbox("Texts", names, key="cites_batch", persist_state="session") if len(names) > 1 else SAMPLE
    return _batches().get(str(name)) or _sample()


def load() -> None:
    """The forms to paste or load texts."""
    with st.form("cites_paste", border=False):
        left, right = st.columns(2)
        reference = left.text_area("Reference analysis", key="cites_reference", height=220)
        generated = right.text_area("Generated analysis", key="cites_generated", height=220)
        system = st.text_input(
            "System that wrote the generated analysis", key="cites_system", max_chars=80, placeholder="System 1"
        )
        with st.container(horizontal=True):
            compare = st.form_submit_button("Compare")
            more = st.form_submit_button("Add to the pasted reference", disabled=not _pasted_names())
        if compare or more:
            _pasted(reference, generated, system, more=more)
    st.html(
        "<p class='gs-measure'>Or upload a file, one row per generated text: <code>reference</code>, <code>generated</code>, and "
        "optionally <code>id</code> (of the reference), <code>system</code> (who generated it) and <code>rating</code> "
        f"(a human's, higher = better). {KINDS}.</p>"
    )
    files = st.file_uploader("Files of analyses", type=list(ENDINGS), accept_multiple_files=True, key="cites_upload")
    if read_uploads(files, "cites_seen", _read):
        st.rerun()
    sizes = {name: f"{len(batch.entries):,} texts" for name, batch in _batches().items()}
    removable("Remove", sizes, "cites_forget", lambda name: _batches().pop(name, None))


def _read(file: UploadedFile) -> str:
    try:
        _keep(sandboxed(FILES, read_batch, file.name, file.getvalue()))
    except DataError as error:
        raise DataError(f"{file.name}: {error}") from error
    return ""


def _pasted_names() -> list[str]:
    """Names of the pasted texts, the one on screen last."""
    names = [name for name in _batches() if name.startswith(_PASTED)]
    shown = st.session_state.get("cites_batch")
    return sorted(names, key=lambda name: name == shown)


def _pasted(reference: str, generated: str, system: str, *, more: bool) -> None:
    """Compare a new pair, or add another system's text to a pasted reference."""
    if not generated.strip() or not (more or reference.strip()):
        shell.notice("bad", "Paste the generated text." if more else "Paste both texts: the reference and the one to compare.")
        return
    with errors_shown():
        if more:
            batch = with_answer(_batches()[_pasted_names()[-1]], reference, generated, system)
        else:
            row = {"id": "pasted", "system": system.strip() or "System 1", "reference": reference, "generated": generated}
            pasted = read_batch("pasted.json", json.dumps([row]).encode())
            numbers = count(1 + len(_pasted_names()))
            name = next(name for n in numbers if (name := f"{_PASTED}{n}") not in _batches())
            batch = Batch(name, pasted.entries)
        _keep(batch)
        st.rerun()


def _keep(batch: Batch) -> None:
    _batches()[batch.name] = batch
    st.session_state["cites_added"] = batch.name


def notes(batch: Batch) -> None:
    """Notes on the texts: that the sample is a sample, and which rows of a file were left out."""
    if batch is _sample():
        st.html(
            "<p class='gs-note'>Short drafts that come with the app: the authorities are real, the mistakes deliberate. No model "
            "was asked.</p>"
        )
    for line in left_out(batch.rejected):
        shell.notice("info", line)


def entry(batch: Batch, tab: str = "one") -> AnalysisEntry:
    """Let the user choose one generated text."""
    left, right = st.columns(2)
    id_ = left.selectbox("Analysis", batch.ids, key=f"cites_id_{tab}_{batch.name}")
    systems = [e.system for e in batch.entries if e.id == id_]
    system = right.selectbox("By", systems, key=f"cites_system_{tab}_{batch.name}_{id_}")
    return next(e for e in batch.entries if e.id == id_ and e.system == system)
