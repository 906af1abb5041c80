"""`citations`: L-FRESCO and FRESCO of a file of analyses, as a table or as JSON."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from math import inf, isnan
from pathlib import Path
from typing import Any, get_args

import click

from groundscope.chat.budget import Budget, spending
from groundscope.chat.prompt_files import asked_chat
from groundscope.citations import comparing, whole_texts
from groundscope.citations.authorities import CITED_ALIKE, FLOORS
from groundscope.citations.batch import AnalysisEntry, Batch, read_batch
from groundscope.citations.claims import CitingDocument, Reach, document
from groundscope.citations.decomposing import DECOMPOSING, Decomposed, decomposer
from groundscope.citations.fresco import FrescoScore, fresco, l_fresco
from groundscope.citations.points import general_fresco, key_points
from groundscope.citations.similarity import COMPARING, Cosine, Entailment, RougeL, Similarity, Weighted, asked
from groundscope.commands import jobs, options, terminal
from groundscope.commands.case_files import content, tell_rejected
from groundscope.commands.terminal import DONE, say, show, table
from groundscope.errors import DataError
from groundscope.files.rows import KINDS
from groundscope.methods import registry
from groundscope.models import embedders
from groundscope.runtime.progress import listening

RUNNER = jobs.task_runner(COMPARING, "Citation recall")
SPLITTING = jobs.task_runner(DECOMPOSING, "Citation recall")
Scores = dict[str, dict[str, FrescoScore]]
"""By system, then by id of the text."""


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
@options.BUDGET
@options.QUIET
def citations(
    analyses: Path, metric: str, b_sims: Sequence[str], threshold: float | None, c_sim: str, floor: float | None,
    same: float | None, claim: Reach, decompose: str | None, subsections: bool, bartscore: bool, in_json: bool,
    calls: int | None, dollars: float | None, quiet: bool,
) -> int:  # fmt: skip
    """Score which authorities analyses cite, and for what: L-FRESCO, FRESCO.

    Needs reference and generated in each row, and perhaps id, system and rating. Systems are scored by the first --b-sim. The
    texts stay on this machine unless an embedder or model elsewhere is named.
    """
    batch = read_batch(analyses.name, content(analyses, "a file of analyses"), claims=metric == "claims")
    tell_rejected(batch.rejected, None)
    similarities = [measure(one) for one in dict.fromkeys(b_sims)]
    line = terminal.Line(quiet=quiet)
    if metric == "claims":
        with spending(Budget(calls, dollars)):
            show(_rated_claims(batch, similarities, threshold, same, line, in_json=in_json))
        return DONE
    similarity = similarities[0]
    tau = similarity.threshold if threshold is None else threshold
    taken_apart = _Texts(claim, None if metric == "points" else decompose, subsections=subsections)
    scores: Scores = {s: {} for s in batch.systems}
    recalls: dict[str, list[float]] = {_recall_by(s, threshold): [] for s in similarities}
    with spending(Budget(calls, dollars)):
        for number, entry in enumerate(batch.entries, 1):
            line.show(f"{number:,} of {len(batch.entries):,} texts")
            with listening(lambda *_: None):
                by_each = [_score(entry, s, metric, threshold, c_sim, floor, taken_apart) for s in similarities]
            for s, score in zip(similarities, by_each, strict=True):
                if score is not None:
                    recalls[_recall_by(s, threshold)].append(score.recall)
            if by_each[0] is not None:
                scores[entry.system][entry.id] = by_each[0]
    batch = _scored(batch, scores)
    systems = comparing.compare(scores)
    beside, bart_note = _whole(batch, taken_apart, line, bartscore=bartscore)
    agree = whole_texts.beside_ratings(recalls, beside, [e.rating for e in batch.entries], [e.id for e in batch.entries])
    if in_json:
        whole = {
            "metric": metric,
            "similarity": similarity.signature,
            "threshold": tau,
            "claims": taken_apart.signature,
            **as_json(batch, scores, systems, agree),
            "bartscore": bart_note,
        }
        show(json.dumps(whole, indent=1, ensure_ascii=False))
    else:
        how = f"{metric}, claims compared by {similarity.title}, match from {tau:g} on."
        show(
            "\n\n".join(
                [
                    f"{how} In brackets 95 % intervals; n: the texts of a mean.",
                    *parts(scores, systems, agree, metric),
                    *filter(None, [bart_note]),
                ]
            )
        )
    return DONE


def measure(line: str) -> Similarity:
    """Build a similarity from its id; it loads and sends nothing yet.

    Ids are `rouge`, `cosine` (by all-MiniLM-L6-v2), `cosine:EMBEDDER`, `entails:METHOD`, `chat:SPEC` and `chat/PROMPT:SPEC`, and
    weighted means of them, as `.5*rouge+.5*cosine`. `entails` has the method's threshold, or 0.5 where it has none.
    """
    if _WEIGHT.match(line):
        return Weighted(tuple(_part(term, line) for term in _TERMS.split(line)))
    kind, _, spec = line.partition(":")
    if line == "rouge":
        return RougeL()
    if kind == "cosine":
        embedder = embedders.embedder(spec or "minilm")
        return Cosine(embedder, f"Embedding cosine, {embedder.title}")
    if kind == "entails" and spec:
        scorer = registry.load(spec)
        threshold = scorer.about.threshold
        return Entailment(scorer, f"Entailment by {scorer.about.title}", 0.5 if threshold is None else threshold)
    if asked_chat(line).spec not in ("", line):
        return asked(line)
    raise ValueError(f"no similarity {line!r}: rouge, cosine, cosine:EMBEDDER, entails:METHOD, chat:SPEC or chat/PROMPT:SPEC")


_WEIGHT = re.compile(r"\s*([0-9.]+)\s*\*\s*")
_TERMS = re.compile(r"\+(?=\s*[0-9.]+\s*\*)")


def _part(term: str, line: str) -> tuple[float, Similarity]:
    match = _WEIGHT.match(term)
    try:
        weight = float(match[1]) if match else 0.0
    except ValueError:
        weight = 0.0
    if match is None or not 0 < weight < inf:
        raise ValueError(f"weights must be numbers above 0, as in .5*rouge+.5*cosine, got {line!r}")
    return weight, measure(term[match.end() :].strip())


class _Texts:
    """Texts as claims with authorities, each taken apart once, by rules or by a chat model."""

    def __init__(self, claim: Reach, decompose: str | None, *, subsections: bool) -> None:
        self._claim, self._subsections = claim, subsections
        self._model = decomposer(decompose) if decompose else None
        self._known: dict[str, Decomposed] = {}

    @property
    def signature(self) -> str:
        """What takes them apart."""
        return self._model.signature if self._model else f"rules|{self._claim}"

    def both(self, entry: AnalysisEntry) -> tuple[CitingDocument, CitingDocument] | None:
        """The generated text and its reference; None, and why on standard error, where the model's claims cannot be read."""
        generated, reference = (self._of(text) for text in (entry.generated, entry.reference))
        if generated.document is None or reference.document is None:
            say(f"{entry.id}, {entry.system}: left out, its claims could not be read. {generated.why or reference.why}")
            return None
        return generated.document, reference.document

    def _of(self, text: str) -> Decomposed:
        if text not in self._known:
            self._known[text] = (
                self._model.document(text, subsections=self._subsections)
                if self._model
                else Decomposed(document(text, self._claim, subsections=self._subsections))
            )
        return self._known[text]


