"""Sentences of the citation recall page. Pure: no streamlit."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from math import isnan

from components.citations.outcomes import DIFFERS, MATCHED, MISSING, UNPAIRED, UNTOLD
from evaluation.chat import Estimate
from evaluation.citations.claims import Document
from evaluation.citations.fresco import Score
from evaluation.citations.similarity import Similarity
from evaluation.words import money


def lead(theirs: Sequence[str]) -> str:
    """What became of the reference's citations, in one sentence; they are given by their states, see `outcomes`."""
    if not theirs:
        return "The reference cites nothing that could be read, so there is no score."
    return _of(Counter(theirs), "citation", "and cited for the same", "but cited for something else", "the claims")


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
            f"“{' '.join(document.text[c.start : c.end].split())[:60]}”: {c.why or 'could not be read'}"
            for c in (document.citations[i] for i in document.unread[:4])
        )
        more = f" and {len(document.unread) - 4} more" if len(document.unread) > 4 else ""
        found.append(f"Not read in the {name} text: {listed}{more}")
    if document.alone:
        found.append(
            f"{len(document.alone)} citations of the {name} text stand without a claim before them, and count in nothing."
        )
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
