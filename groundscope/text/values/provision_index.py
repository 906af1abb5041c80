"""The provisions of sources, to look up those of an answer: by number, by clause of a document, in ranges, and apart."""

import re
from collections.abc import Callable, Sequence
from itertools import islice

from groundscope.text.values.clauses import CLAUSE, clauses, is_within, section_ranges
from groundscope.text.values.likeness import coarser_numbers, same_code, same_label
from groundscope.text.values.provisions import provision_of
from groundscope.text.values.types import Standing, Value, ValueKind, ValueLookup

Place = tuple[int, int, int]
"""Text, start and end."""

_MOST_RANGES = 1000
_MOST_MARKS = 100
_SHORTEST, _LONG = 4, 7
_SUB = re.compile(r"\([0-9a-z]{1,5}\)")
_LETTERED = re.compile(r"\d.*[a-z.-]")
_CODED = re.compile(r"([a-z]{1,3})-(\d{1,4}[a-z]?)", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"([A-Za-z]{3,20}) \Z")
_MISSING = ValueLookup(Standing.MISSING)


class ProvisionIndex:
    """Provisions of texts, added in reading order."""

    def __init__(self, texts: Sequence[str], values_of: Callable[[int], tuple[Value, ...]]) -> None:
        self._texts, self._values_of = texts, values_of
        self._places: dict[str, Place] = {}
        self._numbers: dict[str, list[tuple[str, str, Place]]] = {}
        self._ranges: list[tuple[str, str, str, str, Place]] = []

    def __contains__(self, number: str) -> bool:
        return number in self._numbers

    def add(self, value: Value, place: Place) -> None:
        """Add a provision with all that it stands in."""
        label, code, number = provision_of(value)
        self._places.setdefault(value.key, place)
        for name in coarser_numbers(label, number):
            self._numbers.setdefault(name, []).append((label, code, place))
        # "42 U.S.C." is title 42.
        if title := code.partition(" ")[0]:
            self._numbers.setdefault(title, []).append(("title", "", place))

    def add_clauses(self, i: int, values: tuple[Value, ...]) -> None:
        """Add the numbered clauses and the ranges of one text."""
        for number, start, end in clauses(self._texts[i]):
            self._numbers.setdefault(number, []).append((CLAUSE, "", (i, start, end)))
        for value, low, high in section_ranges(self._texts[i], values):
            label, code, _ = provision_of(value)
            self._ranges.append((label, code, low, high, (i, value.start, value.end)))

    def look_up(self, value: Value) -> ValueLookup:
        """Say how a provision stands on the texts."""
        label, code, number = provision_of(value)
        for theirs, their_code, place in self._numbers.get(number, ()):
            if same_label(label, theirs, number) and same_code(label, code, their_code):
                exact = self._places.get(value.key)
                return ValueLookup(Standing.EQUAL, *(exact or place))
        for theirs, their_code, first, last, place in self._ranges[:_MOST_RANGES]:
            if theirs == label and same_code(label, code, their_code) and is_within(number, first, last):
                return ValueLookup(Standing.COVERED, *place, "within a range that the sources cite")
        # A section that was read with another code or label is another.
        if (
            (_LETTERED.search(number) or (_CODED.fullmatch(number) and label in ("", "form")))
            and number not in self._numbers
            and (verbatim := self.verbatim(number))
        ):
            return verbatim
        base, marks = number.split("(")[0], _SUB.findall(number)
        if label in ("subsection", "paragraph", "clause") or not base:
            marks, base = marks or [f"({base})"], ""
        if not marks:
            return _MISSING
        # The sources may name a section and its subsections apart: "§ 362(d), (e) and (g)".
        for depth in range(len(marks) - 1, -1, -1) if base else ():
            stem = base + "".join(marks[:depth])
            for theirs, their_code, place in self._numbers.get(stem, ()):
                alike = theirs != CLAUSE and same_label(label, theirs, stem) and same_code(label, code, their_code)
                # What is in a subsection may stand in the text whose title names that.
                texts = range(len(self._texts)) if depth else (place[0],)
                if alike and any(self._apart(i, base, marks[depth:]) for i in texts):
                    return ValueLookup(Standing.COVERED, *place)
                if alike and depth:
                    break
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
        return self._first(rf"(?<![\w.-]){sought}(?!\w|[.-]\w)")

    def numbered(self, value: Value, sentence: str) -> ValueLookup | None:
        """Look for a number after the word before it: "Juror 5" of "Juror No. 5"."""
        head, _, number = sentence[value.start : value.end].rpartition(" ")
        before = _WORD_BEFORE.search(sentence, 0, value.start + len(head) + bool(head))
        if not number[:1].isdecimal() or len(number) >= _LONG:
            return self.verbatim(number) if number[:1].isdecimal() else None
        return self._first(rf"\b{before[1]} ?(?:no\.|nos\.|number|#) ?{re.escape(number)}(?!\w|[.,-]\d)") if before else None

    def ending(self, digits: str) -> ValueLookup | None:
        """Look for a number of which a text gives the last digits: "the '789 patent"."""
        return self._first(rf"\d,{digits}(?!\w|,\d)")

    def _first(self, sought: str) -> ValueLookup | None:
        whole = re.compile(sought, re.IGNORECASE)
        places = ((i, m) for i, text in enumerate(self._texts) for m in whole.finditer(text))
        i, m = next(places, (-1, None))
        return ValueLookup(Standing.EQUAL, i, *m.span()) if m else None
