"""Differences between a response sentence and the context sentence it was matched to: word level, deterministic.

Compared are linking words ("or" for "and"), parties and roles, negations, modals, money, dates, numbers, legal citations
(eyecite), capitalised names and quoted words: the small words and figures that a subtle error
changes and that an average over a sentence hides. Values and names are compared by what they are, not by their letters.
`BLIND_SPOTS` says what this cannot detect.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundscope.text.context_names import ContextNames
from groundscope.text.facts import FactKind, Item, items, values_in
from groundscope.text.languages import language_of
from groundscope.text.named_sources import SearchedTexts
from groundscope.text.plain import PlainView, plain
from groundscope.text.values.lookup import ContextValues
from groundscope.text.values.types import Standing, Value

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
_TERMS = tuple(
    frozenset(group.split("|"))
    for group in (
        "motion to dismiss|motion for summary judgment|motion for judgment on the pleadings|motion for a new trial",
        "burden of proof|burden of production|burden of persuasion",
        "probable cause|reasonable suspicion|preponderance of the evidence|clear and convincing|beyond a reasonable doubt",
        "de novo|abuse of discretion|clear error|clearly erroneous|substantial evidence",
        "statute of limitations|statute of repose", "with prejudice|without prejudice", "contribution|indemnity",
        "void|voidable", "jointly|severally", "arbitration|mediation|litigation", "exclusive|non-exclusive|nonexclusive",
        "negligence|gross negligence|recklessness|willful misconduct|strict liability", "assign|sublet|sublicense",
        "direct damages|indirect damages|consequential damages|punitive damages|liquidated damages|compensatory damages",
        "exemption|exclusion", "for cause|without cause", "business days|calendar days|working days",
        "in writing|orally|by email", "affirmed|reversed|vacated|remanded", "granted|denied", "civil|criminal",
        "felony|misdemeanor", "real property|personal property", "trademark|copyright|patent|trade secret",
    )
)  # fmt: skip
"""Terms of law of which one puts something else in the place of another."""


class Replaced(NamedTuple):
    """Words of a sentence and the words that replace them in another one.

    By this project's own rules, in no paper.
    """

    ours: tuple[Item, ...]
    theirs: tuple[Item, ...]


def _pattern(groups: Iterable[frozenset[str]], plural: str = "") -> re.Pattern[str]:
    words = sorted({w for group in groups for w in group}, key=len, reverse=True)
    return re.compile(rf"\b(?P<word>{'|'.join(words)}){plural}\b", re.IGNORECASE)


_LINK, _ROLE, _TERM = _pattern(_LINKED), _pattern(_ROLES, "s?"), _pattern(_TERMS)


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
        first, second = (sorted({i.key: i for i in reversed(items) if i.key in group}.values()) for items in (mine, there))
        if len(first) == len(second) == 2 and [i.key for i in first] == [i.key for i in reversed(second)]:
            return Replaced(tuple(first), tuple(second))
    return Replaced((), ())


def terms(ours: str, theirs: str) -> Replaced:
    """Find the terms of law in the place of others: of a group, each side has one that the other side lacks."""
    mine, there = (_found(FactKind.TERM, _TERM, text) for text in (ours, theirs))
    return _in_groups(mine, there, _TERMS)


def _found(kind: FactKind, pattern: re.Pattern[str], text: str) -> tuple[Item, ...]:
    return tuple(Item(kind, *m.span(), m["word"].lower()) for m in pattern.finditer(text))


def _in_groups(ours: Sequence[Item], theirs: Sequence[Item], groups: Iterable[frozenset[str]]) -> Replaced:
    our_keys, there = {i.key for i in ours}, {i.key for i in theirs}
    changed = set().union(*(group for group in groups if group & our_keys - there and group & there - our_keys))
    return Replaced(tuple(i for i in ours if i.key in changed - there), tuple(i for i in theirs if i.key in changed - our_keys))


__all__ = ["BLIND_SPOTS", "FACTS", "Difference", "FactKind", "Item", "differences", "items"]

BLIND_SPOTS = (
    "Compared are linking words, roles, legal terms, negations, modals, figures, dates, sections, citations, names and "
    "quotations. It cannot see that two different words mean the same, cause and effect, or a condition put in other words. "
    "No difference here does not mean supported."
)

FACTS = frozenset({FactKind.CITATION, FactKind.MONEY, FactKind.DATE, FactKind.NUMBER, FactKind.NAME, FactKind.QUOTE})
"""Kinds that stand for a thing, so that it makes sense to look for it in all of the context."""

_ORDER = {kind: i for i, kind in enumerate(FactKind)}


@dataclass(frozen=True, slots=True)
class Difference:
    """Items of one kind that stand on one side only; offsets count from the start of each sentence."""

    kind: FactKind
    response: tuple[Item, ...]
    context: tuple[Item, ...]


def differences(response: str, context: str) -> tuple[Difference, ...]:
    """Compare one response sentence with one context sentence, as they are read plainly."""
    ours, theirs = plain(response), plain(context, source=True)
    a, b = _Side.of(ours.text), _Side.of(theirs.text)
    replaced = [(kind, find(ours.text, theirs.text)) for kind, find in _REPLACED]
    missing = [(kind, (tuple(a.missing(b, kind)), tuple(b.missing(a, kind)))) for kind in FactKind]
    return tuple(
        Difference(kind, _original(first, ours), _original(second, theirs))
        for kind, (first, second) in sorted((*replaced, *missing), key=lambda row: _ORDER[row[0]])
        if first or second
    )


def _original(items: Iterable[Item], view: PlainView) -> tuple[Item, ...]:
    spans = [(item, view.span(item.start, item.end)) for item in items]
    return tuple(item._replace(start=start, end=end) for item, (start, end) in spans)


@dataclass(frozen=True, slots=True)
class _Side:
    """A sentence to compare: its items, and the values of those that are such."""

    text: str
    items: tuple[Item, ...]
    values: Mapping[Item, Value]
    folded: SearchedTexts

    @classmethod
    def of(cls, text: str) -> "_Side":
        language = language_of(text)
        # "Shall" is the same duty as "must".
        shall = (FactKind.MODAL, "shall")
        same = (i._replace(key="must") if (i.kind, i.key) == shall else i for i in items(text, language))
        return cls(text, tuple(same), values_in(text, language), SearchedTexts([text.casefold()]))

    def missing(self, other: "_Side", kind: FactKind) -> Iterator[Item]:
        """The items of a kind that another sentence lacks."""
        keys = {i.key for i in other.items if i.kind is kind}
        for item in self.items:
            if item.kind is kind and item.key not in keys and not self._stands(item, other):
                yield item

    def _stands(self, item: Item, other: "_Side") -> bool:
        if value := self.values.get(item):
            looked_up = ContextValues.of([other.text], language_of(other.text)).look_up(value, self.text)
            # What needs no source, as a small number, has no place.
            return looked_up.standing in (Standing.EQUAL, Standing.COVERED) and looked_up.text >= 0
        if item.kind is FactKind.NAME:
            return ContextNames.of([other.text]).look_up_item(self.text, item).stands
        return item.kind is FactKind.QUOTE and other.folded.have(item.key)


_REPLACED = ((FactKind.CONNECTIVE, linking_words), (FactKind.ROLE, roles), (FactKind.TERM, terms))
