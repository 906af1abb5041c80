"""Form that starts a run: its cases and methods, and an estimate of cost and time before it begins."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import download, errors_shown, slug
from components.opened import runs
from components.opened.starting import loaded_parts, methods_field, offer_run
from components.scoring.session import this_session
from components.worker.reading import reading
from groundscope.cases.splitting import SHARES
from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.files.rows import ENDINGS
from groundscope.files.sandbox import FILES, sandboxed
from groundscope.grounding.imported.scores import ImportedMethod, Matched, Recorded, attach, read_scores
from groundscope.grounding.parts import loaded, named, swept_values
from groundscope.grounding.runs.planning import chosen
from groundscope.grounding.study import study_of, study_text
from groundscope.methods import registry
from groundscope.text.humanize import plural
from groundscope.types import Case

_ALL = "All"
_KEPT = 8


def show() -> None:
    """The choice of data and methods, the forecast, and the button."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        group = case_sets.choose("Cases", runs.SET)
        splits = [_ALL, *sorted({c.split or "none" for c in group.cases})]
        split = st.selectbox("Split", splits, key=f"run_split_{group.name}", persist_state="session", width=160)
        title = st.text_input(
            "Name of the run", key="run_name", persist_state="session", placeholder=_title(group.name, split), max_chars=80
        )
    methods = this_session()
    named = methods_field("run_methods", methods, [m.id for m in methods.ready if not m.method.asks])
    more({m.id: m.about.title for m in methods.ready})
    cases = chosen(group.cases, "" if split == _ALL else split)
    attached = [*_stored(group.name, cases), *_scores(cases)]
    attached = list({a.method.id: a for a in attached}.values())
    if not named and not attached:
        shell.notice("info", "Choose at least one method, or add the scores of another tool.")
        return
    titled = title.strip() or _title(group.name, split)
    parts = loaded_parts(named, methods)
    if parts is not None and offer_run(group.name, split, titled, cases, parts, attached):
        st.rerun()
    if parts:
        _study_file(titled, group, [part for part, _ in parts])


def _study_file(title: str, group: CaseSet, parts: Sequence[Part]) -> None:
    """The chosen methods as the file of a study, which cuts the cases where they have no splits."""
    limits = {n: st.session_state.get(f"run_{n}") for n in ("calls", "dollars")}
    uncut = not {"dev", "test"} & {c.split for c in group.cases}
    cases = () if group.name == case_sets.SAMPLES else (group.name,)
    study = study_of(title, parts, cases=cases, splits=SHARES if uncut else {}, **limits)
    about = "The same methods, to be tuned on dev and read on test: in “Run a study from a file”, or by groundscope study FILE"
    download("Download as study file", study_text(study), f"{slug(title)}.toml", "run_study_file", help=about)


def _stored(group: str, cases: Sequence[Case]) -> list[ImportedMethod]:
    """The scores that the set's own file held, unless the user does not want them."""
    attached = [a for recorded in runs.stored_scores().get(group, ()) for a in attach(recorded, cases)[0]]
    if not attached:
        return []
    titles = ", ".join(a.method.title for a in attached)
    label = f"With the scores stored in the set ({plural(len(attached), 'method')})"
    return attached if st.checkbox(label, True, key=f"run_stored_{group}", help=titles) else []


def _scores(cases: Sequence[Case]) -> list[ImportedMethod]:
    """Files of scores from other tools, and how they met the chosen cases."""
    attached: dict[str, ImportedMethod] = {}
    with st.expander("Add scores of Ragas, DeepEval, TruLens or Phoenix", key="run_scores_panel"):
        st.html(
            "<p class='gs-note'>The exported scores are added to the run as a further method. A row "
            "belongs to the case with its id, or with its question and answer.</p>"
        )
        files = st.file_uploader("Files of scores", type=list(ENDINGS), key="run_scores", accept_multiple_files=True)
        for file in files:
            read = _attached(file, tuple(cases))
            if isinstance(read, str):
                shell.notice("bad", f"{file.name}: {read}")
                continue
            recorded, methods, matched = read
            titles = ", ".join(a.method.title for a in methods) or "nothing that could be used"
            shell.notice(
                "info" if methods else "bad",
                f"{file.name}: {titles}. {matched.matched:,} of {len(recorded.rows):,} rows match one of {len(cases):,} cases, "
                f"{matched.ambiguous:,} match several and are left out, {len(recorded.rejected):,} could not be used.",
            )
            attached |= {a.method.id: a for a in methods}
    return list(attached.values())


