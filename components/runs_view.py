"""The runs page below its form: what is under way, and every run there is with what can be done with it."""

import io
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path

import streamlit as st

from components import run_state, runs, shell, state
from components.figure import slug
from components.runner import runner
from evaluation.errors import GroundscopeError
from evaluation.plans import Listed, seconds_left
from evaluation.run_list import Entry, files, write_again
from evaluation.words import spell

_POLL = 1.0
_PAGES = (("compare", "Compare"), ("thresholds", "Thresholds"), ("errors", "Errors"))


def under_way() -> None:
    """Runs that are not finished: how far each method is, and the buttons. Looks again while one works."""
    try:
        open_ = [listed for listed in runs.store().runs() if not listed.finished]
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return
    if not open_:
        return
    shell.section("Not finished")
    working = any(_works(listed.id) for listed in open_)
    st.fragment(_live, run_every=_POLL if working else None)(working)


def _works(run: str) -> bool:
    return runner().works(run) or runs.store().busy(run)


def _live(working: bool) -> None:
    try:
        open_ = [listed for listed in runs.store().runs() if not listed.finished]
    except GroundscopeError as error:
        shell.notice("bad", str(error))
        return
    shown = run_state.runs_shown()
    now = {listed.id for listed in open_}
    # A run that has just finished belongs into the list below; one that was begun or paused needs the polling set up anew.
    if (shown and shown - now) or working != any(_works(listed.id) for listed in open_):
        shown.clear()
        shown.update(now)
        st.rerun()
    shown.clear()
    shown.update(now)
    for listed in open_:
        _one(listed)


def _one(listed: Listed) -> None:
    works = _works(listed.id)
    done, wanted = sum(listed.done), listed.plan.cases * len(listed.plan.methods)
    with st.container(border=True, key=f"open_{listed.id}"):
        st.html(f"<h3 class='gs-small'>{escape(listed.plan.name)}</h3>")
        left = _left(listed) if works else ()
        st.progress(min(1.0, done / max(1, wanted)), text=_words(works, done, wanted, left))
        st.html(_methods(listed, left))
        if not works and (trouble := runner().trouble(listed.id)):
            shell.notice("bad", trouble)
        with st.container(horizontal=True):
            if works:
                st.button(
                    "Pause",
                    key=f"pause_{listed.id}",
                    on_click=runner().pause,
                    args=(listed.id,),
                    disabled=not runner().works(listed.id),
                )
            else:
                st.button("Resume", key=f"resume_{listed.id}", type="primary", on_click=_resume, args=(listed.id,))
            _deletion(listed.id, "Cancel and delete")


def _left(listed: Listed) -> tuple[float | None, ...]:
    """Seconds that each method still takes; nothing while the models load."""
    starts = runs.store().starts(listed.id)
    if not starts or starts[-1].started < runner().begun(listed.id):
        return ()
    return seconds_left(listed, starts[-1], datetime.now(UTC))


def _words(works: bool, done: int, wanted: int, left: Sequence[float | None]) -> str:
    judged = f"{done:,} of {wanted:,} judgements"
    if not works:
        return f"Paused at {judged}"
    if not left:
        return f"Loading the models, {judged} so far" if done else "Loading the models"
    known = [seconds for seconds in left if seconds is not None]
    return f"{judged}, about {spell(max(known))} left" if len(known) == len(left) else f"{judged}, just begun"


def _methods(listed: Listed, left: Sequence[float | None]) -> str:
    rows = ""
    for i, (m, done, failed) in enumerate(zip(listed.plan.methods, listed.done, listed.failed, strict=True)):
        seconds = left[i] if left else None
        state_ = "done" if done == listed.plan.cases else f"about {spell(seconds)} left" if seconds else ""
        rows += (
            f"<tr><th scope='row'>{escape(m.title)}</th><td>{done:,} of {listed.plan.cases:,}</td><td>{state_}</td>"
            f"<td>{f'{failed:,} failed' if failed else ''}</td></tr>"
        )
    return f"<table class='gs-counts'><caption>{escape(listed.plan.source)}</caption><tbody>{rows}</tbody></table>"


def _resume(run: str) -> None:
    """Go on within the budget as it is now: the user may have raised it. A limit that only the run has stays."""
    limits = state.limits()
    try:
        plan = runs.store().run(run).plan
        calls = plan.calls if limits.calls is None else limits.calls
        runs.store().allow(run, calls, plan.dollars if limits.dollars is None else limits.dollars)
    except GroundscopeError as error:
        run_state.run_said(str(error))
    else:
        runner().begin(run)


