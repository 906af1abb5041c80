"""Exact checks of a response against its sources: what can be said of it from the texts alone, without a model.

Values, names, quotations, citations, marks to sources, and the sources and courts that a sentence names. A finding names words
and says what was compared. It does not say that a sentence is wrong: `python -m benchmarks.checks` prints how often a checked
sentence was labelled wrong on the samples, and how often a sound one was checked.
"""

import operator
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from groundscope.citations.explain import differing
from groundscope.citations.quotes import ContextPlace, Quote
from groundscope.citations.reader._records import records
from groundscope.citations.source_facts import source_facts
from groundscope.citations.states import NO_SUBSECTION, Layer, State, layer
from groundscope.errors import DataError
from groundscope.findings.finding import CHECKS, Certainty, Finding, FindingKind, worth
from groundscope.runtime.byte_cache import keep
from groundscope.text.context_names import definitions
from groundscope.text.edits import MarkKind, SourceMark
from groundscope.text.english import is_english
from groundscope.text.humanize import counted_sources, one_line, shortened
from groundscope.text.languages import language_of, what_is_read
from groundscope.text.marks import running_marks
from groundscope.text.name_spelling import APART_FROM_COMPASS
from groundscope.text.named_sources import MarkedSources, Misplaced, SearchedTexts
from groundscope.text.names import read_names
from groundscope.text.plain import PlainCase, PlainView, plain
from groundscope.text.sentences import Sentence, Unit, split
from groundscope.text.shown import shown_words
from groundscope.text.values.grammar import read_values
from groundscope.text.values.types import Standing, Value, ValueKind
from groundscope.types import Case, Passage


def exact_findings(context: Iterable[str | tuple[str, str]], response: str) -> tuple[Finding, ...]:
    """Check a response against its sources, without a model.

    Args:
        context: texts of the sources, or pairs of a title and a text. Without any, nothing that is checked is in the sources.
        response: the text to check; blank text has no findings.

    Returns:
        Findings in reading order, with half-open character offsets into `response` and into the text of a source. The order of
        the sources changes nothing but places, and what marks that number the sources point to.

    Raises:
        DataError: `context` is one text, or holds something else than texts and pairs of them.
    """
    if isinstance(context, str):
        raise DataError("The context is a list of texts or of pairs of a title and a text, not one text.")
    return exact_findings_of(Case("exact", "", tuple(_passages(context)), response))


def _passages(context: Iterable[str | tuple[str, str]]) -> Iterator[Passage]:
    for number, source in enumerate(context, 1):
        pair = ("", source) if isinstance(source, str) else source
        if not isinstance(pair, Sequence) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise DataError(f"Source {number} is no text and no pair of a title and a text.")
        yield Passage(f"p{number}", pair[1], pair[0])


@keep(megabytes=16)
def exact_findings_of(case: Case) -> tuple[Finding, ...]:
    """Check the response of a case, whatever its labels; cached. A response without a sentence has no findings."""
    if not split(case.response):
        return ()
    cited, checks = layer(case), _Checks(case)
    findings = [*_citations(case, cited), *_quotations(case, cited.quotes), *checks.findings(_spans_of(cited))]
    return tuple(sorted(findings, key=lambda f: (f.start, f.end, f.kind, f.why)))


def _spans_of(cited: Layer) -> list[tuple[int, int]]:
    """What citations take up: their years, names and numbers are looked up with them."""
    read = (c for c in cited.citations if c.state is not State.UNREAD and NO_SUBSECTION not in c.why)
    return [(c.citation.outer, c.citation.end) for c in read]


def _finding(
    case: Case,
    kind: FindingKind,
    sentence: int,
    start: int,
    end: int,
    says: str,
    place: ContextPlace | None,
    certainty: Certainty = Certainty.EXACT,
) -> Finding:
    text = case.response[start:end]
    # Signs of Markdown that begin before these words are seen in the whole text only.
    words = shown_words(case.response, start, end) if any(sign in text for sign in "*_`") else one_line(text)
    why = f"“{shortened(words or one_line(text), _LONGEST)}” {says}."
    return Finding(
        kind, sentence, start, end, text, why, place, certainty, CHECKS[kind], worth(kind) if certainty is Certainty.EXACT else ""
    )


def _citations(case: Case, cited: Layer) -> Iterator[Finding]:
    for c in cited.citations:
        if c.state in (State.ABSENT, State.DIFFERENT):
            more = differing(c)
            says = f"is {c.state}{f' ({more})' if more else ''}"
            yield _finding(case, FindingKind.CITATION, max(0, c.sentence), c.citation.outer, c.citation.end, says, c.place)


