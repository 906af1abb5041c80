"""Names of sources, to look up the names of an answer in them, whatever their spelling."""

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from groundscope.runtime.byte_cache import keep
from groundscope.text.english import is_english
from groundscope.text.name_spelling import (
    ABBREVIATIONS,
    FORMS,
    LONGEST_INITIALS,
    SMALL,
    NameWord,
    folded,
    initials,
    one_word,
    spellings,
)
from groundscope.text.items import Item
from groundscope.text.names import ALSO_NAMES, CIRCUITS, INSTITUTIONS, LEADS, NO_NAMES, TITLES, TOKEN, has_title, starts_sentence

Place = tuple[int, int, int]
"""Index of a text, start and end in it."""


class NameLookup(NamedTuple):
    """What sources say of a name: whether they have it, what a reader should know of that, and where it stands."""

    stands: bool
    note: str = ""
    place: Place | None = None


_ORDINALS = {short.rstrip("."): name for name, short in CIRCUITS.items()} | {"2nd": "second", "3rd": "third", "d.c": "dc", "dc": "dc"}
_CIRCUIT = re.compile(r"\b([A-Za-z0-9]{1,8}|D\.\s?C\.?)\.?\s?cir(?:cuits?\b|\.)", re.IGNORECASE)
_RUN = re.compile(r"[^\W_]+")
_JOINT = re.compile(r"\.?\s(?:[a-z]{1,4}\.?\s(?:the\s|la\s|der\s)?|&\s)?|-|\.?,\s(?:and\s)?")
_APART = re.compile(r",|&|\band\b|\bvs?\b|\bet\b")
_LETTER = re.compile(r"\b([A-Za-z]{3,24})\s([A-Z])\Z")
_SINGLE = re.compile(r"(?<=[ (/–-])[A-Z](?![\w'’]|\.\w)")
_LABELLED = re.compile(
    r"\b([A-Za-z]{3,24})\s((?:[A-Z](?:,\s|,?\s(?:and|or|&)\s|\s?/\s?)){0,20})(?:([A-Z])(?:\s?[-–]\s?|\s(?:to|through)\s))?\Z"
)
_CIR = re.compile(r"\b[Cc]ir(?:cuit(s?)\b|\.)")
_ORDINAL = re.compile(r"\b([A-Za-z0-9]{2,8}|D\.\s?C)\b")
_CITED = re.compile(r"\d\s?\(?[A-Z.]{2,4}|[A-Z.]{2,4}\s\d")
"""A reporter or a court in a citation, which two letters are too few to tell from a name."""
_CUT = re.compile(r"\w['’](?!s\Z)\w")
_WINDOW = 60
_LONGEST_GAP = 16
_LONGEST_RUN = 12
_LONGEST_NAME = 200
_LONGEST_WORD = 24
_COMPASS = frozenset("north south east west new northern southern eastern western".split())
_GENERATIONS = frozenset("jr sr esq ii iii iv".split())
_LONGEST_ACRONYM = 10
_NEAR = 4
"""Words of one name stand at most so far apart."""
_BUCKET = 400
"""Words of one first letter that an abbreviation is compared with."""
_GIVEN_NAMES = frozenset(
    "adam andrew daniel david edward jacob john mark matthew michael owen peter philip phillip richard robert roger simon stephen "
    "steven william".split()
)
"""First names of which other names look like plurals."""
_PEOPLES = (
    "uk britain british england english gb kingdom", "us usa america american americans states", "france french",
    "spain spanish", "netherlands dutch holland", "switzerland swiss", "ireland irish", "wales welsh", "scotland scottish scots",
    "poland polish", "turkey turkish türkiye", "greece greek", "denmark danish", "sweden swedish", "germany german germans",
    "china chinese", "japan japanese", "portugal portuguese", "europe european europeans eu", "finland finnish", "thailand thai",
    "iceland icelandic", "canada canadian", "mexico mexican", "italy italian", "austria austrian", "australia australian",
    "belgium belgian", "brazil brazilian", "india indian", "russia russian", "ukraine ukrainian", "norway norwegian", "iraq iraqi",
    "iran iranian", "israel israeli", "korea korean", "hungary hungarian", "cuba cuban", "chile chilean", "colombia colombian",
    "africa african", "asia asian", "egypt egyptian", "vietnam vietnamese", "argentina argentine argentinian", "peru peruvian",
    "california californian", "texas texan", "florida floridian", "virginia virginian", "georgia georgian", "alaska alaskan",
    "hawaii hawaiian", "puerto rican", "paris parisian", "rome roman", "venezuela venezuelan", "pakistan pakistani",
)  # fmt: skip
"""Countries and their people."""
_SAME_PLACE = {word: group.split() for group in _PEOPLES for word in group.split()}
_DEFINED = re.compile(
    r"\((?:(?:the|an?|each|or|as|together|collectively|individually|hereinafter|hereafter|referred|to|defined|called|this|its),?\s"
    r"){0,6}(?:[\"“']\s?(?P<quoted>[^\"“”()\n]{1,60}?)[,.]?\s?[\"”']|(?P<letters>[A-Z][A-Za-z&.]{0,6}[A-Z]\.?))(?=[\s,;)]|\Z)"
)
_LAST_WORDS = re.compile(r"[^\W_]+(?:[.'’&-]{1,2}[^\W_]+)*")


