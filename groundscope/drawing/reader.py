"""One labelled case as HTML: the response with its gold spans, the context with the gold evidence."""

from collections import defaultdict
from collections.abc import Sequence
from html import escape

from groundscope.cases.error_types import STANCES, TITLES
from groundscope.cases.gold import gold_sentences
from groundscope.drawing.html import Html, Mark, listed, shown_html, tag
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case

_LONGEST = 20_000
"""Most characters drawn of a passage; the heatmap shows all of it."""
_SHORT_ID = 12


def response_html(case: Case) -> str:
    """Draw the response, its sentences numbered as in the heatmap where the context names them, its wrong words marked."""
    numbered = any(g.evidence for g in gold_sentences(case))
    marks = [Mark(e.start, e.end, "gs-mark", f"{TITLES[e.type]}: {e.why}") for e in case.errors]
    marks += [Mark(start, end, "gs-mark", "labelled as not supported") for start, end in case.unsupported]
    return f'<p class="gs-text" dir="auto">{in_sentences(case.response, marks, numbered=numbered)}</p>'


def in_sentences(text: str, marks: Sequence[Mark], *, numbered: bool = True) -> Html:
    """Draw a response with marks and, if wanted, the number of each sentence that claims something before it."""
    parts, position = [], 0
    for number, sentence in enumerate(split(text), 1):
        parts.append(_piece(text, position, sentence.start, marks))
        mark = f"<sup class='gs-number'>{number}</sup>" if numbered and not sentence.heading else ""
        parts.append(f"<span class='gs-s'>{mark}{_piece(text, sentence.start, sentence.end, marks)}</span>")
        position = sentence.end
    return Html("".join((*parts, _piece(text, position, len(text), marks))))


def _piece(text: str, start: int, end: int, marks: Sequence[Mark]) -> str:
    return shown_html(text, start, end, [m._replace(start=m.start - start, end=m.end - start) for m in marks])


def errors_html(case: Case, before: tuple[str, ...] = ()) -> str:
    """List the labelled errors, one line per span, then types without one."""
    lines = []
    for i, e in enumerate(sorted(case.errors, key=lambda error: error.start)):
        was = f" for <del>{escape(before[i])}</del>" if i < len(before) and before[i].strip() else ""
        stance = f" <span class='gs-sub'>({STANCES[e.contradicted]})</span>" if STANCES[e.contradicted] else ""
        words = f"<ins>{escape(case.response[e.start : e.end])}</ins>{was}"
        lines.append(Html(f"{words}: <b>{TITLES[e.type]}</b>. {escape(e.why)}{stance}"))
    lines += [Html(f"{tag('ins', case.response[a:b][:300])}: labelled as not supported") for a, b in case.unsupported]
    if case.error_types:
        titles = " and ".join(TITLES[kind].lower() for kind in case.error_types)
        whys = "".join(f" {TITLES[kind]}: {escape(why)}" for kind, why in case.reasons)
        lines.append(Html(f"Somewhere in this answer: {tag('b', titles)}, without a marked span.{whys}"))
    return listed(lines, dir="auto")


def context_html(case: Case) -> str:
    """Draw the passages; a sentence that is gold evidence shows the numbers of the response sentences it is evidence for."""
    bears_on: dict[int, list[int]] = defaultdict(list)
    for number, gold in enumerate(gold_sentences(case), 1):
        for j in gold.evidence:
            bears_on[j].append(number)
    units = context_sentences(case.context) if bears_on else ()
    by_passage: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    for j, numbers in bears_on.items():
        by_passage[units[j].passage].append((units[j].start, units[j].end, ", ".join(map(str, numbers))))
    passages = [_passage(passage_name(case, i), p.text, sorted(by_passage[i])) for i, p in enumerate(case.context)]
    return "".join(passages) or '<p class="gs-sub">There are no sources.</p>'


def passage_name(case: Case, index: int) -> str:
    """Name a passage; its id comes first in a labelled case, sound or not, since reasons of errors may refer to it."""
    passage = case.context[index]
    source = passage.source or f"Passage {index + 1}"
    labelled = bool(case.errors) or case.grounded is not None
    return f"{passage.id} · {source}" if labelled and 0 < len(passage.id) <= _SHORT_ID else source


def _passage(source: str, text: str, gold: list[tuple[int, int, str]]) -> str:
    last = min(len(text), _LONGEST)
    parts, position = [], 0
    for start, end, numbers in gold:
        if end > last:
            break
        inside = shown_html(text, start, end, source=True)
        words = f"<mark class='gs-gold' title='Gold evidence for sentence {numbers}'>{inside}</mark>"
        parts.append(f"{shown_html(text, position, start, source=True)}{words}<sup class='gs-number'>{numbers}</sup>")
        position = end
    parts.append(shown_html(text, position, last, source=True))
    more = f'<p class="gs-sub">… {len(text) - last:,} more characters</p>' if len(text) > last else ""
    return f'<p class="gs-sub" dir="auto">{escape(source)}</p><p class="gs-text" dir="auto">{"".join(parts)}</p>{more}'