def _quotations(case: Case, quotes: Sequence[Quote]) -> Iterator[Finding]:
    sentences = split(case.response)
    for q in quotes:
        says, sentence = q.remark, _sentence_at(sentences, q.start)
        line = case.response[case.response.rfind("\n", 0, q.start) + 1 : q.start]
        if not q.verbatim and not q.nearest and line.lstrip().startswith(">") and not _LEAD_IN.search(case.response, 0, q.start):
            # A block of the writer's own words, as of advice, and like nothing in the sources.
            continue
        if not q.verbatim:
            words = ", ".join(f"“{one_line(case.response[a:b])}”" for a, b in q.wrong[:_MOST_NAMED])
            nearest = f": the nearest sentence does not have {words} there" if words else ""
            says = f"is not in the sources word for word{f', and {says}' if says else nearest}"
        if says:
            place = q.place or q.nearest
            yield _finding(
                case,
                FindingKind.QUOTATION,
                sentence,
                q.start,
                q.end,
                says,
                place,
                Certainty.REMARK if q.remark else Certainty.EXACT,
            )


def _sentence_at(sentences: Sequence[Sentence], place: int) -> int:
    """The sentence that stands at a place or ends before it."""
    return max(0, bisect_right(sentences, place, key=lambda s: s.start) - 1)


def compared_in_words(response: str) -> str:
    """Say what of a response is compared with its sources, in its language."""
    return what_is_read(language_of(response))


_KINDS = dict.fromkeys(ValueKind, FindingKind.FIGURE) | {
    ValueKind.TIME: FindingKind.DATE,
    ValueKind.DATE: FindingKind.DATE,
    ValueKind.PROVISION: FindingKind.SECTION,
    ValueKind.DOCKET: FindingKind.SECTION,
}
_LABEL = re.compile(r"(?P<words>[A-Z][\w'/& -]{0,60}?)(?::| - )\s?")
"""Words that name what a sentence is about before they say it."""
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_NAMING = frozenset({FindingKind.SOURCE, FindingKind.COURT})
"""Findings of what a sentence names, citations among it."""
_COUNTER = re.compile(r"\W{0,8}(?:\d{1,2}[.)])?\W{0,8}")
"""What may stand in a line before the mark that leads it."""
_LEAD_IN = re.compile(r":\s*(?:>\s*)?[\"“]?\Z")
"""What announces a quotation."""
_MOST_NAMED = 3
"""Values or words that a finding names besides its own."""
_MOST_SEARCHES = 500
"""Names of a response that are searched one by one; more are looked up in an index, which is linear."""
_LONGEST = 120
"""Characters of what a finding quotes of the response."""


class _Check(NamedTuple):
    """Words `sentence[start:end]` of a plain sentence, and what a check says of them; its place is in a plain source."""

    kind: FindingKind
    start: int
    end: int
    says: str
    place: ContextPlace | None
    certainty: Certainty = Certainty.EXACT

    @property
    def alarm(self) -> bool:
        return self.certainty is Certainty.EXACT


