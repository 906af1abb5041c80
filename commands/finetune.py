"""`finetune`: train a grounding classifier on one's own labelled cases."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any

import scorers
from commands import terminal
from commands.case_files import read_cases, read_files
from commands.stopping import stop_event
from commands.terminal import DONE, STOPPED, say, show
from evaluation import run_list
from evaluation.default_methods import EMBEDDER
from evaluation.errors import Cancelled, DataError, GroundscopeError
from evaluation.finetuning import Options, Progress, add_to_record, check_base, finetune, partial_folder
from evaluation.finetuning_gain import on_responses
from evaluation.own_models import folder_of
from evaluation.store import Store
from evaluation.training_data import Parts, distilled, labelled_pairs, parts
from evaluation.training_pairs import RECIPES, Embed, Pair, Recipe, pairs
from evaluation.types import Case
from evaluation.words import spell


def run(given: argparse.Namespace) -> int:
    """Make pairs, train, and show the folder of the model."""
    folder = Path(given.out).resolve() if given.out else folder_of(given.name)
    recipe, options = _recipe(given), _options(given)
    base = scorers.base(given.base)
    check_base(base, options.longest)
    cases, source = read_cases(given.cases)
    found = parts(cases, given.split)
    embed = _embedder(given.embedder)
    say(_told(found, source))
    train, dev = _pairs(given, found, recipe, embed)
    say(f"{len(train):,} pairs to learn from, {len(dev):,} to steer by.")
    about = {
        "Base": given.base,
        "Data": source,
        "Recipe": given.recipe,
        "evidence": recipe.evidence,
        "Labels": recipe.labels,
        "Sentences": recipe.scope,
        "Legal edits a response": recipe.edits,
        "Evidence found by": given.embedder,
        "Further pairs": ", ".join(Path(p).name for p in given.pairs or ()) or "none",
        "Teacher": given.teacher or "none",
    }
    watcher = Watcher(stop_event(with_parent=given.with_parent), quiet=given.quiet)
    try:
        record = finetune(train, dev, base, folder, options, about=about, watch=watcher, anew=given.discard)
    except Cancelled:
        again = "the same command, without --discard," if given.discard else "the same command"
        say(f"Stopped. What was reached lies in {partial_folder(folder)}; {again} goes on with it.")
        return STOPPED
    except DataError as error:
        if not watcher.begun:
            raise
        say(str(error))
        return STOPPED
    f1, threshold, auroc = (record["dev_after"][name] for name in ("macro_f1", "threshold", "auroc"))
    say(f"dev: macro-F1 {f1:.3f} at {threshold:.2f}, AUROC {auroc:.3f}; {spell(record['seconds'])}.")
    if not given.out:
        _on_responses(given.name, folder, found.dev)
    show(given.out or str(folder))
    return DONE


def _options(given: argparse.Namespace) -> Options:
    return Options(
        epochs=given.epochs,
        batch=given.batch,
        rate=given.rate,
        longest=given.longest,
        patience=given.patience,
        frozen_embeddings=given.frozen_embeddings,
        seed=given.seed,
    )


def _on_responses(name: str, folder: Path, dev: Sequence[Case]) -> None:
    """Judge the responses of dev by the new model and by cosine, tune both, and write it into the model's card.

    The model is there by now: what goes wrong here is told, and takes nothing away.
    """
    method = f"grounding_classifier:{name}"
    try:
        beside = [on_responses(m, scorers.load(m), dev) for m in (method, EMBEDDER)]
        for row in beside:
            say(f"{row['method']}, {len(dev):,} responses of dev: macro-F1 {row['macro_f1']:.3f}, AUROC {row['auroc']:.3f}.")
        add_to_record(folder, responses={**beside[0], "responses": len(dev), "beside": beside})
    except GroundscopeError as error:
        say(f"The model's card has no figures on whole responses: {error}")


def _recipe(given: argparse.Namespace) -> Recipe:
    start = RECIPES[given.recipe]
    own: dict[str, Any] = {"evidence": given.evidence, "labels": given.labels, "scope": given.scope, "edits": given.edits}
    made = {name: getattr(start, name) if value is None else value for name, value in own.items()}
    return Recipe(**made, smoothing=given.smoothing, seed=given.seed)


def _embedder(name: str) -> Embed:
    scorer = scorers.load(name)
    if not hasattr(scorer, "embed"):
        raise ValueError(f"--embedder must be a method that embeds sentences, such as {EMBEDDER}; {name} does not")
    embed: Embed = scorer.embed
    return embed


def _pairs(given: argparse.Namespace, found: Parts, recipe: Recipe, embed: Embed) -> tuple[list[Pair], list[Pair]]:
    train, dev = pairs(found.train, recipe, embed), pairs(found.dev, recipe, embed)
    for path in given.pairs or ():
        more = labelled_pairs(*read_files([Path(path)])[0])
        train, dev = train + more["train"], dev + more["dev"]
    if given.teacher:
        train += _taught(given.teacher, found.train, embed, recipe.evidence)
    return train, dev


def _taught(line: str, cases: Sequence[Case], embed: Embed, evidence: int) -> list[Pair]:
    run_id, _, method = line.rpartition("/")
    run = run_list.find(run_id, Store())
    ids = [m.id for m in run.methods]
    if method not in ids:
        raise ValueError(f"--teacher is written RUN/METHOD; the methods of that run are {', '.join(ids)}")
    said = {c.id: (c.response, c.context) for c in run.read_cases(range(len(run.ids)))}
    if any(said.get(c.id, (c.response, c.context)) != (c.response, c.context) for c in cases):
        raise DataError("The run judged other texts under the ids of these cases; give a run of these cases.")
    table = run.read_sentences(ids.index(method))
    judged: dict[str, list[tuple[int, int, float]]] = {}
    for row, start, end, support in zip(*table, strict=True):
        if support == support:
            judged.setdefault(run.ids[row], []).append((int(start), int(end), float(support)))
    return distilled(cases, judged, embed, evidence)


def _told(found: Parts, source: str) -> str:
    drawn = " Dev was drawn from it by query, as the file has no splits." if found.drawn else ""
    untouched = f" {found.untouched:,} are left alone: those of test, and those without a label." if found.untouched else ""
    return f"{source}: {len(found.train):,} responses to learn from, {len(found.dev):,} to steer by.{drawn}{untouched}"


class Watcher:
    """Shows a line now and then, and stops the training when asked to."""

    def __init__(self, stop: Event, *, quiet: bool) -> None:
        """Show nothing when `quiet`; stop when `stop` is set."""
        self._stop, self._line = stop, terminal.Line(quiet=quiet)
        self.begun = False

    def __call__(self, p: Progress) -> None:
        """Take what the training reports.

        Raises:
            Cancelled: it was asked to stop.
        """
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
