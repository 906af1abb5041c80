"""One case's results as a self-contained, printable HTML page without scripts."""

from collections.abc import Sequence
from html import escape

from groundscope.cases.error_types import STANCES
from groundscope.citations.explain import quote_words, summary, words
from groundscope.citations.states import layer
from groundscope.drawing.board import prepared
from groundscope.drawing.html import MARKDOWN_STYLE, Mark, cell, shown_html, table, tag
from groundscope.drawing.reader import errors_html
from groundscope.files.sandbox import CITING, sandboxed
from groundscope.findings.listing import MethodReading
from groundscope.grounding.export import claims_of
from groundscope.statistics.decision import verdict
from groundscope.text.alignment import says_otherwise
from groundscope.text.differences import BLIND_SPOTS, differences
from groundscope.types import Case, Claim, Judgement, SentenceScore

_STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.6 Charter,Georgia,"DejaVu Serif",serif;max-width:46rem;margin:2.5rem auto;padding:0 1.2rem}
h1{font-size:1.4rem;line-height:1.3}h2{font-size:1.1rem;margin-top:2.2rem}h3{font-size:1rem;margin-bottom:.2rem}
table{border-collapse:collapse;font:14px/1.4 system-ui,sans-serif}th,td{padding:.25rem .6rem;text-align:left;
border-bottom:1px solid #8886;vertical-align:top}.n{text-align:right;font-variant-numeric:tabular-nums}
mark{background:none;color:inherit}.low{background:rgb(213 94 0/.2);border-bottom:2px dashed rgb(196 78 0)}
.ok{border-bottom:1px solid rgb(0 114 178/.5)}.differs{font-weight:700;border-bottom:2px solid rgb(213 94 0)}
.unsupported{background:rgb(213 94 0/.15);border-bottom:2px dotted rgb(213 94 0)}
.verbatim{text-decoration:underline 2px rgb(0 114 178/.6);text-underline-offset:4px}
.text{white-space:pre-wrap;overflow-wrap:anywhere}.soft,.gs-sub{opacity:.75;font-size:.9rem}
ins{text-decoration:underline wavy rgb(140 80 165)}
blockquote{margin:.3rem 0 .8rem;padding-left:.9rem;border-left:3px solid #8888}
""".strip().replace("\n", "")


def page(case: Case, results: Sequence[MethodReading]) -> str:
    """Write the whole page: the answer under each method, then every sentence with its best match and what differs."""
    title = escape(case.query or case.id)
    body = [f"<h1>{title}</h1>", f'<p class="soft">{escape(case.area)}</p>' if case.area else "", _summary(results)]
    body += [_checks(case), _citations(case), *(_method(case, r) for r in results), _gold(case)]
    body += ["<h2>Sources</h2>", *(_passage(p.source or f"Passage {i}", p.text) for i, p in enumerate(case.context, 1))]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{title} · Groundscope</title><style>{_STYLE}{MARKDOWN_STYLE}</style></head><body>{''.join(body)}"
        f'<p class="soft">Support runs from 0 to 1, higher is better supported. {escape(BLIND_SPOTS)}</p></body></html>'
    )


def _citations(case: Case) -> str:
    """Every citation with its state, and the quotations that are not verbatim."""
    cited = sandboxed(CITING, layer, case)
    lines = [words(case, c) for c in cited.citations] + [quote_words(case, q) for q in cited.quotes if not q.verbatim]
    return f'<h2>Citations</h2><p class="soft">{escape(summary(cited))}</p>{_list(lines)}' if summary(cited) else ""


def _checks(case: Case) -> str:
    data = prepared(case).data
    both = enumerate(zip(data["checks"], data["remarks"], strict=True), 1)
    lines = [f"Sentence {i}: {c['why']}" for i, own in both for c in [*own[0], *own[1]]]
    return f'<h2>Checks</h2><p class="soft">{escape(data["compared"])}</p>{_list(lines)}'


def _list(lines: Sequence[str], css: str = "") -> str:
    return tag("ul", *(tag("li", line, dir="auto") for line in lines), class_=css) if lines else ""


def _gold(case: Case) -> str:
    """The errors that annotators marked, and why."""
    lines = errors_html(case)
    return f"<h2>Gold labels</h2>{lines}" if lines else ""


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
    answer = shown_html(case.response, 0, len(case.response), _marks(judgement, result.threshold))
    flagged = verdict(judgement, result.threshold).flagged
    other = "above the threshold" if result.threshold is not None else "no threshold set"
    states = ["flagged" if i in flagged else other for i in range(len(judgement.sentences))]
    details = "".join(
        _sentence(case, s, i, states[i]) + _claims(claims_of(judgement, s)) for i, s in enumerate(judgement.sentences)
    )
    return f'{head}<p class="text" dir="auto">{answer}</p>{details}'


def _claims(claims: Sequence[Claim]) -> str:
    return _list([f"{c.text}: {c.reason}" for c in claims], "soft")


def _marks(judgement: Judgement, threshold: float | None) -> list[Mark]:
    marks = []
    for i, s in enumerate(judgement.sentences, 1):
        if s.support is not None:
            low = threshold is not None and s.support < threshold
            marks.append(Mark(s.start, s.end, "low" if low else "ok", f"{i}: {s.support:.2f}"))
        marks += [Mark(start, end, "verbatim") for start, end in s.verbatim]
        marks += [Mark(start, end, "unsupported") for start, end in s.unsupported]
    return marks


def _sentence(case: Case, s: SentenceScore, index: int, state: str) -> str:
    state = state if s.support is not None else "not assessed"
    if state == "flagged" and s.contradiction is not None:
        state = f"{state}: {STANCES[says_otherwise(s)]} (contradiction {s.contradiction:.2f})"
    text = case.response[s.start : s.end]
    if not s.matches:
        bare = shown_html(case.response, s.start, s.end)
        return f'<h3>{index + 1}. {state}, {_number(s.support)}</h3><p class="text" dir="auto">{bare}</p>'
    m = s.matches[0]
    passage = case.context[m.passage]
    match = passage.text[m.start : m.end]
    rows = differences(text, match)
    marks = [Mark(i.start, i.end, "differs") for d in rows for i in d.response]
    ours = shown_html(case.response, s.start, s.end, marks)
    marks = [Mark(i.start, i.end, "differs") for d in rows for i in d.context]
    theirs = shown_html(passage.text, m.start, m.end, marks, source=True)
    source = escape(passage.source or f"Passage {m.passage + 1}")
    return (
        f'<h3>{index + 1}. {state}, {_number(s.support)}</h3><p class="text" dir="auto">{ours}</p>'
        f'<blockquote class="text" dir="auto">{theirs}<br><span class="soft">{source}, {m.support:.2f}</span></blockquote>'
    )


def _passage(source: str, text: str) -> str:
    return f'<h3 dir="auto">{escape(source)}</h3><p class="text" dir="auto">{shown_html(text, 0, len(text), source=True)}</p>'