class _Checks:
    """The checks of a response, sentence by sentence, in plain texts."""

    def __init__(self, case: Case) -> None:
        self._case, self._plain = case, PlainCase.of(case)
        self._language = language_of(self._plain.response.text)
        self._facts = source_facts(self._plain.case.context)
        self._defined = definitions(self._plain.response.text)
        self._searches = 0
        self._question = SearchedTexts([plain(case.query).text])
        view = self._plain.response
        marks = [m for m in view.marks if m.kind is MarkKind.SOURCE]
        for mark in running_marks(view.text):
            start, end = view.span(mark.start, mark.end)
            marks.append(mark._replace(start=start, end=end))
        # Programs count from 0.
        self._first = 0 if any(0 in m.numbers for m in marks) else 1
        feet = [m for m in view.marks if m.numbers] if not marks and not view.notes else []
        if feet and not any(map(self._marked.absent, (n for m in feet for n in m.numbers))):
            # Foot marks without notes that number the sources.
            marks = feet
        self._marks = sorted(marks, key=lambda m: (m.start, m.end))

    @cached_property
    def _marked(self) -> MarkedSources:
        return MarkedSources.of(self._plain.case.context, self._first)

    def findings(self, taken: Sequence[tuple[int, int]]) -> Iterator[Finding]:
        """Yield what is found outside some spans of the response."""
        response, sentences = self._plain.response, split(self._case.response)
        marks = _by_sentence(self._marks, sentences, response)
        length, absent = len(self._case.response), list(self._facts.sources.absent_files(self._case.response))
        taken = [*taken, *absent, *((m.start, m.end) for m in self._marks)]
        # "Compl." in a cite to the record is no name.
        recorded = _mask(length, [*taken, *(response.span(*span) for span in records(response.text))])
        inside = _mask(length, taken)
        for i, sentence in enumerate(sentences):
            first, last = response.at(sentence.start, sentence.end)
            if sentence.heading or first >= last:
                continue
            text = response.text[first:last]
            for check in self._of_sentence(text):
                start, end = response.span(first + check.start, first + check.end)
                # Of a longer name only a part may stand there.
                covered = 1 in inside[start:end] if check.kind is not FindingKind.NAME else 0 not in recorded[start:end]
                if not covered or check.kind in _NAMING:
                    yield self._finding(check, i, start, end)
            for check in self._of_marks(text, marks[i]):
                yield self._finding(check, i, check.start, check.end)
        for start, end in absent:
            at = _sentence_at(sentences, start)
            yield _finding(self._case, FindingKind.MARK, at, start, end, "names no source: none has such a title", None)

    def _finding(self, check: _Check, sentence: int, start: int, end: int) -> Finding:
        place = check.place
        if place and (place.start or place.end):
            place = ContextPlace(place.passage, *self._plain.context[place.passage].span(place.start, place.end))
        return _finding(self._case, check.kind, sentence, start, end, check.says, place, check.certainty)

    def _of_sentence(self, text: str) -> list[_Check]:
        read = read_values(text, self._language)
        values, names = list(self._values(text, read)), list(self._names(text))
        # "USD" in "USD 5,000" is no name, and "Sixth Amendment" is missed once.
        inside = _mask(len(text), _spans(read))
        names = [n for n in names if 0 in inside[n.start : n.end]]
        missed = _mask(len(text), _spans(names))
        values = [v for v in values if not v.alarm or 0 in missed[v.start : v.end]]
        missed = _mask(len(text), _spans(v for v in values if v.alarm))
        names = [n for n in names if 1 not in missed[n.start : n.end]]
        checks = [*values, *names]
        missed = _mask(len(text), _spans(c for c in checks if c.alarm))
        return checks + [self._misplaced(m) for m in self._facts.sources.misplaced(text) if 1 not in missed[m.start : m.end]]

    def _values(self, text: str, values: Sequence[Value]) -> Iterator[_Check]:
        unit: Unit | None = None
        for value in values:
            looked_up = self._facts.values.look_up(value, text)
            kind, standing, note = _KINDS[value.kind], looked_up.standing, looked_up.note
            if standing is Standing.MISSING and not self._facts.names.has_number(text, value.start, value.end):
                unit = unit or self._nearest(text)
                place, near = self._near(unit, value) if unit else (None, [])
                instead = f"; the nearest sentence has {', '.join(f'“{one_line(words)}”' for words in near)}" if near else ""
                yield _Check(kind, value.start, value.end, f"{standing}{instead}", place)
            elif standing is Standing.COMPUTED or note:
                says = f"is {standing}" if standing is Standing.COMPUTED else str(standing)
                place = self._place(looked_up[1:4])
                yield _Check(kind, value.start, value.end, f"{says}{f': {note}' if note else ''}", place, Certainty.REMARK)

    def _nearest(self, text: str) -> Unit | None:
        at = self._facts.sources.nearest(text)
        return self._facts.sources.units[at] if at >= 0 else None

    def _near(self, unit: Unit, value: Value) -> tuple[ContextPlace, list[str]]:
        """Where a sentence of the sources has values of this kind, and these; else the sentence itself."""
        theirs = self._plain.case.context[unit.passage].text
        read = self._facts.values.between(*unit)
        alike = [v for v in read if v.kind is value.kind and v.key != value.key]
        alike = [v for v in alike if v.unit == value.unit] or alike
        start, end = (alike[0].start, alike[0].end) if alike else (unit.start, unit.end)
        return ContextPlace(unit.passage, start, end), [theirs[v.start : v.end] for v in alike[:_MOST_NAMED]]

    def _place(self, place: tuple[int, int, int] | None) -> ContextPlace | None:
        """The passage of a place in `source_facts`' texts; a place in a title begins and ends at 0."""
        passages = len(self._case.context)
        if place is None or place[0] < 0:
            return None
        return ContextPlace(place[0] - passages, 0, 0) if place[0] >= passages else ContextPlace(*place)

    def _names(self, text: str) -> Iterator[_Check]:
        labelled = _end_of_label(text)
        for name in read_names(text, self._language):
            if name.end <= labelled:
                continue
            self._searches += 1
            whole = text[name.start : name.end]
            # "Virginia" is no part of "West Virginia".
            sought = self._searches < _MOST_SEARCHES and name.key not in APART_FROM_COMPASS
            # A name of the question is none that the answer invents.
            if (sought and self._facts.searched.have(whole)) or self._question.have(whole):
                continue
            looked_up = self._facts.names.look_up_item(text, name, self._defined)
            if not looked_up.stands:
                says = f"{Standing.MISSING}{f': {looked_up.note}' if looked_up.note else ''}"
                nearest = self._nearest(text)
                place = self._place(looked_up.place) or (ContextPlace(*nearest) if nearest else None)
                yield _Check(FindingKind.NAME, name.start, name.end, says, place)

    def _misplaced(self, misplaced: Misplaced) -> _Check:
        start, end, named, stands = misplaced
        unit = self._facts.sources.units[stands] if stands >= 0 else None
        place = ContextPlace(*unit) if unit else None
        if named:
            says = f"is not the source that has most words of this sentence: {self._title(unit)}"
            return _Check(FindingKind.SOURCE, start, end, says, place)
        return _Check(FindingKind.COURT, start, end, f"is not a court named in {self._title(unit)}", place)

    def _title(self, unit: Unit | None) -> str:
        if unit is None:
            return "this source"
        return one_line(self._case.context[unit.passage].source) or f"source {unit.passage + 1}"

    def _of_marks(self, text: str, marks: Sequence[SourceMark]) -> Iterator[_Check]:
        """Marks to sources that are not there, or in which the words of a sentence do not stand."""
        absent = False
        for mark in marks:
            if missing := [n for n in mark.numbers if self._marked.absent(n)]:
                absent = True
                verb = "is" if len(self._case.context) == 1 else "are"
                says = f"names source {missing[0]}, and there {verb} {counted_sources(self._case.context)}"
                yield _Check(FindingKind.MARK, mark.start, mark.end, says, None)
        meant = [self._marked.passages(n) for mark in marks for n in mark.numbers]
        if absent or not meant or None in meant:
            return
        at = self._facts.sources.elsewhere(text, frozenset(p for passages in meant for p in passages or ()))
        if at >= 0:
            unit = self._facts.sources.units[at]
            says = f"is not the source that has most words of this sentence: {self._title(unit)}"
            yield _Check(FindingKind.MARK, marks[-1].start, marks[-1].end, says, ContextPlace(*unit))


