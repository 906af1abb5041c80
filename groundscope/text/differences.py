"""Differences between a response sentence and the context sentence it was matched to: word level, deterministic.

Compared are linking words ("or" for "and"), parties and roles, negations, modals, money, dates, numbers, legal citations
(eyecite), capitalised names, quoted words, and words in place of others: the small words and figures that a subtle error
changes and that an average over a sentence hides. `BLIND_SPOTS` says what this cannot detect.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from groundscope.runtime.byte_cache import keep
from groundscope.text.facts import SMALL_COUNTS, FactKind, Item, items, keyed_items
from groundscope.text.replaced import linking_words, other_words, roles
from groundscope.text.sentences import split
from groundscope.types import Case

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
_WORD = re.compile(r"[^\W_]{2,}")
_RUN = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Difference:
    """Items of one kind that stand on one side only; offsets count from the start of each sentence."""

    kind: FactKind
    response: tuple[Item, ...]
    context: tuple[Item, ...]


def differences(response: str, context: str) -> tuple[Difference, ...]:
    """Compare one response sentence with one context sentence."""
    found = [*_replaced(response, context), *_differing(response, context)]
    facts = [[i for i in items(text) if i.kind in FACTS - {FactKind.QUOTE}] for text in (response, context)]
    said = [i for d in found for i in d.response], [i for d in found for i in d.context]
    others = other_words(response, context, [a + b for a, b in zip(facts, said, strict=True)])
    if others.ours:
        found.append(Difference(FactKind.REPLACED, *others))
    return tuple(sorted(found, key=lambda d: _ORDER[d.kind]))


def _differing(response: str, context: str) -> Iterator[Difference]:
    ours, theirs = ([_one_duty(i) for i in items(text)] for text in (response, context))
    here, there = FoldedText.of(response.casefold()), FoldedText.of(context.casefold())
    for kind in FactKind:
        a = tuple(_missing(ours, theirs, kind, there))
        b = tuple(_missing(theirs, ours, kind, here))
        if a or b:
            yield Difference(kind, a, b)


def _one_duty(item: Item) -> Item:
    return item._replace(key="must") if item.kind is FactKind.MODAL and item.key == "shall" else item


def _replaced(response: str, context: str) -> Iterator[Difference]:
    for kind, find in ((FactKind.CONNECTIVE, linking_words), (FactKind.ROLE, roles)):
        found = find(response, context)
        if found.ours:
            yield Difference(kind, *found)


def _missing(own: Iterable[Item], others: Iterable[Item], kind: FactKind, other_text: "FoldedText") -> Iterator[Item]:
    known = {i.key for i in others if i.kind is kind}
    for item in own:
        if item.kind is not kind or item.key in known:
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

    def has(self, wanted: str) -> bool:
        """Whether words, case folded, stand in the text as whole words."""
        runs = _RUN.findall(wanted)
        if not self.words.issuperset(runs):
            return False
        if runs == [wanted]:
            return True
        position = self.text.find(wanted)
        while position >= 0:
            end = position + len(wanted)
            if not self.text[max(0, position - 1) : position].isalnum() and not self.text[end : end + 1].isalnum():
                return True
            position = self.text.find(wanted, position + 1)
        return False


@dataclass(frozen=True, slots=True)
class ContextFacts:
    """A whole context, indexed to look facts up in it, but not where they stand.

    Attributes:
        keys: its amounts, dates, numbers and statutes, so that "180" is found where the context says "one hundred eighty".
    """

    folded: FoldedText
    keys: frozenset[tuple[FactKind, str]]

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
        names = _WORD.findall(item.key) if item.kind is FactKind.NAME else []
        if names and all(map(self.folded.has, names)):
            return True
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
    return ContextFacts(FoldedText.of(" ".join(" \n ".join(texts).casefold().split())), frozenset(keys))


def missing_by_sentence(case: Case, corpus: ContextFacts) -> tuple[tuple[str, ...], ...]:
    """List the facts that stand nowhere in the context, by response sentence."""
    found = []
    for sentence in split(case.response):
        text = case.response[sentence.start : sentence.end]
        facts = () if sentence.heading else missing_facts(text, corpus)
        found.append(tuple(text[i.start : i.end] for i in facts))
    return tuple(found)


def missing_facts(sentence: str, corpus: ContextFacts) -> tuple[Item, ...]:
    """Find citations, amounts, dates, numbers, names and quotations of a sentence that stand nowhere in the context.

    Args:
        sentence: its small numbers in words ("zero" to "ten") are left out, as they count what it lists itself.
        corpus: the whole context, not only the sentence that was matched.

    Returns:
        Facts in reading order, with offsets into the sentence.
    """
    facts = (i for i in items(sentence) if i.kind in FACTS and sentence[i.start : i.end].lower() not in SMALL_COUNTS)
    return tuple(i for i in facts if not corpus.holds(i, sentence))
