"""Two analyses side by side as HTML: authorities by number and colour, claims by what became of them. Pure: no streamlit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from components.highlight import Mark, highlight
from evaluation.citations.claims import Document, Pair
from evaluation.citations.fresco import Link, Score
from evaluation.citations.points import Points

HUES = 6
MATCHED, DIFFERS, MISSING, EXTRA = "matched", "differs", "missing", "extra"
WORDS = {
    MATCHED: "cited, and for the same",
    DIFFERS: "cited, but for something else",
    MISSING: "missing",
    EXTRA: "not in the reference",
}


@dataclass(frozen=True, slots=True)
class Row:
    """An authority of the reference, or an extra one, and what became of it.

    Attributes:
        number: that both texts carry; one an authority.
        state: see `WORDS`.
        authority: as it is written.
        reference: its claim there; empty where there is none.
        generated: the claim that is most like it.
        alike: their similarity; NaN = not known, None = nothing to compare.
    """

    number: int
    state: str
    authority: str
    reference: str
    generated: str
    alike: float | None


def numbers(generated: Document, reference: Document, links: Iterable[Link] = ()) -> tuple[list[int], list[int]]:
    """The number of each pair's authority, of the generated text and of the reference: 1 is what the reference cites first."""
    seen: list[set[str]] = []

    def number(pair: Pair) -> int:
        own = {pair.key, *pair.same}
        for i, keys in enumerate(seen, 1):
            if own & keys:
                keys |= own
                return i
        seen.append(own)
        return len(seen)

    right = [number(p) for p in reference.pairs]
    left = [number(p) for p in generated.pairs]
    for link in links:
        # Citations that were matched although they are not the same carry one number.
        left[link.generated] = right[link.reference]
    return left, right


def rows(generated: Document, reference: Document, score: Score) -> list[Row]:
    """A row a pair of the reference, then one an extra pair."""
    left, right = numbers(generated, reference, score.links)
    best: dict[int, Link] = {}
    for link in score.links:
        old = best.get(link.reference)
        if old is None or (link.counts, _known(link.alike)) > (old.counts, _known(old.alike)):
            best[link.reference] = link
    found = []
    for j, pair in enumerate(reference.pairs):
        here = best.get(j)
        state = MISSING if here is None else MATCHED if here.counts else DIFFERS
        other = generated.claims[generated.pairs[here.generated].claim].text if here else ""
        words = cited(reference, pair)
        found.append(Row(right[j], state, words, reference.claims[pair.claim].text, other, here.alike if here else None))
    linked = {link.generated for link in score.links}
    for i, pair in enumerate(generated.pairs):
        if i not in linked:
            found.append(Row(left[i], EXTRA, cited(generated, pair), "", generated.claims[pair.claim].text, None))
    return found


def _known(value: float) -> float:
    return -1.0 if value != value else value


def cited(document: Document, pair: Pair) -> str:
    """The citation of a pair as it is written; an Id. or short form with the name of its authority."""
    c = document.citations[pair.citation]
    words = " ".join(document.text[c.outer : c.end].split())
    full = c.resolved
    if c.parts.page or not full.reporter:
        return words
    name = full.plaintiff or full.defendant
    return f"{words} ({', '.join(x for x in (name, f'{full.volume} {full.reporter} {full.page}'.strip()) if x)})"


def text_html(document: Document, states: Sequence[str], number: Sequence[int], label: str) -> str:
    """One text with its pairs marked; a scrolled region that the keyboard reaches."""
    marks: list[Mark] = []
    at: dict[int, list[str]] = {}
    for pair, state, n in zip(document.pairs, states, number, strict=True):
        hue = f"hue{(n - 1) % HUES}" if state in (MATCHED, DIFFERS) else ""
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
    parts, position = [], 0
    for start in [*sorted(at), len(text)]:
        cut = [m._replace(start=m.start - position, end=m.end - position) for m in marks if m.end > position and m.start < start]
        parts.append(highlight(text[position:start], cut))
        if start in at:
            parts.append(f"<sup class='gs-number'>{escape(', '.join(dict.fromkeys(at[start])))}</sup>")
        position = start
    body = "".join(parts) or "<span class='gs-sub'>The text is empty.</span>"
    return (
        f"<div class='gs-scroll gs-analysis' tabindex='0' role='region' aria-label='{escape(label)}'>"
        f"<p class='gs-text' dir='auto'>{body}</p></div>"
    )


def side_by_side(generated: Document, reference: Document, score: Score) -> str:
    """Both texts."""
    left, right = numbers(generated, reference, score.links)
    counted = {link.generated for link in score.links if link.counts}
    linked = {link.generated for link in score.links}
    mine = [MATCHED if i in counted else DIFFERS if i in linked else EXTRA for i in range(len(generated.pairs))]
    theirs = [MATCHED if j in score.matched else DIFFERS if j in score.cited else MISSING for j in range(len(reference.pairs))]
    return (
        "<div class='gs-pair'>"
        f"<section><h2 class='gs-small'>Reference</h2>{text_html(reference, theirs, right, 'Reference analysis')}</section>"
        f"<section><h2 class='gs-small'>Generated</h2>{text_html(generated, mine, left, 'Generated analysis')}</section></div>"
    )


def rows_html(found: Sequence[Row]) -> str:
    """The table of authorities; long claims are cut, the whole text stands above."""
    heads = ("No.", "Authority", "Reference: cited for", "Generated: cited for", "Similarity", "")
    head = "".join(f"<th scope='col'>{h or '<span class=gs-hidden>Result</span>'}</th>" for h in heads)
    body = ""
    for r in found:
        alike = "" if r.alike is None else "not known" if r.alike != r.alike else f"{r.alike:.2f}"
        cells = (f"<td dir='auto'>{escape(_short(c))}</td>" for c in (r.authority, r.reference, r.generated))
        body += (
            f"<tr><th scope='row'>{r.number}</th>{''.join(cells)}<td>{alike}</td>"
            f"<td><span class='gs-outcome {r.state}'>{WORDS[r.state]}</span></td></tr>"
        )
    return (
        "<div class='gs-across' tabindex='0' role='region' aria-label='Authorities'>"
        f"<table class='gs-counts gs-authorities'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _short(text: str) -> str:
    return text if len(text) <= 240 else f"{text[:238]}…"


def points_html(generated: Points, reference: Points, score: Score) -> str:
    """Two texts cut into key points, matched ones with one number and colour."""
    by_reference = {link.reference: link for link in score.links}
    by_generated = {link.generated: link for link in score.links}

    def column(text: Points, links: dict[int, Link], alone: str, label: str) -> str:
        marks: list[Mark] = []
        at: dict[int, list[str]] = {}
        for i, p in enumerate(text.points):
            link = links.get(i)
            state = alone if link is None else MATCHED if link.counts else DIFFERS
            n = (link.reference if link else i) + 1
            hue = f" hue{(n - 1) % HUES}" if link else ""
            marks.append(Mark(p.start, p.end, f"gs-cited {state}{hue}", WORDS[state]))
            if p.more_start >= p.end:
                marks.append(Mark(p.more_start, p.more_end, f"gs-claim {state}{hue}", WORDS[state]))
            if link or alone == MISSING:
                at.setdefault(p.start, []).append(str(n))
        return _region(text.text, marks, at, label)

    theirs = column(reference, by_reference, MISSING, "Reference points")
    mine = column(generated, by_generated, EXTRA, "Generated points")
    return (
        f"<div class='gs-pair'><section><h2 class='gs-small'>Reference</h2>{theirs}</section>"
        f"<section><h2 class='gs-small'>Generated</h2>{mine}</section></div>"
    )
