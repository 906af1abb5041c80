"""Arguments made elsewhere: one pasted for a triple, or a file of many."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import shell
from components.arguments import making, state, tables
from components.arguments.state import PASTED, ArgumentSource, ScenarioSet
from components.controls import errors_shown, left_out, one_of, read_uploads, removable, select_one, unfolded
from components.worker.reading import reading
from groundscope.arguments.parsing import LONGEST
from groundscope.arguments.prompts import DEFAULT, TASK, prompt
from groundscope.arguments.prompts import wording as wording_of
from groundscope.arguments.records import pasted, read_arguments
from groundscope.arguments.types import Scenario
from groundscope.chat.prompt_files import prompts
from groundscope.drawing.html import region
from groundscope.files.rows import ENDINGS, KINDS
from groundscope.files.sandbox import FILES, sandboxed
from groundscope.text.humanize import plural

_QUICK = 100_000
"""Bytes of an argument that is read in 0.2 s whatever it repeats; a longer one is read beside the server."""


def show() -> None:
    """Both ways, and the arguments of this session."""
    chosen = making.choose("Triples", "arguments_paste_set")
    ways = ("One argument", "A file of many")
    if one_of("Load", dict(zip(ways, ways, strict=True)), "arguments_way") == ways[1]:
        _upload(chosen)
    else:
        _paste(chosen)
    sizes = {name: plural(len(found.judged), "argument") for name, found in state.files().items()}
    removable("Remove", sizes, "arguments_forget", lambda name: state.files().pop(name, None))


def _paste(chosen: ScenarioSet) -> None:
    ids = {s.id: s for s in chosen.scenarios}
    left, right = st.columns([3, 2])
    scenario = ids[str(left.selectbox("Triple", list(ids), key=f"arguments_paste_triple_{hash(chosen.name)}"))]
    titles = {"": "Unknown"} | {w.name: w.title for w in prompts(TASK)}
    hint = "The prompt below uses it, and it is stored with the argument. Unknown: the prompt uses the plain wording."
    wording = select_one(right, "Wording of when not to argue", titles, "arguments_paste_wording", help=hint)
    unfolded("Prompt for this triple, to use elsewhere", "arguments_prompt", _prompt, scenario, chosen, wording or DEFAULT)
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
    with errors_shown():
        with reading():
            new = sandboxed(_QUICK, pasted, scenario, model.strip() or PASTED, text, chosen.catalogue, wording)
        same = state.files().get(PASTED)
        # Arguments of another domain cannot be counted together with these.
        others = same.judged if same and same.catalogue == chosen.catalogue else ()
        rest = tuple(j for j in others if (j.scenario, j.arguer, j.wording) != (scenario, new.arguer, wording))
        _show(ArgumentSource(f"file {PASTED}", PASTED, chosen.catalogue, (new, *rest)))
        state.opened((scenario.id, new.arguer, wording))
        _go()


def _prompt(scenario: Scenario, chosen: ScenarioSet, chosen_wording: str) -> None:
    asked = prompt(scenario, chosen.catalogue, wording_of(chosen_wording))
    st.code("\n\n".join((asked.system, asked.blocks[0].text, asked.task)), language=None, wrap_lines=True)


def _upload(chosen: ScenarioSet) -> None:
    st.html(
        f"<p class='gs-note gs-measure'>One argument per row, as {KINDS}: <code>model</code>, "
        "<code>argument</code> (a text, or an object with the three plies), and <code>scenario</code> as triples are "
        "exported, or <code>scenario_id</code> of one of the triples chosen above; optionally <code>wording</code>, and what "
        "another model extracted, as exported. Nothing is run or sent.</p>"
    )
    files = st.file_uploader("Files of arguments", type=list(ENDINGS), accept_multiple_files=True, key="arguments_upload")

    def read(file: UploadedFile) -> str:
        arguments = sandboxed(FILES, read_arguments, file.name, file.getvalue(), chosen.catalogue, chosen.scenarios)
        notes = tuple(left_out(arguments.rejected))
        other = "another model" if any(j.other for j in arguments.judged) else ""
        _show(ArgumentSource(f"file {file.name}", file.name, chosen.catalogue, arguments.judged, other, notes))
        return ""

    new = read_uploads(files, state.UPLOADS, read)
    # The user must read what went wrong before the results of the other files are shown.
    if new and not any(st.session_state[state.UPLOADS][file.file_id] for file in files):
        _go()


def _show(new: ArgumentSource) -> None:
    state.files()[new.name] = new
    st.session_state["arguments_open"] = new.id
    state.argument_filter(state.ArgumentFilter())


def _go() -> None:
    st.session_state["arguments_go"] = True
    st.rerun()
