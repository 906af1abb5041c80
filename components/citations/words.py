"""Sentences of the citation recall page. Pure: no streamlit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from math import isnan

from components.citations.outcomes import DIFFERS, MATCHED, MISSING, UNPAIRED, UNTOLD
from evaluation.chat import Estimate
from evaluation.citations.claims import Document
from evaluation.citations.comparing import leading
from evaluation.citations.fresco import Score
from evaluation.citations.similarity import Similarity
from evaluation.words import money


def lead(theirs: Sequence[str]) -> str:
    """What became of the reference's citations, in one sentence; they are given by their states, see `outcomes`."""
    if not theirs:
        return "The reference cites nothing that could be read, so there is no score."
    return _of(Counter(theirs), "citation", "and cited for the same", "but cited for something else", "the claims")


def systems_lead(scores: Mapping[str, Mapping[str, Score]]) -> str:
    """Which system recalls most, in one sentence; only where all are measured on the same texts."""
    best = leading(scores)
    if not any(not isnan(s.recall) for by_id in scores.values() for s in by_id.values()):
        return "No text has a score."
    if not best.of:
        return "No text has a score by every system, so none of them can be said to recall most."
    figures = f"{shown(best.value)} on average over {best.of:,} {'text' if best.of == 1 else 'texts'}"
    if len(scores) == 1:
        return f"{best.systems[0]}: recall {figures}."
    same = all({i for i, s in by_id.items() if not isnan(s.recall)} == _scored(scores) for by_id in scores.values())
    over = "" if same else " that all systems have"
    if len(best.systems) == 1:
        return f"{best.systems[0]} recalls most: {figures}{over}."
    named = f"{', '.join(best.systems[:-1])} and {best.systems[-1]}"
    most = "recall alike" if len(best.systems) == len(scores) else "recall most, and alike"
    return f"{named} {most}: {figures}{over}."


def _scored(scores: Mapping[str, Mapping[str, Score]]) -> set[str]:
    return {i for by_id in scores.values() for i, s in by_id.items() if not isnan(s.recall)}


def points_lead(score: Score) -> str:
    """What became of the reference's key points, in one sentence."""
    if not score.reference:
        return "The reference holds no point, so there is no score."
    matched, untold, cited = len(score.matched), len(score.untold), len(score.cited)
    counts = {MATCHED: matched, UNTOLD: untold, DIFFERS: cited - matched - untold, MISSING: score.reference - cited}
    return _of(Counter(counts), "key point", "with the same content", "with other content", "the contents")


def _of(counts: Counter[str], what: str, same: str, other: str, compared: str) -> str:
    many = "" if counts.total() == 1 else "s"
    parts = [f"{_are(counts[MATCHED])} there {same}", f"{_are(counts[DIFFERS])} there {other}"]
    if counts[UNTOLD]:
        parts.append(f"{_are(counts[UNTOLD])} there, but {compared} could not be compared")
    if counts[UNPAIRED]:
        parts.append(f"{_are(counts[UNPAIRED])} in both texts, but matched with nothing")
    parts.append(f"{_are(counts[MISSING])} missing")
    return f"Of the reference's {counts.total():,} {what}{many}, {'; '.join(parts)}."


def _are(count: int) -> str:
    return f"{count:,} is" if count == 1 else f"{count:,} are"


MARKS = (
    "One number and colour: the same authority in both texts. Wavy: cited for something else. Dashed: missing. "
    "Dotted: not in the reference, or matched with nothing. Underlined twice: claims that could not be compared."
)
"""What the marks in the texts mean."""


def figures(score: Score, metric: str, similarity: Similarity, threshold: float) -> str:
    """The figures with what they depend on."""
    values = ", ".join(f"{n} {shown(v)}" for n, v in (("recall", score.recall), ("precision", score.precision), ("F1", score.f1)))
    left = f" {score.unknown} left out: no similarity." if score.unknown else ""
    if isnan(score.f1) and not isnan(score.recall):
        left += " The literal sum is no share, so it has no F1."
    return f"{metric}: {values}. B-SIM: {similarity.title}, match from {threshold:.2f} on.{left}"


def shown(value: float) -> str:
    """A figure, or that there is none."""
    return "none" if isnan(value) else f"{value:.2f}"


def notes(document: Document, name: str) -> list[str]:
    """What of a text could not be used."""
    found = []
    if not document.text.strip():
        found.append(f"The {name} text is empty.")
    elif not document.citations:
        found.append(f"No citation was found in the {name} text. The tab “Key points” compares texts without citations.")
    if document.unread:
        listed = "; ".join(
            f"“{' '.join(document.text[c.start : c.end].split())[:60]}”: {(c.why or 'could not be read').rstrip('.')}"
            for c in (document.citations[i] for i in document.unread[:4])
        )
        more = f" and {len(document.unread) - 4} more" if len(document.unread) > 4 else ""
        found.append(f"Not read in the {name} text: {listed}{more}.")
    if document.alone:
        many = len(document.alone)
        stand = f"{many:,} citations of the {name} text stand without a claim before them, and count"
        one = f"1 citation of the {name} text stands without a claim before it, and counts"
        found.append(f"{one if many == 1 else stand} in nothing.")
    if document.note:
        found.append(f"The {name} text: {document.note}")
    return found


def too_many(count: int, most: int, what: str = "claims") -> str:
    """That texts are too large for the page, and what to do."""
    return (
        f"These texts take {count:,} comparisons of {what}; the page makes {most:,} at most. Choose fewer texts, or run "
        "`python -m groundscope citations FILE`."
    )


def offer(count: int, estimate: Estimate, host: str, left: str) -> str:
    """What asking a chat model takes, as HTML, before anything is sent."""
    calls = f"{estimate.calls:,} {'call' if estimate.calls == 1 else 'calls'}"
    unknown = "at a cost that is not known: state the model's price on the Methods page"
    cost = unknown if estimate.dollars is None else f"at most {money(estimate.dollars)}"
    where = f"would be sent to <b>{escape(host)}</b>" if host else "would be compared by a model on this machine"
    return (
        f"<p class='gs-privacy'><b>Not sent yet.</b> {pairs_of_claims(count)} {where}: {calls}, about {estimate.input:,} tokens, "
        f"{escape(cost)}. A reply that cannot be read is asked for once more. {escape(left)}</p>"
    )


def sending(count: int, host: str) -> str:
    """The words of the button that sends."""
    return f"Send {pairs_of_claims(count)} {f'to {host}' if host else 'to a model on this machine'}"


def pairs_of_claims(count: int) -> str:
    """So many of them."""
    return "1 pair of claims" if count == 1 else f"{count:,} pairs of claims"
