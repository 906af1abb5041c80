"""Names of sources, to look up the names of an answer in them, whatever their spelling."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from string import ascii_lowercase
from typing import NamedTuple

from groundscope.text.english import is_also_name, is_english
from groundscope.text.name_index import (
    APART,
    CUT,
    NEAR,
    WORD,
    NameIndex,
    Place,
    name_index,
    numeral_of,
    ordinal_of,
    phrase_initials,
)
from groundscope.text.name_spelling import (
    ABBREVIATIONS,
    COMPASS,
    COMPASS_NAMES,
    COMPASS_PLACES,
    FORMS,
    SMALL,
    SUFFIXES,
    NameWord,
    acronyms,
    folded,
    initials,
    is_initials,
    one_word,
    spellings,
    state_of,
)
from groundscope.text.names import (
    ALSO_NAMES,
    INSTITUTIONS,
    LEADS,
    NO_NAMES,
    OFFICES,
    PROVISIONS,
    TITLES,
    TOKEN,
    Item,
    has_article,
    has_title,
    starts_sentence,
    titles_before,
)
from groundscope.text.values.measures import stem


class NameLookup(NamedTuple):
    """What sources say of a name: whether they have it, and what they have instead, and where."""

    stands: bool
    note: str = ""
    place: Place | None = None


_CIRCUIT = re.compile(r"\b([A-Za-z0-9]{1,8}|D\.\s?C\.?)(?:\.\s?|\s)cir(?:cuits?\b|\.)", re.IGNORECASE)
_LETTER = re.compile(r"\b([A-Za-z]{3,24})\s([A-Z])\Z")
_NOT_PERSONAL = NO_NAMES | INSTITUTIONS | FORMS
_NEEDLESS = SMALL | FORMS
_LONGEST_WORD = 24
_NUMBERED = re.compile(r"\b([^\W\d_]+)\s(\d{1,6})\Z")
_DISTRICTS = COMPASS | frozenset("central middle n s e w c m".split())
_FIELDS = frozenset("justice state".split())
"""What an office is of, although each word alone names nothing."""
_COMPANIES = FORMS | frozenset("capital enterprises group holdings industries partners properties systems ventures".split())
_SAME = {
    word: group.split()
    for group in """
