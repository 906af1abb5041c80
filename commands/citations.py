"""`citations`: L-FRESCO and FRESCO of a file of analyses, as a table or as JSON."""

import argparse
import json
from collections.abc import Sequence
from math import isnan, nan
from pathlib import Path
from typing import Any

import scorers
from commands import terminal
from commands.terminal import DONE, say, show, table
from evaluation.citations.authorities import same_authority, same_parts
from evaluation.citations.batch import Batch, Entry, read_batch
from evaluation.citations.claims import Document, document
from evaluation.citations.comparing import MEASURES, Agreement, Correlation, Mean, SystemRow, agreements, compare
from evaluation.citations.fresco import Score, fresco, l_fresco
from evaluation.citations.points import general_fresco, key_points
from evaluation.citations.similarity import Asked, Cosine, Entailment, RougeL, Similarity
from evaluation.errors import DataError
from evaluation.progress import listening
from evaluation.spending import Budget, spending

Scores = dict[str, dict[str, Score]]
"""By system, then by id of the text."""


def citations(given: argparse.Namespace) -> int:
    """Read analyses, score them, and show systems, and how the scores agree with human ratings."""
    batch = _read(given.analyses)
    similarity = measure(given.b_sim)
    line = terminal.Line(quiet=given.quiet)
    scores: Scores = {s: {} for s in batch.systems}
    with spending(Budget(given.calls, given.dollars)):
        for number, entry in enumerate(batch.entries, 1):
            line.show(f"{number:,} of {len(batch.entries):,} texts")
            with listening(lambda *_: None):
                scores[entry.system][entry.id] = score(entry, similarity, given)
    found = compare(scores)
    agree = _with_people(batch, scores, similarity)
    if given.json:
        show(json.dumps(_as_json(batch, scores, found, agree, similarity, given), indent=1, ensure_ascii=False))
    else:
        show(_text(scores, found, agree, similarity, given))
    return DONE


def _read(name: str) -> Batch:
    path = Path(name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); name a file of analyses.") from None
    batch = read_batch(path.name, data)
    for row in batch.rejected:
        say(f"{row.file}, row {row.row}: {row.reason}")
    return batch


def measure(line: str) -> Similarity:
    """A similarity by its id: `rouge`, `cosine`, `cosine:EMBEDDER`, `entails:METHOD` or `chat:SPEC`.

    Raises:
        ValueError: there is no such similarity.
    """
    kind, _, spec = line.partition(":")
    if line == "rouge":
        return RougeL()
    if kind == "cosine":
        embedder = scorers.embedder(spec or "minilm")
        return Cosine(embedder, f"Embedding cosine, {embedder.title}")
    if kind == "entails" and spec:
        scorer = scorers.load(spec)
        about = getattr(scorer, "about", None)
        threshold = getattr(about, "threshold", None)
        return Entailment(scorer, f"Entailment by {getattr(about, 'title', spec)}", 0.5 if threshold is None else threshold)
    if kind == "chat" and spec:
        return Asked(scorers.chat(spec))
    raise ValueError(f"no similarity {line!r}: rouge, cosine, cosine:EMBEDDER, entails:METHOD or chat:SPEC")


def score(entry: Entry, similarity: Similarity, given: argparse.Namespace) -> Score:
    """Score one generated text by what was asked for."""
    if given.metric == "points":
        points = key_points(entry.generated), key_points(entry.reference)
        return general_fresco(*points, similarity, similarity, given.threshold, 0.3 if given.floor is None else given.floor)
    pair: tuple[Document, ...] = tuple(
        document(text, given.claim, subsections=given.subsections) for text in (entry.generated, entry.reference)
    )
    if given.metric == "fresco":
        alike = same_parts if given.c_sim == "parts" else same_authority
        return fresco(pair[0], pair[1], similarity, alike, given.threshold, 0.5 if given.floor is None else given.floor)
    return l_fresco(pair[0], pair[1], similarity, given.threshold, "sum" if given.metric == "sum" else "best")


def _with_people(batch: Batch, scores: Scores, similarity: Similarity) -> tuple[Agreement, ...]:
    """How recall ranks texts beside human ratings; nothing where there are none."""
    if not any(e.rating is not None for e in batch.entries):
        return ()
    values = {
        f"Recall by {similarity.title}": [scores[e.system][e.id].recall for e in batch.entries],
        "Human rating": [nan if e.rating is None else e.rating for e in batch.entries],
    }
    return agreements(values, [e.id for e in batch.entries])