class ContextNames(NamedTuple):
    """The names of a context.

    Attributes:
        plain: words that stand in lower case.
        capitals: words of names, and where they stand first.
        pairs: words that stand near each other in one name, in their order.
        leading: names in which a word has another after it.
        closing: names in which a word has another before it.
        initials: of words of one name that stand together.
        letters: things with a letter ("class", "C").
    """

    texts: tuple[str, ...]
    plain: frozenset[str]
    capitals: Mapping[str, Place]
    acronyms: Mapping[str, Place]
    pairs: Mapping[tuple[str, str], Place]
    leading: Mapping[str, Place]
    closing: Mapping[str, Place]
    initials: Mapping[str, Place]
    letters: Mapping[tuple[str, str], Place]
    circuits: Mapping[str, Place]
    short: Mapping[str, tuple[str, ...]]
    full: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, texts: Iterable[str]) -> "ContextNames":
        """Index texts; linear in their length."""
        return _indexed(tuple(texts))

    def look_up_item(self, text: str, item: Item, defined: Mapping[str, str] | None = None) -> NameLookup:
        """Look up a name of a text (`read_names`); `defined` is what that text itself calls names (`definitions`)."""
        start, name = item.start, text[item.start : item.end]
        return self.look_up(name, starts_sentence(text, start), has_title(text, start), defined)

    def look_up(
        self, name: str, sentence_start: bool = False, titled: bool = False, defined: Mapping[str, str] | None = None
    ) -> NameLookup:
        """Look a name up.

        Args:
            name: as it stands in the answer.
            sentence_start: whether a sentence begins with it, so that the first capital says nothing.
            titled: whether a title stands before it, so that a word without a capital is another.
            defined: short forms that the answer itself defines, and the names that they stand for.
        """
        lookup = self._look_up(name, sentence_start, titled)
        full = (defined or {}).get(_key(name))
        if not lookup.stands and full is not None and full != name:
            antecedent = self._look_up(full, False, False)
            if antecedent.stands:
                return antecedent._replace(note=f"the answer's short form of {full}")
        return lookup

    def _look_up(self, name: str, sentence_start: bool, titled: bool) -> NameLookup:
        if (circuit := _CIRCUIT.search(name)) and (ordinal := _ordinal(circuit[1])):
            place = self.circuits.get(ordinal)
            return NameLookup(place is not None, "", place)
        if label := _LETTER.search(name):
            place = self.letters.get((_singular(label[1].casefold()), label[2]))
            return NameLookup(place is not None, "", place)
        whole = list(_parts(name))
        parts = _untitled(whole)
        if len(parts) < len(whole):
            titled = True
            if places := self._by_initials(whole):
                return NameLookup(True, "", next(iter(places.values())))
        if all(p.word in NO_NAMES or (p.word in TITLES and not titled) for p in parts):
            return NameLookup(True)
        places = self._by_initials(parts) | self._by_joining(parts)
        lenient = name.isupper() and len(parts) > 2
        opens = sentence_start and len(parts) > 1 and _may_open(parts)
        for i, part in enumerate(parts):
            if i in places or part.word in FORMS or (i and part.word in _GENERATIONS) or part.word in SMALL or len(part.word) < 2:
                continue
            stands, place = self._word(part, titled and len(parts) == 1)
            if not stands and i < len(parts) - 1:
                place = self.pairs.get((part.word[:1], parts[-1].word))
            if not (stands or place or (lenient and is_english(part.word)) or (i == 0 and opens)):
                return NameLookup(False)
            if place:
                places[i] = place
        if other := self._recombined(parts):
            return NameLookup(False, other)
        return NameLookup(True, "", self._together(parts) or next(iter(places.values()), None))

    def _word(self, part: "_Part", capital: bool) -> tuple[bool, Place | None]:
        """Whether a word of a name stands in the sources, where asked for with a capital."""
        for word in spellings(part.text):
            if place := self.capitals.get(word):
                return True, place
            if not capital and word in self.plain:
                return True, self._find(part.text)
            if place := self._other_form(word, part, capital):
                return True, place
        pieces = part.text.split("-")
        if len(pieces) > 1 and all(len(p) < 2 or self._piece(p, capital) for p in pieces):
            return True, self.capitals.get(folded(pieces[0]))
        return False, None

    def _piece(self, piece: str, capital: bool) -> bool:
        return (piece.islower() and (len(piece) <= _NEAR - 1 or is_english(piece))) or self._word(_Part(piece, folded(piece)), capital)[0]

    def _other_form(self, word: str, part: "_Part", capital: bool) -> Place | None:
        """A plural, a country's people, initials, an abbreviation."""
        for other in _numbers_of(word) - TITLES:
            if other in self.capitals:
                return self.capitals[other]
            if not capital and other in self.plain and is_english(other):
                return self._find(other)
        for letters in _acronyms(part.text):
            if letters in self.initials:
                return self.initials[letters]
        for other in _SAME_PLACE.get(word, ()):
            if other in self.capitals:
                return self.capitals[other]
        for i in range(2, len(word) - 1 if len(word) < _LONGEST_WORD else 0):
            if (word[:i], word[i:]) in self.pairs:
                return self.pairs[word[:i], word[i:]]
        short = part.short or word in ABBREVIATIONS
        for other in (self.full if short else self.short).get(word[:1], ()):
            if not part.alone and other not in _numbers_of(word) and one_word(NameWord(word, short), NameWord(other, not short)):
                return self.capitals.get(other)
        return None

    def _by_initials(self, parts: list["_Part"]) -> dict[int, Place]:
        """The words of a name whose initials stand in the sources, by their places in the name."""
        places: dict[int, Place] = {}
        for left_out in (frozenset[str](), SMALL, SMALL | FORMS):
            words = [(i, p.word) for i, p in enumerate(parts) if p.word and p.word not in left_out]
            for letters, span in initials([word for _, word in words]):
                if place := self.acronyms.get(letters):
                    places |= {words[i][0]: place for i in span}
        return places

    def _by_joining(self, parts: list["_Part"]) -> dict[int, Place]:
        """Two words of a name that the sources write as one ("Wal Mart")."""
        places: dict[int, Place] = {}
        for i, (a, b) in enumerate(itertools.pairwise(parts)):
            if len(a.word) > 1 and len(b.word) > 1 and (place := self.capitals.get(a.word + b.word)):
                places |= {i: place, i + 1: place}
        return places

    def _recombined(self, parts: list["_Part"]) -> str:
        """What the sources have where they have the first and the last word of a name in two other names only."""
        for segment in _segments(parts):
            words = [p.word for p in segment if p.word not in FORMS | _GENERATIONS]
            if not 2 <= len(words) <= _NEAR - 1 or not all(self._personal(w) for w in (words[0], words[-1])):
                continue
            first, last = words[0], words[-1]
            if any(self._near(w, last) or (w[:1] if len(w) > 1 else f"{w}.", last) in self.pairs for w in words[:-1]):
                continue
            before, after = self.closing.get(last), self.leading.get(first)
            if before and (after or len(first) == 1):
                return f"the sources have {' and '.join(self._text(p) for p in (after, before) if p)}"
        return ""

    def _near(self, a: str, b: str) -> bool:
        """Whether two words, in one number or the other, stand in one name."""
        return any((x, y) in self.pairs or (y, x) in self.pairs for x in {a, *_numbers_of(a)} for y in {b, *_numbers_of(b)})

    def _personal(self, word: str) -> bool:
        return word not in self.plain and not any(word in others for others in (NO_NAMES, INSTITUTIONS, FORMS))

    def _together(self, parts: list["_Part"]) -> Place | None:
        words = [p.word for p in parts if len(p.word) > 1 and p.word not in SMALL]
        places = [place for pair in itertools.pairwise(words) if (place := self.pairs.get(pair))]
        return (
            (*places[0][:2], max(places[0][2], places[-1][2]))
            if places and places[0][0] == places[-1][0] and 0 < places[-1][2] - places[0][1] < _LONGEST_NAME
            else None
        )

    def _find(self, word: str) -> Place | None:
        pattern = re.compile(rf"\b{re.escape(word)}", re.IGNORECASE)
        for i, text in enumerate(self.texts):
            if m := pattern.search(text):
                return i, m.start(), m.end()
        return None

    def _text(self, place: Place) -> str:
        return " ".join(self.texts[place[0]][place[1] : place[2]].split())