uk britain british england english gb kingdom | us usa america american americans states | france french | spain spanish |
netherlands dutch holland | switzerland swiss | ireland irish | wales welsh | scotland scottish scots | poland polish | turkey
turkish türkiye | greece greek | denmark danish | sweden swedish | germany german germans | china chinese | japan japanese |
portugal portuguese | europe european europeans eu | finland finnish | thailand thai | iceland icelandic | canada canadian |
mexico mexican | italy italian | austria austrian | australia australian | belgium belgian | brazil brazilian | india indian |
russia russian | ukraine ukrainian | norway norwegian | iraq iraqi | iran iranian | israel israeli | korea korean | hungary
hungarian | cuba cuban | chile chilean | colombia colombian | africa african | asia asian | egypt egyptian | vietnam vietnamese
| argentina argentine argentinian | peru peruvian | california californian | texas texan | florida floridian | virginia
virginian | georgia georgian | alaska alaskan | hawaii hawaiian | puerto rican | paris parisian | rome roman | venezuela
venezuelan | pakistan pakistani | william bill | robert bob rob | richard dick rick | james jim | john jack | theodore ted |
nicholas nick | patricia pat | michael mike | eugene gene | margaret peggy | elizabeth beth betty | department dept
""".split("|")
    for word in group.split()
}
"""Countries and their people, short forms of first names, and other words for one thing."""
_DEFINED = re.compile(
    r"\((?:(?:the|an?|each|or|as|together|collectively|individually|hereinafter|hereafter|referred|to|defined|called|this|its),?\s"
    r"){0,6}(?:[\"“']\s?(?P<quoted>[^\"“”()\n]{1,60}?)[,.]?\s?[\"”']|(?P<letters>[A-Z][A-Za-z&.]{0,6}[A-Z]\.?))(?=[\s,;)]|\Z)"
)
_LAST_WORDS = re.compile(r"[^\W_]+(?:[.'’&-]{1,2}[^\W_]+)*")


class ContextNames(NameIndex):
    """The names of a context, to look up those of an answer."""

    __slots__ = ()

    @classmethod
    def of(cls, texts: Iterable[str]) -> "ContextNames":
        """Index texts; linear in their length."""
        return cls(*name_index(tuple(texts)))

    def look_up_item(self, text: str, item: Item, defined: Mapping[str, str] | None = None) -> NameLookup:
        """Look up a name of a text (`read_names`); `defined` is what that text itself calls names (`definitions`)."""
        start, name = item.start, text[item.start : item.end]
        lookup = self._look_up(name, starts_sentence(text, start), has_title(text, start), has_article(text, start))
        full = (defined or {}).get(_key(name))
        if not lookup.stands and full is not None and full != name:
            antecedent = self._look_up(full)
            if antecedent.stands:
                return antecedent._replace(note=f"the answer's short form of {full}")
        return lookup

    def has_number(self, text: str, start: int, end: int) -> bool:
        """Whether a number of a text is in the sources that of the same thing, in Roman or Arabic numerals ("Fund III")."""
        m = _NUMBERED.search(text, max(0, start - _LONGEST_WORD), end)
        return m is not None and start <= m.start(2) and f"={m[2]}" in self.letters.get(stem(folded(m[1])), ())

    def _look_up(self, name: str, opens: bool = False, titled: bool = False, article: bool = False) -> NameLookup:
        """Look up a name that may open a sentence, so that its capital says nothing, or have a title or "the" before it."""
        if (circuit := _CIRCUIT.search(name)) and (ordinal := ordinal_of(circuit[1])):
            return NameLookup(ordinal in self.circuits)
        if label := _LETTER.search(name):
            theirs = self.letters.get(stem(folded(label[1])), set())
            # "Smith J" is a judge in England, and "I" may be the next word.
            if label[2] not in "IJ" or theirs:
                return NameLookup(not theirs.isdisjoint((label[2], numeral_of(label[2]) or label[2])))
            return self._look_up(name[:-2], opens, True)
        whole = list(_parts(name))
        parts = whole[titles_before([p.word for p in whole]) :]
        if len(parts) < len(whole):
            titled = True
            if self._by_initials(whole):
                return NameLookup(True)
        words = {p.word for p in whole}
        if words & OFFICES and (field := next(iter(words & _FIELDS), "")) and not self._has_office(whole, field):
            return NameLookup(False)
        if all(p.word in NO_NAMES or (p.word in TITLES - ALSO_NAMES and not titled) for p in parts):
            return NameLookup(True)
        standing = self._by_initials(parts) | self._by_joining(parts)
        lenient = name.isupper() and len(parts) > 2
        if opens and len(parts) > 1 and is_english(first := parts[0].word) and not is_also_name(first) and first not in COMPASS:
            # "Zenith Holdings" is a name with its first word.
            standing |= set[int]() if words & _COMPANIES else {0}
        for i, part in enumerate(parts):
            if (len(parts) - 1 not in standing and self._is_elsewhere(parts[i:])) or self._is_other(parts, i):
                return NameLookup(False)
            after_first = i and (part.word in SUFFIXES or part.word in TITLES or numeral_of(part.text))
            needless = len(part.word) < 2 or part.word in _NEEDLESS or after_first or (lenient and is_english(part.word))
            shortened = i < len(parts) - 1 and (part.word[:1], parts[-1].word) in self.pairs
            if i in standing or needless or shortened or self._has(part, titled and len(parts) == 1, article):
                continue
            standing |= self._by_abbreviations(parts)
            if i not in standing:
                return NameLookup(False)
        return self._recombined(parts) or NameLookup(True)

    def _has_office(self, parts: list["_Part"], field: str) -> bool:
        """Whether the sources have an office with what it is of: its initials, in one name, or in small letters."""
        if field in (parts[i].word for i in self._by_initials(parts)):
            return True
        offices = {office for p in parts if p.word in OFFICES for office in (p.word, *_SAME.get(p.word, ()))}
        # "DOJ" for "Justice Department"
        return any(
            f"{office[0]}o{field[0]}" in self.acronyms or self._near(office, field) or {office, field} <= self.plain
            for office in offices
        )

    def _has(self, part: "_Part", capital: bool, article: bool = False) -> bool:
        """Whether a word of a name stands in the sources, where asked for with a capital."""
        for word in spellings(part.text):
            if word in self.capitals or (word in self.plain and not capital) or self._has_form(word, part, capital, article):
                return True
        pieces = part.text.split("-")
        return len(pieces) > 1 and all(len(p) < 2 or self._has_piece(p, capital) for p in pieces)

    def _has_piece(self, piece: str, capital: bool) -> bool:
        small = piece.islower() and (len(piece) < NEAR or is_english(piece))
        return small or (piece.isdecimal() and piece in self.plain) or self._has(_Part(piece, folded(piece)), capital)

    def _has_form(self, word: str, part: "_Part", capital: bool, article: bool) -> bool:
        """A plural, a country's people, initials, two words in one."""
        if any(self._has_number(word, n, capital, article) for n in _numbers_of(word) - TITLES):
            return True
        if any(a in self.initials or (len(a) > 2 and a in phrase_initials(self.texts)) for a in acronyms(part.text)):
            return True
        if any(w in self.capitals for w in _SAME.get(word, ())):
            return True
        if (state := state_of(part.text, True, ".")) and state in self.capitals:
            return True
        cuts = range(2, len(word) - 1 if len(word) < _LONGEST_WORD else 0)
        return any((word[:i], word[i:]) in self.pairs for i in cuts)

    def _has_number(self, word: str, other: str, capital: bool, article: bool) -> bool:
        """Whether the other number of a word stands in the sources: of a family only with an article ("the Smiths")."""
        if not capital and is_english(min(word, other, key=len)):
            return other in self.capitals or (other in self.plain and is_english(other))
        place = self.capitals.get(other)
        return place is not None and (article if len(word) > len(other) else has_article(self.texts[place[0]], place[1]))

    def _by_abbreviations(self, parts: list["_Part"]) -> set[int]:
        """The words of a name that the sources have abbreviated, or whole, beside another word of it."""
        there = [(i, p) for i, p in enumerate(parts) if p.word and p.word not in _NEEDLESS]
        forms = [(i, p.word if len(p.word) > 1 else f"{p.word}.", self._abbreviations(p)) for i, p in there]
        return {
            i
            for (i, _, short), (j, word, others) in itertools.permutations(forms, 2)
            if abs(i - j) <= NEAR and any(self._near(a, b, "&") for a in short for b in (word, *others))
        }

    def _abbreviations(self, part: "_Part") -> list[str]:
        """Some words of the sources that one abbreviates, or that abbreviate it."""
        short = part.short or part.word in ABBREVIATIONS
        others = (self.full if short else self.short).get(part.word[:1], ())
        numbers = {part.word, *_numbers_of(part.word)}
        same = (o for o in others if o not in numbers and one_word(NameWord(part.word, short), NameWord(o, not short)))
        return list(itertools.islice(same, NEAR))

    def _by_initials(self, parts: list["_Part"]) -> set[int]:
        """The words of a name whose initials stand in the sources, by their places in the name."""
        places = set[int]()
        for left_out in (frozenset[str](), SMALL, SMALL | FORMS):
            there = [i for i, p in enumerate(parts) if p.word and p.word not in left_out]
            for letters, span in initials([parts[i].word for i in there]):
                if letters in self.acronyms:
                    places.update(there[i] for i in span)
        return places

    def _by_joining(self, parts: list["_Part"]) -> set[int]:
        """Two words of a name that the sources write as one ("Wal Mart")."""
        words = enumerate(itertools.pairwise(p.word for p in parts))
        return {j for i, (a, b) in words if self._joined(a, b) for j in (i, i + 1)}

    def _joined(self, a: str, b: str) -> bool:
        places = (COMPASS_PLACES.get(f"{a} {x}") for x in (b, *_SAME.get(b, ())))
        return (min(len(a), len(b)) > 1 and a + b in self.capitals) or any(p in self.capitals for p in places if p)

    def _is_elsewhere(self, parts: list["_Part"]) -> bool:
        """Whether a place or a federal district is named by a point of the compass with which the sources do not have it."""
        if len(parts) > 2 and parts[1].word in ("d", "district") and parts[0].word in _DISTRICTS:
            first, last = f"{parts[0].word[0]}.", parts[-1]
            places = (last.word, state_of(last.text, True, "."), *self._abbreviations(last))
        elif len(parts) > 1 and parts[0].word in COMPASS and parts[1].word in COMPASS_NAMES:
            first, places = parts[0].word, (parts[1].word, *_SAME.get(parts[1].word, ()))
        else:
            return False
        return not any(self._near(first, place) for place in places)

    def _is_other(self, parts: list["_Part"], i: int) -> bool:
        """Whether the sources have another numeral or another initial than this in its place."""
        part, before, after = parts[i], parts[i - 1].word if i else "", parts[i + 1].word if i + 1 < len(parts) else ""
        if len(part.word) == 1 and after and after not in FORMS:
            there = [x for x in ascii_lowercase if (before, x) in self.pairs and (x, after) in self.pairs]
            return bool(there) and (before, part.word) not in self.pairs and (f"{part.word}.", after) not in self.pairs
        # Those of provisions are values.
        theirs = self.letters.get(stem(before)) if before not in PROVISIONS and numeral_of(part.text) else None
        return theirs is not None and numeral_of(part.text) not in theirs

    def _recombined(self, parts: list["_Part"]) -> NameLookup | None:
        """What the sources have where they have the first and the last word of a name in two other names only."""
        for segment in _segments(parts):
            words = [p.word for p in segment if p.word not in FORMS | SUFFIXES]
            if not 2 <= len(words) <= NEAR - 1 or any(w in self.plain or w in _NOT_PERSONAL for w in (words[0], words[-1])):
                continue
            first, last = words[0], words[-1]
            if any(self._near(w, last) or (w[:1] if len(w) > 1 else f"{w}.", last) in self.pairs for w in words[:-1]):
                continue
            before, after = self.closing.get(last), self.leading.get(first)
            if after and not before and (bare := self.capitals.get(last)) and self._bare(bare, last):
                # "John Jones", where "Jones" has no first name.
                before = bare
            if before and (after or len(first) == 1):
                return NameLookup(False, f"the sources have {' and '.join(self._text(p) for p in (after, before) if p)}", before)
        return None

    def _bare(self, place: Place, word: str) -> bool:
        """Whether a word stands as a name of a person does: by itself, without an article."""
        return folded(self._text(place)) == word and not has_article(self.texts[place[0]], place[1])

    def _near(self, a: str, b: str, joint: str = "") -> bool:
        """Whether two words, in one number or the other, stand in one name, or with "and" between if there is a joint "&"."""
        words = ((x, y) for x in {a, *_numbers_of(a)} for y in {b, *_numbers_of(b)})
        return any(pair in self.pairs for x, y in words for pair in ((x, y), (y, x), (x + joint, y), (y + joint, x)))

    def _text(self, place: Place) -> str:
        return " ".join(self.texts[place[0]][place[1] : place[2]].split())


