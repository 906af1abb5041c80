"""Exact checks of a response against its sources: what can be said of it from the texts alone, without a model.

Values, names, quotations, citations, marks to sources, and the sources and courts that a sentence names. A finding names words
and says what was compared. It does not say that a sentence is wrong: `python -m benchmarks.checks` prints how often a checked
sentence was labelled wrong on the samples, and how often a sound one was checked.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from groundscope.citations.explain import differing
from groundscope.citations.quotes import ContextPlace, Quote
from groundscope.citations.reader._records import records
from groundscope.citations.source_facts import source_facts
from groundscope.citations.states import NO_SUBSECTION, Layer, State, layer
from groundscope.errors import DataError
from groundscope.runtime.byte_cache import keep
from groundscope.text.context_names import definitions
from groundscope.text.edits import MarkKind, SourceMark
from groundscope.text.english import is_english
from groundscope.text.humanize import plural, shortened
from groundscope.text.languages import language_of, what_is_read
from groundscope.text.marks import running_marks
from groundscope.text.name_spelling import APART_FROM_COMPASS
from groundscope.text.named_sources import MarkedSources, Misplaced
from groundscope.text.names import read_names
from groundscope.text.plain import PlainCase
from groundscope.text.sentences import Sentence, Unit, split
from groundscope.text.shown import shown_words
from groundscope.text.values.grammar import read_values
from groundscope.text.values.types import Standing, Value, ValueKind
from groundscope.types import Case, Passage


class FindingKind(StrEnum):
    """What a finding is about."""

    FIGURE = "figure"
    DATE = "date"
    SECTION = "section"
    NAME = "name"
    QUOTATION = "quotation"
    CITATION = "citation"
    MARK = "mark"
    SOURCE = "source"
    COURT = "court"


@dataclass(frozen=True, slots=True)
class Finding:
    """Words `response[start:end]` about which an exact check says something.

    Attributes:
        sentence: index of the sentence of the response, from 0.
        why: a sentence that says what was compared, and what the sources have instead where that is known.
        place: where they have that, or what is nearest; from 0 to 0 where it is the title of a source. None = nowhere.
        alarm: whether the sources lack it; else it is a remark, as on a value that is computed from them.
    """

    kind: FindingKind
    sentence: int
    start: int
    end: int
    text: str
    why: str
    place: ContextPlace | None = None
    alarm: bool = True


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
    return findings_of(Case("exact", "", tuple(_passages(context)), response))


def _passages(context: Iterable[str | tuple[str, str]]) -> Iterator[Passage]:
    for number, source in enumerate(context, 1):
        pair = ("", source) if isinstance(source, str) else source
        if not isinstance(pair, Sequence) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise DataError(f"Source {number} is no text and no pair of a title and a text.")
        yield Passage(f"p{number}", pair[1], pair[0])


@keep(megabytes=16)
def findings_of(case: Case) -> tuple[Finding, ...]:
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


def _found(
    case: Case, kind: FindingKind, sentence: int, start: int, end: int, says: str, place: ContextPlace | None, alarm: bool = True
) -> Finding:
    text = case.response[start:end]
    # Signs of Markdown that begin before these words are seen in the whole text only.
    words = shown_words(case.response, start, end) if any(sign in text for sign in "*_`") else _line(text)
    return Finding(kind, sentence, start, end, text, f"“{shortened(words or _line(text), _LONGEST)}” {says}.", place, alarm)


def _citations(case: Case, cited: Layer) -> Iterator[Finding]:
    for c in cited.citations:
        if c.state in (State.ABSENT, State.DIFFERENT):
            more = differing(c)
            says = f"is {c.state}{f' ({more})' if more else ''}"
            yield _found(case, FindingKind.CITATION, max(0, c.sentence), c.citation.outer, c.citation.end, says, c.place)


def _quotations(case: Case, quotes: Sequence[Quote]) -> Iterator[Finding]:
    starts = [s.start for s in split(case.response)]
    for q in quotes:
        if not q.verbatim:
            words = ", ".join(f"“{_line(case.response[a:b])}”" for a, b in q.wrong[:_MOST_NAMED])
            says = f"is not in the sources word for word{f': the nearest sentence does not have {words} there' if words else ''}"
            yield _found(case, FindingKind.QUOTATION, max(0, bisect_right(starts, q.start) - 1), q.start, q.end, says, q.nearest)


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
    alarm: bool = True


class _Checks:
    """The checks of a response, sentence by sentence, in plain texts."""

    def __init__(self, case: Case) -> None:
        self._case, self._plain = case, PlainCase.of(case)
        self._language = language_of(self._plain.response.text)
        self._facts = source_facts(self._plain.case.context)
        self._defined = definitions(self._plain.response.text)
        self._searches = 0
        self._marks = [*self._plain.response.marks, *self._running()]
        self._marks = sorted((m for m in self._marks if m.kind is MarkKind.SOURCE), key=lambda m: (m.start, m.end))
        # Programs count from 0.
        first = 0 if any(0 in m.numbers for m in self._marks) else 1
        self._marked = MarkedSources.of(self._plain.case.context, first)

    def _running(self) -> Iterator[SourceMark]:
        """Sources that sentences name by their numbers in running words."""
        for mark in running_marks(self._plain.response.text):
            start, end = self._plain.response.span(mark.start, mark.end)
            yield mark._replace(start=start, end=end)

    def findings(self, taken: Sequence[tuple[int, int]]) -> Iterator[Finding]:
        """Yield what is found outside some spans of the response."""
        response, sentences = self._plain.response, split(self._case.response)
        marks = _by_sentence(self._marks, sentences)
        taken = _merged([*taken, *((m.start, m.end) for m in self._marks)])
        ends = [end for _, end in taken]
        # "Compl." in a cite to the record is no name.
        recorded = _merged(response.span(*span) for span in records(response.text))
        recorded_ends = [end for _, end in recorded]
        for i, sentence in enumerate(sentences):
            first, last = response.at(sentence.start, sentence.end)
            if sentence.heading or first >= last:
                continue
            text = response.text[first:last]
            for check in self._of_sentence(text):
                start, end = response.span(first + check.start, first + check.end)
                inside = check.kind not in _NAMING and _inside(check.kind, start, end, taken, ends)
                inside = inside or (check.kind is FindingKind.NAME and _inside(check.kind, start, end, recorded, recorded_ends))
                if not inside:
                    yield self._finding(check, i, start, end)
            for check in self._of_marks(text, marks[i]):
                yield self._finding(check, i, check.start, check.end)

    def _finding(self, check: _Check, sentence: int, start: int, end: int) -> Finding:
        place = check.place
        if place and (place.start or place.end):
            place = ContextPlace(place.passage, *self._plain.context[place.passage].span(place.start, place.end))
        return _found(self._case, check.kind, sentence, start, end, check.says, place, check.alarm)

    def _of_sentence(self, text: str) -> list[_Check]:
        read = read_values(text, self._language)
        values, names = list(self._values(text, read)), list(self._names(text))
        # "USD" in "USD 5,000" is no name, and "Sixth Amendment" is missed once.
        inside = _mask(text, read)
        names = [n for n in names if 0 in inside[n.start : n.end]]
        missed = _mask(text, names)
        values = [v for v in values if not v.alarm or 0 in missed[v.start : v.end]]
        missed = _mask(text, (v for v in values if v.alarm))
        names = [n for n in names if 1 not in missed[n.start : n.end]]
        checks = [*values, *names]
        missed = _mask(text, (c for c in checks if c.alarm))
        checks += [self._misplaced(m) for m in self._facts.sources.misplaced(text) if 1 not in missed[m.start : m.end]]
        return checks

    def _values(self, text: str, values: Sequence[Value]) -> Iterator[_Check]:
        unit: Unit | None = None
        for value in values:
            looked_up = self._facts.values.look_up(value, text)
            kind, standing, note = _KINDS[value.kind], looked_up.standing, looked_up.note
            if standing is Standing.MISSING:
                unit = unit or self._nearest(text)
                place, near = self._near(unit, value) if unit else (None, [])
                instead = f"; the nearest sentence has {', '.join(f'“{_line(words)}”' for words in near)}" if near else ""
                yield _Check(kind, value.start, value.end, f"{standing}{instead}", place)
            elif standing is Standing.COMPUTED or note:
                says = f"is {standing}" if standing is Standing.COMPUTED else str(standing)
                place = self._place(looked_up[1:4])
                yield _Check(kind, value.start, value.end, f"{says}{f': {note}' if note else ''}", place, alarm=False)

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
            if sought and self._facts.have(whole):
                continue
            looked_up = self._facts.names.look_up_item(text, name, self._defined)
            if not looked_up.stands:
                says = f"{Standing.MISSING}{f': {looked_up.note}' if looked_up.note else ''}"
                yield _Check(FindingKind.NAME, name.start, name.end, says, self._place(looked_up.place))

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
        return _line(self._case.context[unit.passage].source) or f"source {unit.passage + 1}"

    def _of_marks(self, text: str, marks: Sequence[SourceMark]) -> Iterator[_Check]:
        """Marks to sources that are not there, or in which the words of a sentence do not stand."""
        absent = False
        for mark in marks:
            if missing := [n for n in mark.numbers if self._marked.absent(n)]:
                absent, count = True, len(self._case.context)
                says = f"names source {missing[0]}, and there {'is' if count == 1 else 'are'} {plural(count, 'source')}"
                yield _Check(FindingKind.MARK, mark.start, mark.end, says, None)
        meant = [self._marked.passages(n) for mark in marks for n in mark.numbers]
        if absent or not meant or None in meant:
            return
        at = self._facts.sources.elsewhere(text, frozenset(p for passages in meant for p in passages or ()))
        if at >= 0:
            unit = self._facts.sources.units[at]
            says = f"is not the source that has most words of this sentence: {self._title(unit)}"
            yield _Check(FindingKind.MARK, marks[-1].start, marks[-1].end, says, ContextPlace(*unit))


def _mask(text: str, spans: Iterable[Value | _Check]) -> bytearray:
    """A byte a character of a text, 1 in a span."""
    mask = bytearray(len(text))
    for span in spans:
        mask[span.start : span.end] = b"\1" * (span.end - span.start)
    return mask


def _end_of_label(text: str) -> int:
    """Where words of the language end that only name what a sentence is about ("Payment Terms: The tenant must pay")."""
    m = _LABEL.match(text)
    return m.end("words") if m and all(map(is_english, _WORD.findall(m["words"].lower()))) else 0


def _inside(kind: FindingKind, start: int, end: int, taken: Sequence[tuple[int, int]], ends: Sequence[int]) -> bool:
    """Whether words stand in a span that is taken; of a longer name only a part may."""
    at = bisect_right(ends, start)
    if at == len(taken) or taken[at][0] >= end:
        return False
    return kind is not FindingKind.NAME or (taken[at][0] <= start and end <= taken[at][1])


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that overlap as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _by_sentence(marks: Sequence[SourceMark], sentences: Sequence[Sentence]) -> list[list[SourceMark]]:
    """The marks of each sentence: those in it and those that follow it."""
    starts = [s.start for s in sentences]
    of_each: list[list[SourceMark]] = [[] for _ in sentences]
    for mark in marks:
        if (at := bisect_right(starts, mark.start) - 1) >= 0:
            of_each[at].append(mark)
    return of_each


def _line(text: str) -> str:
    return " ".join(text.split())
