"""The form of a training: labelled cases, name, base and what it learns from; every other option is the command's."""

from collections.abc import Mapping
from html import escape

import streamlit as st

from components import case_sets, shell
from components.case_sets import CaseSet
from components.controls import errors_shown, needs, unfolded
from components.training import labelled
from components.training import messages as words
from components.training import state as keys
from components.training.runner import trainer
from groundscope.errors import DataError, GroundscopeError
from groundscope.methods import registry
from groundscope.storage.team.roles import Role
from groundscope.training.data import parts
from groundscope.training.finetuning import check_base
from groundscope.training.options import Options
from groundscope.training.own_models import folder_of, own_models

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
    if keys.began():
        # Close the form: the user now watches the training, and the name is taken.
        st.session_state[keys.FORM], st.session_state[keys.NAME] = False, ""
    unfolded("Train a classifier on labelled cases", keys.FORM, _form)


def _form() -> None:
    """The fields, with messages about what prevents a start."""
    group = labelled.choose(keys.SET)
    splits = labelled.cached("parts", group, lambda: parts(group.cases))
    if isinstance(splits, str):
        shell.notice("bad", splits)
        return
    st.html(f"<p class='gs-measure'>{escape(words.parts_words(splits, group.name))}</p>")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name, base = _name(group), _base()
        # No minimum: the browser would silently ignore a value below it.
        epochs = st.number_input(
            "Passes over the pairs", value=Options().epochs, step=0.5, format="%g", key=keys.EPOCHS, persist_state="session",
            width=190, help="At most: training stops when dev no longer improves",
        )  # fmt: skip
    recipe = st.radio(
        "What it learns from", list(_RECIPES), format_func=lambda r: _RECIPES[r][0],
        captions=[caption for _, caption in _RECIPES.values()], key=keys.RECIPE, persist_state="session",
    )  # fmt: skip
    st.html(f"<p class='gs-note gs-measure'>{escape(_MORE)}</p>")
    problems = [problem for problem in (_name_problem(name), _base_problem(base, epochs)) if problem]
    for problem in problems:
        shell.notice("bad", problem)
    _start(group, name, [f"--recipe={recipe}", f"--base={base}", f"--epochs={epochs:g}"], ready=not problems)


def _name(group: CaseSet) -> str:
    suggested = labelled.suggested(group.name, {*own_models(), *trainer().open()})
    entered = st.text_input(
        "Name of the model",
        key=keys.NAME,
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
    if name in trainer().open():
        return f"There is an unfinished training {name}. Resume it above, choose another name, or delete it."
    return ""


def _base() -> str:
    other = st.selectbox(
        "Base",
        [False, True],
        format_func=lambda o: "Another encoder on this machine" if o else "all-MiniLM-L6-v2, which comes with the app",
        key=keys.OTHER_BASE,
        persist_state="session",
        width=330,
        help="The model at the start of the training",
    )
    if not other:
        return _BUNDLED
    entered = st.text_input(
        "Folder, or id on the hub",
        key=keys.BASE,
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
        check_base(registry.base(base), Options(epochs=epochs).longest)
    except GroundscopeError as error:
        return str(error)
    except ValueError as error:
        return f"{str(error)[0].upper()}{str(error)[1:]}."
    return ""


def _start(group: CaseSet, name: str, options: list[str], *, ready: bool) -> None:
    samples = group.name == case_sets.SAMPLES
    if not samples:
        st.html(
            "<p class='gs-note gs-measure'>During the training, a copy of these cases is in the data folder. It is removed "
            "when the training is finished or deleted. A model can reveal its training data: share it only with those who may "
            "read the cases.</p>"
        )
    busy = bool(trainer().at_work())
    if busy:
        st.html("<p class='gs-note'>One training at a time. Start the next one when this one is finished or paused.</p>")
    if not st.button("Start training", type="primary", key="tune_start", **needs(Role.REVIEWER, disabled=busy or not ready)):
        return
    with errors_shown():
        trainer().begin(name, options, group.name, None if samples else group.cases)
        keys.began(now=True)
        st.rerun()