class _Part(NamedTuple):
    text: str
    word: str
    short: bool = False
    apart: bool = False
    alone: bool = False


def definitions(text: str) -> dict[str, str]:
    """What a text itself calls a name in brackets ('Acme Holdings, Inc. ("Acme")'): short form, folded, and the words before it."""
    defined: dict[str, str] = {}
    for m in _DEFINED.finditer(text):
        term = m["quoted"] or m["letters"]
        before = text[max(0, m.start() - 160) : m.start()]
        words = list(_LAST_WORDS.finditer(before))[-12:]
        if words and (full := _antecedent(_key(term), before, words)):
            defined.setdefault(_key(term), full)
    return defined


def _antecedent(term: str, before: str, words: list[re.Match[str]]) -> str:
    """The words before a bracket that it abbreviates: those whose initials it is, else the last name, else the last word."""
    letters = term.replace(" ", "")
    for i in range(len(words) - 1, -1, -1):
        firsts = [folded(w.group()) for w in words[i:]]
        if letters in ("".join(w[:1] for w in firsts), "".join(w[:1] for w in firsts if w not in SMALL)) and len(firsts) > 1:
            return before[words[i].start() :].strip(" ,")
    first = len(words) - 1
    while first > 0 and (words[first - 1].group()[:1].isupper() or words[first - 1].group().casefold() in SMALL | FORMS):
        first -= 1
    while first < len(words) - 1 and not words[first].group()[:1].isupper():
        first += 1
    return before[words[first].start() :].strip(" ,")


