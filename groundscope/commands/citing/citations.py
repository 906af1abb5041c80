"""`citations`: L-FRESCO and FRESCO of a file of analyses, as a table or as JSON."""

import json
from pathlib import Path
from typing import get_args

import click

from groundscope.chat.budget import Budget, spending
from groundscope.citations.authorities import CITED_ALIKE, FLOORS
from groundscope.citations.batch import AnalysisEntry, Batch, read_batch
from groundscope.citations.claims import Reach, document
from groundscope.citations.comparing import compare
from groundscope.citations.fresco import FrescoScore, fresco, l_fresco
from groundscope.citations.points import general_fresco, key_points
from groundscope.citations.similarity import Asked, Cosine, Entailment, RougeL, Similarity
from groundscope.citations.whole_texts import WholeTextScore, whole_texts
from groundscope.commands import options, terminal
from groundscope.commands.case_files import content, tell_rejected
from groundscope.commands.citing.shown import Scores, as_json, parts, with_people
from groundscope.commands.terminal import DONE, show
from groundscope.methods import registry
from groundscope.progress import listening


@click.command()
@click.argument("analyses", metavar="FILE", type=options.PATH, help="a file of analyses: JSONL, JSON, CSV or Parquet")
@click.option(
    "--metric",
    type=click.Choice(["l-fresco", "best", "sum", "fresco", "points"]),
    default="l-fresco",
    help="L-FRESCO (also called best) or its literal sum, FRESCO, or FRESCO of key points",
)
@click.option("--b-sim", metavar="ID", default="rouge", help="rouge, cosine, cosine:EMBEDDER, entails:METHOD or chat:SPEC")
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
@click.option("--claim", type=click.Choice(get_args(Reach)), default="last", help="of several sentences before a citation")
@click.option("--subsections", is_flag=True, help="subsections of a law are authorities of their own")
@click.option("--json", "in_json", is_flag=True, help="everything as JSON")
@options.BUDGET
@options.QUIET
def citations(
    analyses: Path, metric: str, b_sim: str, threshold: float | None, c_sim: str, floor: float | None, claim: Reach,
    subsections: bool, in_json: bool, calls: int | None, dollars: float | None, quiet: bool,
) -> int:  # fmt: skip
    """Score which authorities analyses cite, and for what: L-FRESCO, FRESCO.

    Needs reference and generated in each row, and perhaps id, system and rating. The texts stay on this machine unless an
    embedder or model elsewhere is named.
    """
    batch = read_batch(analyses.name, content(analyses, "a file of analyses"))
    tell_rejected(batch.rejected, None)
    similarity = measure(b_sim)
    tau = similarity.threshold if threshold is None else threshold
    line = terminal.Line(quiet=quiet)
    scores: Scores = {s: {} for s in batch.systems}
    with spending(Budget(calls, dollars)):
        for number, entry in enumerate(batch.entries, 1):
            line.show(f"{number:,} of {len(batch.entries):,} texts")
            with listening(lambda *_: None):
                made = _score(entry, similarity, metric, threshold, c_sim, floor, claim, subsections=subsections)
                scores[entry.system][entry.id] = made
    found = compare(scores)
    agree = with_people(batch, scores, _whole(batch, claim, subsections=subsections), similarity)
    if in_json:
        whole = {"metric": metric, "similarity": similarity.signature, "threshold": tau, **as_json(batch, scores, found, agree)}
        show(json.dumps(whole, indent=1, ensure_ascii=False))
    else:
        how = f"{metric}, claims compared by {similarity.title}, match from {tau:g} on."
        show("\n\n".join([f"{how} In brackets 95 % intervals; n: the texts of a mean.", *parts(scores, found, agree, metric)]))
    return DONE


def measure(line: str) -> Similarity:
    """Build a similarity from its id; it loads and sends nothing yet.

    Ids are `rouge`, `cosine` (by all-MiniLM-L6-v2), `cosine:EMBEDDER`, `entails:METHOD` and `chat:SPEC`. `entails` has the
    method's threshold, or 0.5 where it has none.
    """
    kind, _, spec = line.partition(":")
    if line == "rouge":
        return RougeL()
    if kind == "cosine":
        embedder = registry.embedder(spec or "minilm")
        return Cosine(embedder, f"Embedding cosine, {embedder.title}")
    if kind == "entails" and spec:
        scorer = registry.load(spec)
        threshold = scorer.about.threshold
        return Entailment(scorer, f"Entailment by {scorer.about.title}", 0.5 if threshold is None else threshold)
    if kind == "chat" and spec:
        return Asked(registry.chat(spec))
    raise ValueError(f"no similarity {line!r}: rouge, cosine, cosine:EMBEDDER, entails:METHOD or chat:SPEC")


def _whole(batch: Batch, claim: Reach, *, subsections: bool) -> list[WholeTextScore]:
    """The measures that stand beside recall where people rated the texts."""
    if all(entry.rating is None for entry in batch.entries):
        return []
    texts = ((e.generated, e.reference) for e in batch.entries)
    read = [[document(text, claim, subsections=subsections) for text in both] for both in texts]
    return whole_texts([(generated, reference) for generated, reference in read])


def _score(
    entry: AnalysisEntry, similarity: Similarity, metric: str, threshold: float | None, c_sim: str, floor: float | None,
    claim: Reach, *, subsections: bool,
) -> FrescoScore:  # fmt: skip
    """Score one generated text by what was asked for."""
    if metric == "points":
        points = key_points(entry.generated), key_points(entry.reference)
        return general_fresco(*points, similarity, similarity, threshold, 0.3 if floor is None else floor)
    generated, reference = (document(text, claim, subsections=subsections) for text in (entry.generated, entry.reference))
    if metric == "fresco":
        return fresco(generated, reference, similarity, CITED_ALIKE[c_sim], threshold, FLOORS[c_sim] if floor is None else floor)
    return l_fresco(generated, reference, similarity, threshold, "sum" if metric == "sum" else "best")
