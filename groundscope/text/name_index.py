"""The names of sources, indexed by their words; linear in the texts."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse, pairwise, takewhile
from typing import NamedTuple

from groundscope.runtime.byte_cache import keep
from groundscope.text.name_spelling import (
    ABBREVIATIONS,
    COMPASS,
    COMPASS_PLACES,
    FORMS,
    SUFFIXES,
    acronyms,
    folded,
    initials,
    is_initials,
    spellings,
    state_of,
)
from groundscope.text.names import CIRCUITS, LEADS, ROYAL, TOKEN, is_short
from groundscope.text.values.measures import stem
from groundscope.text.values.numbers import roman_number

Place = tuple[int, int, int]
"""Index of a text, start and end in it."""
NEAR = 4
"""Words of one name stand at most so far apart."""
_BUCKET = 400
"""Words of one first letter that an abbreviation is compared with."""
_ORDINALS = {short.rstrip("."): name for name, short in CIRCUITS.items()} | {
    "2nd": "second", "3rd": "third", "d.c": "dc", "dc": "dc",
}  # fmt: skip
WORD = re.compile(r"[^\W_]+")
_PARTICLES = (
    r"de|del|della|di|da|dos|du|des|la|le|van|von|der|den|bin|ibn|al|el|y|zu|zur|ten|ter|of|the|and|for|in|on|with|v|vs|et|plc"
)
_JOINT = re.compile(rf"\.?\s(?:(?:{_PARTICLES})\.?\s(?:the\s|la\s|der\s)?|&\s)?|-|\.?,\s(?:and\s)?")
APART = re.compile(r",|&|\b(?:and|for|in|on|with|vs?|et)\b")
_NUMERAL = re.compile(r"[IVX]{1,6}|\d{1,6}|[JS]r")
_LABELLED = re.compile(
    r"\b([^\W\d_]{2,24})(?:\s(?=(?P<letters>[A-Z](?:(?:,\s|,?\s(?:and|or|&|to|through)\s|\s?[-–/]\s?)[A-Z]){0,20}(?![\w'’]|\.\w)))"
    rf"|,?\s(?=(?P<no>[Nn]o\.\s)?(?P<number>{_NUMERAL.pattern})\b(?![.,:]\d)))"
)
_SPAN = re.compile(r"([A-Z])(?:\s?[-–]\s?|\s(?:to|through)\s)?")
_STOP = re.compile(r"\.,?\s?[a-z&]")
"""The full stop of an abbreviation."""
_CIR = re.compile(r"\b[Cc]ir(?:cuit(s?)\b|\.)")
_ORDINAL = re.compile(r"\b([A-Za-z0-9]{2,8}|D\.\s?C)\b")
_CITED = re.compile(r"\d\s?\(?[A-Z.]{2,4}|[A-Z.]{2,4}\s\d")
"""A reporter or a court in a citation, which two letters are too few to distinguish from a name."""
CUT = re.compile(r"\w['’](?!s\Z)\w")
"""The apostrophe of an abbreviation or a name ("Ass'n")."""
_RUN = re.compile(r"[a-z]+(?:[\s-][a-z]+)*")
_BETWEEN = re.compile(r"[\s-]")
_COMPOUND = re.compile(r"\b[a-z]+(?:-[a-z]+){2,6}\b")
_BRIDGES = frozenset("of for to and".split())
_WINDOW = 60
_LONGEST_GAP = 16
_LONGEST_RUN, _LONGEST_LIST = 12, 8
"""Words of one run; a list ends earlier, so that no name in it is cut."""
_WEIGHT = 12
"""Bytes that an index takes for each character."""


class NameIndex(NamedTuple):
    """The names of texts.

    Attributes:
        plain: words that stand in lower case, and figures.
        capitals: words of names, and where they stand first.
        acronyms: words that are all capitals.
        pairs: words that stand near each other in one name, in their order; the first one also as its initial ("j."), and as
            "j&" where "and" or a comma stands between.
        leading: names in which a word has another after it.
        closing: names in which a word has another before it.
        initials: of words of one name that stand together.
        letters: of things and people, by the words before ("Class C", "Fund III", "Smith Jr."), numerals as digits, and with "="
            if they are written otherwise.
        circuits: federal courts of appeals by their ordinals.
        short: abbreviations by their first letters.
        full: words of names by their first letters.
    """

    texts: tuple[str, ...]
    plain: set[str]
    capitals: dict[str, Place]
    acronyms: set[str]
    pairs: dict[tuple[str, str], Place]
    leading: Mapping[str, Place]
    closing: Mapping[str, Place]
    initials: set[str]
    letters: dict[str, set[str]]
    circuits: set[str]
    short: Mapping[str, Sequence[str]]
    full: Mapping[str, Sequence[str]]

    @property
    def nbytes(self) -> int:
        """About the memory of it all, for the cache."""
        return _WEIGHT * sum(map(len, self.texts))


class _Word(NamedTuple):
    letters: str
    start: int
    end: int
    apart: bool = False


def ordinal_of(word: str) -> str:
    """The ordinal of a circuit, or nothing."""
    word = word.casefold().replace(" ", "").rstrip(".")
    return word if word in CIRCUITS else _ORDINALS.get(word, "")


@keep(8)
def name_index(texts: tuple[str, ...]) -> NameIndex:
    """Responses to one question share their context."""
    index = NameIndex(texts, set(), {}, set(), {}, {}, {}, set(), {}, set(), {}, {})
    short = set[str]()
    for i, text in enumerate(texts):
        letters = text if text.isascii() else "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", text)))
        index.plain.update(w for w in set(WORD.findall(letters)) if w.islower() or w.isdecimal())
        _read_names(text, i, index, short)
        _read_letters(text, index)
    # The first name that has a word: so in reverse.
    pairs = [pair for pair in reversed(index.pairs.items()) if pair[0][0][-1:] != "&"]
    return index._replace(
        leading={first: place for (first, _), place in pairs},
        closing={last: place for (_, last), place in pairs},
        short=_by_letter(w for w in index.capitals if w in short or w in ABBREVIATIONS),
        full=_by_letter(index.capitals),
    )


@keep(8)
def phrase_initials(texts: tuple[str, ...]) -> frozenset[str]:
    """Initials of phrases in small letters; few answers ask for them, so that they are no part of the index."""
    runs = [run for text in texts for run in _RUN.findall(text.casefold())]
    compounds = (compound.split("-") for run in runs for compound in _COMPOUND.findall(run))
    return frozenset(letters for words in (*map(_BETWEEN.split, runs), *compounds) for letters in _initials_of(words))


def _initials_of(words: Iterable[str]) -> Iterator[str]:
    """Initials of the phrases in a run of words, between those that only join others; "of" may stand in a phrase."""
    pieces = [""]
    for word in (*words, "the"):
        if word in _BRIDGES:
            pieces += (word[0], "")
        elif len(word) > 1 and word not in LEADS and not word.endswith("ed"):
            pieces[-1] += word[0]
        else:
            spans = ((i, j) for i in range(0, len(pieces), 2) for j in range(i + 1, min(i + 2 * NEAR, len(pieces) + 1), 2))
            yield from ("".join(pieces[i:j:step]) for i, j in spans for step in (1, 2))
            pieces = [word[0] if word.endswith("ed") else ""]


def numeral_of(word: str) -> str:
    """The number of a thing or of a generation: digits, also those of a Roman numeral, "jr", or nothing."""
    return str(roman_number(word.lower()) or word.lower()) if _NUMERAL.fullmatch(word) else ""


def _by_letter(words: Iterable[str]) -> dict[str, list[str]]:
    by_letter: dict[str, list[str]] = {}
    for word in words:
        if len(bucket := by_letter.setdefault(word[:1], [])) < _BUCKET:
            bucket.append(word)
    return by_letter


def _read_names(text: str, i: int, index: NameIndex, short: set[str]) -> None:
    """Add the words of names, and what stands together in one."""
    run: list[_Word] = []
    end = 0
    for m in TOKEN.finditer(text):
        token, (start, stop) = m.group(), m.span()
        word = folded(token)
        apart = 1 < start - end < _LONGEST_GAP and APART.search(text, end, start) is not None
        longest = _LONGEST_LIST if apart else _LONGEST_RUN
        ended = text[end : end + 1] == "." and run and not (is_short(run[-1].letters) or "." in text[run[-1].start : end])
        if run and (ended or not (start - end < _LONGEST_GAP and len(run) < longest and _JOINT.fullmatch(text, end, start))):
            _add_run(text, i, index, run)
            run = []
        if run or word not in LEADS or text.startswith(ROYAL, stop):
            place = (i, start, stop)
            compass = COMPASS_PLACES.get(f"{run[-1].letters} {word}") if run and start - end < NEAR - 1 else None
            if compass:
                index.capitals.setdefault(compass, (i, run[-1].start, stop))
            else:
                _add_word(token, word, place, index)
                if state := state_of(token, text[start - 2 : start] == ", ", text[stop : stop + 6]):
                    index.capitals.setdefault(state, place)
            if (not token.isalpha() and CUT.search(token)) or (text[stop : stop + 1] == "." and _STOP.match(text, stop)):
                short.add(word)
            if token[1:] and not token[-1].islower() and (len(word) > 2 or not _CITED.search(text, max(0, start - 3), stop + 2)):
                index.acronyms.update(acronyms(token))
            if is_initials(token, word) and text[stop + 1 : stop + 2].isupper():
                run += [_Word(letter, start, stop) for letter in word]
            else:
                run.append(_Word(word, start, stop, apart))
        end = stop
    _add_run(text, i, index, run)


def _add_word(token: str, word: str, place: Place, index: NameIndex) -> None:
    index.capitals.setdefault(word, place)
    if not token.isascii():
        for spelling in spellings(token):
            index.capitals.setdefault(spelling, place)
    if "-" in token or ("." in token and len(word) > NEAR):
        for piece in re.split("[-.]", token):
            index.capitals.setdefault(folded(piece), place)


def _add_run(text: str, i: int, index: NameIndex, run: list[_Word]) -> None:
    if len(run) < 2:
        return
    whole = list(_with_small(text, run))
    for words in (run, whole) if len(whole) > len(run) else (run,):
        index.initials.update(letters for letters, _ in initials([w.letters for w in words]))
    if len(run) == 2 and run[1].apart and text[run[0].end] == ",":
        # "Smith, John"
        _add_pair(run[1], run[0], (i, run[0].start, run[1].end), index)
    # "Justice Department" for "DOJ"
    index.initials.update(f"do{a.letters[:1]}" for a, b in pairwise(run) if b.letters == "department")
    names = [w for w in run if w.letters not in FORMS and w.letters not in SUFFIXES]
    for j, first in enumerate(names):
        if first.letters in COMPASS and names[j + 1 : j + 2] and names[j + 1].apart and names[j + 1].letters in COMPASS:
            # "North and South Carolina"
            for last in takewhile(lambda word: not word.apart, names[j + 2 : j + 1 + NEAR]):
                _add_pair(first, last, (i, first.start, last.end), index)
        for last in names[j + 1 : j + NEAR]:
            if last.apart:
                index.pairs.setdefault((f"{first.letters}&", last.letters), (i, first.start, last.end))
                break
            _add_pair(first, last, (i, first.start, last.end), index)


def _add_pair(first: _Word, last: _Word, place: Place, index: NameIndex) -> None:
    index.pairs.setdefault((first.letters, last.letters), place)
    index.pairs.setdefault((f"{first.letters[:1]}.", last.letters), place)


def _with_small(text: str, run: list[_Word]) -> Iterator[_Word]:
    """The words of a name with the small ones between."""
    end = run[0].start
    for word in run:
        if word.start - end > 1:
            yield from (_Word(m.group(), *m.span()) for m in WORD.finditer(text, end, word.start))
        yield word
        end = word.end


def _read_letters(text: str, index: NameIndex) -> None:
    """Add things with a letter, and circuits."""
    for m in _LABELLED.finditer(text):
        theirs, first, number = index.letters.setdefault(stem(folded(m[1])), set()), "", m["number"] or m["letters"]
        for letter in _SPAN.finditer(m["letters"] or ""):
            theirs.update(map(chr, range(ord(first or letter[1]), ord(letter[1]) + 1)))
            first = letter[1] if len(letter.group()) > 1 else ""
        theirs.add(numeral_of(number))
        if m["no"] or numeral_of(number) != number:
            theirs.add(f"={numeral_of(number)}")
    for m in _CIR.finditer(text):
        words = _ORDINAL.findall(text, max(0, m.start() - _WINDOW), m.start())
        index.circuits.update(filter(None, map(ordinal_of, words if m[1] else words[-1:])))