def _key(name: str) -> str:
    return " ".join(filter(None, (folded(w) for w in name.split() if folded(w) not in LEADS)))


def _parts(name: str) -> Iterator[_Part]:
    """The words of a name; initials each for itself in "J.K. Rowling", as one word in "S.E.C."."""
    end = 0
    for m in TOKEN.finditer(name):
        apart = bool(_APART.search(name, end, m.start()))
        yield from (_Part(w, w if len(w) > 1 else "") for w in _RUN.findall(name[end : m.start()]) if w in SMALL)
        end, word = m.end(), folded(m.group())
        if "." in m.group() and name[end:].strip() and word not in FORMS and len(word) < _NEAR:
            yield from (_Part(letter, letter, apart=apart and letter == word[0]) for letter in word)
        else:
            abbreviated = name[end : end + 1] == "." or bool(_CUT.search(m.group()))
            yield _Part(m.group(), word, abbreviated, apart)


def _untitled(parts: list[_Part]) -> list[_Part]:
    """A name without titles; "King" after a title is a name."""
    start = 0
    while (
        start < len(parts) - 1
        and parts[start].word in TITLES
        and (start + 2 < len(parts) or parts[start + 1].word not in TITLES - ALSO_NAMES)
    ):
        start += 1
    rest = parts[start:]
    return [rest[0]._replace(alone=True)] if len(rest) == 1 else rest


