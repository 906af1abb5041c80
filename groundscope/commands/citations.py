"""`citations`: L-FRESCO and FRESCO of a file of analyses, as a table or as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any, get_args

import click

from groundscope.chat.budget import Limits
from groundscope.citations import comparing, whole_texts
from groundscope.citations.authorities import CITED_ALIKE
from groundscope.citations.batch import AnalysisEntry, read_batch
from groundscope.citations.claims import Reach
from groundscope.citations.decomposing import DECOMPOSING
from groundscope.citations.fresco import FrescoScore
from groundscope.citations.similarity import COMPARING, CachedSimilarity
from groundscope.commands import jobs, options
from groundscope.commands.case_files import content, tell_rejected, write
from groundscope.commands.recall import RECALL, RecallItem, RecallOptions, RecallSteps, scores_of
from groundscope.commands.terminal import say, table
from groundscope.errors import DataError
from groundscope.experiments.plan import Content
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.files.rows import KINDS
from groundscope.files.typed import stored
from groundscope.methods import registry

COMPARISONS = jobs.task_runner(COMPARING, "Citation recall")
SPLITTING = jobs.task_runner(DECOMPOSING, "Citation recall")
Scores = dict[str, dict[str, FrescoScore]]
"""By system, then by id of the text."""
Scored = Sequence[tuple[AnalysisEntry, Content]]
"""Texts with what `RECALL` gave of each."""
_RANKS = ("spearman", "kendall")


@click.command()
@click.argument("analyses", metavar="FILE", type=options.PATH, help=f"a file of analyses: {KINDS}")
@click.option(
    "--metric",
    type=click.Choice(["l-fresco", "best", "sum", "fresco", "points", "claims"]),
    default="l-fresco",
    help="L-FRESCO (also called best) or its literal sum, FRESCO, FRESCO of key points; claims: each row is two rated claims",
)
@click.option(
    "--b-sim",
    "b_sims",
    metavar="ID",
    multiple=True,
    default=["rouge"],
    help="rouge, cosine, cosine:EMBEDDER, entails:METHOD, chat:SPEC, or a weighted mean such as .5*rouge+.5*cosine; "
    "can be given again, and all are held against ratings",
)
@click.option(
    "--threshold",
    metavar="X",
    type=options.SHARE,
    help="claims match from this similarity on",
    show_default="the similarity's own",
)
@click.option(
    "--c-sim",
    type=click.Choice(list(CITED_ALIKE)),
    default="authority",
    help="of FRESCO: what makes citations alike, one authority, equal parts, or names and text (continuous)",
)
@click.option(
    "--floor",
    metavar="X",
    type=options.SHARE,
    help="of FRESCO: less alike is no match",
    show_default="0.5, of names 0.7, of key points 0.3",
)
@click.option(
    "--same-from",
    "same",
    metavar="X",
    type=float,
    help="of claims: people say the same from this rating on",
    show_default="the higher one of two ratings",
)
@click.option("--claim", type=click.Choice(get_args(Reach)), default="last", help="of several sentences before a citation")
@click.option("--decompose", metavar="SPEC", help="a chat model that takes the texts apart into claims", show_default="by rules")
@click.option("--subsections", is_flag=True, help="subsections of a law are authorities of their own")
@click.option(
    "--bartscore/--no-bartscore",
    default=True,
    help="beside ratings also BARTScore of the whole texts",
    show_default="where its weights are",
)
@click.option("--json", "in_json", is_flag=True, help="everything as JSON")
@options.LIMITS
def citations(analyses: Path, calls: int | None, dollars: float | None, quiet: bool, with_parent: bool, **asked: Any) -> int:
    """Score which authorities analyses cite, and for what: L-FRESCO, FRESCO.

    Needs reference and generated in each row, and perhaps id, system and rating. Systems are scored by the first --b-sim. The
    texts stay on this machine unless an embedder or model elsewhere is named. Ctrl-C pauses it, and `resume` with the job's id
    goes on; a copy of the texts is in the data folder until the result is shown, and replies are saved as those of runs are.
    """
    how, claims = RecallOptions(**asked), asked["metric"] == "claims"
    batch = read_batch(analyses.name, content(analyses, "a file of analyses"), claims=claims)
    tell_rejected(batch.rejected, None)
    rated = [entry for entry in batch.entries if entry.rating is not None]
    if claims and not rated:
        raise DataError("No pair of claims has a rating; add a column 'rating'.")
    bart = how.bartscore and bool(rated) and not claims
    lacking = registry.find(whole_texts.METHOD).unavailable() if bart else ""
    how = replace(how, bartscore=bart and not lacking, bart_note=lacking and f"BARTScore is left out. {lacking}")
    by_reference: dict[str, dict[int, AnalysisEntry]] = {}
    for row, entry in enumerate(rated if claims else batch.entries):
        by_reference.setdefault(str(row) if claims else entry.id, {})[row] = entry
    title = ", ".join(similarity.title for similarity in how.similarities)
    items = list(map(RecallItem, by_reference.values()))
    job = RECALL.create(f"Citation recall of {batch.name}", {"recall": title}, items, asdict(how), Limits(calls, dollars), out="")
    return jobs.go(RUNNER, RECALL.folder.open(job), None, quiet=quiet, with_parent=with_parent)


def _result(file: JobFile, out: Path | None) -> str:
    """The tables or the JSON of a finished job."""
    how, scored = RecallOptions(**plan_of(file).options), scores_of(file)
    shown = (_rated_claims if how.metric == "claims" else _scored_texts)(how, scored)
    return write(out, shown.encode()) if out else shown


RUNNER = jobs.task_runner(RECALL, "Citation recall", _result)._replace(steps=partial(RecallSteps, RECALL))


def _scored_texts(how: RecallOptions, scored: Scored) -> str:
    """The table of systems, and the measures beside people's ratings of texts."""
    similarities, similarity = how.similarities, how.similarities[0]
    scores: Scores = {entry.system: {} for entry, _ in scored}
    for entry, result in scored:
        if "why" in result:
            say(f"{entry.id}, {entry.system}: left out, {result['why']}")
        else:
            scores[entry.system][entry.id] = stored(FrescoScore, result["scores"][0])
    scores = {system: by_id for system, by_id in scores.items() if by_id}
    if not scores:
        raise DataError("No text could be scored; see above for why.")
    systems = comparing.compare(scores)
    entries, contents = zip(*((entry, result) for entry, result in scored if "why" not in result), strict=True)
    recalls = {
        f"Recall by {s.title}, from {how.tau(s):.3g} on": [result["scores"][number]["recall"] for result in contents]
        for number, s in enumerate(similarities)
    }
    beside = [whole_texts.WholeTextScore(*result["whole"]) for result in contents]
    agree = whole_texts.beside_ratings(recalls, beside, [e.rating for e in entries], [e.id for e in entries])
    bart_note = how.bart_note or whole_texts.cut_words(sum(result["cut"] for result in contents))
    if how.in_json:
        content = {
            "metric": how.metric,
            "similarity": similarity.signature,
            "threshold": how.tau(similarity),
            "claims": how.split_by,
            "systems": [_system(row) for row in systems],
            "texts": [{"id": e.id, "system": e.system, "rating": e.rating, **scores[e.system][e.id].figures()} for e in entries],
            "agreement": [
                {"first": a.first, "second": a.second, "of": a.of, **{rank: getattr(a, rank).figures() for rank in _RANKS}}
                for a in agree
            ],
            "bartscore": bart_note,
        }
        return json.dumps(content, indent=1, ensure_ascii=False)
    compared = f"{how.metric}, claims compared by {similarity.title}, match from {how.tau(similarity):g} on."
    head = f"{compared} In brackets 95 % intervals; n: the texts of a mean."
    return "\n\n".join([head, *parts(scores, systems, agree, how.metric), *filter(None, [bart_note])])


