"""Heatmaps for notebooks and files: self-contained HTML without scripts, which requests nothing."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from groundscope.drawing.finding_list import STYLE, finding_list, marked_answer
from groundscope.drawing.html import MARKDOWN_STYLE, Cell, Html, cell, document, region, table, tag
from groundscope.drawing.report import sentences_html, sources_html
from groundscope.findings.exact import compared_in_words
from groundscope.findings.listing import FindingList, MethodReading, leading, listed
from groundscope.statistics.decision import verdict
from groundscope.text.shown import shown_words
from groundscope.types import Case, SentenceScore

_STYLE = """
.gsn{font:14px/1.5 system-ui,sans-serif;max-width:64rem;color-scheme:light dark}
.gsn h3{font-size:1rem;margin:1.2rem 0 .3rem}.gsn h4,.gsn h5{font-size:.9rem;margin:.6rem 0 .1rem}
.gsn p{margin:.3rem 0}.gsn .soft{opacity:.75;font-size:.9em}
.gsn .across{overflow-x:auto}.gsn table{border-collapse:separate;border-spacing:2px;margin:.4rem 0}
.gsn th{font-weight:400;text-align:left;padding:.1rem .5rem;white-space:nowrap}
.gsn td{min-width:2.4rem;text-align:center;padding:.1rem .3rem;border:1px solid #8886;font-variant-numeric:tabular-nums}
.gsn td.low{border:2px solid rgb(213 94 0);font-weight:600}.gsn td.none{border-style:dashed}
.gsn .text{font:15px/1.6 Charter,Georgia,serif;white-space:pre-wrap;overflow-wrap:anywhere}
.gsn .lead{font-weight:650}.gsn summary{cursor:pointer}
.gsn blockquote{margin:.2rem 0 .7rem;padding-left:.8rem;border-left:3px solid #8888}
""".strip().replace("\n", "")

Row = tuple[int, Case | None, Sequence[MethodReading], str]
"""The number of a row, its case, its readings, and why it could not be used."""


def heatmaps(rows: Sequence[Row], whole: int) -> Html:
    """Draw rows one below the other."""
    left = whole - len(rows)
    more = tag("p", f"{left:,} more rows are not drawn.", class_="soft") if left > 0 else ""
    drawn = [_row(number, case, readings, reason) for number, case, readings, reason in rows]
    note = tag(
        "p", "Support runs from 0 to 1, higher is better supported; orange is below the method's threshold.", class_="soft"
    )
    records = dict.fromkeys(f"{r.method}: {r.record}" for _, _, readings, _ in rows for r in readings if r.record)
    return tag("div", Html(f"<style>{_STYLE}{STYLE}{MARKDOWN_STYLE}</style>"), *drawn, more, note, _notes(records), class_="gsn")


def page(inside: Html) -> str:
    """Make a page of it."""
    return document("Groundscope", "", inside)


def _row(number: int, case: Case | None, readings: Sequence[MethodReading], reason: str) -> Html:
    if case is None:
        return Html(tag("h3", f"Row {number}") + tag("p", f"It could not be used: {reason}"))
    head = tag("h3", case.query or case.id, dir="auto")
    if not readings:
        return head
    findings = listed(case, readings)
    notes = [f"{r.method}: {r.judgement.note}" for r in readings if r.judgement.note]
    # As the page of one answer: what leads, the answer, the places to read; then the methods.
    what = Html(head + tag("p", findings.headline, class_="lead") + finding_list(case, findings) + marked_answer(case, findings))
    methods = Html(_strip(case, readings) + _nearest(case, readings) + _checks(case, findings) + _notes(notes))
    return Html(what + sources_html(case, findings, level=4) + methods)


def _checks(case: Case, findings: FindingList) -> Html:
    """What exact checks compared, and their remarks."""
    remarks = (f"Sentence {f.sentence + 1}: {f.why}" for f in findings.findings if not f.alarm)
    return _notes((f"Exact checks: {compared_in_words(case.response)}", *remarks))


def _strip(case: Case, readings: Sequence[MethodReading]) -> Html:
    """A table of sentences by methods."""
    count = max(len(r.judgement.sentences) for r in readings)
    rows = []
    for r in readings:
        flagged = verdict(r.judgement, r.threshold).flagged
        places = enumerate(r.judgement.sentences)
        cells = [_cell(case, i, s, low=i in flagged) for i, s in places]
        # A method that found its own sentences may have fewer of them.
        padded = [one for one, _ in zip_longest(cells, range(count), fillvalue=cell("", class_="none"))]
        rows.append((f"{r.method} · {verdict(r.judgement, r.threshold).words}", *padded))
    heads = ("Method", *map(str, range(1, count + 1)))
    return region("Support by sentence and method", table(heads, rows, css="strip"), css="across")


def _cell(case: Case, index: int, s: SentenceScore, *, low: bool) -> Cell:
    words = shown_words(case.response, s.start, s.end)
    value = "–" if s.support is None else f"{s.support:.2f}".removeprefix("0")
    return cell(value, class_="low" if low else "none" if s.support is None else "ok", title=f"{index + 1}: {words[:200]}")


def _nearest(case: Case, readings: Sequence[MethodReading]) -> Html:
    """Each sentence with its nearest place by the method that leads."""
    reading = leading(readings) or readings[0]
    summary = f"Each sentence and the nearest place in the sources, by {reading.method}"
    details = sentences_html(case, reading)
    return tag("details", tag("summary", summary), details) if details else Html()


def _notes(lines: Iterable[str]) -> Html:
    return Html("".join(tag("p", line, class_="soft", dir="auto") for line in lines))