def _may_open(parts: list[_Part]) -> bool:
    """Whether the first of several words may have its capital from the sentence only."""
    first = parts[0].word
    return is_english(first) and first not in _COMPASS and not any(p.word in FORMS for p in parts)


def _acronyms(text: str) -> tuple[str, ...]:
    """What a word may be the initials of: "SEC", "SECs", "ECtHR"."""
    letters = text.removesuffix("s") if text[:-1].isupper() else text
    capitals = "".join(filter(str.isupper, letters))
    if len(capitals) < 2 or len(letters) > _LONGEST_ACRONYM or len(capitals) * 2 <= len(folded(letters)):
        return ()
    return tuple(dict.fromkeys((folded(letters), capitals.casefold())))


def _segments(parts: list[_Part]) -> Iterator[list[_Part]]:
    segment: list[_Part] = []
    for part in parts:
        if (part.apart or part.word in SMALL) and segment:
            yield segment
            segment = []
        if part.word not in SMALL:
            segment.append(part)
    yield segment


def _ordinal(word: str) -> str:
    word = word.casefold().replace(" ", "").rstrip(".")
    return word if word in CIRCUITS else _ORDINALS.get(word, "")


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    return (
        word.removesuffix("es")
        if word.endswith(("sses", "xes", "ches"))
        else word.removesuffix("s")
        if not word.endswith("ss")
        else word
    )


def _numbers_of(word: str) -> set[str]:
    """Singular and plural of a word; "Williams" is no plural."""
    if len(word) < 3:
        return set()
    forms = {word + "s", word + "es"} if word not in _GIVEN_NAMES else set()
    if word.endswith("s") and word[:-1] not in _GIVEN_NAMES and len(word) > 3:
        forms |= {word[:-1], *({word[:-2]} if word.endswith("es") else ())}
    if word.endswith("ies"):
        forms.add(word[:-3] + "y")
    if word.endswith("y"):
        forms.add(word[:-1] + "ies")
    return forms


@keep(8)
def _indexed(texts: tuple[str, ...]) -> ContextNames:
    """Responses to one question share their context."""
    index = ContextNames(texts, frozenset(), {}, {}, {}, {}, {}, {}, {}, {}, {}, {})
    plain, short = set[str](), set[str]()
    for i, text in enumerate(texts):
        letters = text if text.isascii() else _unmarked(text)
        plain |= {w for w in set(_RUN.findall(letters)) if w.islower()}
        _read_names(text, i, index, short)
        _read_letters(text, i, index)
    few, full = dict[str, list[str]](), dict[str, list[str]]()
    for word in index.capitals:
        if word in short or word in ABBREVIATIONS:
            few.setdefault(word[:1], []).append(word)
        full.setdefault(word[:1], []).append(word)
    return index._replace(
        plain=frozenset(plain),
        short={letter: tuple(words[:_BUCKET]) for letter, words in few.items()},
        full={letter: tuple(words[:_BUCKET]) for letter, words in full.items()},
    )


