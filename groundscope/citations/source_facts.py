"""Sources, indexed to look up values, names and words of a response in them."""

from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property

from groundscope.runtime.byte_cache import keep
from groundscope.text.context_names import ContextNames
from groundscope.text.facts import Item
from groundscope.text.languages import language_of
from groundscope.text.named_sources import NamedSources, SearchedTexts
from groundscope.text.names import read_names
from groundscope.text.plain import PlainCase, plain
from groundscope.text.values.grammar import read_values
from groundscope.text.values.lookup import ContextValues
from groundscope.text.values.types import Standing
from groundscope.types import Case, Passage

_WEIGHT = 45
"""Bytes that an index takes for each character of the sources."""
_LOOKED_AT = 400
"""Characters of each source that say in which language all are."""


class SourceFacts:
    """Plain sources, indexed to look up what a sentence says. Texts are those of the passages, then their titles."""

    def __init__(self, context: tuple[Passage, ...]) -> None:
        self._context = context
        self._texts = [p.text for p in context] + [plain(p.source, source=True).text for p in context]
        self.searched = SearchedTexts(self._texts)
        """The texts as they are."""
        self.language = language_of("\n".join(t[:_LOOKED_AT] for t in self._texts))
        self.nbytes = _WEIGHT * sum(map(len, self._texts))
        """About the memory of it all, for the cache: to weigh it would take longer than to make it."""

    @cached_property
    def sources(self) -> NamedSources:
        """Where words stand, and what sources are called."""
        return NamedSources(self._context, plain=True)

    @cached_property
    def values(self) -> ContextValues:
        """Values, in the language of the sources."""
        return ContextValues.of(self._texts, self.language)

    @cached_property
    def names(self) -> ContextNames:
        """Names, in any language."""
        return ContextNames.of(self._texts)


@keep(megabytes=64)
def source_facts(context: tuple[Passage, ...]) -> SourceFacts:
    """Index plain passages; responses to one question share their context."""
    return SourceFacts(context)


class FactStanding(StrEnum):
    """Where a fact of a sentence stands."""

    ELSEWHERE = "elsewhere in the sources"
    COMPUTED = "computed from the sources"
    NOWHERE = "not in the sources"


def fact_standing(case: Case, sentence: str, items: Sequence[Item]) -> list[FactStanding]:
    """Look up facts of a response sentence in all sources, also those that the nearest sentence lacks."""
    language, view = language_of(case.response), plain(sentence)
    facts = source_facts(PlainCase.of(case).case.context)
    looked_up: dict[tuple[int, int], FactStanding] = {}
    for value in read_values(view.text, language):
        looked_up[view.span(value.start, value.end)] = _STANDINGS[facts.values.look_up(value, view.text).standing]
    for name in read_names(view.text, language):
        there = facts.names.look_up_item(view.text, name).stands
        looked_up[view.span(name.start, name.end)] = FactStanding.ELSEWHERE if there else FactStanding.NOWHERE
    return [looked_up.get((i.start, i.end)) or _words_stand(facts, sentence[i.start : i.end]) for i in items]


_STANDINGS = {
    Standing.EQUAL: FactStanding.ELSEWHERE,
    Standing.COVERED: FactStanding.ELSEWHERE,
    Standing.COMPUTED: FactStanding.COMPUTED,
    Standing.MISSING: FactStanding.NOWHERE,
}


def _words_stand(facts: SourceFacts, text: str) -> FactStanding:
    words = " ".join(plain(text).text.strip("\"' ,.").casefold().split())
    return FactStanding.ELSEWHERE if facts.sources.texts.have(words) else FactStanding.NOWHERE
