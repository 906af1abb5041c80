"""Form that maps the unknown fields of an uploaded file to parts of a case, with a preview of the first rows."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import action, errors_shown, select_one
from components.worker.reading import read_once, reading
from groundscope.cases.dataset import LoadedDataset, read
from groundscope.cases.formats import FieldMapping, mapped
from groundscope.cases.mapping import saved_mappings
from groundscope.cases.mapping.field_mapping import FieldsOfFile, fields_of, guess, meaning_grounded, misfits
from groundscope.files.sandbox import FILES, sandboxed
from groundscope.storage.team import Role, use_case
from groundscope.text.humanize import one_line, plural
from groundscope.types import Case

_PARTS: Mapping[str, tuple[str, str]] = {
    "question": ("Question", "May be missing."),
    "context": ("Context", "The sources: a text, a list of texts, or a list of objects with a text."),
    "answer": ("Answer", "What is judged: an answer, a claim, a summary."),
    "label": ("Label", "Says whether the answer is grounded."),
    "split": ("Split", "train, dev or test."),
    "group": ("Group", "What all answers to one question share."),
    "sentence": (
        "Sentences of the answer",
        "A list of texts, or of objects with a text; joined where no field has the whole answer.",
    ),
    "sentence_label": (
        "Label of each sentence",
        "A label or votes for each sentence; one that is not grounded is marked in the answer.",
    ),
}
"""The parts of a case, each with its title and its help."""
_SHOWN = ("Row", "Question", "Context", "Answer", "Label", "Split", "Group")
_NONE = "not in the file"
_OWN = "my choice below"
_WIDEST = 160


def show(loaded: LoadedDataset, file: UploadedFile) -> None:
    """The form of one file; its rows are read by the choice when the user says so."""
    key = file.file_id
    fields = partial(sandboxed, FILES, fields_of, loaded.name, file.getvalue())
    file_fields = read_once(("fields", key), lambda: state.once("file_fields", key, fields, 4))
    if file_fields is None:
        return
    count = plural(len(file_fields.fields), "field")
    why = f"its {count} match no known data set." if loaded.unknown else loaded.unsure.partition(" Say it: ")[0]
    shell.notice("info", f"{loaded.name}: {why} Choose below what each field is; the table previews the first rows.")
    with st.container(border=True):
        chosen = _choice(file_fields, key)
        if bool(chosen.sentence) != bool(chosen.sentence_label):
            shell.notice("info", "Choose the sentences of the answer together with the label of each.")
            return
        if not (chosen.context and (chosen.answer or chosen.sentence)):
            shell.notice("info", "Choose at least the fields of the context and of the answer.")
            return
        _preview(file_fields, chosen)
        shell.show_said(f"mapping_{key}", key)
        _actions(loaded, file, chosen, key)


def _choice(file_fields: FieldsOfFile, key: str) -> FieldMapping:
    """The choice of a field for each part of a case; it starts with a mapping that was kept, or with a guess."""
    there = {field.name: field for field in file_fields.fields}
    saved = saved_mappings.saved().items()
    usable = {name: mapping for name, mapping in saved if {mapping.context, mapping.answer or mapping.sentence} <= there.keys()}
    start, base = guess(file_fields), ""
    if usable:
        base = select_one(st, "Start with", {_OWN: _OWN, **{name: name for name in usable}}, f"mapping_base_{key}", width=300)
        start = usable.get(base, start)
    titles = {"": _NONE} | {name: f"{name} · {field.example}" if field.example else name for name, field in there.items()}
    chosen: dict[str, str] = {}
    columns = st.columns(3)
    for place, (part, (label, about)) in enumerate(_PARTS.items()):
        first = getattr(start, part)
        widget = f"mapping_{part}_{key}_{base}"
        # A file may say anything in its names: they are options of a list, which draws them as text.
        chosen[part] = select_one(columns[place % 3], label, titles, widget, first if first in there else "", help=about)
    label = chosen["label"] or chosen["sentence_label"]
    values = there[label].values if label else ()
    missing = [field for field in start.named.values() if field not in there]
    if faults := misfits(start, missing, tuple(there), values if start.label == label else start.grounded):
        shell.notice("bad", f"The mapping {base} does not fit: {'; '.join(faults)}.")
    grounded: Sequence[str] = ()
    if values:
        first_ones = start.grounded if start.label == label else meaning_grounded(label, values)
        grounded = st.multiselect(
            "Values of the label that mean grounded",
            values,
            default=[value for value in values if value.casefold() in {first.casefold() for first in first_ones}],
            key=f"mapping_grounded_{key}_{base}_{label}",
            help="Every other value means ungrounded; an empty one means that the answer has no label.",
        )
        if not grounded:
            shell.notice("info", "Choose which values mean grounded; until then the label is not read.")
            chosen["label"] = chosen["sentence"] = chosen["sentence_label"] = ""
    return FieldMapping(**chosen, grounded=tuple(grounded))


def _preview(file_fields: FieldsOfFile, chosen: FieldMapping) -> None:
    """What becomes of the first rows."""
    rows = [_previewed(row.values, row.number, chosen) for row in file_fields.rows]
    table = pd.DataFrame(rows, columns=_SHOWN)
    st.dataframe(table, hide_index=True, alt=f"What becomes of the first {plural(len(rows), 'row')}")


def _previewed(values: dict[str, Any], number: int, chosen: FieldMapping) -> tuple[str, ...]:
    try:
        case = mapped(values, chosen, f"row-{number}")
    except ValueError as error:
        return (str(number), f"Cannot be used: {error}", *[""] * (len(_SHOWN) - 2))
    return (str(number), *(one_line(part[: 2 * _WIDEST], _WIDEST) for part in _parts(case)))


def _parts(case: Case) -> tuple[str, ...]:
    label = {True: "grounded", False: "ungrounded", None: "no label"}[case.grounded]
    passages = [passage.text for passage in case.context]
    more = f"{len(passages)} passages: " if len(passages) > 1 else ""
    wrong = f", {plural(len(case.unsupported), 'sentence')} marked" if case.unsupported else ""
    return case.query, more + " … ".join(passages), case.response, label + wrong, case.split or "", case.group or ""


def _actions(loaded: LoadedDataset, file: UploadedFile, chosen: FieldMapping, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button("Read the file this way", type="primary", key=f"mapping_read_{key}"):
            _read(loaded, file, chosen)
        with st.popover("Save this mapping", key=f"mapping_keep_panel_{key}"):
            name = st.text_input("Name of the mapping", key=f"mapping_name_{key}", max_chars=60)
            shown = errors_shown(place=f"mapping_{key}")
            action("Save", f"mapping_keep_{key}", shown(_keep), name, chosen, key, disabled=not name.strip())
            for there in saved_mappings.saved():
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.html(f"<span class='gs-note'>{escape(there)}</span>", width="content")
                    action("Forget", f"mapping_forget_{key}_{there}", shown(_forget), there)
    st.html("<p class='gs-note'>The same mapping on the command line:</p>")
    st.code(f'--map "{chosen.line}"', language=None, wrap_lines=True)


def _read(loaded: LoadedDataset, file: UploadedFile, chosen: FieldMapping) -> None:
    with errors_shown():
        with reading():
            mapped_set = replace(sandboxed(FILES, read, loaded.name, file.getvalue(), chosen), unknown=False)
        state.upload_report(tuple(mapped_set if report.name == loaded.name else report for report in state.upload_report()))
        if mapped_set.cases:
            case_sets.add(CaseSet(mapped_set.name, mapped_set.cases))
            state.browse(mapped_set.name)
        st.rerun()


@use_case(Role.REVIEWER)
def _keep(name: str, chosen: FieldMapping, key: str) -> None:
    saved_mappings.save(name, chosen)
    shell.say(f"mapping_{key}", "good", f'Saved as {name.strip()}. On the command line: --map "{name.strip()}".')


_forget = use_case(Role.LEAD)(saved_mappings.delete)
