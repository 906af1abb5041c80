"""Your own classifiers: trainings under way, trained models with their cards, and the form of the next training.

Options that the form lacks are those of the command.
"""

import math
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import action, download, errors_shown, files_in, needs, unfolded, zipped
from components.experiments.jobs import jobs
from components.experiments.panel import Panel, works
from components.training import progress as words
from groundscope.drawing.html import facts, region
from groundscope.drawing.model_card import card_html
from groundscope.errors import DataError, GroundscopeError
from groundscope.experiments.listing import Listed, listed
from groundscope.grounding.tables import frame_csv
from groundscope.models.weights import local
from groundscope.models.weights.grounding import RECORD, record
from groundscope.storage.team import Role, use_case
from groundscope.text.humanize import joined
from groundscope.training import jobs as trainings
from groundscope.training.finetuning import GRID, check_base, finished_settings, grid, reports
from groundscope.training.folders import folder_of, own_models
from groundscope.training.options import Options
from groundscope.training.pair_figures import AT_HALF
from groundscope.training.pairs import LABEL_WARNING, LabelledSplits, parts

_STARTED = time.time()


def show() -> None:
    """Trainings under way, finished models, and the form for the next one."""
    shell.section("Your own classifier")
    st.html(
        "<p class='gs-sub gs-measure'>A small model can learn from labelled cases, grounded and ungrounded, what supported "
        "sentences look like in your field, as in section 5.4 of the paper. It learns from train, dev decides when to stop, and "
        "test is never used. Everything stays on this machine. The result is a new method in the heatmap, "
        "in runs and in all comparisons.</p>"
    )
    # Always a container, even if empty: if the form moved down the page, the browser would forget that it was closed.
    with st.container():
        if older := trainings.earlier():
            places = ", ".join(map(str, older))
            shell.notice(
                "info", f"An earlier version began trainings that this one cannot resume. Delete their folders: {places}."
            )
        PANEL.under_way("")
        for name in sorted(own_models(), key=finished_at, reverse=True):
            _model(name)
        if not (own_models() or trainings.names()):
            shell.notice(
                "info",
                "There is none yet. Open the form below, choose a labelled set and start. You can try it with the samples.",
            )
    if st.session_state.pop(_BEGAN, False):
        # Close the form: the user now watches the training, and the name is taken.
        st.session_state[FORM], st.session_state[NAME] = False, ""
    unfolded("Train a classifier on labelled cases", FORM, _form)


def _learning(job: Listed, at_work: bool) -> None:
    """The learning curve of a training, and the time left."""
    place, plan = trainings.place_of(job.id), job.plan
    progress = reports(place)
    if at_work and plan.fixed is not None:
        settings = len(grid(plan.options, plan.fixed))
        st.html(shell.note(f"Setting {min(finished_settings(place) + 1, settings)} of {settings}."))
    losses, evaluations = words.points(progress)
    summary = words.curve_words(losses, evaluations)
    if not summary:
        return
    with st.container(key=f"curve_{job.id}"):
        figure = words.training(words.training_data(losses, evaluations), progress[-1].steps)
        st.plotly_chart(figure, key=f"curve_plot_{job.id}", config={"displayModeBar": False}, alt=summary, width="stretch")
    st.html(shell.note(summary))


PANEL = Panel(trainings.KIND, "Its checkpoints and its copy of the cases", _learning)


_MOST = 600_000_000
"""Most bytes of a folder sent through the browser, because it is held in memory meanwhile."""


def finished_at(name: str) -> float:
    """When it was finished, in seconds of the epoch; 0 if unknown."""
    try:
        return (folder_of(name) / RECORD).stat().st_mtime
    except OSError:
        return 0.0


def _model(name: str) -> None:
    folder, new = folder_of(name), finished_at(name) > _STARTED
    details = record(folder)
    with st.container(border=True, key=f"own_{name}"):
        badge = " <span class='gs-state ready'>New</span>" if new else ""
        st.html(f"<h3 class='gs-small'>{escape(name)}{badge}</h3><p class='gs-note'>{escape(_facts(name, details))}</p>")
        if details and not details.get("responses"):
            shell.notice("info", f"It has no scores on whole responses of dev. {details.get('unjudged', '')}".strip())
        if warning := (details.get("about") or {}).get(LABEL_WARNING):
            shell.notice("bad", str(warning))
        if gain := words.verdict(details):
            st.html(f"<p class='gs-measure'>{escape(gain)}</p>")
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Use in the heatmap", key=f"use_own_{name}", type="primary" if new else "secondary"):
                method = f"grounding_classifier:{name}"
                state.show_method(method)
                case = state.opened() or case_sets.SHOWCASE[0]
                st.switch_page("pages/heatmap.py", query_params={"case": case, "method": method})
            # In two steps, because it cannot be undone.
            with st.popover("Delete", key=f"discard_{name}"):
                st.html(shell.note("The model and its card are deleted permanently. Results made with it stay."))
                action("Delete it", f"discard_yes_{name}", _delete, name)
        unfolded("Model card and files", f"card_{name}", _card, name, folder, expanded=new)


