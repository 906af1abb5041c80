"""Results as self-contained HTML without scripts: a printable page of one case, and heatmaps for notebooks and files."""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import zip_longest

from groundscope.cases.error_types import STANCES
from groundscope.citations.explain import quote_words, summary, words
from groundscope.citations.states import layer
from groundscope.drawing.finding_list import STYLE, finding_list, marked_answer, marked_passages, marked_source, places_by_passage
from groundscope.drawing.html import MARKDOWN_STYLE, Cell, Html, Mark, cell, document, region, shown_html, table, tag
from groundscope.drawing.reader import errors_html, passage_name
from groundscope.files.sandbox import CITING, sandboxed
from groundscope.findings.exact import compared_in_words
from groundscope.findings.listing import FindingList, MethodReading, leading, listed
from groundscope.grounding.export import claims_of
from groundscope.statistics.decision import verdict
from groundscope.text.alignment import says_otherwise
from groundscope.text.differences import BLIND_SPOTS, differences
from groundscope.text.shown import shown_words
from groundscope.types import Case, SentenceScore

_STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.5 Charter,Georgia,"DejaVu Serif",serif;max-width:54rem;margin:1.5rem auto;padding:0 1.2rem}
h1{font-size:1.3rem;line-height:1.3;margin:.2rem 0}h2{font-size:1.05rem;margin:1.1rem 0 .2rem}
h3{font-size:.95rem;margin:.6rem 0 .1rem}p{margin:.3rem 0}.lead{font-weight:650;font-size:1.05rem}
table{border-collapse:collapse;font:14px/1.4 system-ui,sans-serif}th,td{padding:.25rem .6rem;text-align:left;
border-bottom:1px solid #8886;vertical-align:top}.n{text-align:right;font-variant-numeric:tabular-nums}
.text{white-space:pre-wrap;overflow-wrap:anywhere}.soft,.gs-sub{opacity:.75;font-size:.9rem}
ins{text-decoration:underline wavy rgb(140 80 165)}summary{cursor:pointer;font-size:.9rem}details{margin:.2rem 0}
.all>summary{font-size:1.05rem;font-weight:700}.all{margin-top:1.1rem}
blockquote{margin:.3rem 0 .8rem;padding-left:.9rem;border-left:3px solid #8888}
""".strip().replace("\n", "")
_HEATMAPS = """
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
_SHORT = 400
"""Characters of a source that is shown as a whole where a finding points to it."""


def page(case: Case, results: Sequence[MethodReading]) -> str:
    """Write the whole page: what is found, the marked answer, the places in the sources; the figures of methods are folded."""
    title, findings = case.query or case.id, listed(case, results)
    body = [tag("h1", title), f'<p class="soft">{escape(case.area)}</p>' if case.area else ""]
    body += [tag("p", findings.headline, class_="lead"), finding_list(case, findings)]
    body += ["<h2>Answer</h2>", marked_answer(case, findings), sources_html(case, findings)]
    gold = errors_html(case)
    labels = f"<h2>Gold labels</h2>{gold}" if gold else ""
    figures = (_summary(results), _checks(case, findings), _citations(case), *(_method(case, r) for r in results), labels)
    note = f"Support runs from 0 to 1, higher is better supported. {BLIND_SPOTS}"
    body.append(_folded("Technical appendix: checks, methods, figures", *map(Html, figures), tag("p", note, class_="soft")))
    return document(f"{title} · Groundscope", f"{_STYLE}{STYLE}{MARKDOWN_STYLE}", *map(Html, body))


def _folded(summary: str, *inside: str, css: str = "all") -> Html:
    return tag("details", tag("summary", summary), *inside, class_=css)


def sources_html(case: Case, findings: FindingList, level: int = 2) -> Html:
    """Draw the places that findings point to, each long source folded to them, then the other sources, below a heading."""
    named = f"h{level + 1}"
    places, shown = places_by_passage(findings), list[str]()
    for i, there in places.items():
        name, whole = tag(named, passage_name(case, i), dir="auto"), _passage(marked_source(case, i, there))
        if len(case.context[i].text) <= _SHORT:
            shown += [name, whole]
        else:
            shown += [name, _passage(marked_passages(case, i, there)), _folded("All of this source", whole, css="")]
    others = [i for i in range(len(case.context)) if i not in places]
    rest = [Html(tag(named, passage_name(case, i), dir="auto") + _passage(marked_source(case, i, ()))) for i in others]
    if rest:
        which = "Other sources" if places else "Sources"
        shown.append(_folded(f"{which} ({len(rest)})", *rest, css=""))
    head = "Places in the sources" if places else "Sources"
    return tag("section", tag(f"h{level}", head), *shown) if shown else Html()


def _passage(text: Html) -> Html:
    return tag("p", text, class_="text", dir="auto")


def _citations(case: Case) -> str:
    """Every citation with its state, and the quotations that are not verbatim."""
    cited = sandboxed(CITING, layer, case)
    lines = [words(case, c) for c in cited.citations] + [quote_words(case, q) for q in cited.quotes if not q.verbatim]
    return f'<h2>Citations</h2><p class="soft">{escape(summary(cited))}</p>{_list(lines)}' if summary(cited) else ""


def _checks(case: Case, findings: FindingList) -> str:
    """What exact checks compared, and their remarks."""
    return f'<h2>Checks</h2><p class="soft">{escape(compared_in_words(case.response))}</p>{_list(_remarks(findings))}'


def _remarks(findings: FindingList) -> list[str]:
    """What exact checks say that is no doubt."""
    return [f"Sentence {f.sentence + 1}: {f.why}" for f in findings.findings if not f.alarm]


def _list(lines: Sequence[str], css: str = "") -> str:
    return tag("ul", *(tag("li", line, dir="auto") for line in lines), class_=css) if lines else ""


def _summary(results: Sequence[MethodReading]) -> str:
    promises = any(r.promise for r in results)
    heads = ("Method", "Verdict", "Threshold", *(["Promise"] if promises else []), "Support", "Sources read", "Seconds")
    rows = []
    for r in results:
        j = r.judgement
        figures = (_number(j.support), f"{j.context_seen:.0%}", f"{j.seconds:.3f}")
        promise = [r.promise or "none"] if promises else []
        rule = cell(_number(r.threshold), class_="n")
        rows.append((r.method, verdict(j, r.threshold).words, rule, *promise, *(cell(f, class_="n") for f in figures)))
    return table(heads, rows, css="")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _method(case: Case, result: MethodReading) -> str:
    judgement = result.judgement
    note = "".join(f'<p class="soft">{escape(line)}</p>' for line in (result.record, judgement.note) if line)
    head = f'<h2>{escape(result.method)}</h2><p class="soft">{escape(result.signature)}</p>{note}'
    if judgement.support is None:
        return head
    return head + sentences_html(case, result)


def sentences_html(case: Case, result: MethodReading) -> Html:
    """Draw each sentence with its support by a method beside its nearest place, and what differs."""
    judgement = result.judgement
    flagged = verdict(judgement, result.threshold).flagged
    other = "above the threshold" if result.threshold is not None else "no threshold set"
    return Html(
        "".join(
            _sentence(case, s, i, "flagged" if i in flagged else other)
            + _list([f"{c.text}: {c.reason}" for c in claims_of(judgement, s)], "soft")
            for i, s in enumerate(judgement.sentences)
        )
    )


def _sentence(case: Case, s: SentenceScore, index: int, state: str) -> str:
    state = state if s.support is not None else "not assessed"
    if state == "flagged" and s.contradiction is not None:
        state = f"{state}: {STANCES[says_otherwise(s)]} (contradiction {s.contradiction:.2f})"
    marks = [Mark(a - s.start, b - s.start, "verbatim") for a, b in s.verbatim]
    marks += [Mark(a - s.start, b - s.start, "unsupported") for a, b in s.unsupported]
    quote = Html()
    if s.matches:
        m = s.matches[0]
        passage = case.context[m.passage]
        rows = differences(case.response[s.start : s.end], passage.text[m.start : m.end])
        marks += [Mark(i.start, i.end, "differs") for d in rows for i in d.response]
        there = [Mark(i.start, i.end, "differs") for d in rows for i in d.context]
        theirs = shown_html(passage.text, m.start, m.end, there, source=True)
        source = tag("span", f"{passage.source or f'Passage {m.passage + 1}'}, {m.support:.2f}", class_="soft")
        quote = tag("blockquote", theirs, Html("<br>"), source, class_="text", dir="auto")
    ours = shown_html(case.response, s.start, s.end, marks)
    return tag("h3", f"{index + 1}. {state}, {_number(s.support)}") + _passage(ours) + quote


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
    style = Html(f"<style>{_HEATMAPS}{STYLE}{MARKDOWN_STYLE}</style>")
    return tag("div", style, *drawn, more, note, _notes(records), class_="gsn")


def _row(number: int, case: Case | None, readings: Sequence[MethodReading], reason: str) -> Html:
    if case is None:
        return Html(tag("h3", f"Row {number}") + tag("p", f"It could not be used: {reason}"))
    head = tag("h3", case.query or case.id, dir="auto")
    if not readings:
        return head
    findings = listed(case, readings)
    reading = leading(readings) or readings[0]
    nearest = sentences_html(case, reading)
    place = f"Each sentence and the nearest place in the sources, by {reading.method}"
    checks = (f"Exact checks: {compared_in_words(case.response)}", *_remarks(findings))
    notes = [f"{r.method}: {r.judgement.note}" for r in readings if r.judgement.note]
    # As the page of one answer: what leads, the answer, the places to read; then the methods.
    what = Html(head + tag("p", findings.headline, class_="lead") + finding_list(case, findings) + marked_answer(case, findings))
    folded = _folded(place, nearest, css="") if nearest else ""
    methods = Html(_strip(case, readings) + folded + _notes(checks) + _notes(notes))
    return Html(what + sources_html(case, findings, level=4) + methods)


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


def _notes(lines: Iterable[str]) -> Html:
    return Html("".join(tag("p", line, class_="soft", dir="auto") for line in lines))