def _deletion(run: str, label: str) -> None:
    """Two steps: what is deleted does not come back."""
    with st.popover(label, key=f"delete_{run}"):
        st.html("<p class='gs-note'>Its judgements and its copy of the texts are deleted for good. Exported folders stay.</p>")
        st.button("Delete it", key=f"delete_yes_{run}", on_click=_delete, args=(run,))


def _delete(run: str) -> None:
    runner().pause(run)
    runner().wait(run, 20)
    try:
        runs.store().delete(run)
    except GroundscopeError as error:
        run_state.run_said(str(error))


def finished() -> None:
    """Every run that can be read, with links to what it shows."""
    shell.section("Runs")
    if said := run_state.run_said():
        shell.notice("bad", said)
        run_state.run_said("")
    shelf = runs.shelf()
    there = [e for e in shelf.entries.values() if e.finished]
    if not there:
        shell.notice("info", "No run is finished yet. Start one above.")
    for entry in there:
        _entry(entry)
    _folder()


def _entry(entry: Entry) -> None:
    found = _facts(entry)
    key = slug(entry.id)
    with st.container(border=True, key=f"run_{key}"):
        if isinstance(found, str):
            st.html(f"<h3 class='gs-small'>{escape(entry.name)}</h3>")
            shell.notice("bad", found)
            if _ours(entry):
                st.button("Write its files again", key=f"again_{key}", on_click=_try(lambda: write_again(runs.store(), entry.id)))
            return
        name, *facts = found
        st.html(
            f"<h3 class='gs-small'>{escape(name)}{' · comes with the app' if entry.comes_with_app else ''}</h3>"
            f"<p class='gs-note'>{escape(' · '.join(f for f in facts if f))}</p>"
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            for page, label in _PAGES:
                st.page_link(f"pages/{page}.py", label=label, query_params={"run": entry.id})
            _actions(entry, key)


def _facts(entry: Entry) -> list[str] | str:
    """Its name, then what stands under it; or why it cannot be read."""
    if entry.folder is None:
        plan = runs.store().run(entry.id).plan
        titles = ", ".join(m.title for m in plan.methods)
        return [plan.name, f"{plan.cases:,} responses of {plan.source}", titles, entry.created[:16].replace("T", " ")]
    found = runs.manifest(entry.folder)
    if isinstance(found, str):
        return found
    titles = ", ".join(str(m.get("title")) for m in found["methods"])
    machine = [str(line) for line in (found["machines"][0]["machine"] if found["machines"] else [])[:1]]
    when = str(found["created"])[:16].replace("T", " ")
    return [str(found["name"]), f"{found['cases']:,} responses of {found['source']}", titles, when, *machine]


def _actions(entry: Entry, key: str) -> None:
    if entry.folder is not None:
        st.download_button(
            "Download", lambda: _zipped(entry.folder), f"{key}.zip", "application/zip", key=f"zip_{key}", on_click="ignore"
        )
    elif _ours(entry):
        st.button("Write its files", key=f"write_{key}", on_click=_try(lambda: files(runs.store(), entry.id)))
    if _ours(entry):
        listed = runs.store().run(entry.id)
        failed = sum(n for n, m in zip(listed.failed, listed.plan.methods, strict=True) if not m.recorded)
        if failed:
            st.button(
                f"Judge {failed:,} failed ones again",
                key=f"retry_{key}",
                on_click=runner().begin,
                args=(entry.id,),
                kwargs={"retry": True},
            )
        _deletion(entry.id, "Delete")
    elif not entry.comes_with_app:
        st.button("Close", key=f"close_{key}", on_click=run_state.run_folders().pop, args=(entry.id, None))


def _ours(entry: Entry) -> bool:
    return not entry.comes_with_app and entry.id not in run_state.run_folders()


def _try(work: Callable[[], object]) -> Callable[[], None]:
    def tried() -> None:
        try:
            work()
        except GroundscopeError as error:
            run_state.run_said(str(error))

    return tried


def _zipped(folder: Path | None) -> bytes:
    out = io.BytesIO()
    if folder is not None:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            for path in sorted(folder.iterdir()):
                archive.write(path, f"{folder.name}/{path.name}")
    return out.getvalue()


def _folder() -> None:
    with st.expander("Open a run from a folder", key="open_folder"), st.form("folder_form", border=False):
        st.html("<p class='gs-note'>The folder of an exported run on this machine; unpack first what was downloaded.</p>")
        path = st.text_input("Folder", key="run_folder_path", placeholder="/path/to/run")
        if st.form_submit_button("Open it"):
            try:
                runs.open_folder(path)
            except GroundscopeError as error:
                shell.notice("bad", str(error))
            else:
                st.rerun()