def _scored(batch: Batch, scores: Scores) -> Batch:
    """The texts that have a score."""
    entries = tuple(e for e in batch.entries if e.id in scores[e.system])
    if not entries:
        raise DataError("No text could be taken apart into claims; see above for why.")
    for system in set(scores) - {e.system for e in entries}:
        del scores[system]
    return replace(batch, entries=entries)


def _whole(batch: Batch, texts: _Texts, line: terminal.Line, *, bartscore: bool) -> tuple[list[whole_texts.WholeTextScore], str]:
    """The measures that stand beside recall where people rated the texts, and what must be said of BARTScore."""
    if all(entry.rating is None for entry in batch.entries):
        return [], ""
    both = [pair for e in batch.entries if (pair := texts.both(e)) is not None]
    measures = whole_texts.whole_texts(both)
    if not bartscore:
        return measures, ""
    method = registry.find(whole_texts.METHOD)
    if (why := method.unavailable()) or not isinstance(method, whole_texts.WritesTexts):
        return measures, f"BARTScore is left out. {why}"
    pairs = [(generated.text, reference.text) for generated, reference in both]
    ways = whole_texts.directions(pairs)
    with listening(lambda done, total: line.show(f"BARTScore, {done:,} of {total:,} characters")):
        likely = dict(zip(ways, method.likelihoods(ways), strict=True))
    return whole_texts.with_bart(measures, pairs, likely), whole_texts.cut_words(pairs, likely)


