"""The provisions of sources, to look up those of an answer: by number, by clause of a document, in ranges, and apart."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise

from groundscope.text.values.numbers import roman_number
from groundscope.text.values.provisions import provision_of, rank
from groundscope.text.values.types import Standing, Value, ValueKind, ValueLookup

Place = tuple[int, int, int]
"""Text, start and end."""

_MOST_RANGES = 1000
_MOST_MARKS = 100
_SHORTEST, _LONG = 4, 7
_SUB = re.compile(r"\([0-9a-z]{1,5}\)")
_LETTERED = re.compile(r"\d.*[a-z.-]")
_CODED = re.compile(r"([a-z]{1,3})-(\d{1,4}[a-z]?)", re.IGNORECASE)
_AFTER_NUMBER = re.compile(r"(?:\b[Nn]os?\.|\b[Nn]umber|#) ?(\d(?:[\d,-]*\d)?)(?!\w)")
_LAST_DIGITS = re.compile(r"\d,(\d{3})(?!\w|,\d)")
_LONGEST_WORD = 24
_WORD_BEFORE = re.compile(r"([A-Za-z]{3,20}) \Z")
_MISSING = ValueLookup(Standing.MISSING)
_DISTINCT = re.compile(r"\d{4}|[a-z.-]")
_FEDERAL = re.compile(r"(?:240|1)\.\d\d")
CLAUSE = "numbered clause"
"""Label of a clause that has none."""
CLAUSE_LABELS = frozenset("section clause paragraph article item subsection part".split())
"""Labels by which a text may call a numbered clause."""
_HEADING = re.compile(
    r"^[ \t]{0,12}(?:#{1,6} |- |\* )?(?:(?:(?i:article|section|clause|item|paragraph|part) )?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){1,3}|(?:\d{1,3}|[IVXL]{1,7})(?=[.):]))[.):]{0,2}[ \t]{1,4}(?=[A-Z(\"'\[])"
    r"|\((?P<marked>\d{1,3})\) {0,4}(?=\w)|(?i:article) (?P<article>[IVXL]{1,7})\b)",
    re.MULTILINE,
)
_MARK = re.compile(r"\((?<![\w)].)(?P<first>[0-9a-z]{1,4})\)(?:\((?P<second>[0-9a-z]{1,4})\))?")
_LETTER = re.compile(r"[a-z]")
_RANGED = re.compile(r"\s?(?:-|–|\bto\b|\bthrough\b|\bbis\b|\bà\b)\s?(?:§{1,2}\s?)?")


class ProvisionIndex:
    """Provisions of texts, added in reading order."""

    def __init__(self, texts: Sequence[str], values_of: Callable[[int], tuple[Value, ...]]) -> None:
        self._texts, self._values_of = texts, values_of
        self._numbers: dict[str, list[tuple[str, str, Place]]] = {}
        self._ranges: dict[tuple[str, str, str, str], Place] = {}

    def add(self, value: Value, place: Place) -> None:
        """Add a provision with all that it stands in."""
        label, code, number = provision_of(value)
        for name in coarser_numbers(label, number):
            self._numbers.setdefault(name, []).append((label, code, place))
        # "40 C.F.R. § 60.2" is of title 40 and part 60.
        if title := code.partition(" ")[0]:
            self._numbers.setdefault(title, []).append(("title", "", place))
            self._numbers.setdefault(number.partition(".")[0], []).append(("part", "", place))

    def add_clauses(self, i: int, values: tuple[Value, ...]) -> None:
        """Add the numbered clauses and the ranges of one text."""
        for number, start, end in clauses(self._texts[i]):
            self._numbers.setdefault(number, []).append((CLAUSE, "", (i, start, end)))
        for value, low, high in section_ranges(self._texts[i], values):
            label, code, _ = provision_of(value)
            self._ranges.setdefault((label, code, low, high), (i, value.start, value.end))

    def look_up(self, value: Value, sentence: str) -> ValueLookup:
        """Say how a provision of a sentence stands on the texts."""
        there = self._stated(value)
        return there if there.standing is not Standing.MISSING else self.numbered(value, sentence)

    def _stated(self, value: Value) -> ValueLookup:
        label, code, number = provision_of(value)
        for theirs, their_code, place in self._numbers.get(number, ()):
            if same_label(label, theirs, number) and same_code(label, code, their_code):
                return ValueLookup(Standing.EQUAL, *place)
        for (theirs, their_code, first, last), place in islice(self._ranges.items(), _MOST_RANGES):
            if theirs == label and same_code(label, code, their_code) and is_within(number, first, last):
                return ValueLookup(Standing.COVERED, *place, "within a range that the sources cite")
        # A section that was read with another code or label is another.
        distinct = _LETTERED.search(number) or (label in ("", "form") and _CODED.fullmatch(number))
        if distinct and number not in self._numbers and (verbatim := self.verbatim(number)):
            return verbatim
        base, marks = number.split("(")[0], _SUB.findall(number)
        if label in ("subsection", "paragraph", "clause") or not base:
            marks, base = marks or [f"({base})"], ""
        if not marks:
            return _MISSING
        # The sources may name a section and its subsections apart: "§ 362(d), (e) and (g)".
        for depth in range(len(marks) - 1, -1, -1) if base else ():
            stem = base + "".join(marks[:depth])
            alike = [
                place
                for theirs, their_code, place in self._numbers.get(stem, ())[:_MOST_RANGES]
                if theirs != CLAUSE and same_label(label, theirs, stem) and same_code(label, code, their_code)
            ]
            # What is in a subsection may stand in the text whose title names that.
            texts = range(len(self._texts)) if alike and depth else dict.fromkeys(place[0] for place in alike)
            if any(self._apart(i, base, marks[depth:]) for i in texts):
                return ValueLookup(Standing.COVERED, *alike[0])
        for i, text in enumerate(self._texts) if not base else ():
            at = text.casefold().find(marks[-1])
            if at >= 0 and all(m in text.casefold() for m in marks):
                return ValueLookup(Standing.COVERED, i, at, at + len(marks[-1]))
        return _MISSING

    def _apart(self, number: int, base: str, marks: list[str]) -> bool:
        """Whether a text has the marks of a subsection by themselves: "(e)", not "37(e)" or the end of "37(d) or (e)"."""
        text = self._texts[number].casefold()
        others = {
            v.start
            for v in self._values_of(number)
            if v.kind is ValueKind.PROVISION and provision_of(v).number.split("(")[0] != base
        }
        first = islice(re.finditer(rf"(?<![\w)]){re.escape(marks[0])}", text), _MOST_MARKS)
        return any(m.start() not in others for m in first) and all(m in text for m in marks)

    def verbatim(self, words: str) -> ValueLookup | None:
        """Look for a number that stands in the sources without its label."""
        coded = _CODED.fullmatch(words)
        if len(words) < _SHORTEST and not coded:
            return None
        sought = rf"{coded[1]}-?{coded[2]}" if coded else re.escape(words)
        whole = re.compile(rf"(?<![\w.-]){sought}(?!\w|[.-]\w)", re.IGNORECASE)
        places = ((i, m) for i, text in enumerate(self._texts) for m in whole.finditer(text))
        i, m = next(places, (-1, None))
        return ValueLookup(Standing.EQUAL, i, *m.span()) if m else None

    @cached_property
    def _numbered(self) -> dict[tuple[str, str], Place]:
        """Numbers after the word that has them, long ones also alone, and the last digits of long ones after an apostrophe."""
        numbers: dict[tuple[str, str], Place] = {}
        for i, text in enumerate(self._texts):
            for m in _AFTER_NUMBER.finditer(text):
                word = _WORD_BEFORE.search(text, max(0, m.start() - _LONGEST_WORD), m.start())
                for key in (word[1].casefold() if word else "", "" if len(m[1]) >= _LONG else "#"):
                    numbers.setdefault((key, m[1]), (i, *m.span()))
            for m in _LAST_DIGITS.finditer(text):
                numbers.setdefault(("", f"'{m[1]}"), (i, *m.span()))
        return numbers

    def numbered(self, value: Value, sentence: str) -> ValueLookup:
        """Look for a number after the word before it ("Juror 5" of "Juror No. 5"), or for its last digits ("'789")."""
        head, _, number = sentence[value.start : value.end].rpartition(" ")
        before = _WORD_BEFORE.search(sentence, 0, value.start + len(head) + bool(head))
        place = self._numbered.get((before[1].casefold() if before else "#", number)) or self._numbered.get(("", number))
        return ValueLookup(Standing.EQUAL, *place) if place else _MISSING


def clauses(text: str) -> Iterator[tuple[str, int, int]]:
    """Number and place of each numbered clause of a text and of its marked parts: "2", "2(b)", "2(b)(1)"; linear in it."""
    headings = list(_HEADING.finditer(text))
    starts = [m.start() for m in headings]
    numbers = []
    for m in headings:
        written = m["number"] or m["marked"] or m["article"]
        number = written if written[0].isdecimal() else str(roman_number(written.lower()) or "")
        numbers.append(number)
        while number:
            yield number, m.start(), m.end()
            number = number.rpartition(".")[0]
    outer = at = ""
    for m in _MARK.finditer(text):
        i = bisect_right(starts, m.start()) - 1
        if i < 0 or not numbers[i] or headings[i]["marked"] == m["first"]:
            continue
        if numbers[i] != at:
            at, outer = numbers[i], ""
        first, second = m["first"], m["second"]
        yield f"{at}({first})", *m.span()
        if second:
            yield f"{at}({first})({second})", *m.span()
        elif outer:
            yield f"{at}({outer})({first})", *m.span()
        if len(first) == 1 and _LETTER.match(first) and (first != "i" or outer == "h"):
            outer = first


def section_ranges(text: str, values: Sequence[Value]) -> Iterator[tuple[Value, str, str]]:
    """The first value, the lower and the upper number of every range of provisions ("§§ 2000e to 2000e-17")."""
    read = [v for v in values if v.kind is ValueKind.PROVISION]
    for first, last in pairwise(read):
        low, high = provision_of(first).number, provision_of(last).number
        alike = first.unit == last.unit and 0 < last.start - first.end < 16
        if alike and _RANGED.fullmatch(text, first.end, last.start) and rank(low) < rank(high):
            yield first, low, high


def is_within(number: str, low: str, high: str) -> bool:
    """Whether a provision stands in a range of others; a subsection stands in its section."""
    ours, first, last = rank(number), rank(low), rank(high)
    kind = ours[:1] and ours[0][0] == first[0][0]
    return bool(kind) and first <= ours and ours[: len(last)] <= last


def coarser_numbers(label: str, number: str) -> Iterator[str]:
    """The number of a provision and of all that it stands in: "37(b)(2)", "37(b)", "37"; of federal regulations the rule."""
    yield number
    head = number
    while head.endswith(")") and "(" in head[1:]:
        head = head[: head.rindex("(")]
        yield head
    # "Part IV.A.2"
    while re.match(r"\d+\.[a-z]", head):
        head = head.rpartition(".")[0]
        yield head
    federal = label in ("section", "regulation") and _FEDERAL.match(head)
    # "Treas. Reg. § 1.401", "§ 240.10b-5"; rule 1.9 is not rule 9.
    if federal and head == number.split("(")[0]:
        yield number.partition(".")[2]


def same_label(ours: str, theirs: str, number: str) -> bool:
    """Whether two labels of a number may be the same one's."""
    if theirs == CLAUSE:
        return not ours or ours in CLAUSE_LABELS
    # A number such as "10b-5" or "1983" is what it is under any label.
    return ours == theirs or not ours or not theirs or _DISTINCT.search(number) is not None


def same_code(label: str, ours: str, theirs: str) -> bool:
    """Whether a provision of one code may be of another: without a code it is of any."""
    return not ours or ours == theirs or (label == "rule" and not theirs)
