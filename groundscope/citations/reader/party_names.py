"""Comparison of party names, their abbreviations, and where a name begins that was read with the sentence before it."""

import re

from groundscope.text.name_spelling import (
    ABBREVIATIONS,
    FORMS,
    LONGEST_INITIALS,
    SMALL,
    NameWord,
    folded,
    initials,
    one_word,
    words_of,
)

_SHORT_ENDS = frozenset("id no yes act law rule it so not roe doe poe tax him her age war".split())
"""Words of up to three letters that a sentence ends with more often than a name is cut short by them."""
_STOP = re.compile(r"([^\W\d_]+(?:['’][^\W\d_]+)*)[)\]”\"’']{0,3}\.[)\]”\"’']{0,3}\s+(?=[A-Z(])")


def sentence_cut(name: str) -> int:
    """Where the last sentence in a name begins; 0 where its full stops are those of abbreviations."""
    cut = 0
    for m in _STOP.finditer(name):
        if _ends(m[1]):
            cut = m.end()
    return cut


def _ends(word: str) -> bool:
    head, apostrophe, tail = word.replace("’", "'").rpartition("'")
    if apostrophe and tail != "s":
        # "Nat'l", "Ass'n".
        return False
    letters = (head if apostrophe else word).casefold()
    return letters in _SHORT_ENDS or (len(letters) >= 4 and letters not in ABBREVIATIONS)


_THE_STATE = frozenset(("state", "people", "commonwealth", "government", "gov", "govt"))


def one_name(a: str, b: str) -> bool:
    """Compare two spellings of a party's name."""
    first, second = words_of(a), words_of(b)
    # One that is left without words, or just "State", as a state's own courts call it.
    if any({w.letters for w in words} <= _THE_STATE for words in (first, second)):
        return True
    few, many = sorted((first, second), key=len)
    if _initials(few, b if few is first else a):
        return True
    short, long = dict(initials([w.letters for w in few])), dict(initials([w.letters for w in many]))
    inside = {i for y in many for i in short.get(y.letters, ())}
    return all(i in inside or x.letters in long or any(one_word(x, y) for y in many) for i, x in enumerate(few))


def _initials(few: list[NameWord], long_name: str) -> bool:
    """Whether a name is the initials of the other, as "NLRB" or "US"."""
    if len(few) != 1 or len(few[0].letters) > LONGEST_INITIALS:
        return False
    words = [folded(w) for w in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", long_name)]
    left_out: tuple[frozenset[str], ...] = (frozenset(), SMALL, SMALL | FORMS)
    return any(few[0].letters == "".join(w[0] for w in words if w and w not in small) for small in left_out)
