"""Sentences of the citation recall page. Pure: no streamlit."""

from math import isnan

from evaluation.citations.claims import Document
from evaluation.citations.fresco import Score
from evaluation.citations.similarity import Similarity


def lead(score: Score, what: str) -> str:
    """The result in one sentence."""
    if not score.reference:
        return "The reference cites nothing that could be read, so there is no score."
    matched, cited = len(score.matched), len(score.cited)
    verb = "is" if matched == 1 else "are"
    return (
        f"{matched} of the reference's {score.reference:,} {what} {verb} there and cited for the same; "
        f"{cited - matched} for something else; {score.reference - cited} missing."
    )


def figures(score: Score, metric: str, similarity: Similarity, threshold: float) -> str:
    """The figures with what they depend on."""
    values = ", ".join(f"{n} {shown(v)}" for n, v in (("recall", score.recall), ("precision", score.precision), ("F1", score.f1)))
    left = f" {score.unknown} left out: no similarity." if score.unknown else ""
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
