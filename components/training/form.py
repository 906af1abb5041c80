"""The form of a training: labelled cases, name, base and recipe; other options are those of the command."""

import math
from collections.abc import Collection, Mapping
from html import escape
from typing import Any

import streamlit as st

from components import case_sets, shell, state
from components.case_sets import CaseSet
from components.controls import errors_shown, needs, unfolded
from components.experiments.jobs import jobs
from components.experiments.panel import works
from components.training import progress as words
from groundscope.errors import DataError, GroundscopeError
from groundscope.experiments.listing import listed
from groundscope.models.weights import local
from groundscope.text.humanize import joined
from groundscope.training import jobs as trainings
from groundscope.training.finetuning import GRID, check_base
from groundscope.training.folders import folder_of, own_models
from groundscope.training.options import Options
from groundscope.training.pairs import LabelledSplits, parts

FORM, SET, NAME, RECIPE, OTHER_BASE, BASE = "tune_form", "tune_set", "tune_name", "tune_recipe", "tune_other_base", "tune_base"
EPOCHS, SEARCH = "tune_epochs", "tune_search"
_COUNTED, _BEGAN = "tune_counted", "tune_began"
_BUNDLED = "minilm"
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


def show() -> None:
    """The form, in an expander."""
    if _began():
        # Close the form: the user now watches the training, and the name is taken.
        st.session_state[FORM], st.session_state[NAME] = False, ""
    unfolded("Train a classifier on labelled cases", FORM, _form)


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
            _began(now=True)
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
        return _BUNDLED
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


def _began(*, now: bool = False) -> bool:
    """Whether the last draw of the form started a training; true only once."""
    if now:
        st.session_state[_BEGAN] = True
        return True
    return bool(st.session_state.pop(_BEGAN, False))


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