def parts(
    scores: Scores, systems: tuple[comparing.SystemRow, ...], agree: Sequence[comparing.RankAgreement], metric: str
) -> list[str]:
    """What is shown below the heading: the table of systems, what counts in no figure, and the rank correlations."""
    rows = [
        (
            r.system,
            *(_cell(r.means[m]) for m in comparing.MEASURES),
            f"{r.means['recall'].of + r.means['recall'].left_out:,}",
            _cell(r.above_first) if r.above_first else "-",
        )
        for r in systems
    ]
    parts = [
        table(("system", "recall", "precision", "F1", "texts", "above the first"), rows),
        "The literal sum is no share, so it has no F1." if metric == "sum" else "",
        *left_out([s for by_id in scores.values() for s in by_id.values()], metric),
        table(("beside human ratings", "Spearman", "Kendall", "texts"), [_agreement(a) for a in agree]) if agree else "",
    ]
    return [part for part in parts if part]


def left_out(scores: Sequence[FrescoScore], metric: str) -> list[str]:
    """Say which texts, and which claims or points, count in no figure: three sentences, each empty where nothing is left out."""
    empty = sum(not s.reference for s in scores)
    untold = sum(bool(s.reference) and isnan(s.recall) for s in scores)
    claims = sum(s.unknown for s in scores)
    nothing = "holds no point" if metric == "points" else "cites nothing that could be read"
    what = "point" if metric == "points" else "claim"
    return [
        f"{_texts(empty)} no score: the reference {nothing}." if empty else "",
        f"{_texts(untold)} no score: the similarity of no {what} could be computed." if untold else "",
        f"Reference {what}s left out, as no similarity could be computed: {claims:,}." if claims else "",
    ]