def _title(group: str, split: str) -> str:
    return group if split == _ALL else f"{group}, {split}"


def _attached(file: Any, cases: tuple[Case, ...]) -> tuple[Recorded, list[ImportedMethod], Matched] | str:
    """A file's scores beside the cases, or why it cannot be read; read once, however often the page is drawn."""
    cache: dict[object, tuple[Recorded, list[ImportedMethod], Matched] | str] = state.own("run_scores_read", {})
    key = (file.file_id, cases)
    if key not in cache:
        state.last_few(cache, _KEPT - 1)
        try:
            with reading(partial(cache.__setitem__, key, "It was not read: you cancelled it. Load it again to read it.")):
                recorded = sandboxed(FILES, read_scores, file.name, file.getvalue())
            cache[key] = (recorded, *attach(recorded, cases))
        except DataError as error:
            cache[key] = str(error)
    return cache[key]


def more(methods: dict[str, str]) -> None:
    """A panel that adds parts to the choice of methods (titles of those that can run here, by id)."""
    shell.show_said("run_parts")
    with st.expander("Use a method more than once", key="run_parts_panel"):
        st.html(
            "<p class='gs-note gs-measure'>A run can use the same method several times: with two chat models, or with other "
            "parameters. Several values, with commas between them, are a sweep: each value becomes a part, and tuning on dev "
            "chooses one of them together with its threshold. 5..40 means every whole number from 5 to 40, which is a good "
            "sweep of QUIP's n. Prompts are not swept: each becomes a part of its own.</p>"
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            method = st.selectbox("Method", list(methods), format_func=lambda m: methods[m], key="run_part_method")
            options = registry.parameters(method) if method else ()
            option = st.selectbox("Parameter", options, key=f"run_part_option_{method}")
            if option == "prompt":
                prompts = [p.name for p in registry.find(method).prompts()]
                st.multiselect("Prompts", prompts, key=f"run_part_prompts_{method}", placeholder="Choose")
            else:
                st.text_input("Value, or values", key="run_part_values", placeholder="9, 15, 21 or 5..40", max_chars=400)
            st.text_input("Name (optional)", key="run_part_name", placeholder="gpt-4o", max_chars=40)
            st.button("Add", key="run_part_add", on_click=_add)
        for part in runs.parts().values():
            with st.container(horizontal=True, vertical_alignment="center"):
                st.html(shell.note(f"{part.id}: {', '.join(f'{n} = {v}' for n, v in part.options.items())}"))
                st.button("Remove", key=f"run_part_remove_{part.id}", on_click=_remove, args=(part.id,))


@errors_shown(ValueError, place="run_parts")
def _add() -> None:
    # What was typed last is in the session when the button is pressed, and not yet in what was drawn.
    method = str(st.session_state.get("run_part_method", ""))
    option = str(st.session_state.get(f"run_part_option_{method}", ""))
    name = str(st.session_state.get("run_part_name", "")).strip()
    if option == "prompt":
        several = [str(p) for p in st.session_state.get(f"run_part_prompts_{method}", [])]
    else:
        several = swept_values(str(st.session_state.get("run_part_values", "")))
    if not (method and option and several):
        raise ValueError("Choose a method, a parameter, and at least one value.")
    added = [loaded(part)[0] for part in _made(method, option, several, name)]
    runs.parts().update({part.id: part for part in added})
    chosen = st.session_state.get("run_methods", [])
    st.session_state["run_methods"] = [*chosen, *(p.id for p in added if p.id not in chosen)]


def _made(method: str, option: str, several: list[str], name: str) -> tuple[Part, ...]:
    """The parts of some values: a sweep of several, but for prompts, which tuning does not choose among."""
    if option == "prompt":
        asked = [f"{method}:{(len(several) == 1 and name) or f'prompt={prompt}'}" for prompt in several]
        parts = named(asked, registry.names())
        return tuple(replace(part, options={"prompt": prompt}) for part, prompt in zip(parts, several, strict=True))
    if len(several) > 1:
        return named((), registry.names(), (), (f"{method}.{option}={','.join(several)}",))
    part = f"{method}:{name or f'{option}={several[0]}'}"
    return named((part,), registry.names(), (f"{part}.{option}={several[0]}",))


def _remove(name: str) -> None:
    runs.parts().pop(name, None)
    st.session_state["run_methods"] = [m for m in st.session_state.get("run_methods", []) if m != name]