class _Part(NamedTuple):
    text: str
    word: str
    short: bool = False
    apart: bool = False


def definitions(text: str) -> dict[str, str]:
    """What a text itself calls names in brackets ('Acme Holdings, Inc. ("Acme")'): short forms, folded, and the words before."""
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
        apart = bool(APART.search(name, end, m.start()))
        yield from (_Part(w, w if len(w) > 1 else "") for w in WORD.findall(name[end : m.start()]) if w in SMALL)
        end, word = m.end(), folded(m.group())
        if is_initials(m.group(), word) and name[end:].strip():
            yield from (_Part(letter, letter, apart=apart and letter == word[0]) for letter in word)
        else:
            abbreviated = name[end : end + 1] == "." or bool(CUT.search(m.group()))
            yield _Part(m.group(), word, abbreviated, apart)


def _segments(parts: list[_Part]) -> Iterator[list[_Part]]:
    segment: list[_Part] = []
    for part in parts:
        if (part.apart or part.word in SMALL) and segment:
            yield segment
            segment = []
        if part.word not in SMALL:
            segment.append(part)
    yield segment


def _numbers_of(word: str) -> set[str]:
    """Singular and plural of a word."""
    if len(word) < 3:
        return set()
    plurals = {word + "s", word + "es", *([word[:-1] + "ies"] if word[-1] == "y" else ())}
    singulars = {stem(word), word.removesuffix("es"), word.removesuffix("s")} - {word} if len(word) > 3 else set()
    return plurals | singulars