@errors_shown(place=PANEL.key)
@use_case(Role.LEAD)
def _delete(name: str) -> None:
    trainings.discard(folder_of(name))
    method = f"grounding_classifier:{name}"
    for key in (state.METHODS, "run_methods"):
        if chosen := st.session_state.get(key):
            st.session_state[key] = [m for m in chosen if m != method]
    state.thresholds().pop(method, None)
    state.options().pop(method, None)


def _facts(name: str, details: Mapping[str, Any]) -> str:
    when = datetime.fromtimestamp(finished_at(name), UTC).strftime("%Y-%m-%d %H:%M") if finished_at(name) else ""
    about, pairs = details.get("about") or {}, details.get("pairs") or {}
    learned = f"{int(pairs['train']):,} pairs of {about.get('Data', 'cases')}" if "train" in pairs else "made elsewhere"
    base = f"from {Path(str(about['Base'])).name}" if about.get("Base") else ""
    return " · ".join(part for part in (f"method grounding_classifier:{name}", learned, base, when) if part)


def _card(name: str, folder: Path) -> None:
    card = ""
    with suppress(OSError):
        card = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    size = sum(path.stat().st_size for path in files_in(folder))
    with st.container(horizontal=True, vertical_alignment="center"):
        download("Card as Markdown", card, f"{name}.md", f"card_md_{name}", disabled=not card)
        if tried := record(folder).get("search"):
            settings = pd.DataFrame(tried, columns=["setting", *AT_HALF, "chosen"])
            download("Tried settings as CSV", frame_csv(settings), f"{name}-settings.csv", f"tried_{name}")
        if size <= _MOST:
            label = f"Folder as ZIP, {max(1, round(size / 1e6)):,} MB"
            download(label, lambda: zipped(folder, name), f"{name}.zip", f"own_zip_{name}")
        else:
            st.html("<p class='gs-note'>The folder is too large for the browser. Copy it from the path below.</p>")
    st.html(facts([("Folder", str(folder))]))
    if not card:
        st.html("<p class='gs-note'>Its folder has no model card.</p>")
        return
    st.html(region(f"Model card of {name}", card_html(card), css="gs-scroll"))


FORM, SET, NAME, RECIPE, OTHER_BASE, BASE = "tune_form", "tune_set", "tune_name", "tune_recipe", "tune_other_base", "tune_base"
EPOCHS, SEARCH = "tune_epochs", "tune_search"
_COUNTED, _BEGAN = "tune_counted", "tune_began"
_RECIPES: Mapping[str, tuple[str, str]] = {
    "paper": (
        "The paper's",
        "Learns from the sentences in which a grounded answer and its ungrounded variant differ, each with the nearest "
        "context sentence",
    ),
    "evidence": (
        "More evidence, more examples",
        "Learns from every labelled sentence, and from legal edits of the sound ones, each with the four nearest context "
        "sentences; takes longer",
    ),
}
_MORE = (
    "The time left shows after the first steps; a training can be paused. Further pairs, a teacher and every other setting are "
    "options of the command: python -m groundscope finetune --help."
)


