"""`finetune`: train a grounding classifier on one's own labelled cases."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, get_args

import click
from click.core import ParameterSource

from groundscope.commands import options as shared
from groundscope.commands import terminal
from groundscope.commands.case_files import CaseFiles, case_options, read_files, tell_rejected
from groundscope.commands.terminal import DONE, STOPPED, say, show, stop_event
from groundscope.errors import Cancelled, DataError, GroundscopeError
from groundscope.methods import Embeds, registry
from groundscope.methods.defaults import EMBEDDER
from groundscope.models.weights import local
from groundscope.text.humanize import spell
from groundscope.training import finetuning
from groundscope.training.data import LabelledSplits, parts
from groundscope.training.finetuning import add_to_record, check_base, partial_folder
from groundscope.training.further_pairs import distilled, read_pairs, supports_of, teacher_of
from groundscope.training.options import Options, TrainingProgress
from groundscope.training.own_models import folder_of
from groundscope.training.pair_figures import on_responses, search_table
from groundscope.training.pairs import LABEL_WARNING, RECIPES, Embed, Labels, Pair, Recipe, Scope, label_warning, suited
from groundscope.training.pairs import pairs as pairs_of
from groundscope.training.search import GRID, search
from groundscope.types import Case


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

    Trains on the train split, validates on dev and never uses test. Ctrl-C stops it; run the same command again to continue.
    The model appears as the method grounding_classifier:NAME; its folder has a model card.
    The recipe `paper` is that of Trautmann et al. 2024,
    section 5.4, on fine-tuning: with --embedder cos_sim (legal-bert) its labels are cosines; with another embedder they are the
    true sides, 1 and 0, because cosines of other embedders can lie on the wrong one. `evidence` joins the four nearest context
    sentences and learns from all labelled sentences and from legal edits. Each part of a recipe can be set by itself.
    With --search every combination of a small grid is trained, which takes as many times as long; the table has the layout of
    the paper's table 2.
    """
    folder = out.resolve() if out else folder_of(name)
    parted: dict[str, Any] = {"evidence": evidence, "labels": labels, "scope": scope, "edits": edits}
    how = replace(
        RECIPES[recipe], **{k: v for k, v in parted.items() if v is not None}, smoothing=smoothing, seed=case_files.seed
    )
    options = Options(
        epochs=epochs,
        batch=batch,
        rate=rate,
        longest=longest,
        patience=patience,
        frozen_embeddings=frozen_embeddings,
        seed=case_files.seed,
    )
    encoder = local.base_folder(base)
    check_base(encoder, longest)
    read, source = case_files.read()
    splits = parts(read, split)
    embed, signature = _embedder(embedder)
    recipe_labels, how = how.labels, how if labels else suited(how, signature)
    say(_told(splits, source))
    train, dev = _pairs(splits, how, embed, pairs, teacher)
    say(f"{len(train):,} training pairs, {len(dev):,} validation ones.")
    if how.labels != recipe_labels:
        say("Labels are the true sides, 1 and 0. The paper's labels are cosines by legal-bert: --embedder cos_sim.")
    if warning := label_warning(train):
        say(warning)
    about = {
        "Base": base,
        "Data": source,
        "Recipe": recipe,
        "evidence": how.evidence,
        "Labels": how.labels,
        "Sentences": how.scope,
        "Legal edits a response": how.edits,
        "Evidence found by": embedder,
        "Further pairs": ", ".join(p.name for p in pairs) or "none",
        "Teacher": teacher or "none",
        **({LABEL_WARNING: warning} if warning else {}),
    }
    watcher = Watcher(stop_event(with_parent=with_parent), quiet=quiet)
    try:
        record = _trainer(searched, watcher)(train, dev, encoder, folder, options, about=about, watch=watcher, replace=discard)
    except Cancelled:
        again = "the same command, without --discard," if discard else "the same command"
        say(f"Stopped. Progress is saved in {partial_folder(folder)}; {again} continues it.")
        return STOPPED
    except DataError as error:
        if not watcher.begun:
            raise
        say(str(error))
        return STOPPED
    if searched:
        say(search_table(record["search"]).rstrip())
    f1, threshold, auroc = (record["dev_after"][name] for name in ("macro_f1", "threshold", "auroc"))
    say(f"dev: macro-F1 {f1:.3f} at {threshold:.2f}, AUROC {auroc:.3f}; {spell(record['seconds'])}.")
    if not out:
        _on_responses(name, folder, splits.dev)
    show(str(out or folder))
    return DONE


