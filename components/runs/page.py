"""The runs page below its form: all runs, with their actions."""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from html import escape
from pathlib import Path

import streamlit as st

from components import shell
from components.chat.prompts import TITLES
from components.controls import action, download, errors_shown, slug, zipped
from components.experiments.panel import Panel, works
from components.opened import runs
from components.opened.starting import PANEL
from components.runs import study
from groundscope.drawing.html import tag
from groundscope.errors import StoreError
from groundscope.experiments.listing import Listed, one
from groundscope.experiments.plan import Part
from groundscope.grounding.runs.listing import RunEntry, drop_from_list, put_on_list, run_files, write_again
from groundscope.grounding.runs.store import FOLDER, KIND, plan_of
from groundscope.grounding.sensitivity.leave_one_out import LEAVING_OUT
from groundscope.grounding.sharded import jobs as on_ray
from groundscope.grounding.sharded.shards import is_sharded
from groundscope.storage.team import Role, current_person, use_case

ON_RAY = Panel(on_ray.KIND, "Its list of chunks and what its calls cost, not the folder of its results,")
LEFT_OUT = Panel(LEAVING_OUT.kind, "Its results and its copy of the case", of=lambda job: job.plan.by in ("", _me()))
_POLL = 1.0
_SAID = "runs_finished"
_shown = errors_shown(place=_SAID)
_write_again = _shown(use_case(Role.REVIEWER)(write_again))
_write_files = _shown(use_case(Role.REVIEWER)(run_files))
_list = _shown(use_case(Role.REVIEWER)(put_on_list))
_unlist = _shown(use_case(Role.LEAD)(drop_from_list))


def _me() -> str:
    person = current_person()
    return person.email if person else ""


def others() -> None:
    """Jobs that no other page shows, or only at their case: those on Ray, and what carries a sentence."""
    for panel, title in ((ON_RAY, "Runs on Ray"), (LEFT_OUT, "What carries a sentence: jobs of the heatmap")):
        ended = [job for job in panel.jobs() if job.finished]
        panel.under_way(title)
        if ended:
            with st.expander(f"{title}, finished", key=f"{panel.key}_ended"):
                for job in ended:
                    st.html(tag("p", tag("b", job.name), f" {job.about}", class_="gs-note"))
                    panel.finished(job)


def finished() -> None:
    """Every run that can be read, with links to what it shows."""
    shell.section("Runs")
    shell.show_said(_SAID)
    run_list = runs.run_list()
    there = [e for e in run_list.entries.values() if e.finished]
    if not there:
        shell.notice("info", "No run is finished yet. Start one above.")
    for entry in there:
        _entry(entry)
    with st.expander("Open a run from a folder", key="open_folder"), st.form("folder_form", border=False):
        about = (
            "The folder of an exported run on this machine, or the one that a run on Ray wrote; unpack first what was "
            "downloaded. Opening a million judgements of Ray for the first time takes half a minute."
        )
        st.html(f"<p class='gs-note gs-measure'>{about}</p>")
        path = st.text_input("Folder", key="run_folder_path", placeholder="/path/to/run")
        if st.form_submit_button("Open it"):
            with errors_shown():
                with st.spinner("Reading the run"):
                    runs.open_folder(path)
                st.rerun()


def _entry(entry: RunEntry) -> None:
    described = _facts(entry)
    key = slug(entry.id)
    with st.container(border=True, key=f"run_{key}"):
        if isinstance(described, str):
            st.html(f"<h3 class='gs-small'>{escape(entry.name)}</h3>")
            shell.notice("bad", described)
            if _ours(entry):
                action("Write its files again", f"again_{key}", _write_again, entry.id)
            elif not entry.comes_with_app:
                _named_folder(entry, key)
            return
        (name, *facts), methods = described
        st.html(
            f"<h3 class='gs-small'>{escape(name)}{' · comes with the app' if entry.comes_with_app else ''}</h3>"
            f"<p class='gs-note'>{escape(' · '.join(f for f in facts if f))}</p>"
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            for page, label in (("compare", "Compare"), ("thresholds", "Thresholds"), ("errors", "Errors")):
                st.page_link(f"pages/{page}.py", label=label, query_params={"run": entry.id})
            _actions(entry, key)
        if _ours(entry):
            study.result(entry)
        _prompts([m for m in methods if m.prompts], key)


def _facts(entry: RunEntry) -> tuple[list[str], Sequence[Part]] | str:
    """Name and facts of a run, and its methods; or an error message."""
    if entry.folder is None:
        with closing(FOLDER.open(entry.id)) as file:
            plan = plan_of(file)
        facts = [plan.name, f"{plan.cases:,} responses of {plan.source}", _titles(plan.methods)]
        return [*facts, entry.created[:16].replace("T", " ")], plan.methods
    manifest = runs.manifest(entry.folder)
    if isinstance(manifest, str):
        return manifest
    methods = [Part.read(m) for m in manifest["methods"]]
    machine = [str(line) for line in (manifest["machines"][0]["machine"] if manifest["machines"] else [])[:1]]
    when = str(manifest["created"])[:16].replace("T", " ")
    return [
        str(manifest["name"]),
        f"{manifest['cases']:,} responses of {manifest['source']}",
        _titles(methods),
        when,
        *machine,
    ], methods


def _titles(methods: Sequence[Part]) -> str:
    return ", ".join(str(m.title) for m in methods)


def _prompts(methods: Sequence[Part], key: str) -> None:
    """What the run's methods asked a chat model with, as it was when the run began."""
    if not methods:
        return
    with st.expander("Prompts", key=f"run_prompts_{key}"):
        for method in methods:
            for name, texts in method.prompts.items():
                st.html(
                    tag("h4", f"{method.title}, prompt {name}", class_="gs-small")
                    + "".join(
                        tag("p", TITLES.get(part, part), class_="gs-note") + tag("p", text, class_="gs-text")
                        for part, text in texts.items()
                    )
                )
        st.html(shell.note("After each text, other than a whole message, the app adds the form of the reply."))


def _actions(entry: RunEntry, key: str) -> None:
    if entry.folder is not None and not is_sharded(entry.folder):
        download("Download", partial(zipped, entry.folder, entry.folder.name), f"{key}.zip", f"zip_{key}")
    if _ours(entry):
        job = _listed(entry.id)
        # What judged the run writes its files before it ends; otherwise a button writes them.
        if entry.folder is None and works(job):
            st.fragment(_waiting, run_every=_POLL)(job.id)
        elif entry.folder is None:
            action("Write its files", f"write_{key}", _write_files, job.id)
        PANEL.finished(job)
    elif not entry.comes_with_app:
        _named_folder(entry, key)


def _named_folder(entry: RunEntry, key: str) -> None:
    folder = Path(entry.id)
    if entry.id in runs.run_folders():
        st.button("Close", key=f"close_{key}", on_click=runs.run_folders().pop, args=(entry.id, None))
        action("List it for everyone", f"list_{key}", _list, folder)
    else:
        action("Take it off the list", f"unlist_{key}", _unlist, folder)


def _waiting(run: str) -> None:
    st.html("<p class='gs-note'>Its files are being written.</p>")
    try:
        job = _listed(run)
    except StoreError:
        # Another session has deleted it.
        st.rerun()
    if not works(job):
        st.rerun()


def _listed(run: str) -> Listed:
    with closing(FOLDER.open(run)) as file:
        return one(KIND, file)


def _ours(entry: RunEntry) -> bool:
    return not entry.comes_with_app and entry.id != str(entry.folder)