def _text(
    scores: Scores, found: tuple[SystemRow, ...], agree: tuple[Agreement, ...], similarity: Similarity, given: argparse.Namespace
) -> str:
    tau = similarity.threshold if given.threshold is None else given.threshold
    rows = [
        (
            r.system,
            *(_cell(r.means[m]) for m in MEASURES),
            f"{r.means['recall'].of + r.means['recall'].left_out:,}",
            _cell(r.above_first) if r.above_first else "-",
        )
        for r in found
    ]
    parts = [
        f"{given.metric}, claims compared by {similarity.title}, match from {tau:g} on. In brackets 95 % intervals; "
        "n: the texts of a mean.",
        table(("system", "recall", "precision", "F1", "texts", "above the first"), rows),
        "The literal sum is no share, so it has no F1." if given.metric == "sum" else "",
        *left_out([s for by_id in scores.values() for s in by_id.values()], given.metric),
        "\n".join(_agreement(a) for a in agree),
    ]
    return "\n\n".join(filter(None, parts))


def left_out(scores: Sequence[Score], metric: str) -> list[str]:
    """What counts in no figure, each with its reason."""
    empty = sum(not s.reference for s in scores)
    untold = sum(bool(s.reference) and isnan(s.recall) for s in scores)
    claims = sum(s.unknown for s in scores)
    nothing = "holds no point" if metric == "points" else "cites nothing that could be read"
    what = "point" if metric == "points" else "claim"
    return [
        f"{_texts(empty)} no score: the reference {nothing}." if empty else "",
        f"{_texts(untold)} no score: the similarity of no {what} could be told." if untold else "",
        f"Reference {what}s left out, as no similarity could be told: {claims:,}." if claims else "",
    ]


def _texts(count: int) -> str:
    return "1 text has" if count == 1 else f"{count:,} texts have"


def _agreement(a: Agreement) -> str:
    if isnan(a.kendall.value):
        return f"{a.first} and {a.second}: no rank correlation can be told from {a.of:,} texts"
    return (
        f"{a.first} and {a.second}: Spearman {a.spearman.value:.2f} ({a.spearman.interval.low:.2f} to "
        f"{a.spearman.interval.high:.2f}), Kendall {a.kendall.value:.2f} ({a.kendall.interval.low:.2f} to "
        f"{a.kendall.interval.high:.2f}), {a.of:,} texts"
    )


def _cell(mean: Mean) -> str:
    if isnan(mean.value):
        return "-"
    return f"{mean.value:.3f} ({mean.interval.low:.3f} to {mean.interval.high:.3f}) n={mean.of:,}"


def _as_json(
    batch: Batch,
    scores: Scores,
    found: tuple[SystemRow, ...],
    agree: tuple[Agreement, ...],
    similarity: Similarity,
    given: argparse.Namespace,
) -> dict[str, Any]:
    return {
        "metric": given.metric,
        "similarity": similarity.signature,
        "threshold": similarity.threshold if given.threshold is None else given.threshold,
        "systems": [
            {
                "system": r.system,
                **{m: _mean(r.means[m]) for m in MEASURES},
                "above_first": r.above_first and _mean(r.above_first),
            }
            for r in found
        ],
        "texts": [
            {"id": e.id, "system": e.system, "rating": e.rating, **_figures(scores[e.system][e.id])} for e in batch.entries
        ],
        "agreement": [
            {
                "first": a.first,
                "second": a.second,
                "of": a.of,
                "spearman": _correlation(a.spearman),
                "kendall": _correlation(a.kendall),
            }
            for a in agree
        ],
    }


def _mean(mean: Mean) -> dict[str, Any]:
    return {"value": _none(mean.value), "low": _none(mean.interval.low), "high": _none(mean.interval.high), "texts": mean.of}


def _correlation(found: Correlation) -> dict[str, float | None]:
    return {"value": _none(found.value), "low": _none(found.interval.low), "high": _none(found.interval.high)}


def _figures(made: Score) -> dict[str, Any]:
    figures = {m: _none(getattr(made, m)) for m in MEASURES}
    return {
        **figures,
        "reference_pairs": made.reference,
        "generated_pairs": made.generated,
        "matched": len(made.matched),
        "unknown": made.unknown,
    }


def _none(value: float) -> float | None:
    return None if isnan(value) else value