def _score(
    entry: AnalysisEntry, similarity: Similarity, metric: str, threshold: float | None, c_sim: str, floor: float | None,
    texts: _Texts,
) -> FrescoScore | None:  # fmt: skip
    """Score one generated text by what was asked for; None where it could not be taken apart."""
    if metric == "points":
        points = key_points(entry.generated), key_points(entry.reference)
        return general_fresco(*points, similarity, similarity, threshold, 0.3 if floor is None else floor)
    both = texts.both(entry)
    if both is None:
        return None
    if metric == "fresco":
        return fresco(*both, similarity, CITED_ALIKE[c_sim], threshold, FLOORS[c_sim] if floor is None else floor)
    return l_fresco(*both, similarity, threshold, "sum" if metric == "sum" else "best")


def _recall_by(similarity: Similarity, threshold: float | None) -> str:
    return f"Recall by {similarity.title}, from {similarity.threshold if threshold is None else threshold:.3g} on"


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
    """Say what counts in no figure, in three sentences, each empty where nothing is left out.

    They are of texts whose reference holds nothing to score, of texts where no similarity could be computed, and of reference
    claims or points without one.
    """
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


def _rated_claims(
    batch: Batch, similarities: Sequence[Similarity], threshold: float | None, same: float | None, line: terminal.Line,
    *, in_json: bool,
) -> str:  # fmt: skip
    """The table of similarities beside people's ratings of pairs of claims."""
    ratings = [e.rating for e in batch.entries]
    if all(r is None for r in ratings):
        raise DataError("No pair of claims has a rating; add a column 'rating'.")
    same = comparing.same_from(ratings) if same is None else same
    rows = []
    for similarity in similarities:
        line.show(f"comparing claims by {similarity.title}")
        with listening(lambda *_: None):
            rows.append(comparing.rated_similarity(similarity, batch.entries, threshold, same))
    if in_json:
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


def as_json(
    batch: Batch, scores: Scores, systems: tuple[comparing.SystemRow, ...], agree: Sequence[comparing.RankAgreement]
) -> dict[str, Any]:
    """Collect all figures as JSON values: lists under `systems`, `texts` and `agreement`; what is not known is None."""
    return {
        "systems": [
            {
                "system": r.system,
                **{m: _mean(r.means[m]) for m in comparing.MEASURES},
                "above_first": r.above_first and _mean(r.above_first),
            }
            for r in systems
        ],
        "texts": [
            {"id": e.id, "system": e.system, "rating": e.rating, **scores[e.system][e.id].figures()} for e in batch.entries
        ],
        "agreement": [
            {"first": a.first, "second": a.second, "of": a.of, "spearman": a.spearman.figures(), "kendall": a.kendall.figures()}
            for a in agree
        ],
    }


def _mean(mean: comparing.SystemMean) -> dict[str, Any]:
    return {**mean.interval.around(mean.value), "texts": mean.of}