def _mask(length: int, spans: Iterable[tuple[int, int]]) -> bytearray:
    mask = bytearray(length)
    for start, end in spans:
        mask[start:end] = b"\1" * (end - start)
    return mask


def _spans(of: Iterable[Value | _Check]) -> Iterator[tuple[int, int]]:
    return ((item.start, item.end) for item in of)


def _end_of_label(text: str) -> int:
    """Where words of the language end that only name what a sentence is about ("Payment Terms: The tenant must pay")."""
    m = _LABEL.match(text)
    return m.end("words") if m and all(map(is_english, _WORD.findall(m["words"].lower()))) else 0


def _by_sentence(marks: Sequence[SourceMark], sentences: Sequence[Sentence], response: PlainView) -> list[list[SourceMark]]:
    """The marks of each sentence: those in it and those that follow it, or where a line begins with one, that lead it."""
    lasts = [response.at(s.start, s.end)[1] for s in sentences]
    text, of_each = response.original, list[list[SourceMark]]([] for _ in sentences)
    breaks = [-1, *(m.start() for m in re.finditer("\n", text)), len(text)]
    for line, group in groupby(marks, lambda m: bisect_right(breaks, m.start)):
        of_line = list(group)
        first, last = of_line[0], of_line[-1]
        leads = operator.eq(*response.at(first.start, first.end)) and _COUNTER.fullmatch(text, breaks[line - 1] + 1, first.start)
        leads = leads and any(map(str.isalnum, text[last.end : breaks[line]]))
        for mark in of_line:
            place = bisect_right(lasts, response.at(mark.start, mark.start)[0]) if leads else _sentence_at(sentences, mark.start)
            if place < len(sentences):
                of_each[place].append(mark)
    return of_each
