"""The findings of a case as HTML: the list of them, the answer and the sources with their words marked."""

from collections.abc import Sequence
from itertools import pairwise

from groundscope.citations.quotes import ContextPlace
from groundscope.drawing.html import Html, Mark, shown_html, tag
from groundscope.drawing.reader import in_sentences, passage_name
from groundscope.findings.finding import Certainty, Finding, FindingKind
from groundscope.findings.listing import FindingList
from groundscope.text.alignment import UnitFinder
from groundscope.text.humanize import shortened
from groundscope.text.sentences import context_sentences, sentence_number
from groundscope.text.shown import shown_words
from groundscope.types import Case

STYLE = (
    ".gf-list{list-style:none;padding:0;margin:.5rem 0}.gf-list>li{margin:.35rem 0}.gf-list div{margin-left:1rem}"
    ".gf-small{opacity:.75;font-size:.85em;margin:.1rem 0}"
    ":where(mark[class]){background:none;color:inherit}mark.differs{font-weight:700;border-bottom:2px solid rgb(213 94 0)}"
    "mark.unsupported{background:rgb(213 94 0/.15);border-bottom:2px dotted rgb(213 94 0)}"
    "mark.verbatim{text-decoration:underline 2px rgb(0 114 178/.6);text-underline-offset:4px}"
    "mark.gf-doubtful{border-bottom:2px dotted rgb(196 78 0)}"
    "mark.gf-differs{border-bottom:3px double rgb(196 78 0);font-weight:600}"
    "mark.gf-exact{border-bottom:3px solid rgb(196 78 0);background:rgb(213 94 0/.2);font-weight:700}"
    "mark.gf-there{background:rgb(0 114 178/.16);border-bottom:2px solid rgb(0 114 178/.7)}"
    "sup.gs-number{font:600 .68em/0 system-ui,sans-serif;opacity:.7;margin-right:.12em}"
)
"""For pages of their own and notebooks; each mark differs from the others without colour, too."""
LEGEND = {
    Certainty.EXACT: "does not match the sources",
    Certainty.DIFFERS: "differs from the passage beside it",
    Certainty.DOUBTFUL: "doubtful",
}
_LONGEST = 100


def finding_list(case: Case, findings: FindingList) -> Html:
    """List the sentences in the order to read them with words, why and place; then what findings of each check are worth."""
    items, worth = list[Html](), dict[str, str]()
    for i in findings.order:
        of_sentence = [f for f in findings.of(i) if f.alarm]
        worth |= {f.check: f.worth for f in of_sentence if f.worth}
        lines = [_line(case, f, before=of_sentence[:n]) for n, f in enumerate(of_sentence)]
        items.append(tag("li", tag("b", f"Sentence {i + 1}. "), *lines, dir="auto"))
    notes = [tag("p", f"{check}: {words}", class_="gf-small") for check, words in worth.items()]
    return Html("".join((tag("ol", *items, class_="gf-list"), *notes))) if items else Html()


def _line(case: Case, finding: Finding, *, before: Sequence[Finding]) -> Html:
    words, where = shown_words(case.response, finding.start, finding.end), place_name(case, finding.place)
    # What is left out is no word of the answer, most reasons begin with the words, and a sentence is quoted once.
    says = finding.kind is FindingKind.CONDITION or finding.why.startswith(f"“{words}”")
    quoted = "" if says or (finding.kind is FindingKind.SUPPORT and before) else f"“{shortened(words, _LONGEST)}” "
    repeats = any(place_name(case, f.place) == where for f in before)
    place = tag("span", f" Read: {where}.", class_="gf-small") if where and not repeats else ""
    return tag("div" if before else "span", f"{quoted}{finding.why}", place)


def place_name(case: Case, place: ContextPlace | None) -> str:
    """The passage, and the number of the sentence in it; a place in a title has none."""
    if place is None:
        return ""
    name, number = passage_name(case, place.passage), sentence_number(case.context[place.passage].text, place.start)
    return f"{name}, sentence {number}" if number and place.start < place.end else name


def marked_answer(case: Case, findings: FindingList) -> Html:
    """Draw the answer, its sentences numbered and the words of findings marked, and say what the marks mean."""
    marks = [Mark(f.start, f.end, f"gf-{f.certainty}", f.why) for f in findings.findings if f.alarm]
    drawn = {f.certainty for f in findings.findings}
    legend = [tag("mark", words, class_=f"gf-{certainty}") for certainty, words in LEGEND.items() if certainty in drawn]
    key = Html(", ".join(legend))
    return Html(
        tag("p", in_sentences(case.response, marks), class_="text", dir="auto")
        + (tag("p", key, class_="gf-small") if legend else "")
    )


def places_by_passage(findings: FindingList) -> dict[int, list[Finding]]:
    """The findings that point to each passage."""
    places: dict[int, list[Finding]] = {}
    for f in findings.findings:
        if f.alarm and f.place:
            places.setdefault(f.place.passage, []).append(f)
    return dict(sorted(places.items()))


def marked_source(case: Case, passage: int, findings: Sequence[Finding]) -> Html:
    """Draw a source with the places of findings marked."""
    text = case.context[passage].text
    return _with_numbers(text, 0, len(text), findings)


def marked_passages(case: Case, passage: int, findings: Sequence[Finding]) -> Html:
    """Draw the sentences of a source that findings point to, and dots for what stands between them."""
    text, units = case.context[passage].text, context_sentences(case.context)
    finder = UnitFinder(units)
    read = {j for f in findings if f.place and f.place.start < f.place.end for j in finder.overlapping(*f.place)}
    parts, at = list[str](), 0
    for j in sorted(read):
        unit = units[j]
        parts += [" … " if text[at : unit.start].strip() else " ", _with_numbers(text, unit.start, unit.end, findings)]
        at = unit.end
    return Html("".join((*parts, " …" if parts and text[at:].strip() else "")).strip())


def _with_numbers(text: str, start: int, end: int, findings: Sequence[Finding]) -> Html:
    """`text[start:end]` with the numbers of the sentences before the places that their findings name."""
    marks, numbers = list[Mark](), dict[int, list[str]]()
    for f in findings:
        if f.place and f.place.start < f.place.end and f.place.start < end and start < f.place.end:
            marks.append(Mark(f.place.start, f.place.end, "gf-there", f"sentence {f.sentence + 1}"))
            if not any(g.sentence == f.sentence and g.place and g.place.start < f.place.start < g.place.end for g in findings):
                numbers.setdefault(max(start, f.place.start), []).append(str(f.sentence + 1))
    parts = list[str]()
    for at, after in pairwise(sorted({start, end, *numbers})):
        if at in numbers:
            parts.append(tag("sup", ", ".join(dict.fromkeys(numbers[at])), class_="gs-number"))
        parts.append(shown_html(text, at, after, [m._replace(start=m.start - at, end=m.end - at) for m in marks], source=True))
    return Html("".join(parts))
