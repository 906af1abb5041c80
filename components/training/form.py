"""The form of a training: cases, name and method of learning; and the estimate, before anything starts."""

from collections.abc import Mapping
from html import escape

import streamlit as st

from components import case_sets, shell
from components.case_sets import CaseSet
from components.controls import errors_shown, needs, select_one, unfolded
from components.training import forecast, further, labelled, recipe_parts
from components.training import messages as words
from components.training import options as finetuning_options
from components.training import state as keys
from components.training.further import Further
from components.training.models import made
from components.training.request import RecipeName, Wish
from components.training.runner import trainer
from groundscope.errors import DataError, GroundscopeError
from groundscope.methods import Embeds, registry
from groundscope.methods.defaults import EMBEDDER
from groundscope.storage.team.roles import Role
from groundscope.training.data import LabelledSplits, parts
from groundscope.training.finetuning import check_base, record
from groundscope.training.options import Options
from groundscope.training.own_models import folder_of, own_models
from groundscope.training.pairs import Recipe

_BUNDLED, _TRAIN = "minilm", "train"
_RECIPES: Mapping[RecipeName, tuple[str, str]] = {
    "paper": (
        "The paper's",
        "Learns from the sentences in which a grounded answer and its ungrounded variant differ, each with the nearest "
        "context sentence. By legal-bert the labels are cosines, as in the paper; by MiniLM they are 1 and 0, because a cosine "
        "by MiniLM can put a changed sentence on the wrong side",
    ),
    "evidence": (
        "More evidence, more examples",
        "Learns from every labelled sentence, and from legal edits of the sound ones, each with the four nearest context "
        "sentences; takes longer",
    ),
}


def show() -> None:
    """The form, in an expander."""
    if keys.began():
        # Close the form: the user now watches the training, and the name is taken.
        st.session_state[keys.FORM], st.session_state[keys.NAME] = False, ""
    unfolded("Train a classifier on labelled cases", keys.FORM, _form)


def _form() -> None:
    """The fields, with messages about what prevents a start."""
    group = labelled.choose(keys.SET)
    split = _split(group)
    found = labelled.cached(f"parts {split}", group, lambda: parts(group.cases, split))
    if isinstance(found, str):
        shell.notice("bad", found)
        return
    st.html(f"<p class='gs-measure'>{escape(words.parts_words(found, group.name, split))}</p>")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name, base = _name(group), _base()
    recipe, embedder = _recipe(), _embedder()
    changed, options = recipe_parts.show(recipe), finetuning_options.show()
    more = further.show(found)
    problems = [_name_problem(name), registry.find(embedder).unavailable(), more.problem]
    wish = None
    if isinstance(options, str) or isinstance(changed, str):
        problems += [said for said in (changed, options) if isinstance(said, str)]
    else:
        problems += [_base_problem(base, options), _forecast(group, found, changed, base, options, more.pairs)]
        wish = Wish(name, recipe, base, options, embedder, changed, split, more.teacher)
    problems = [problem for problem in problems if problem]
    for problem in problems:
        shell.notice("bad", problem)
    _begin(group, None if problems else wish, more)


def _split(group: CaseSet) -> str:
    """The split to learn from; a choice only where the set has others than train, dev and test."""
    there = sorted({c.split for c in group.cases if c.split and c.grounded is not None} - {"dev", "test"})
    if not set(there) - {_TRAIN}:
        return _TRAIN
    return select_one(st, "Learn from the split", {name: name for name in there}, keys.SPLIT, _TRAIN, width=330)


def _name(group: CaseSet) -> str:
    suggested = labelled.suggested(group.name, {*own_models(), *trainer().open()})
    given = st.text_input(
        "Name of the model",
        key=keys.NAME,
        persist_state="session",
        placeholder=suggested,
        max_chars=40,
        width=300,
        help="Lower-case letters, digits and hyphens. The method gets the name grounding_classifier:NAME",
    )
    return given.strip() or suggested


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
    given = st.text_input(
        "Folder, or id on the hub",
        key=keys.BASE,
        persist_state="session",
        placeholder="/path/to/folder or microsoft/deberta-v3-large",
        width=380,
        help="A folder with config.json and weights, or the id of a model whose weights are on this machine; nothing is "
        "downloaded",
    )
    return given.strip()


def _base_problem(base: str, options: Options) -> str:
    if not base:
        return "Name the folder of the base, or its id on the hub."
    try:
        check_base(registry.base(base), options.longest)
    except (GroundscopeError, ValueError) as error:
        return str(error)
    return ""


def _recipe() -> RecipeName:
    chosen = st.radio(
        "What it learns from",
        list(_RECIPES),
        format_func=lambda r: _RECIPES[r][0],
        captions=[caption for _, caption in _RECIPES.values()],
        key=keys.RECIPE,
        persist_state="session",
    )
    return chosen or "paper"


def _embedder() -> str:
    offered = [EMBEDDER, *(m for m in registry.names() if m != EMBEDDER and isinstance(registry.find(m), Embeds))]
    chosen = st.selectbox(
        "Evidence found by",
        offered,
        format_func=lambda m: registry.find(m).about.title,
        key=keys.FINDER,
        persist_state="session",
        width=330,
        help="The embeddings that find the nearest context sentences. The paper's are those of legal-bert (COS_SIM)",
    )
    return chosen or EMBEDDER


def _forecast(group: CaseSet, found: LabelledSplits, recipe: Recipe, base: str, options: Options, more: int) -> str:
    """Show the estimate, with so many further pairs; return the reason why it cannot start, or empty."""
    pairs = labelled.cached(f"{recipe!r} {len(found.train)}", group, lambda: forecast.count(found, recipe))
    if isinstance(pairs, str):
        return pairs
    pairs += more
    earlier = sorted(own_models(), key=made)
    known = forecast.speed(base, options.longest, ((n, record(folder_of(n))) for n in earlier))
    st.html(f"<p class='gs-measure'>{escape(forecast.words(pairs, options, known, bundled=base == _BUNDLED))}</p>")
    return ""


def _begin(group: CaseSet, wish: Wish | None, more: Further) -> None:
    samples = group.name == case_sets.SAMPLES
    if not samples or more.files:
        what = "cases and pairs" if more.files and not samples else "pairs" if more.files else "cases"
        st.html(
            f"<p class='gs-note gs-measure'>During the training, a copy of these {what} is in the data folder. It is removed "
            "when the training is finished or deleted. A model can reveal its training data: share it only with those who may "
            f"read the {what}.</p>"
        )
    busy = bool(trainer().at_work())
    if busy:
        st.html("<p class='gs-note'>One training at a time. Start the next one when this one is finished or paused.</p>")
    allowed = needs(Role.REVIEWER, disabled=busy or wish is None)
    if not st.button("Start training", type="primary", key="tune_start", **allowed) or wish is None:
        return
    with errors_shown():
        trainer().begin(wish, group.name, None if samples else group.cases, more.files)
        keys.began(now=True)
        st.rerun()
