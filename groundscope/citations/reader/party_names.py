"""Whether two spellings name one party."""

import re
import unicodedata
from typing import NamedTuple

from groundscope.citations.reader._abbreviations import ABBREVIATIONS

_SMALL = frozenset("the of and for in re ex parte v a an et al d b matter on to by de la".split())
_FORMS = frozenset(
    "inc incorporated corp corporation co company companies llc ltd limited plc lp llp pc na sa ag gmbh nv bv pllc assn "
    "association no city county town village borough township".split()
)
"""Words that a name has in one spelling and lacks in the next."""
_THE_STATE = frozenset(("state", "people", "commonwealth", "government", "gov", "govt"))
_LONGEST_INITIALS = 6
_WORD = re.compile(r"([^\W_]+(?:['’][^\W_]+)*)(\.?)")


class _Word(NamedTuple):
    letters: str
    short: bool


def one_name(a: str, b: str) -> bool:
    """Compare two spellings of a party's name."""
    first, second = _words(a), _words(b)
    # One that is left without words, or just "State", as a state's own courts call it.
    if any({w.letters for w in words} <= _THE_STATE for words in (first, second)):
        return True
    few, many = sorted((first, second), key=len)
    if _initials(few, b if few is first else a):
        return True
    short, long = _runs(few), _runs(many)
    inside = {i for y in many for i in short.get(y.letters, ())}
    return all(i in inside or x.letters in long or any(_one_word(x, y) for y in many) for i, x in enumerate(few))


def _runs(words: list[_Word]) -> dict[str, range]:
    """Initials of words that stand together, with the places of these: "NY" of "New York Times"."""
    initials = {}
    for i in range(len(words)):
        for j in range(i + 2, min(len(words), i + _LONGEST_INITIALS) + 1):
            initials["".join(w.letters[0] for w in words[i:j])] = range(i, j)
    return initials


def _words(name: str) -> list[_Word]:
    """The distinctive words of a name; all but the smallest if there are no others."""
    words = []
    # "U.S." is one word.
    name = re.sub(r"\b(?:[A-Z]\.\s?){2,}", lambda m: f"{re.sub(r'[^A-Z]', '', m.group())} ", name)
    for m in _WORD.finditer(name):
        letters = _plain(m[1])
        if len(letters) > 1 and letters not in _SMALL:
            words.append(_Word(letters, bool(m[2]) or "'" in m[1] or "’" in m[1] or letters in ABBREVIATIONS))
    return [w for w in words if w.letters not in _FORMS]


def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.casefold())
    return re.sub(r"[^\w]", "", re.sub(r"['’]s$", "", letters))


def _one_word(x: _Word, y: _Word) -> bool:
    if x.letters == y.letters:
        return True
    little, long = sorted((x, y), key=lambda w: len(w.letters))
    if little.short and little.letters[0] == long.letters[0]:
        rest = iter(long.letters)
        return all(c in rest for c in little.letters)
    # "Servs." is an abbreviation with an ending, "Smiths" a plural.
    return long.letters.removeprefix(little.letters) in ("s", "es") and len(little.letters) >= 3


def _initials(few: list[_Word], long_name: str) -> bool:
    """Whether a name is the initials of the other, as "NLRB" or "US"."""
    if len(few) != 1 or len(few[0].letters) > _LONGEST_INITIALS:
        return False
    words = [_plain(w) for w in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", long_name)]
    without: tuple[frozenset[str], ...] = (frozenset(), _SMALL, _SMALL | _FORMS)
    return any(few[0].letters == "".join(w[0] for w in words if w and w not in left_out) for left_out in without)