def _read_names(text: str, i: int, index: ContextNames, short: set[str]) -> None:
    """Add the words of names, and what stands together in one."""
    run: list[tuple[str, int, int, bool]] = []
    end = 0
    for m in TOKEN.finditer(text):
        start, stop = m.span()
        token = m.group()
        word = folded(token)
        if run and not (start - end < _LONGEST_GAP and _JOINT.fullmatch(text, end, start) and len(run) < _LONGEST_RUN):
            _read_run(text, i, index, run)
            run = []
        if word not in LEADS or run:
            place = (i, start, stop)
            index.capitals.setdefault(word, place)
            if not token.isascii():
                for spelling in spellings(token):
                    index.capitals.setdefault(spelling, place)
            if "-" in token:
                for piece in token.split("-"):
                    index.capitals.setdefault(folded(piece), place)
            if _CUT.search(token) or (
                len(word) > 1 and text[stop : stop + 1] == "." and text[stop + 1 : stop + 3].strip().islower()
            ):
                short.add(word)
            if token.isupper() and (len(word) > 2 or (len(word) == 2 and not _CITED.search(text, max(0, start - 3), stop + 2))):
                index.acronyms.setdefault(word, place)
            if "." in token and word not in FORMS and len(word) < _NEAR and text[stop + 1 : stop + 2].isupper():
                run += [(letter, start, stop, False) for letter in word]
            else:
                run.append((word, start, stop, bool(_APART.search(text, end, start))))
        end = stop
    _read_run(text, i, index, run)


def _read_run(text: str, i: int, index: ContextNames, run: list[tuple[str, int, int, bool]]) -> None:
    if len(run) < 2:
        return
    words = [word for word, *_ in run]
    for letters, span in initials(words):
        index.initials.setdefault(letters, (i, run[span[0]][1], run[span[-1]][2]))
    between = [(w[:1], s, e) for w, s, e in _all_words(text, run)]
    if len(between) > len(run):
        for letters, span in initials([w for w, *_ in between]):
            index.initials.setdefault(letters, (i, between[span[0]][1], between[span[-1]][2]))
    for j, (word, start, _, _) in enumerate(run):
        for k in range(j + 1, min(len(run), j + _NEAR)):
            if run[k][3]:
                # "Smith, John"
                if k == 1 and len(run) == 2 and text[run[0][2]] == ",":
                    place = (i, start, run[1][2])
                    index.pairs.setdefault((run[1][0], word), place)
                    index.leading.setdefault(run[1][0], place)
                    index.closing.setdefault(word, place)
                break
            place = (i, start, run[k][2])
            index.pairs.setdefault((word, run[k][0]), place)
            index.pairs.setdefault((f"{word[:1]}.", run[k][0]), place)
            index.leading.setdefault(word, place)
            index.closing.setdefault(run[k][0], place)


def _all_words(text: str, run: list[tuple[str, int, int, bool]]) -> Iterator[tuple[str, int, int]]:
    end = run[0][1]
    for word, start, stop, _ in run:
        if start - end > 1:
            yield from ((m.group(), end + m.start(), end + m.end()) for m in _RUN.finditer(text[end:start]))
        yield word, start, stop
        end = stop


def _read_letters(text: str, i: int, index: ContextNames) -> None:
    """Add things with a letter, and circuits."""
    for m in _SINGLE.finditer(text):
        label = _LABELLED.search(text[max(0, m.start() - _WINDOW) : m.start()])
        if label and m.group() != "I":
            start = max(0, m.start() - len(label.group()))
            for code in range(ord(label[3] or m.group()), ord(m.group()) + 1):
                index.letters.setdefault((_singular(label[1].casefold()), chr(code)), (i, start, m.end()))
    for m in _CIR.finditer(text):
        before = text[max(0, m.start() - _WINDOW) : m.start()]
        words = _ORDINAL.findall(before) if m[1] else _ORDINAL.findall(before)[-1:]
        for ordinal in filter(None, map(_ordinal, words)):
            index.circuits.setdefault(ordinal, (i, max(0, m.start() - len(ordinal) - 1), m.end()))


def _unmarked(text: str) -> str:
    text = unicodedata.normalize("NFKD", text)
    return "".join(c for c in text if not unicodedata.combining(c))
