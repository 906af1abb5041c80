"""Load cases: samples and uploads, and the tabs of the page."""

from functools import partial
from html import escape

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.cases import mapping_form, set_summary, splitting
from components.opened import runs
from components.worker.reading import reading
from groundscope.cases.dataset import LoadedDataset, read_many, unique_names
from groundscope.errors import DataError
from groundscope.files.rows import ENDINGS, KINDS
from groundscope.files.sandbox import FILES, sandboxed
from groundscope.grounding.imported.scores import WITH_CASES, stored_scores

TAB = "cases_tab"
PASTE, MATTERS, UPLOAD, SETS = TABS = ("Paste", "Matters", "Upload", "Samples and loaded cases")


def opening_tab() -> str:
    """The tab that the page opens with: the link's, or the sets if the user comes back from one of their cases."""
    linked = {"upload": UPLOAD, "matters": MATTERS}.get(st.query_params.get("from", ""))
    return linked or (SETS if state.case_read() else PASTE)


def showcase() -> None:
    """Three samples; one click opens one."""
    by_id = {c.id: c for c in case_sets.sets()[case_sets.SAMPLES].cases}
    for column, case in zip(st.columns(3), (by_id[i] for i in case_sets.SHOWCASE), strict=True):
        with column.container(border=True, height="stretch"):
            st.html(f'<p class="gs-sub">{escape(case.area)}</p><p class="gs-text">{escape(case.query)}</p>')
            if st.button("Open", key=f"sample_{case.id}", type="primary", width="stretch"):
                state.open_heatmap(case_sets.SAMPLES, case)


def upload() -> None:
    """The uploader and the report of the last upload."""
    files = st.file_uploader(
        "Files of cases",
        type=list(ENDINGS),
        key="upload",
        accept_multiple_files=True,
        help=f"{KINDS}. The app's own format, ContractNLI, RAGBench, RAGTruth, "
        "LettuceDetect, HaluEval QA, FaithBench, SummEdits, ExpertQA, RefChecker, AttributionBench, FactCC, LLM-AggreFact, "
        "WiCE, BEGIN, HaluBench, QAGS, FRANK, FELM, TofuEval, "
        "pairs of a document and a claim, what DeepEval, Ragas, TruLens, promptfoo, LangSmith, Langfuse and OpenAI evals export, "
        "and traces (OpenTelemetry, OpenInference, Phoenix) are recognised by their fields; of any other file you say what "
        "the fields are. Upload both files of RAGTruth, RefChecker or TofuEval together. Up to 25 MB a file, 100 MB unpacked.",
    )
    seen = tuple(file.file_id for file in files)
    if not files:
        st.session_state["upload_error"] = None
    elif st.session_state.get("upload_seen") != seen:
        _read([(file.name, file.getvalue()) for file in files], seen)
        st.session_state["upload_seen"] = seen
    if error_text := st.session_state.get("upload_error"):
        shell.notice("bad", error_text)
    contents = dict(zip(unique_names([file.name for file in files]), files, strict=True))
    for place, loaded in enumerate(state.upload_report()):
        if (loaded.unknown or loaded.unsure) and loaded.name in contents:
            mapping_form.show(loaded, contents[loaded.name])
            if loaded.unknown:
                continue
        _report(loaded)
        if loaded.cases:
            key = f"_{place}" if place else ""
            _next_steps(loaded, key)
            splitting.panel(loaded, key)


def _cancelled(seen: tuple[str, ...]) -> None:
    st.session_state["upload_seen"] = seen
    state.upload_report(())
    st.session_state["upload_error"] = "Nothing was read: you cancelled it. Upload the files again to read them."


def _read(files: list[tuple[str, bytes]], seen: tuple[str, ...]) -> None:
    """Read the uploaded files, and add the sets and the report to the session."""
    try:
        with reading(partial(_cancelled, seen)):
            reports = sandboxed(FILES, read_many, files)
    except DataError as error:
        state.upload_report(())
        name = f"{files[0][0]}: " if len(files) == 1 else ""
        st.session_state["upload_error"] = f"{name}{error} Sets loaded before are unchanged."
        return
    st.session_state["upload_error"] = None
    state.upload_report(reports)
    contents = dict(zip(unique_names([name for name, _ in files]), (data for _, data in files), strict=True))
    for loaded in reports:
        if loaded.cases:
            case_sets.add(CaseSet(loaded.name, loaded.cases))
            state.browse(loaded.name)
            stored = (
                sandboxed(FILES, stored_scores, [(loaded.name, contents[loaded.name])]) if WITH_CASES & {*loaded.shapes} else ()
            )
            runs.stored_scores()[loaded.name] = stored


def _next_steps(loaded: LoadedDataset, key: str) -> None:
    with st.container(horizontal=True):
        if st.button("Open the first case", type="primary", key=f"open_first{key}"):
            state.open_heatmap(loaded.name, loaded.cases[0])
        st.button("Browse this set", key=f"look_through{key}", on_click=_look_through, args=(loaded.name,))
        st.button("Remove these cases", key=f"remove_set{key}", on_click=case_sets.remove, args=(loaded.name,))


def _look_through(name: str) -> None:
    state.browse(name)
    st.session_state[TAB] = SETS


def _report(loaded: LoadedDataset) -> None:
    if loaded.refused:
        shell.notice("bad", f"{loaded.name}: {loaded.refused}")
        return
    shell.notice("good" if loaded.cases else "bad", f"{loaded.name}: {loaded.counts.summary(loaded.shapes)}")
    for note in loaded.notes:
        shell.notice("info", note)
    set_summary.at_load(loaded.counts)