def _form() -> None:
    group = case_sets.choose("Labelled cases", SET, width=420)
    splits = _splits(group)
    if isinstance(splits, str):
        shell.notice("bad", splits)
        return
    st.html(f"<p class='gs-measure'>{escape(words.parts_words(splits, group.name))}</p>")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name, base = _name(group), _base()
        # No minimum: the browser would silently ignore a value below it.
        searched = bool(st.session_state.get(SEARCH))
        epochs = st.number_input(
            "Passes over the pairs", value=Options().epochs, step=0.5, format="%g", key=EPOCHS, persist_state="session",
            width=190, help="At most: training stops when dev no longer improves", disabled=searched,
        )  # fmt: skip
    recipe = st.radio(
        "What it learns from", list(_RECIPES), format_func=lambda r: _RECIPES[r][0],
        captions=[caption for _, caption in _RECIPES.values()], key=RECIPE, persist_state="session",
    )  # fmt: skip
    count = math.prod(map(len, GRID.values()))
    words_of = {"rate": "learning rate", "epochs": "passes", "batch": "batch size"}
    tried = "; ".join(f"{words_of[name]} {joined([f'{v:g}' for v in values])}" for name, values in GRID.items())
    st.checkbox(
        f"Search: try {count} settings on dev", key=SEARCH, persist_state="session",
        help=f"Every combination of {tried} is trained; dev chooses. It takes about {count} times as long.",
    )  # fmt: skip
    st.html(f"<p class='gs-note gs-measure'>{escape(_MORE)}</p>")
    epochs = Options().epochs if searched else epochs
    problems = [problem for problem in (_name_problem(name), _base_problem(base, epochs)) if problem]
    for problem in problems:
        shell.notice("bad", problem)
    if _pressed(sample=group.name == case_sets.SAMPLES, ready=not problems):
        with errors_shown():
            fixed = () if searched else None
            plan = trainings.planned(name, group.name, base, recipe, Options(epochs=epochs), fixed=fixed)
            jobs().resume(trainings.create(plan, splits))
            st.session_state[_BEGAN] = True
            st.rerun()


def _name(group: CaseSet) -> str:
    suggested = _suggested(group.name, {*own_models(), *trainings.names()})
    entered = st.text_input(
        "Name of the model",
        key=NAME,
        persist_state="session",
        placeholder=suggested,
        max_chars=40,
        width=300,
        help="Lower-case letters, digits and hyphens. The method gets the name grounding_classifier:NAME",
    )
    return entered.strip() or suggested


def _name_problem(name: str) -> str:
    try:
        folder_of(name)
    except DataError as error:
        return str(error)
    if name in own_models():
        return f"A model {name} exists already. Choose another name, or delete it."
    if name in trainings.names():
        return f"There is an unfinished training {name}. Resume it above, choose another name, or delete it."
    return ""


def _base() -> str:
    other = st.selectbox(
        "Base",
        [False, True],
        format_func=lambda o: "Another encoder on this machine" if o else "all-MiniLM-L6-v2, which comes with the app",
        key=OTHER_BASE,
        persist_state="session",
        width=330,
        help="The model at the start of the training",
    )
    if not other:
        return "minilm"
    entered = st.text_input(
        "Folder, or id on the hub",
        key=BASE,
        persist_state="session",
        placeholder="/path/to/folder or microsoft/deberta-v3-large",
        width=380,
        help="A folder with config.json and weights, or the id of a model whose weights are on this machine; nothing is "
        "downloaded",
    )
    return entered.strip()


def _base_problem(base: str, epochs: float) -> str:
    if not base:
        return "Name the folder of the base, or its id on the hub."
    try:
        check_base(local.base_folder(base), Options(epochs=epochs).longest)
    except GroundscopeError as error:
        return str(error)
    except ValueError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}."
    return ""


def _pressed(*, sample: bool, ready: bool) -> bool:
    if not sample:
        st.html(
            "<p class='gs-note gs-measure'>During the training, a copy of these cases is in the data folder. It is removed "
            "when the training is finished or deleted. A model can reveal its training data: share it only with those who may "
            "read the cases.</p>"
        )
    busy = any(map(works, listed(trainings.KIND)[0]))
    if busy:
        st.html("<p class='gs-note'>One training at a time. Start the next one when this one is finished or paused.</p>")
    return st.button("Start training", type="primary", key="tune_start", **needs(jobs().resume, disabled=busy or not ready))


def _splits(group: CaseSet) -> LabelledSplits | str:
    """What there is to learn from in a set, cached while the set is the same; or the reason why it cannot be used."""
    cache = state.last_few(state.own(_COUNTED, dict[str, tuple[Any, LabelledSplits | str]]()))
    if group.name not in cache or cache[group.name][0] is not group.cases:
        try:
            splits: LabelledSplits | str = parts(group.cases)
        except DataError as error:
            splits = str(error)
        cache[group.name] = (group.cases, splits)
    return cache[group.name][1]


def _suggested(title: str, taken: Collection[str]) -> str:
    """A free name made of the set's title."""
    stem = title.partition(".")[0].lower()
    bare = "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in stem).split())[:30].strip("-") or "model"
    return next(n for i in range(1, len(taken) + 2) if (n := f"{bare}-{i}") not in taken)
