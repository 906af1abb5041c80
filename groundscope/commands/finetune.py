"""`finetune`: train a grounding classifier on one's own labelled cases."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

import click
from click.core import ParameterSource

from groundscope.commands import jobs, terminal
from groundscope.commands import options as shared
from groundscope.commands.case_files import CaseFiles, case_options, read_files, tell_rejected
from groundscope.commands.terminal import say, show
from groundscope.errors import DataError
from groundscope.experiments.store import JobFile
from groundscope.methods.defaults import EMBEDDER
from groundscope.models.weights.grounding import record
from groundscope.text.humanize import spell
from groundscope.training import jobs as trainings
from groundscope.training.finetuning import GRID, check_pairs
from groundscope.training.folders import folder_of
from groundscope.training.further_pairs import distilled, read_pairs, supports_of, teacher_of
from groundscope.training.jobs import Pairs, TrainingPlan, TrainingSteps
from groundscope.training.options import Options
from groundscope.training.pair_figures import search_table
from groundscope.training.pairs import RECIPES, LabelledSplits, Labels, Scope, label_warning, parts
from groundscope.training.pairs import pairs as pairs_of


@click.command(cls=shared.Verb)
@case_options(draws="of the order of pairs, and of what is edited")
@click.option("--name", required=True, help="what the model is called: small letters, figures, hyphens")
@click.option("--split", metavar="NAME", default="train", help="the split to learn from; test is refused")
@click.option("--base", default="minilm", help="minilm, a folder, or the hub id of an encoder that is here")
@click.option("--recipe", type=click.Choice(list(RECIPES)), default="paper", help="what pairs are made of")
@click.option("--evidence", metavar="K", type=shared.POSITIVE, help="context sentences joined as evidence")
@click.option(
    "--labels",
    type=click.Choice(get_args(Labels)),
    help="of pairs: cosines, the true sides, or smoothed sides",
    show_default="the recipe's",
)
@click.option("--smoothing", metavar="X", type=float, default=0.1, help="of smoothed labels")
@click.option("--scope", type=click.Choice(get_args(Scope)), help="sentences that differ from the parent's, or all labelled ones")
@click.option("--edits", metavar="N", type=int, help="variants of each grounded response by the legal edit operators")
@click.option("--pairs", type=shared.FILES, default=(), help="JSON lines of evidence, statement and label, as further pairs")
@click.option("--teacher", metavar="RUN/METHOD", help="learn also from a method's supports in a run of these cases")
@click.option("--embedder", metavar="METHOD", default=EMBEDDER, help="finds the evidence; the paper's is cos_sim")
@click.option("--epochs", metavar="X", type=shared.AMOUNT, default=3.0, help="passes over the pairs, at most")
@click.option("--batch", metavar="N", type=shared.POSITIVE, default=16, help="pairs a step")
@click.option("--rate", metavar="X", type=shared.AMOUNT, default=2e-5, help="learning rate")
@click.option("--longest", metavar="N", type=shared.POSITIVE, default=256, help="tokens of a pair")
@click.option("--patience", metavar="N", type=shared.POSITIVE, default=3, help="evaluations without a gain before it stops")
@click.option("--frozen-embeddings", is_flag=True, help="leave the word embeddings as they are: faster")
@click.option("--search", "searched", is_flag=True, help="try several rates, epochs and batches (those named stay); dev chooses")
@click.option("--out", metavar="DIR", type=shared.PATH, help="a new folder for the model", show_default="where the app finds it")
@click.option("--discard", is_flag=True, help="remove a model or an unfinished training of this name first")
@shared.WATCHED
def finetune(
    case_files: CaseFiles, name: str, split: str, base: str, recipe: str, evidence: int | None, labels: Labels | None,
    smoothing: float, scope: Scope | None, edits: int | None, pairs: Sequence[Path], teacher: str | None, embedder: str,
    epochs: float, batch: int, rate: float, longest: int, patience: int, frozen_embeddings: bool, searched: bool,
    out: Path | None, discard: bool, quiet: bool, with_parent: bool,
) -> int:  # fmt: skip
    """Train a grounding classifier on labelled cases.

    Trains on the train split, validates on dev and never uses test. Ctrl-C pauses it; `resume`, or the same
    command again, continues it.
    The model appears as the method grounding_classifier:NAME; its folder has a model card.
    The recipe `paper` is that of Trautmann et al. 2024,
    section 5.4, on fine-tuning: with --embedder cos_sim (legal-bert) its labels are cosines; with another embedder they are the
    true sides, 1 and 0, because cosines of other embedders can lie on the wrong one. `evidence` joins the four nearest context
    sentences and learns from all labelled sentences and from legal edits. Each part of a recipe can be set by itself.
    With --search every combination of a small grid is trained, which takes as many times as long; the table has the layout of
    the paper's table 2.
    """
    parted: dict[str, Any] = {"evidence": evidence, "labels": labels, "scope": scope, "edits": edits}
    changed = {"smoothing": smoothing, **{name: value for name, value in parted.items() if value is not None}}
    options = Options(
        epochs, batch, rate, longest, patience, frozen_embeddings=frozen_embeddings, seed=case_files.seed,
    )  # fmt: skip
    source_of = click.get_current_context().get_parameter_source
    typed = tuple(option for option in GRID if source_of(option) is not ParameterSource.DEFAULT)
    if not out:
        folder_of(name)
    read, source = case_files.read()
    splits = parts(read, split)
    plan = trainings.planned(
        name, source, base, recipe, options, changed=changed, embedder=embedder, fixed=typed if searched else None, out=out,
        further=", ".join(p.name for p in pairs) or "none", teacher=teacher or "none",
    )  # fmt: skip
    drawn = " Dev was drawn from it by query, as the file has no splits." if splits.drawn else ""
    untouched = f" {splits.untouched:,} are not used: the test split, and responses without a label." if splits.untouched else ""
    say(f"{source}: {len(splits.train):,} training responses, {len(splits.dev):,} validation ones.{drawn}{untouched}")
    train, dev = _pairs(splits, plan, pairs, teacher)
    say(f"{len(train):,} training pairs, {len(dev):,} validation ones.")
    if not labels and plan.recipe.labels != RECIPES[recipe].labels:
        say("Labels are the true sides, 1 and 0. The paper's labels are cosines by legal-bert: --embedder cos_sim.")
    if warning := label_warning(train):
        say(warning)
    check_pairs(train, dev)
    if discard:
        trainings.discard(plan.folder)
    file, new = trainings.begin(plan, splits, (train, dev))
    with closing(file):
        tell = terminal.Line(quiet=quiet).keep
        runner = RUNNER._replace(steps=lambda file: TrainingSteps(file, tell))
        place = str(out or plan.folder)
        return jobs.go(runner, file, None, quiet=quiet, with_parent=with_parent, new=new, words=lambda _: show(place))


def _free(out: Path) -> None:
    raise DataError(f"Where a model appears is said when its training begins: resume it without --out {out}.")


def _result(file: JobFile, out: Path | None) -> str:
    """Say what a finished training reached, and delete its job with the copy of the cases."""
    folder = trainings.plan_of(file).folder
    trained = record(folder)
    if "search" in trained:
        say(search_table(trained["search"]).rstrip())
    f1, threshold, auroc = (trained["dev_after"][name] for name in ("macro_f1", "threshold", "auroc"))
    say(f"dev: macro-F1 {f1:.3f} at {threshold:.2f}, AUROC {auroc:.3f}; {spell(trained['seconds'])}.")
    for row in trained.get("responses", {}).get("beside", ()):
        number = trained["responses"]["responses"]
        say(f"{row['method']}, {number:,} responses of dev: macro-F1 {row['macro_f1']:.3f}, AUROC {row['auroc']:.3f}.")
    if why := trained.get("unjudged"):
        say(f"The model's card has no figures on whole responses: {why}")
    trainings.FOLDER.delete(file.id)
    return str(folder)


RUNNER = jobs.JobRunner(trainings.KIND, lambda file: TrainingSteps(file, terminal.Line().keep), _result, _free)


def _pairs(splits: LabelledSplits, plan: TrainingPlan, further: Sequence[Path], teacher: str | None) -> Pairs:
    recipe, embed = plan.recipe, trainings.embedding(plan.embedder)[0]
    train, dev = pairs_of(splits.train, recipe, embed), pairs_of(splits.dev, recipe, embed)
    for name, data in read_files(further):
        more = read_pairs(name, data)
        tell_rejected(more.rejected)
        train, dev = [*train, *more.train], [*dev, *more.dev]
    if teacher:
        run, method = teacher_of(teacher)
        train += distilled(splits.train, supports_of(run, method, splits.train), embed, recipe.evidence)
    return train, dev