def _trainer(searched: bool, watcher: "Watcher") -> Callable[..., dict[str, Any]]:
    """What trains: one training, or a search, in which options that were typed stay as they are."""
    if not searched:
        return finetuning.finetune
    source = click.get_current_context().get_parameter_source
    typed = [name for name in GRID if source(name) is not ParameterSource.DEFAULT]
    return partial(search, fixed=typed, tell=watcher.tell)


def _on_responses(name: str, folder: Path, dev: Sequence[Case]) -> None:
    """Judge the responses of dev by the new model and by cosine, tune both, and write it into the model's card.

    The model is there by now: what goes wrong here is reported, and removes nothing.
    """
    method = f"grounding_classifier:{name}"
    try:
        beside = [on_responses(m, registry.load(m), dev) for m in (method, EMBEDDER)]
        for row in beside:
            say(f"{row['method']}, {len(dev):,} responses of dev: macro-F1 {row['macro_f1']:.3f}, AUROC {row['auroc']:.3f}.")
        add_to_record(folder, responses={**beside[0], "responses": len(dev), "beside": beside})
    except GroundscopeError as error:
        say(f"The model's card has no figures on whole responses: {error}")


def _embedder(name: str) -> tuple[Embed, str]:
    """What embeds, and its signature."""
    scorer = registry.load(name)
    if not isinstance(scorer, Embeds):
        raise ValueError(f"--embedder must be a method that embeds sentences, such as {EMBEDDER}; {name} does not")
    return scorer.embed, scorer.signature


def _pairs(
    splits: LabelledSplits, recipe: Recipe, embed: Embed, further: Sequence[Path], teacher: str | None
) -> tuple[list[Pair], list[Pair]]:
    train, dev = pairs_of(splits.train, recipe, embed), pairs_of(splits.dev, recipe, embed)
    for name, data in read_files(further):
        more = read_pairs(name, data)
        tell_rejected(more.rejected)
        train, dev = [*train, *more.train], [*dev, *more.dev]
    if teacher:
        run, method = teacher_of(teacher)
        train += distilled(splits.train, supports_of(run, method, splits.train), embed, recipe.evidence)
    return train, dev


def _told(splits: LabelledSplits, source: str) -> str:
    drawn = " Dev was drawn from it by query, as the file has no splits." if splits.drawn else ""
    untouched = f" {splits.untouched:,} are not used: the test split, and responses without a label." if splits.untouched else ""
    return f"{source}: {len(splits.train):,} training responses, {len(splits.dev):,} validation ones.{drawn}{untouched}"


class Watcher:
    """Shows a line now and then, and stops the training when asked to."""

    def __init__(self, stop: Event, *, quiet: bool) -> None:
        self._stop, self._line = stop, terminal.Line(quiet=quiet)
        self.begun = False

    def tell(self, words: str) -> None:
        """Show a line that stays."""
        self._line.keep(words)

    def __call__(self, p: TrainingProgress) -> None:
        """Show what the training reports; raises `Cancelled` where it was asked to stop."""
        self.begun = True
        if self._stop.is_set():
            raise Cancelled
        left = p.seconds / p.step * (p.steps - p.step) if p.step else 0.0
        words = f"step {p.step:,} of {p.steps:,}, {spell(p.seconds)} so far, about {spell(left)} left"
        if p.dev_f1 is not None:
            self._line.keep(f"step {p.step:,}: dev macro-F1 {p.dev_f1:.3f}, AUROC {p.dev_auroc:.3f}")
        elif p.loss is not None:
            words += f", loss {p.loss:.3f}"
        self._line.show(words)
