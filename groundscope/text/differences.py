"""Differences between a response sentence and the context sentence it was matched to: word level, deterministic.

Compared are linking words ("or" for "and"), parties and roles, negations, modals, money, dates, numbers, legal citations
(eyecite), capitalised names, quoted words, and words in place of others: the small words and figures that a subtle error
changes and that an average over a sentence hides. `BLIND_SPOTS` says what this cannot detect.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from groundscope.runtime.byte_cache import keep
from groundscope.text.context_names import ContextNames
from groundscope.text.facts import SMALL_COUNTS, FactKind, Item, items, keyed_items
from groundscope.text.sentences import split
from groundscope.types import Case

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
_REPLACEABLE = re.compile(r"[^\W\d_]{2,}(?:['’-][^\W\d_]+)*")
_SMALL = frozenset(
    (
        "a about also an and any are as at be because been before being but by can could did do does each either for from had "
        "has have he her his how if in into is it its may might more most must neither no nor not of on only or other ought our "
        "over shall she should so some such than that the their them then there these they this those to under unless until upon "
        "was we were what when where which while who whom whose will with within without would you your"
    ).split()
)


class Replaced(NamedTuple):
    """Words of a sentence and the words that replace them in another one.

    By this project's own rules, in no paper. They are shown beside the nearest sentence and flag nothing: sound paraphrases
    replace words as often as wrong ones do (`python -m benchmarks.checks` counts both on the samples).
    """

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
    mine, there = (_found(FactKind.CONNECTIVE, _LINK, text) for text in (ours, theirs))
    return _in_groups(mine, there, _LINKED)


def roles(ours: str, theirs: str) -> Replaced:
    """Find the parties and roles in the place of others, or in another order where both sides name the same two."""
    mine, there = (_found(FactKind.ROLE, _ROLE, text) for text in (ours, theirs))
    other = _in_groups(mine, there, _ROLES)
    if other.ours:
        return other
    for group in _ROLES:
        first, second = (_first_of_each(i for i in items if i.key in group) for items in (mine, there))
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
    replaced = Replaced((), ())
    for n, (kind, i, j, k, m) in enumerate(blocks):
        if kind != "replace" or not _alike_around(blocks, n):
            continue
        mine, other = ([w for w in words if not w.small] for words in (a[i:j], b[k:m]))
        if 0 < len(mine) <= _LONGEST and 0 < len(other) <= _LONGEST:
            replaced = Replaced((*replaced.ours, _item(ours, mine)), (*replaced.theirs, _item(theirs, other)))
    return replaced


def _found(kind: FactKind, pattern: re.Pattern[str], text: str) -> tuple[Item, ...]:
    return tuple(Item(kind, *m.span(), m["word"].lower()) for m in pattern.finditer(text))


def _in_groups(ours: Sequence[Item], theirs: Sequence[Item], groups: Iterable[frozenset[str]]) -> Replaced:
    our_keys, there = {i.key for i in ours}, {i.key for i in theirs}
    changed = set().union(*(group for group in groups if group & our_keys - there and group & there - our_keys))
    return Replaced(tuple(i for i in ours if i.key in changed - there), tuple(i for i in theirs if i.key in changed - our_keys))


def _first_of_each(items: Iterable[Item]) -> tuple[Item, ...]:
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(item.key, item)
    return tuple(first.values())


def _words(text: str, but: Iterable[Item]) -> list[_Word]:
    inside = bytearray(len(text))
    for item in but:
        inside[item.start : item.end] = b"\1" * (item.end - item.start)
    matches = (m for m in _REPLACEABLE.finditer(text) if not inside[m.start()] and not inside[m.end() - 1])
    return [_Word(*m.span(), _stem(m.group()), m.group().casefold() in _SMALL) for m in matches]


def _stem(word: str) -> str:
    return _ENDING.sub("", word.casefold())[:_STEM]


def _alike_around(blocks: Sequence[tuple[str, int, int, int, int]], n: int) -> bool:
    """Whether equal words stand on both sides of a block: two, or all up to where the sentences begin or end."""
    around = [(blocks[i], i in (0, len(blocks) - 1)) for i in (n - 1, n + 1) if 0 <= i < len(blocks)]
    return all(kind == "equal" and (last or j - i >= _AROUND) for (kind, i, j, *_), last in around)


def _item(text: str, words: Sequence[_Word]) -> Item:
    start, end = words[0].start, words[-1].end
    return Item(FactKind.REPLACED, start, end, text[start:end].casefold())


__all__ = [
    "BLIND_SPOTS",
    "FACTS",
    "ContextFacts",
    "Difference",
    "FactKind",
    "Item",
    "differences",
    "items",
    "missing_by_sentence",
    "missing_facts",
]

BLIND_SPOTS = (
    "Words and figures only. It cannot see that two different words mean the same, who does what to whom, "
    "cause and effect, or a condition put in other words. No difference here does not mean supported."
)

FACTS = frozenset({FactKind.CITATION, FactKind.MONEY, FactKind.DATE, FactKind.NUMBER, FactKind.NAME, FactKind.QUOTE})
"""Kinds that stand for a thing, so that it makes sense to look for it in all of the context."""

_KEYED = frozenset({FactKind.CITATION, FactKind.MONEY, FactKind.DATE, FactKind.NUMBER})
_ORDER = {kind: i for i, kind in enumerate(FactKind)}
_RUN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Difference:
    """Items of one kind that stand on one side only; offsets count from the start of each sentence."""

    kind: FactKind
    response: tuple[Item, ...]
    context: tuple[Item, ...]


def differences(response: str, context: str) -> tuple[Difference, ...]:
    """Compare one response sentence with one context sentence."""
    rows = [*_replaced(response, context), *_differing(response, context)]
    facts = [[i for i in items(text) if i.kind in FACTS - {FactKind.QUOTE}] for text in (response, context)]
    compared = [i for d in rows for i in d.response], [i for d in rows for i in d.context]
    others = other_words(response, context, [a + b for a, b in zip(facts, compared, strict=True)])
    if others.ours:
        rows.append(Difference(FactKind.REPLACED, *others))
    return tuple(sorted(rows, key=lambda d: _ORDER[d.kind]))


def _differing(response: str, context: str) -> Iterator[Difference]:
    ours, theirs = ([_one_duty(i) for i in items(text)] for text in (response, context))
    our_text, there = FoldedText.of(response.casefold()), FoldedText.of(context.casefold())
    for kind in FactKind:
        a = tuple(_missing(ours, theirs, kind, there))
        b = tuple(_missing(theirs, ours, kind, our_text))
        if a or b:
            yield Difference(kind, a, b)


def _one_duty(item: Item) -> Item:
    return item._replace(key="must") if item.kind is FactKind.MODAL and item.key == "shall" else item


def _replaced(response: str, context: str) -> Iterator[Difference]:
    for kind, find in ((FactKind.CONNECTIVE, linking_words), (FactKind.ROLE, roles)):
        pair = find(response, context)
        if pair.ours:
            yield Difference(kind, *pair)


def _missing(mine: Iterable[Item], others: Iterable[Item], kind: FactKind, other_text: "FoldedText") -> Iterator[Item]:
    keys = {i.key for i in others if i.kind is kind}
    for item in mine:
        if item.kind is not kind or item.key in keys:
            continue
        if kind in {FactKind.NAME, FactKind.QUOTE} and other_text.has(item.key):
            continue
        yield item


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A case-folded text with its words, so that looking for most others needs no search."""

    text: str
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "FoldedText":
        return cls(text, frozenset(_RUN.findall(text)))

    def has(self, words: str) -> bool:
        """Whether words, case folded, stand in the text as whole words."""
        runs = _RUN.findall(words)
        if not self.words.issuperset(runs):
            return False
        if runs == [words]:
            return True
        position = self.text.find(words)
        while position >= 0:
            end = position + len(words)
            if not self.text[max(0, position - 1) : position].isalnum() and not self.text[end : end + 1].isalnum():
                return True
            position = self.text.find(words, position + 1)
        return False


