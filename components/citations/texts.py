"""Two analyses side by side as HTML: authorities by number and colour, claims by result. Pure: no streamlit."""

from collections.abc import Sequence
from html import escape
from math import isnan

from components.citations.outcomes import DIFFERS, EXTRA, MATCHED, MISSING, UNTOLD, WORDS, AuthorityRow, numbers, states
from groundscope.citations.claims import CitingDocument
from groundscope.citations.fresco import FrescoScore, Link
from groundscope.citations.points import Points
from groundscope.drawing.html import Html, Mark, cell, highlight, region, table, tag
from groundscope.text.humanize import one_line

HUES = 6


def text_html(document: CitingDocument, became: Sequence[str], number: Sequence[int], label: str) -> str:
    """One text with its pairs marked, in a scrollable region that the keyboard reaches."""
    marks: list[Mark] = []
    at: dict[int, list[str]] = {}
    for pair, state, n in zip(document.pairs, became, number, strict=True):
        hue = f"hue{(n - 1) % HUES}" if state not in (MISSING, EXTRA) else ""
        title = f"{n}: {WORDS[state]}"
        marks += [Mark(a, b, f"gs-claim {state} {hue}".strip(), title) for a, b in document.claims[pair.claim].spans]
        c = document.citations[pair.citation]
        marks.append(Mark(c.outer, c.end, f"gs-cited {state} {hue}".strip(), title))
        at.setdefault(c.outer, []).append(str(n))
        start = document.claims[pair.claim].spans[0][0]
        if start < c.outer:
            at.setdefault(start, []).append(str(n))
    for i in document.unread:
        c = document.citations[i]
        marks.append(Mark(c.start, c.end, "gs-unread", c.why or "could not be read"))
    return _region(document.text, marks, at, label)


def _region(text: str, marks: list[Mark], at: dict[int, list[str]], label: str) -> str:
    parts: list[str] = []
    position = 0
    for start in [*sorted(at), len(text)]:
        cut = [m._replace(start=m.start - position, end=m.end - position) for m in marks if m.end > position and m.start < start]
        parts.append(highlight(text[position:start], cut))
        if start in at:
            parts.append(f"<sup class='gs-number'>{escape(', '.join(dict.fromkeys(at[start])))}</sup>")
        position = start
    body = "".join(parts) or "<span class='gs-sub'>The text is empty.</span>"
    return region(label, tag("p", Html(body), class_="gs-text", dir="auto"), css="gs-scroll gs-analysis")


def side_by_side(generated: CitingDocument, reference: CitingDocument, score: FrescoScore) -> str:
    """Both texts."""
    left, right = numbers(generated, reference, score.links)
    mine, theirs = states(generated, reference, score)
    return _pair(
        text_html(reference, theirs, right, "Reference analysis"), text_html(generated, mine, left, "Generated analysis")
    )


def _pair(reference: str, generated: str) -> str:
    return (
        f"<div class='gs-pair'><section><h2 class='gs-small'>Reference</h2>{reference}</section>"
        f"<section><h2 class='gs-small'>Generated</h2>{generated}</section></div>"
    )


def rows_html(authorities: Sequence[AuthorityRow]) -> str:
    """The table of authorities; long claims are cut, because the whole text is above."""
    heads = ("No.", "Authority", "Reference: cited for", "Generated: cited for", "Similarity")
    body = []
    for r in authorities:
        alike = "" if r.alike is None else "not known" if r.alike != r.alike else f"{r.alike:.2f}"
        cells = (cell(one_line(c, 240), dir="auto") for c in (r.authority, r.reference, r.generated))
        body.append((str(r.number), *cells, alike, tag("span", WORDS[r.state], class_=f"gs-outcome {r.state}")))
    result = tag("span", "Result", class_="gs-hidden")
    return region("Authorities", table((*heads, result), body, css="gs-counts gs-authorities"))


def points_html(generated: Points, reference: Points, score: FrescoScore) -> str:
    """Two texts cut into key points, matched ones with one number and colour."""
    by_reference = {link.reference: link for link in score.links}
    by_generated = {link.generated: link for link in score.links}

    def column(text: Points, links: dict[int, Link], alone: str, label: str) -> str:
        marks: list[Mark] = []
        at: dict[int, list[str]] = {}
        for i, p in enumerate(text.points):
            link = links.get(i)
            state = alone if link is None else MATCHED if link.counts else UNTOLD if isnan(link.alike) else DIFFERS
            n = (link.reference if link else i) + 1
            hue = f" hue{(n - 1) % HUES}" if link else ""
            marks.append(Mark(p.start, p.end, f"gs-cited {state}{hue}", WORDS[state]))
            if p.more_start >= p.end:
                marks.append(Mark(p.more_start, p.more_end, f"gs-claim {state}{hue}", WORDS[state]))
            if link or alone == MISSING:
                at.setdefault(p.start, []).append(str(n))
        return _region(text.text, marks, at, label)

    theirs = column(reference, by_reference, MISSING, "Reference points")
    return _pair(theirs, column(generated, by_generated, EXTRA, "Generated points"))
