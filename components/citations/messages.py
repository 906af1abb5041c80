"""Sentences of the citation recall page. Pure: no streamlit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from math import isnan

from components.citations.outcomes import DIFFERS, MATCHED, MISSING, UNPAIRED, UNTOLD
from groundscope.citations.claims import CitingDocument
from groundscope.citations.comparing import leading
from groundscope.citations.fresco import FrescoScore
from groundscope.citations.similarity import Similarity
from groundscope.text.humanize import joined, plural


def lead(theirs: Sequence[str]) -> str:
    """The result for the reference's citations in one sentence, from their states; see `outcomes`."""
    if not theirs:
        return "No citation in the reference could be read, so there is no score."
    return _of(Counter(theirs), "citation", "and cited for the same", "but cited for something else", "the claims")


def systems_lead(scores: Mapping[str, Mapping[str, FrescoScore]]) -> str:
    """The system with the highest recall, in one sentence; only if all are measured on the same texts."""
    best = leading(scores)
    measured = [{i for i, s in by_id.items() if not isnan(s.recall)} for by_id in scores.values()]
    if not any(measured):
        return "No text has a score."
    if not best.of:
        return "No text has a score from every system, so the systems cannot be ranked."
    figures = f"{shown(best.value)} on average over {plural(best.of, 'text')}"
    if len(scores) == 1:
        return f"{best.systems[0]}: recall {figures}."
    over = "" if all(ids == measured[0] for ids in measured) else " that all systems have"
    if len(best.systems) == 1:
        return f"{best.systems[0]} recalls most: {figures}{over}."
    most = "recall alike" if len(best.systems) == len(scores) else "recall most, and alike"
    return f"{joined(best.systems)} {most}: {figures}{over}."


def points_lead(score: FrescoScore) -> str:
    """The result for the reference's key points, in one sentence."""
    if not score.reference:
        return "The reference has no key points, so there is no score."
    matched, unknown, cited = len(score.matched), len(score.untold), len(score.cited)
    counts = {MATCHED: matched, UNTOLD: unknown, DIFFERS: cited - matched - unknown, MISSING: score.reference - cited}
    return _of(Counter(counts), "key point", "with the same content", "with other content", "the contents")


def _of(counts: Counter[str], what: str, same: str, other: str, compared: str) -> str:
    parts = [f"{plural(counts[MATCHED], 'is', 'are')} there {same}", f"{plural(counts[DIFFERS], 'is', 'are')} there {other}"]
    if counts[UNTOLD]:
        parts.append(f"{plural(counts[UNTOLD], 'is', 'are')} there, but {compared} could not be compared")
    if counts[UNPAIRED]:
        parts.append(f"{plural(counts[UNPAIRED], 'is', 'are')} in both texts, but matched with nothing")
    parts.append(f"{plural(counts[MISSING], 'is', 'are')} missing")
    return f"Of the reference's {plural(counts.total(), what)}, {'; '.join(parts)}."


MARKS = (
    "One number and colour: the same authority in both texts. Wavy: cited for something else. Dashed: missing. "
    "Dotted: not in the reference, or matched with nothing. Underlined twice: claims that could not be compared."
)
"""What the marks in the texts mean."""


def figures(score: FrescoScore, metric: str, similarity: Similarity, threshold: float) -> str:
    """The figures with their settings."""
    values = ", ".join(f"{n} {shown(v)}" for n, v in (("recall", score.recall), ("precision", score.precision), ("F1", score.f1)))
    left = f" {score.unknown} left out: no similarity." if score.unknown else ""
    if isnan(score.f1) and not isnan(score.recall):
        left += " The literal sum is not a share, so it has no F1."
    return f"{metric}: {values}. B-SIM: {similarity.title}, match from {threshold:.2f}.{left}"


def shown(value: float) -> str:
    """A figure, or "none"."""
    return "none" if isnan(value) else f"{value:.2f}"


def notes(document: CitingDocument, name: str) -> list[str]:
    """Notes on parts of a text that could not be used."""
    lines = []
    if not document.text.strip():
        lines.append(f"The {name} text is empty.")
    elif not document.citations:
        lines.append(f"The {name} text has no citations. To compare texts without citations, use the tab “Key points”.")
    if document.unread:
        listed = "; ".join(
            f"“{' '.join(document.text[c.start : c.end].split())[:60]}”: {(c.why or 'could not be read').rstrip('.')}"
            for c in (document.citations[i] for i in document.unread[:4])
        )
        more = f" and {len(document.unread) - 4} more" if len(document.unread) > 4 else ""
        lines.append(f"Not read in the {name} text: {listed}{more}.")
    if document.alone:
        single = f"citation of the {name} text has no claim before it and is not counted."
        several = f"citations of the {name} text have no claim before them and are not counted."
        lines.append(plural(len(document.alone), single, several))
    if document.note:
        lines.append(f"The {name} text: {document.note}")
    return lines


def too_many(count: int, most: int, what: str = "claims") -> str:
    """A message that texts are too large for the page, and what to do."""
    return (
        f"These texts need {count:,} comparisons of {what}; this page makes at most {most:,}. Choose fewer texts, or run "
        "`python -m groundscope citations FILE`."
    )


def offer(what: str, done: str, host: str, *, sent: bool = True) -> str:
    """What would be `done`, as HTML, before anything is sent; or, where nothing is sent, that it stays here."""
    where = f"would go to <b>{escape(host)}</b>" if host else f"would be {done} by a model on this machine"
    return f"<p class='gs-privacy'><b>{'Not sent yet' if sent else 'Nothing is sent'}.</b> {what} {where}.</p>"
