"""Words that stand in the place of others beside a like sentence: linking words, parties and roles, and other words.

This project's own rules, in no paper. What they find is shown beside the nearest sentence and flags nothing: sound paraphrases
replace words as often as wrong ones do (`python -m benchmarks.checks` counts both on the samples).
"""

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from groundscope.text.facts import FactKind, Item

_LINKED = (
    frozenset({"and", "or"}),
    frozenset({"both", "either"}),
    frozenset({"if", "only if", "unless"}),
    frozenset({"all", "any", "each", "some"}),
    frozenset({"at least", "at most", "up to", "more than", "less than"}),
    frozenset({"before", "after"}),
    frozenset({"from", "until"}),
)
"""Words of which one puts something else in the place of another."""
_ROLES = tuple(
    frozenset(group.split("|"))
    for group in (
        "plaintiff|defendant", "claimant|respondent", "petitioner|respondent", "appellant|appellee",
        "prosecution|defense|defence",
        "prosecutor|defendant", "landlord|tenant", "lessor|lessee", "buyer|seller", "vendor|purchaser", "employer|employee",
        "principal|agent", "debtor|creditor", "borrower|lender", "mortgagor|mortgagee", "assignor|assignee", "grantor|grantee",
        "transferor|transferee", "licensor|licensee", "franchisor|franchisee", "bailor|bailee", "donor|donee", "obligor|obligee",
        "promisor|promisee", "offeror|offeree", "indemnitor|indemnitee", "insurer|insured", "trustee|beneficiary|settlor",
        "testator|executor|heir", "guarantor|creditor", "director|shareholder|officer", "parent|subsidiary", "physician|patient",
        "controller|processor|data subject|supervisory authority", "judge|jury", "majority|dissent", "husband|wife",
        "carrier|shipper|consignee", "inventor|assignee", "licensing authority|applicant",
    )
)  # fmt: skip
"""Parties and roles of which one stands opposite another."""
_MOST = 120
"""A sentence of more words is not compared word by word."""
_SHARED = 0.5
"""A sentence is like another that has this share of its words."""
_AROUND = 2
"""Equal words that stand on each side of other words, where the sentences go on so far."""
_LONGEST = 2
_STEM = 6
_ENDING = re.compile(r"['’]s?$|(?<=\w\w\w)s$")
_WORD = re.compile(r"[^\W\d_]{2,}(?:['’-][^\W\d_]+)*")
_SMALL = frozenset(
    (
        "a about also an and any are as at be because been before being but by can could did do does each either for from had "
        "has have he her his how if in into is it its may might more most must neither no nor not of on only or other ought our "
        "over shall she should so some such than that the their them then there these they this those to under unless until upon "
        "was we were what when where which while who whom whose will with within without would you your"
    ).split()
)


class Replaced(NamedTuple):
    """Words of a sentence and the words that stand in their place in another one."""

    ours: tuple[Item, ...]
    theirs: tuple[Item, ...]


class _Word(NamedTuple):
    start: int
    end: int
    stem: str
    small: bool


def _pattern(groups: Iterable[frozenset[str]], plural: str = "") -> re.Pattern[str]:
    words = sorted({w for group in groups for w in group}, key=len, reverse=True)
    return re.compile(rf"\b(?P<word>{'|'.join(words)}){plural}\b", re.IGNORECASE)


_LINK, _ROLE = _pattern(_LINKED), _pattern(_ROLES, "s?")


def linking_words(ours: str, theirs: str) -> Replaced:
    """Find the linking words in the place of others: of a group, each side has one that the other side lacks."""
    here, there = (_found(FactKind.CONNECTIVE, _LINK, text) for text in (ours, theirs))
    return _in_groups(here, there, _LINKED)


def roles(ours: str, theirs: str) -> Replaced:
    """Find the parties and roles in the place of others, or in another order where both sides name the same two."""
    here, there = (_found(FactKind.ROLE, _ROLE, text) for text in (ours, theirs))
    other = _in_groups(here, there, _ROLES)
    if other.ours:
        return other
    for group in _ROLES:
        first, second = (_first_of_each(i for i in items if i.key in group) for items in (here, there))
        if len(first) == len(second) == 2 and [i.key for i in first] == [i.key for i in reversed(second)]:
            return Replaced(first, second)
    return Replaced((), ())


def other_words(ours: str, theirs: str, but: Sequence[Iterable[Item]] = ((), ())) -> Replaced:
    """Find one or two content words in the place of others."""
    a, b = (_words(text, items) for text, items in zip((ours, theirs), but, strict=True))
    if not a or not b or max(len(a), len(b)) > _MOST:
        return Replaced((), ())
    blocks = SequenceMatcher(None, [w.stem for w in a], [w.stem for w in b], autojunk=False).get_opcodes()
    equal = sum(not w.small for kind, i, j, *_ in blocks if kind == "equal" for w in a[i:j])
    if equal < _SHARED * sum(not w.small for w in a):
        return Replaced((), ())
    found = Replaced((), ())
    for n, (kind, i, j, k, m) in enumerate(blocks):
        if kind != "replace" or not _alike_around(blocks, n):
            continue
        mine, other = ([w for w in words if not w.small] for words in (a[i:j], b[k:m]))
        if 0 < len(mine) <= _LONGEST and 0 < len(other) <= _LONGEST:
            found = Replaced((*found.ours, _item(ours, mine)), (*found.theirs, _item(theirs, other)))
    return found


def _found(kind: FactKind, pattern: re.Pattern[str], text: str) -> tuple[Item, ...]:
    return tuple(Item(kind, *m.span(), m["word"].lower()) for m in pattern.finditer(text))


def _in_groups(ours: Sequence[Item], theirs: Sequence[Item], groups: Iterable[frozenset[str]]) -> Replaced:
    here, there = {i.key for i in ours}, {i.key for i in theirs}
    changed = set().union(*(group for group in groups if group & here - there and group & there - here))
    return Replaced(tuple(i for i in ours if i.key in changed - there), tuple(i for i in theirs if i.key in changed - here))


def _first_of_each(items: Iterable[Item]) -> tuple[Item, ...]:
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(item.key, item)
    return tuple(first.values())


def _words(text: str, but: Iterable[Item]) -> list[_Word]:
    inside = bytearray(len(text))
    for item in but:
        inside[item.start : item.end] = b"\1" * (item.end - item.start)
    found = (m for m in _WORD.finditer(text) if not inside[m.start()] and not inside[m.end() - 1])
    return [_Word(*m.span(), _stem(m.group()), m.group().casefold() in _SMALL) for m in found]


def _stem(word: str) -> str:
    return _ENDING.sub("", word.casefold())[:_STEM]


def _alike_around(blocks: Sequence[tuple[str, int, int, int, int]], n: int) -> bool:
    """Whether equal words stand on both sides of a block: two, or all up to where the sentences begin or end."""
    around = [(blocks[i], i in (0, len(blocks) - 1)) for i in (n - 1, n + 1) if 0 <= i < len(blocks)]
    return all(kind == "equal" and (last or j - i >= _AROUND) for (kind, i, j, *_), last in around)


def _item(text: str, words: Sequence[_Word]) -> Item:
    start, end = words[0].start, words[-1].end
    return Item(FactKind.REPLACED, start, end, text[start:end].casefold())
