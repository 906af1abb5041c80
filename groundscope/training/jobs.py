"""Trainings as jobs: their plan, how they are created and listed, and their steps.

A training's job is deleted when it is finished, and with it the copy of the cases: what stays is the model. Its checkpoints lie
in a folder beside its file, so that it resumes at its last step.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from groundscope.cases.dataset import to_row
from groundscope.cases.own_format import own_case
from groundscope.errors import Cancelled, DataError, GroundscopeError, StoreError
from groundscope.experiments import listing
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Content, Part, Place, Result
from groundscope.experiments.steps import Phase, Steps
from groundscope.experiments.store import JobFile
from groundscope.files.fields import clean, cleaned
from groundscope.methods import Embeds, registry
from groundscope.methods.defaults import EMBEDDER
from groundscope.models.weights import local
from groundscope.models.weights.grounding import record
from groundscope.runtime.progress import report
from groundscope.training import finetuning
from groundscope.training.finetuning import add_to_record, check_base, check_free, search
from groundscope.training.folders import folder_of, name_of
from groundscope.training.options import Options, TrainingProgress
from groundscope.training.pair_figures import on_responses
from groundscope.training.pairs import LABEL_WARNING, RECIPES, Embed, LabelledSplits, Pair, Recipe, digest, label_warning, suited
from groundscope.training.pairs import pairs as pairs_of
from groundscope.types import Case

Pairs = tuple[list[Pair], list[Pair]]
"""Those to learn from, and those of dev."""
_PAIRS, _MODEL, _JUDGED = "pairs", "model", "judged"
_STAGES = {_PAIRS: "Finding the evidence", _MODEL: "Training", _JUDGED: "Scoring the responses of dev"}
"""Stage -> its title; each has one place."""


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """What is trained, and how; `base` is the folder of the encoder, `architecture` the hash of its configuration.

    `about` is for the model's card; a search leaves options in `fixed` as they are, None = nothing is searched. An empty `out` =
    the folder where the app finds the model.
    """

    name: str
    source: str
    base: str
    architecture: str
    recipe: Recipe
    options: Options
    about: Mapping[str, str | int]
    embedder: str = EMBEDDER
    fixed: tuple[str, ...] | None = None
    out: str = ""

    @property
    def folder(self) -> Path:
        """Where the model appears."""
        return Path(self.out) if self.out else folder_of(self.name)


def planned(
    name: str, source: str, base: str, recipe: str, options: Options, *, changed: Mapping[str, Any] | None = None,
    embedder: str = EMBEDDER, fixed: tuple[str, ...] | None = None, out: Path | None = None, further: str = "none",
    teacher: str = "none",
) -> TrainingPlan:  # fmt: skip
    """Plan a training by a recipe, parts of which may be `changed`; refuses a base that cannot be fine-tuned."""
    folder = local.base_folder(base)
    check_base(folder, options.longest)
    changed = changed or {}
    how = replace(RECIPES[recipe], seed=options.seed, **changed)
    if "labels" not in changed:
        how = suited(how, embedding(embedder)[1])
    source = " ".join(clean(source).split())
    about: dict[str, str | int] = {
        "Base": base,
        "Data": source,
        "Recipe": recipe,
        "evidence": how.evidence,
        "Labels": how.labels,
        "Sentences": how.scope,
        "Legal edits a response": how.edits,
        "Evidence found by": embedder,
        "Further pairs": further,
        "Teacher": teacher,
    }
    place = str(out.resolve()) if out else ""
    return TrainingPlan(name, source, str(folder.resolve()), _architecture(folder), how, options, about, embedder, fixed, place)


def _architecture(base: Path) -> str:
    return sha256(json.dumps(finetuning.configuration(base), sort_keys=True).encode()).hexdigest()[:16]


def embedding(name: str) -> tuple[Embed, str]:
    """What finds the evidence, and its signature."""
    method = registry.load(name)
    if not isinstance(method, Embeds):
        raise ValueError(f"--embedder must be a method that embeds sentences, such as {EMBEDDER}; {name} does not")
    return method.embed, method.signature


def plan_of(file: JobFile) -> TrainingPlan:
    """Read the plan of a training."""
    return file.plan(TrainingPlan)


FOLDER = JobDirectory("trainings", "training")
KIND = listing.Kind(
    FOLDER, "model", plan_of, lambda _: _JUDGED, lambda file, plan: {_place(_JUDGED).part: (_STAGES[_JUDGED], 1)},
    lambda file, plan: f"{plan.source} · {plan.about['Recipe']} recipe{', search' * (plan.fixed is not None)}",
)  # fmt: skip


def place_of(job: str) -> Path:
    """Where a job trains; deleted with it."""
    return FOLDER.path / job


def earlier() -> list[Path]:
    """List the folders of trainings that an earlier version began, which this one does not resume."""
    return [*(path.parent for path in FOLDER.path.glob("*/request.json")), *folder_of("m").parent.glob("*.partial")]


def names() -> set[str]:
    """Name the models of unfinished trainings."""
    return {plan.name for _, plan in _all() if not plan.out}


def _all() -> Iterator[tuple[JobFile, TrainingPlan]]:
    for file in FOLDER.files():
        with suppress(StoreError), closing(file):
            yield file, plan_of(file)


def create(plan: TrainingPlan, splits: LabelledSplits, pairs: Pairs | None = None) -> str:
    """Make a training; without `pairs` it makes them itself. No work begins yet."""
    check_free(plan.folder)
    if any(before.folder == plan.folder for _, before in _all()):
        raise DataError(f"There is an unfinished training {plan.name}; resume it, choose another name, or delete it.")
    parts = {"train": splits.train if pairs is None else (), "dev": splits.dev}
    rows = {name: [cleaned(to_row(case)) for case in cases] for name, cases in parts.items()}
    results = [] if pairs is None else [(_place(_PAIRS), _pairs_result(pairs))]
    return FOLDER.create(asdict(plan), rows, results, cases=[case.id for case in (*splits.train, *splits.dev)])


def begin(plan: TrainingPlan, splits: LabelledSplits, pairs: Pairs) -> tuple[JobFile, bool]:
    """Find the unfinished training of this plan and these pairs, or make it; gives its file, and whether it is new."""
    for file, before in _all():
        if before.folder == plan.folder:
            if before == plan and _pairs_of(file) == pairs:
                return file, False
            raise DataError(
                f"There is an unfinished training {plan.name} with other data or options; discard it, or choose another name."
            )
    return FOLDER.open(create(plan, splits, pairs)), True


def discard(folder: Path) -> None:
    """Delete a model and any unfinished training of it."""
    for file, plan in _all():
        if plan.folder == folder:
            FOLDER.delete(file.id)
    finetuning.discard(folder)


def _place(stage: str) -> Place:
    return Place(list(_STAGES).index(stage), -1, -1)


def _pairs_result(pairs: Pairs) -> Result:
    return Result(_PAIRS, dict(zip(("train", "dev"), pairs, strict=True)))


def _pairs_of(file: JobFile) -> Pairs | None:
    """Those that a training has made; None = it has made none yet."""
    content = file.at(_place(_PAIRS)).get(_PAIRS)
    if not content:
        return None
    return file.meaning(lambda: ([Pair(*row) for row in content["train"]], [Pair(*row) for row in content["dev"]]))


class TrainingSteps(Steps):
    """What a training gives the engine; see `groundscope.experiments.steps.Steps`.

    `tell` hears each evaluation on dev, and each setting of a search, in a sentence.
    """

    def __init__(self, file: JobFile, tell: Callable[[str], None] = lambda words: None) -> None:
        self._file, self._plan, self._tell = file, plan_of(file), tell

    def planned(self) -> Iterable[tuple[Part, str | None]]:
        """The base, until it is trained."""
        if not self._file.done(_MODEL):
            yield Part("base", "The base", self._plan.architecture), _architecture(Path(self._plan.base))

    def phases(self) -> Iterator[Phase]:
        """Pairs, the model, and what it makes of whole responses."""
        for stage in _STAGES:
            yield Phase(stage, [_place(stage)], final=_JUDGED)

    def title(self, place: Place) -> str:
        """The stage."""
        return list(_STAGES.values())[place.part]

    def asks(self, place: Place) -> bool:
        """Nothing leaves this machine."""
        return False

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        """Do the one thing of a stage."""
        if place == _place(_PAIRS):
            how, find = self._plan.recipe, embedding(self._plan.embedder)[0]
            yield _pairs_result((pairs_of(self._cases("train"), how, find), pairs_of(self._cases("dev"), how, find)))
        elif place == _place(_MODEL):
            self._train()
            yield Result(_MODEL, {})
        else:
            if not self._plan.out:
                self._judge()
            yield Result(_JUDGED, {})

    def _cases(self, part: str) -> list[Case]:
        return self._file.meaning(lambda: [own_case(row, "") for row in self._file.inputs(part)])

    def _train(self) -> None:
        plan, pairs = self._plan, _pairs_of(self._file)
        if pairs is None:
            raise StoreError(f"The pairs of the training {plan.name} are gone; delete it and start it again.")
        train, dev = pairs
        if record(plan.folder).get("train") == digest(train):
            # Killed between the move of the model and the note of it.
            return
        warning, place = label_warning(train), place_of(self._file.id)
        about = {**plan.about, **({LABEL_WARNING: warning} if warning else {})}
        how = finetuning.finetune if plan.fixed is None else partial(search, fixed=plan.fixed, tell=self._tell)
        how(train, dev, Path(plan.base), place, plan.options, name=name_of(plan.folder), about=about, watch=self._watch)
        finetuning.publish(place, plan.folder)

    def _watch(self, progress: TrainingProgress) -> None:
        if progress.dev_f1 is not None:
            self._tell(f"step {progress.step:,}: dev macro-F1 {progress.dev_f1:.3f}, AUROC {progress.dev_auroc:.3f}")
        report(progress.step, progress.steps)

    def _judge(self) -> None:
        """Judge dev by the new model and by cosine, tune both, and add it to the card; the model stays whatever goes wrong."""
        dev, method = self._cases("dev"), f"grounding_classifier:{self._plan.name}"
        try:
            beside = [on_responses(name, registry.load(name), dev) for name in (method, EMBEDDER)]
            add_to_record(self._plan.folder, responses={**beside[0], "responses": len(dev), "beside": beside})
        except (Cancelled, StoreError):
            raise
        except GroundscopeError as error:
            add_to_record(self._plan.folder, unjudged=str(error))