def _texts(count: int) -> str:
    return "1 text has" if count == 1 else f"{count:,} texts have"


def _agreement(a: comparing.RankAgreement) -> tuple[str, ...]:
    return a.first, *("-" if isnan(c.value) else _ends(c, 2) for c in (a.spearman, a.kendall)), f"{a.of:,}"


def _rated_claims(how: RecallOptions, scored: Scored) -> str:
    """The table of similarities beside people's ratings of pairs of claims."""
    entries = [entry for entry, _ in scored]
    same = comparing.same_from([e.rating for e in entries]) if how.same is None else how.same
    rows = []
    for number, s in enumerate(how.similarities):
        values = {(e.generated, e.reference): result["scores"][number] for e, result in scored if "scores" in result}
        compared = CachedSimilarity(s.title, s.signature, s.threshold, values)
        rows.append(comparing.rated_similarity(compared, entries, how.threshold, same))
    if how.in_json:
        return json.dumps({"metric": "claims", "same_from": same, "similarities": [comparing.as_row(r) for r in rows]}, indent=1)
    split = [r for r in rows if r.agreement is not None]
    parts = [
        "Similarities of claims beside people's ratings; in brackets 95 % intervals, pairs of one id drawn together.",
        table(comparing.HEAD, [comparing.as_cells(r) for r in rows]),
        f"People say the same from {same:g} on. A best threshold has the highest kappa; in brackets those that draws of the "
        "pairs choose. Its kappa is read on the pairs that chose it: on others it is lower." if split else
        "Without --same-from only ranks are compared: it states from which rating on two claims say the same.",
        *(f"{r.title}: no value for {r.unknown:,} rated pairs, which are in no figure." for r in rows if r.unknown),
    ]  # fmt: skip
    return "\n\n".join(parts)


def _cell(mean: comparing.SystemMean) -> str:
    return "-" if isnan(mean.value) else f"{_ends(mean, 3)} n={mean.of:,}"


def _ends(estimate: comparing.SystemMean | comparing.Correlation, digits: int) -> str:
    """A figure with the ends of its interval."""
    return f"{estimate.value:.{digits}f} ({estimate.interval.low:.{digits}f} to {estimate.interval.high:.{digits}f})"


def _system(row: comparing.SystemRow) -> dict[str, Any]:
    means = {measure: _mean(row.means[measure]) for measure in comparing.MEASURES}
    return {"system": row.system, **means, "above_first": row.above_first and _mean(row.above_first)}


def _mean(mean: comparing.SystemMean) -> dict[str, Any]:
    return {**mean.interval.around(mean.value), "texts": mean.of}