@dataclass(frozen=True, slots=True)
class ContextFacts:
    """A whole context, indexed to look facts up in it, but not where they stand.

    Attributes:
        keys: its amounts, dates, numbers and statutes, so that "180" is found where the context says "one hundred eighty".
    """

    folded: FoldedText
    keys: frozenset[tuple[FactKind, str]]
    names: ContextNames

    @property
    def text(self) -> str:
        """All passages, case folded, white space as single spaces."""
        return self.folded.text

    @classmethod
    def of(cls, passages: Iterable[str]) -> "ContextFacts":
        """Index passages; linear in their length."""
        return _indexed(tuple(passages))

    def holds(self, item: Item, text: str) -> bool:
        """Whether a fact stands anywhere in the context, in the same words or as the same amount or date."""
        if item.kind in _KEYED and (item.kind, item.key) in self.keys:
            return True
        if item.kind is FactKind.NAME:
            return self.names.look_up_item(text, item).stands
        words = text[item.start : item.end].strip("\"“”'‘’ ,.").casefold()
        return self.folded.has(" ".join(words.split()))

    @classmethod
    def of_case(cls, case: Case) -> "ContextFacts":
        """Index the passages of a case and their sources: a citation in a passage's source is in the context."""
        return cls.of(f"{p.source}\n{p.text}" for p in case.context)


@keep(4)
def _indexed(texts: tuple[str, ...]) -> ContextFacts:
    """Responses to one question share their context."""
    keys = {(i.kind, i.key) for t in texts for i in keyed_items(t)}
    return ContextFacts(FoldedText.of(" ".join(" \n ".join(texts).casefold().split())), frozenset(keys), ContextNames.of(texts))


def missing_by_sentence(case: Case, corpus: ContextFacts) -> tuple[tuple[str, ...], ...]:
    """List the facts that are not in the context, by response sentence."""
    missing = []
    for sentence in split(case.response):
        text = case.response[sentence.start : sentence.end]
        facts = () if sentence.heading else missing_facts(text, corpus)
        missing.append(tuple(text[i.start : i.end] for i in facts))
    return tuple(missing)


def missing_facts(sentence: str, corpus: ContextFacts) -> tuple[Item, ...]:
    """Find citations, amounts, dates, numbers, names and quotations of a sentence that are not in the context.

    Args:
        sentence: its small numbers in words ("zero" to "ten") are left out, as they count what it lists itself.
        corpus: the whole context, not only the sentence that was matched.

    Returns:
        Facts in reading order, with offsets into the sentence.
    """
    facts = (i for i in items(sentence) if i.kind in FACTS and sentence[i.start : i.end].lower() not in SMALL_COUNTS)
    return tuple(i for i in facts if not corpus.holds(i, sentence))
