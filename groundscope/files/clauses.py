"""Numbered clauses of a text as a structure: in which clause a place stands, as its document calls it: "cl. 4.2(b)(ii)".

A clause is what a line begins with: "4.2", "Section 4.2", "§ 535", "12.", "(a)", "[^3]" of a note; or "(a)" inside a sentence
that counts its parts. A number is cited with the document's own word where it has one; a bare one is a clause ("cl. 4.2"), or a
paragraph ("para. 12") where a whole number begins running text. Schedules and annexes count from the start, so they are always
named.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from groundscope.files.headings import IN_WORDS, counted, is_title, run_in_title
from groundscope.text.values.numbers import roman_number

_COUNTER = r"[a-zA-Z]{1,5}|\d{1,3}"
_MARKS = rf"(?P<marks>(?:\((?:{_COUNTER})\)){{0,5}})"
_BEGIN = re.compile(r"[ \t\xa0]{0,40}(?:#{1,6}[ ])?\*{0,2}")
_OUTER = re.compile(
    r"(?P<outer>(?:schedule|annex(?:e|ure)?|appendix|exhibit|attachment|addendum|anlage|anhang)[ ]+"
    r"(?:\d{1,3}[a-z]?|[ivxl]{1,6}|[a-z])\b)",
    re.IGNORECASE,
)
_WORD = re.compile(
    r"(?P<word>(?:(?:article|section|clause|rule|regulation|artikel|paragraph)[ \xa0]+|(?:art|sec)\.[ \xa0]*|§{1,2}[ \xa0]*)"
    rf"(?P<number>\d(?:[\w.\-]{{0,10}}\w)?|(?:[ivxlc]{{1,8}}|{IN_WORDS})\b)){_MARKS}(?P<after>.{{0,3}})",
    re.IGNORECASE,
)
_DECIMAL = re.compile(rf"(?P<number>\d{{1,3}}(?:\.\d{{1,3}}){{1,4}})[.)]?{_MARKS}(?=[ \t\xa0]+[^\sa-z%\d])")
_WHOLE = re.compile(r"(?:(?P<number>\d{1,3})[.)]|\[(?P<boxed>\d{1,3})\]|(?P<bare>\d{1,3}))(?=[ \t\xa0]+\S)")
_CITE = re.compile(rf"(?P<label>cl\. |para\. )(?P<number>[\d.]+){_MARKS}$|{_MARKS.replace('marks', 'alone')}$")
_NOTE = re.compile(r"\[\^(?P<note>\w{1,5})\](?=\s)")
_MARK = re.compile(rf"[ \t\xa0]{{0,8}}(?:\((?P<marked>{_COUNTER})\)|(?P<lettered>[a-zA-Z]|[ivxIVX]{{2,5}})[.)])(?=[ \t\xa0]+\S)")
_INLINE = re.compile(
    rf"(?<=[;:,\u2013\u2014]) (?:(?:and|or|und|oder|et|ou) )?\((?P<inline>{_COUNTER})\)(?=[ \xa0]?\S)"
    r"|\b\w{2,20} \((?P<first>[aAiI1])\)(?= )"
)
_PARAGRAPH_END = re.compile(r"[.:!?][\"'”’)]{0,2}\s*$")
_SECOND = {"a": "b", "A": "B", "i": "ii", "I": "II", "1": "2"}
_NEXT_I = re.compile(r"(?:^[ \t]*\(?|\()(ii|j)[.)]", re.MULTILINE | re.IGNORECASE)
_AHEAD = re.compile(rf"^[ \t]*(?:\(?(?P<mark>[a-zA-Z]|[ivxIVX]{{2,5}}|(?<=\()(?:{_COUNTER}))[.)]|\[?\d|§)", re.MULTILINE)
_BULLETS = "•–*▪◦●○‣·-|"
_DEEPEST = 6
_MOST_AHEAD = 20_000


class ClausePlace(NamedTuple):
    """From `start` on a text is in a clause, and in a note of it; empty where it is in none."""

    start: int
    clause: str
    note: str = ""


def clause_places(text: str, under: str = "") -> list[ClausePlace]:
    """Find where each clause of a text begins; `under` is the title that it stands under, which may name a clause."""
    clauses = Clauses()
    clauses.enter(under)
    return clauses.places(text)


def clause_at(places: Sequence[ClausePlace], offset: int) -> ClausePlace:
    """Find the clause of a place."""
    at = bisect_right(places, offset, key=lambda p: p.start)
    return places[at - 1] if at else ClausePlace(0, "")


def cited_clause(text: str, title: str, start: int, end: int) -> tuple[str, str]:
    """Name `text[start:end]`: the heading that it stands under, and its clause or note where that says more than the heading.

    A heading goes where the clause says it: "4. Rent" before "cl. 4.2".
    """
    places = clause_places(text, title)
    first, last = clause_at(places, start), clause_at(places, end - 1)
    heading = ", ".join(part for part in title.split(", ") if not _CITE.match(part))
    of_heading = clause_places("", heading)[0].clause
    clause = first.clause if last.clause.startswith(first.clause) else f"{first.clause}–{_rest(first.clause, last.clause)}"
    if of_heading.startswith(clause):
        clause = ""
    elif of_heading and clause.startswith(of_heading):
        heading = ""
    note = f"n. {first.note}" if first.note else ""
    return heading, ", ".join(filter(None, (clause, note)))


def _rest(first: str, last: str) -> str:
    """The last of two clauses without the words that both begin with."""
    same = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(last))
    return last[last.rfind(" ", 0, same) + 1 :]


class Clauses:
    """Where a reader of a document is in its clauses; it is given the texts in order."""

    def __init__(self) -> None:
        self._outer = self._label = self._number = self._note = ""
        self._main = self._goes_on = 0
        self._marks: list[str] = []
        self._inline: int | None = None

    @property
    def cite(self) -> str:
        """The clause in words."""
        root = f"{self._label}{self._number}" + "".join(f"({mark})" for mark in self._marks)
        return ", ".join(filter(None, (self._outer, root)))

    def enter(self, title: str) -> None:
        """Go on under a heading: one without a number ends the clause before it."""
        named = not title
        for part in filter(None, title.split(", ")):
            m = _CITE.match(part)
            if m and m["number"]:
                self._set(m["label"], m["number"], m["marks"], _value(m["number"]))
            elif m:
                self._add(m["alone"])
            named = bool(m) or self._begins(part, 0, len(part)) is not None or named
        if not named:
            self._set("", "", "", 0)

    def places(self, text: str) -> list[ClausePlace]:
        """Read on; gives the places of this text."""
        begins = [ClausePlace(0, self.cite, self._note)]
        for start, clause, note in self._read(text):
            if (clause, note) != begins[-1][1:]:
                if begins[-1].start == start:
                    begins.pop()
                begins.append(ClausePlace(start, clause, note))
        return begins

    def _read(self, text: str) -> Iterator[ClausePlace]:
        start, ended, before = 0, True, ""
        self._goes_on = 0
        for line in text.splitlines(keepends=True):
            end = start + len(line)
            if not line.strip():
                ended, before = True, before.rstrip()
            else:
                if ended:
                    self._note = ""
                    if self._inline is not None:
                        del self._marks[self._inline :]
                        self._inline = None
                at = self._begins(text, start, end)
                if at is None and before and before[-1] not in ":-–—\n" and line.lstrip()[0] not in _BULLETS:
                    self._end_item(text, end)
                # Marks that follow on what a line begins with: "4.2 (a) (i) The".
                while at is not None and (m := _MARK.match(text, at, end)) and m["marked"]:
                    if not self._add_mark(m["marked"], text, m.end()):
                        break
                    at = m.end()
                yield ClausePlace(start, self.cite, self._note)
                if "(" in line and not self._note:
                    yield from self._inside(text, at or start, end)
                ended, before = _PARAGRAPH_END.search(line) is not None, line
            start = end

    def _end_item(self, text: str, at: int) -> None:
        """A paragraph without a mark ends the items "(b)" before it, but for those of which the next one is still to come."""
        while self._marks and not (last := self._marks[-1]).isdecimal() and at > self._goes_on:
            ahead = ((m["mark"] or last, m.end()) for m in _AHEAD.finditer(text, at, at + _MOST_AHEAD))
            # The same mark again begins another list.
            listed = takewhile(lambda mark, last=last: mark[0] != last, ahead)  # type: ignore[misc]
            self._goes_on = next((end for mark, end in listed if _follows(last, mark)), 0)
            if not self._goes_on:
                self._marks.pop()

    def _begins(self, text: str, start: int, end: int) -> int | None:
        """Read what a line begins with; gives where that ends, None for nothing."""
        at = _BEGIN.match(text, start, end).end()  # type: ignore[union-attr]  # it matches nothing, too
        line = text[at:end]
        if m := _NOTE.match(text, at, end):
            self._note = m["note"]
        elif (m := _OUTER.match(text, at, end)) and is_title(line):
            self._outer = " ".join(m["outer"].split())
            self._set("", "", "", 0)
        elif (m := _WORD.match(text, at, end)) and _heads(m["after"], line):
            self._set("", " ".join(m["word"].split()), m["marks"], _value(m["number"]))
        elif m := _DECIMAL.match(text, at, end):
            self._set("cl. ", m["number"], m["marks"], _value(m["number"]))
        elif m := _WHOLE.match(text, at, end):
            if not self._whole(m, line):
                return None
        elif m := _MARK.match(text, at, end):
            self._inline = None
            self._add_mark(m["marked"] or m["lettered"], text, m.end(), strict=m["marked"] is None)
        else:
            return None
        return m.end()

    def _whole(self, m: re.Match[str], line: str) -> bool:
        """Whether a whole number begins a clause, or an item of a list, and not just a line."""
        number = int(m["number"] or m["boxed"] or m["bare"])
        named = is_title(line)
        titled = named or bool(run_in_title(line))
        if m["bare"] and not (named and number == self._main + 1):
            return False
        listed = any(mark.isdecimal() and number == int(mark) + 1 for mark in self._marks) and not titled
        begins = not self._number or number > self._main or (titled and number == self._main)
        under_word = bool(self._number) and not self._label
        if not m["boxed"] and (listed or (number == 1 and (under_word or not begins))):
            self._inline = None
            return self._add_mark(str(number))
        if begins or m["boxed"]:
            self._set("cl. " if titled else "para. ", str(number), "", number)
        return True

    def _inside(self, text: str, at: int, end: int) -> Iterator[ClausePlace]:
        """Parts that a sentence counts, up to the end of its paragraph."""
        for m in _INLINE.finditer(text, at, end):
            # "(a), (b) or (c)" names parts that stand elsewhere.
            if text[max(at, m.start() - 2) : m.start()] == ")," or text[m.end() : m.end() + 1] in ",;).":
                continue
            mark = m["inline"] or m["first"]
            # "shall (a) pay; (b) insure": a first part without a stop before it, if a second one comes.
            if m["first"] and not re.search(rf"[;,] (?:\w{{2,4}} )?\({_SECOND[mark]}\) ", text[m.end() : end]):
                continue
            depth = len(self._marks)
            if self._add_mark(mark, text, m.end()):
                if self._inline is None:
                    self._inline = min(depth, len(self._marks) - 1)
                yield ClausePlace(m.start("inline" if m["inline"] else "first") - 1, self.cite, self._note)

    def _set(self, label: str, number: str, marks: str, main: int) -> None:
        self._label, self._number, self._main = label, number, main
        self._marks, self._inline, self._note = [], None, ""
        self._add(marks)

    def _add(self, marks: str) -> None:
        for mark in re.findall(r"\w+", marks):
            self._add_mark(mark, strict=False)

    def _add_mark(self, mark: str, text: str = "", at: int = 0, *, strict: bool = True) -> bool:
        """Go to a part by its mark; `strict`: only where it counts on, or is the first of its kind."""
        marks = self._marks
        for i in range(len(marks) - 1, -1, -1):
            if marks[i] == mark or _follows(marks[i], mark):
                # "(i)" after "(h)" is the next letter, or the first Roman numeral.
                ahead = _NEXT_I.search(text, at, at + _MOST_AHEAD) if mark in "iI" and marks[i] in "hH" else None
                if ahead and ahead[1].lower() == "ii":
                    break
                marks[i:] = [mark]
                return True
        if len(marks) < _DEEPEST and any(value == 1 for value in _kinds(mark).values()):
            marks.append(mark)
            return True
        if strict or not _kinds(mark):
            return False
        # A part was left out, or the text begins in the middle.
        alike = [i for i, other in enumerate(marks) if _kinds(other).keys() & _kinds(mark).keys()]
        marks[alike[-1] if alike else len(marks) :] = [mark]
        return True


def _heads(after: str, line: str) -> bool:
    """Whether "Section 4" begins a section, and is not a word of a sentence about it."""
    return not after.strip() or after[0] in ".:" or (not after.strip()[0].islower() and is_title(line))


def _follows(mark: str, other: str) -> bool:
    ours, theirs = _kinds(mark), _kinds(other)
    return any(theirs.get(kind) == value + 1 for kind, value in ours.items())


def _kinds(mark: str) -> dict[str, int]:
    """What a mark counts as, by kind: a digit, a letter, a letter that is doubled, a Roman numeral, small or capital."""
    if mark.isdecimal():
        return {"digit": int(mark)}
    if mark not in (mark.lower(), mark.upper()):
        return {}
    size, small = "small " if mark.islower() else "capital ", mark.lower()
    kinds = {f"{size}{len(small)} letters": ord(small[0]) - ord("a") + 1} if len(set(small)) == 1 else {}
    return kinds | ({f"{size}Roman": value} if (value := roman_number(small)) else {})


def _value(number: str) -> int:
    """The value of a number with letters, Roman or in words; 0 for none."""
    digits = re.match(r"\d+", number)
    return int(digits[0]) if digits else roman_number(number.lower()) or counted(number)
