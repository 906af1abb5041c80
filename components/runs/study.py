"""A study from a file: its rows and what it takes before it starts, and the one table at its end."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from components import case_sets, shell, state
from components.controls import action, download, errors_shown, several_of, slug, unfolded
from components.experiments.jobs import jobs
from components.experiments.panel import offer
from components.opened import runs
from groundscope.chat.budget import Limits
from groundscope.drawing.html import Html, region, table
from groundscope.drawing.study_files import TABLE, study_figure, study_files
from groundscope.errors import DataError
from groundscope.experiments.forecast import CostEstimate
from groundscope.experiments.plan import Part
from groundscope.grounding.rules.frozen_rules import Decision, freeze_dated
from groundscope.grounding.runs.listing import RunEntry
from groundscope.grounding.runs.planning import begin
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.study import Earlier, Study, earlier, keep_text, preset, read_study, text_of
from groundscope.storage.sqlite import now
from groundscope.storage.team import Role, use_case
from groundscope.types import Case

_LONGEST = 1_000_000
_SAID, _STUDY = "run_study_said", "study.toml"
_ABOUT = (
    "A study is one file that names methods with their models, prompts and parameters. Groundscope judges them, tunes on dev, "
    "freezes, and reads test: one table. With another row in the file only that row is judged. The same file works on the "
    "command line: groundscope study FILE."
)


class StudyPlan(NamedTuple):
    """What a study judges, what is there already, and what the rest takes."""

    cases: Sequence[Case]
    methods: Sequence[Part]
    there: Earlier
    takes: Sequence[CostEstimate]


def show() -> None:
    """The choice of a file, its rows, what they take, and the button that starts them."""
    with st.expander("Run a study from a file", key="run_study_panel"):
        st.html(shell.note(_ABOUT))
        file = st.file_uploader("The study, as TOML", type=["toml"], key="run_study")
        if file is None:
            label = "Download the rows of the paper's table 3, to name your models in"
            download(label, preset, "table3.toml", "run_study_preset")
            return
        with errors_shown(ValueError):
            if file.size > _LONGEST:
                raise DataError("This is too large for a study; choose a TOML file with its rows.")
            text = file.getvalue().decode("utf-8", "replace")
            _offer(read_study(text), text, file.file_id)


def _offer(study: Study, text: str, file_id: str) -> None:
    options = (", ".join(f"{name} = {value}" for name, value in {**r.set, **r.sweep}.items()) for r in study.rows)
    rows = ((r.title or r.method, r.method, r.model, r.prompt, o) for r, o in zip(study.rows, options, strict=True))
    heads = ("Row", "Method", "Model", "Prompt", "Parameters")
    st.html(region("Rows of the study", table(heads, rows, caption=study.name)))
    sets = case_sets.sets()
    named = [Path(name).name for name in study.cases] or [case_sets.SAMPLES]
    if lacking := [name for name in named if name not in sets]:
        shell.notice("info", f"The study names {', '.join(lacking)}. Load it on the Cases page, or choose other cases here.")
    there = [name for name in named if name in sets]
    offered = {name: name for name in sets}
    chosen = several_of(st, "Cases", offered, f"run_study_cases_{file_id}", default=there, placeholder="Choose cases")
    if not chosen:
        return
    plan = state.once("run_studies", (text, tuple(chosen), len(runs.run_list().entries)), lambda: _plan(study, chosen))
    if plan.there.run:
        shell.notice(
            "info", "These rows are on this page already, over these cases: resume them above, or open their table below."
        )
        with closing(FOLDER.open(plan.there.run)) as job:
            same = text_of(job) == text
        if not same:
            action("Tune and read them by this file", f"run_study_by_{file_id}", _by_file, plan.there.run, text)
        return
    key = f"run_study_{file_id}"
    for name, limit in (("dollars", study.dollars), ("calls", study.calls)):
        if limit is not None:
            st.session_state.setdefault(f"{key}_{name}", limit)
    judged = sum(map(len, plan.there.results.values()))
    before = f" From earlier studies: {judged:,} of {len(plan.methods) * len(plan.cases):,} judgements."
    splits = " and ".join(f"{sum(c.split == split for c in plan.cases):,} of {split}" for split in (study.tune, study.test))
    caption = f"Estimate for {len(plan.cases):,} responses, {splits}.{before}"
    limits = offer(plan.takes, key, caption=caption, what="the study")
    if limits is not None:
        _start(study, text, chosen, plan, limits)


@use_case(Role.LEAD)
def _by_file(run: str, text: str) -> None:
    with closing(FOLDER.open(run)) as job:
        keep_text(job, text)


def _plan(study: Study, chosen: Sequence[str]) -> StudyPlan:
    everything = [c for name in chosen for c in case_sets.cases_of(name)]
    if len({c.id for c in everything}) < len(everything):
        raise DataError("Several of these sets have cases with the same id; choose one of them.")
    cases, parts = study.cases_of(everything), study.parts()
    methods = [part for part, _ in parts]
    there = earlier(methods, cases)
    return StudyPlan(cases, methods, there, there.takes(cases, parts))


@use_case(Role.REVIEWER)
def _start(study: Study, text: str, chosen: Sequence[str], plan: StudyPlan, limits: Limits) -> None:
    keeps = not case_sets.private(*plan.cases)
    run = begin(
        study.name, ", ".join(chosen), plan.cases, plan.methods, keeps_replies=keeps, limits=limits, again=plan.there.results
    )
    with closing(FOLDER.open(run)) as job:
        keep_text(job, text)
    jobs().resume(run)
    st.rerun()


def result(entry: RunEntry) -> None:
    """The table of a finished run of a study; nothing for other runs."""
    with closing(FOLDER.open(entry.id)) as job:
        text, finished = text_of(job), job.finished()
    if text:
        unfolded("The study's table", f"run_study_table_{slug(entry.id)}", _table, entry, text, finished)


def _table(entry: RunEntry, text: str, finished: str) -> None:
    shell.show_said(_SAID)
    with errors_shown(ValueError):
        decision, files, problems = _read(entry, text, finished)
        # The file has no look of its own; on a page it has that of other tables, which scroll, below its text, which does not.
        start, _, rest = files[TABLE.format("html")].partition("<caption>")
        about, _, rows = rest.partition("</caption>")
        drawn = Html(f"{start}{rows}".replace("<table>", '<table class="gs-counts">', 1))
        st.html(f"<p class='gs-note gs-measure'>{about}</p>" + region("The study's table", drawn, css="gs-across gs-nowrap"))
        for problem in problems:
            shell.notice("info", problem)
        key = slug(entry.id)
        with st.container(horizontal=True):
            name = f"{slug(decision.name)}.zip"
            all_files = partial(_zip, entry, decision, files)
            download("Download the table, thresholds and figure 2", all_files, name, f"study_zip_{key}")
            freezing = errors_shown(place=_SAID)(_freeze)
            action("Freeze these thresholds for the other pages", f"study_freeze_{key}", freezing, decision)


@st.cache_data(max_entries=8, show_spinner="Tuning on dev, reading test", hash_funcs={RunEntry: lambda e: e.id})
def _read(entry: RunEntry, text: str, finished: str) -> tuple[Decision, dict[str, str], list[str]]:
    run, study = runs.open_run(entry), read_study(text)
    decision, failed = study.decide(run, finished)
    titles = {m.id: m.title for m in run.methods}
    return decision, study_files(study, run, decision) | {_STUDY: text}, [f"{titles[m]}: {w}" for m, w in failed.items()]


def _zip(entry: RunEntry, decision: Decision, files: Mapping[str, str]) -> bytes:
    """All files of a study; the figure, of some megabytes, is drawn for those alone who want it."""
    figure = study_figure(read_study(files[_STUDY]), runs.open_run(entry), decision)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**files, **figure}.items():
            archive.writestr(name, text)
    return out.getvalue()


@use_case(Role.LEAD)
def _freeze(decision: Decision) -> None:
    # A study has several runs, each with thresholds of its own, and a frozen name is taken for good.
    dated = freeze_dated(replace(decision, made=now()))
    shell.say(_SAID, "good", f"Frozen as {dated.name}. The Compare and Errors pages read this run by it.")
