"""Arguments made elsewhere: one pasted for a triple, or a file of many."""

from html import escape

import streamlit as st

from components import shell
from components.arguments import making, sources, state, tables
from components.arguments.state import PASTED, ArgumentFile, ScenarioSet
from components.html import region
from groundscope.arguments.parsing import LONGEST
from groundscope.arguments.prompts import DEFAULT, WORDINGS, prompt
from groundscope.arguments.prompts import wording as wording_of
from groundscope.arguments.records import pasted, read_arguments
from groundscope.arguments.types import Scenario
from groundscope.errors import DataError
from groundscope.humanize import plural

_FILES = ["jsonl", "json", "csv", "parquet"]
_REJECTED = 5


def show() -> None:
    """Both ways, and the arguments of this session."""
    chosen = making.choose("Triples", "arguments_paste_set")
    way = st.segmented_control(
        "Load", ("One argument", "A file of many"), default="One argument", key="arguments_way", required=True
    )
    if way == "A file of many":
        _upload(chosen)
    else:
        _paste(chosen)
    for name in list(state.files()):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(
                f"<span class='gs-note'>{escape(name)}: {plural(len(state.files()[name].judged), 'argument')}</span>",
                width="content",
            )
            st.button("Remove", key=f"arguments_forget_{name}", on_click=_forget, args=(name,))


def _paste(chosen: ScenarioSet) -> None:
    ids = {s.id: s for s in chosen.scenarios}
    left, right = st.columns([3, 2])
    scenario = ids[str(left.selectbox("Triple", list(ids), key=f"arguments_paste_triple_{hash(chosen.name)}"))]
    wording = str(
        right.selectbox(
            "Wording of when not to argue",
            ["", *(w.id for w in WORDINGS)],
            format_func=lambda w: tables.wording_title(w) if w else "Unknown",
            key="arguments_paste_wording",
            persist_state="session",
            help="The prompt below uses it, and it is stored with the argument. Unknown: the prompt uses the plain wording.",
        )
    )
    with st.expander("Prompt for this triple, to use elsewhere", key="arguments_prompt", on_change="rerun") as panel:
        if panel.open:
            st.code(_prompt(scenario, chosen, wording or DEFAULT), language=None, wrap_lines=True)
    left, right = st.columns([6, 5])
    right.html(region("Triple", tables.triple(scenario, chosen.catalogue, None, "What it argues about")))
    with left, st.form("arguments_paste", border=False):
        text = st.text_area(
            "Argument: JSON with three plies, or any text", key="arguments_text", height=260, max_chars=LONGEST,
            help="Text before a closing think tag is left out.",
        )  # fmt: skip
        model = st.text_input("Author", key="arguments_model", placeholder="Pasted", max_chars=80)
        done = st.form_submit_button("Show the argument", type="primary")
    left.html(
        "<p class='gs-note'>What you paste stays in this session. It is not stored or sent, unless you have a model extract "
        "factors from it.</p>"
    )
    if not done:
        return
    if not text.strip():
        shell.notice("bad", "Paste an argument first.")
        return
    new = pasted(scenario, model.strip() or PASTED, text, chosen.catalogue, wording)
    same = state.files().get(PASTED)
    # Arguments of another domain cannot be counted together with these.
    others = same.judged if same and same.catalogue == chosen.catalogue else ()
    rest = tuple(j for j in others if (j.scenario, j.arguer, j.wording) != (scenario, new.arguer, wording))
    state.files()[PASTED] = ArgumentFile(PASTED, chosen.catalogue, (new, *rest))
    state.opened((scenario.id, new.arguer, wording))
    _open(PASTED)


def _prompt(scenario: Scenario, chosen: ScenarioSet, wanted: str) -> str:
    asked = prompt(scenario, chosen.catalogue, wording_of(wanted))
    return "\n\n".join((asked.system, asked.blocks[0].text, asked.task))


def _upload(chosen: ScenarioSet) -> None:
    st.html(
        "<p class='gs-note gs-measure'>One argument per row, as JSONL, JSON, CSV or Parquet: <code>model</code>, "
        "<code>argument</code> (a text, or an object with the three plies), and <code>scenario</code> as triples are "
        "exported, or <code>scenario_id</code> of one of the triples chosen above; optionally <code>wording</code>, and what "
        "another model extracted, as exported. Nothing is run or sent.</p>"
    )
    files = st.file_uploader("Files of arguments", type=_FILES, accept_multiple_files=True, key="arguments_upload")
    faults = state.faults()
    for gone in set(faults) - {f.file_id for f in files}:
        faults.pop(gone)
    last = ""
    for file in files:
        if file.file_id in state.seen():
            continue
        state.seen().add(file.file_id)
        try:
            found = read_arguments(file.name, file.getvalue(), chosen.catalogue, chosen.scenarios)
        except DataError as error:
            faults[file.file_id] = str(error)
            continue
        notes = [f"Row {r.row} was left out: {r.reason}" for r in found.rejected[:_REJECTED]]
        if (more := len(found.rejected) - _REJECTED) > 0:
            notes.append(f"{plural(more, 'more row was', 'more rows were')} left out.")
        other = "another model" if any(j.other for j in found.judged) else ""
        state.files()[file.name] = ArgumentFile(file.name, chosen.catalogue, found.judged, tuple(notes), other)
        last = file.name
    for fault in faults.values():
        shell.notice("bad", fault)
    if last:
        # The user must read what went wrong before the results of the other files are shown.
        _open(last, go=not faults)


def _open(name: str, *, go: bool = True) -> None:
    sources.show_file(name)
    state.wanted(state.ArgumentFilter())
    if go:
        st.session_state["arguments_go"] = True
        st.rerun()


def _forget(name: str) -> None:
    state.files().pop(name, None)
