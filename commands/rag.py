"""`rag-run`: go on with an experiment; `rag-report`: the analysis of results of legal RAG pipelines, made here or elsewhere."""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import scorers
from commands import terminal
from commands.stopping import stop_event
from commands.terminal import DONE, STOPPED, say, show, table
from evaluation.errors import Cancelled, DataError
from evaluation.keeping import keeping
from evaluation.rag import experiments
from evaluation.rag.dropping import ablate
from evaluation.rag.experiment_file import Place
from evaluation.rag.loading import Doors, parts_of
from evaluation.rag.outcomes import ERRORS, Row, Share
from evaluation.rag.records import read_results
from evaluation.rag.report import OUTCOMES, Report, as_json, effect_words, joint_words, report
from evaluation.rag.work import Tick, work
from evaluation.spending import Budget, spending

_TOLD_EVERY = 0.5
DOORS = Doors(scorers.embedder, scorers.chat, scorers.load)


def rag_run(given: argparse.Namespace) -> int:
    """Do what is left of an experiment that was begun in the app."""
    file = experiments.opened(given.experiment)
    plan = file.plan()
    stop = stop_event(with_parent=given.with_parent)
    line = terminal.Line(quiet=given.quiet)

    told = [0.0]

    def hear(tick: Tick) -> None:
        what = f"{tick.part}: passages" if tick.stage == "retrieve" else "answers"
        line.show(f"{tick.done:,} of {tick.total:,} {what}")
        # The page looks into the file; every tick would be a write.
        if time.monotonic() - told[0] > _TOLD_EVERY:
            told[0] = time.monotonic()
            file.tell(*tick)

    say(f"Experiment {given.experiment}: {plan.name}")
    ended = work(file, parts_of(plan, DOORS), hear=hear, stop=stop, budget=Budget(given.calls, given.dollars))
    for why, count in ended.failed.most_common():
        say(f"{count:,} times: {why}")
    if ended.finished:
        show(str(file.path))
        return DONE
    say(f"{ended.why}\nTo go on: python -m groundscope rag-run {given.experiment}")
    return STOPPED


def rag_drop(given: argparse.Namespace) -> int:
    """Answer one question of an experiment again without each passage, and keep what that changes."""
    file = experiments.opened(given.experiment)
    plan, place = file.plan(), Place(given.retriever, given.generator, given.question)
    hits, questions = file.hits(place.retriever), file.questions()
    if hits is None or not (place.generator < len(plan.generators) and place.question < len(questions)):
        raise ValueError("There is no such answer in this experiment; count retriever, generator and question from 0.")
    parts, passages = parts_of(plan, DOORS), file.passages()
    stop, line = stop_event(with_parent=given.with_parent), terminal.Line(quiet=given.quiet)

    def hear(done: int, total: int) -> None:
        if stop.is_set():
            raise Cancelled
        line.show(f"{done:,} of {total:,} answers")

    try:
        with spending(Budget(given.calls, given.dollars)), keeping(True):
            found = ablate(
                questions[place.question],
                [passages[h.passage] for h in hits[place.question][: plan.k]],
                parts.generators[plan.generators[place.generator].id],
                parts.judge,
                hear,
            )
    except Cancelled:
        say("Stopped; nothing was kept.")
        return STOPPED
    file.keep_drops(place, found)
    names = [
        (
            "all passages" if d.passage is None else f"without {passages[hits[place.question][d.passage].passage].id}",
            d.effect.value if d.effect else "",
            d.note,
        )
        for d in found
    ]
    show(table(("passages", "effect", "note"), names))
    return DONE


def rag_report(given: argparse.Namespace) -> int:
    """Read results and show tables, impacts and tests, as text or as JSON."""
    path = Path(given.results)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); name a file of results.") from None
    found = read_results(path.name, data)
    for row in found.rejected:
        say(f"{row.file}, row {row.row}: {row.reason}")
    if found.unequal:
        say(found.unequal)
    made = report(found.answers, given.baseline_embedder or "", given.baseline_llm or "")
    show(json.dumps(as_json(made), indent=1, ensure_ascii=False) if given.json else _text(made))
    return DONE


def _text(made: Report) -> str:
    parts = [
        f"{made.answers:,} answers to {made.questions:,} questions. Percent; in brackets 95 % intervals.",
        _shares(made.combinations),
        "Errors, percent of the answers whose outcome is known",
        _errors(made.combinations),
        "RAG accuracy relative to the mean",
        table(
            ("embedder or model", "accuracy", "impact"),
            [
                (i.level, f"{100 * i.accuracy:.1f}", f"{100 * i.relative:+.1f} %")
                for i in (*made.embedder_impacts, *made.model_impacts)
            ],
        ),
    ]
    for name, told in OUTCOMES.items():
        tests = made.tests[name]
        parts += [
            f"What the differences mean: {told} (baselines {made.baseline_embedder}, {made.baseline_model})",
            joint_words("Does the embedder matter?", tests.embedder),
            joint_words("Does the model matter?", tests.model),
            joint_words("Does one's effect depend on the other?", tests.interaction),
            "\n".join(
                effect_words(n)
                for n in (*tests.embedders, *tests.models, *tests.within_embedder, *tests.within_model, *tests.differences)
            ),
        ]
    return "\n\n".join(filter(None, parts))


def _shares(found: Sequence[Row]) -> str:
    head = ("embedder", "model", "correct", "grounded", "retrieved", "RAG accuracy")
    return table(head, [(r.embedder, r.model, *map(_cell, (r.correct, r.grounded, r.hit, r.accuracy))) for r in found])


def _errors(found: Sequence[Row]) -> str:
    head = ("embedder", "model", *(error.value for error in ERRORS), "no verdict")
    return table(head, [(r.embedder, r.model, *(_cell(r.errors[e]) for e in ERRORS), f"{r.unknown:,}") for r in found])


def _cell(share: Share) -> str:
    if not share.of:
        return "-"
    return f"{100 * share.value:.1f} ({100 * share.interval.low:.1f}-{100 * share.interval.high:.1f})"
