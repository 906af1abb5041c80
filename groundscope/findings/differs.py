"""Where a sentence differs from the passage that it otherwise repeats, word beside word, and what the answer leaves out of it.

This project's own rules, in no paper. The passage is the context sentence that shares most words with the sentence. A figure,
party, term, modal, negation or linking word counts where both sentences say the same around it; a condition counts where no
sentence of the answer repeats it. `python -m benchmarks.findings` prints how often sentences with each kind were wrong.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from groundscope.citations.quotes import ContextPlace
from groundscope.citations.source_facts import source_facts
from groundscope.findings.finding import CHECKS, Certainty, Finding, FindingKind, worth
from groundscope.runtime.byte_cache import keep
from groundscope.text.differences import Replaced, linking_words, roles, terms
from groundscope.text.named_sources import FUNCTION_WORDS, stems_of
from groundscope.text.plain import PlainCase
from groundscope.text.sentences import Unit, split
from groundscope.text.shown import shown_words
from groundscope.text.values.grammar import read_values
from groundscope.text.values.lookup import ContextValues
from groundscope.text.values.types import Standing, Value, ValueKind
from groundscope.types import Case

_REPEATS = 0.5
"""A sentence repeats a passage that has this share of its words, in order."""
_CLOSELY = 0.7
"""The same for conditions, which paraphrases put in other words."""
_NEAR = 0.3
"""Share of the weights of its words that a passage must have for its figures to be compared."""
_MOST = 150
"""Words of a sentence; longer ones are not compared."""
_TIGHT = 6
"""Words that replace others in the same place."""
_WORD = re.compile(r"[^\W_]+(?:[.,'-][^\W_]+)*")
_STRONG = frozenset({"must", "shall", "will", "required", "requires"})
_WEAK = frozenset({"may", "can", "might", "could", "should", "permitted", "optional"})
_NEGATES = re.compile(
    r"n't\b|\b(?:not|no|never|neither|nor|none|without|cannot|unless|except|only if|fail\w*|lack\w*|refus\w*)\b", re.IGNORECASE
)
_NEGATED = re.compile(r"\b(?:without|no|not|never)\s(?:(?:the|a|an|any|be|been|to|have)\s)?(?P<what>[A-Za-z]{3,40})")
_FEW = 3
"""Words that a modal is changed with."""
_CONDITION = re.compile(
    r"(?:,\s*|\(|\s)"
    r"(?P<clause>(?:unless|except|excluding|other than|provided that|only if|but only|so long as|subject to)\b[^,;.()]*)",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(r"[^,;:]+")
_FEWEST = 3
"""Words that say something in a clause that is called left out."""
_SAID = 0.4
"""Share of them that a sentence of the answer may have."""


class LeftOut(NamedTuple):
    """A clause of the passage nearest to a sentence that no sentence of the answer repeats."""

    sentence: int
    text: str
    place: ContextPlace


class _Difference(NamedTuple):
    """Words of a sentence and those of the passage in their place, as spans; an empty one where words are added or left out."""

    kind: FindingKind
    ours: tuple[int, int]
    theirs: tuple[int, int]


class _Word(NamedTuple):
    start: int
    end: int
    text: str
    stem: str

    @property
    def says(self) -> bool:
        """Whether it is more than a function word."""
        return self.text not in FUNCTION_WORDS


class _Pair:
    """A sentence beside its nearest passage, word by word; both plain."""

    def __init__(self, ours: str, theirs: str) -> None:
        self.ours, self.theirs = ours, theirs
        self.a, self.b = _words(ours), _words(theirs)
        compared = 0 < len(self.a) <= _MOST and 0 < len(self.b) <= _MOST
        stems = [w.stem for w in self.a], [w.stem for w in self.b]
        self.blocks = SequenceMatcher(None, *stems, autojunk=False).get_opcodes() if compared else []

    @cached_property
    def repeats(self) -> float:
        """The share of the sentence's words that the passage has in order."""
        equal = sum(w.says for kind, i, j, *_ in self.blocks if kind == "equal" for w in self.a[i:j])
        return equal / max(1, sum(w.says for w in self.a))

    @cached_property
    def changes(self) -> list[tuple[list[_Word], list[_Word]]]:
        """Few words in the place of few others, with equal words on both sides, or up to the end of the sentence."""
        return [
            (self.a[i:j], self.b[p:q])
            for n, (kind, i, j, p, q) in enumerate(self.blocks)
            if kind != "equal" and j - i <= _TIGHT and q - p <= _TIGHT and self._alike_around(n)
        ]

    def _alike_around(self, n: int) -> bool:
        around = [(self.blocks[k], k in (0, len(self.blocks) - 1)) for k in (n - 1, n + 1) if 0 <= k < len(self.blocks)]
        return bool(around) and all(last or j - i > 1 for (_, i, j, *_), last in around)

    def differences(self) -> Iterator[_Difference]:
        """Yield what differs in place."""
        if self.repeats < _REPEATS:
            return
        for kind, read in ((FindingKind.PARTY, roles), (FindingKind.TERM, terms)):
            yield from self._replaced(kind, read(self.ours, self.theirs))
        for mine, other in self.changes:
            words, others = {w.text for w in mine}, {w.text for w in other}
            spans = _span(mine, self.ours), _span(other, self.theirs)
            linked = linking_words(" ".join(words), " ".join(others))
            if (linked.ours and len(words) == 1 == len(others)) or frozenset(words | others) in _OPPOSITES:
                yield _Difference(FindingKind.CONNECTIVE, *spans)
            elif (
                len(words) <= _FEW >= len(others) and _strength(words) * _strength(others) < 0 and not self._negated(mine, other)
            ):
                yield _Difference(FindingKind.MODAL, *spans)
            elif self._other_name(mine, other):
                yield _Difference(FindingKind.PARTY, *spans)

    def _negated(self, *sides: Sequence[_Word]) -> bool:
        """Whether "not" stands in or after these words: "may not" and "must not" forbid the same."""
        texts = zip(sides, (self.ours, self.theirs), strict=True)
        return any(re.search(r"\bnot\b|n't", text[words[0].start : words[-1].end + 5]) for words, text in texts if words)

    def _other_name(self, words: Sequence[_Word], others: Sequence[_Word]) -> bool:
        """Whether a name stands in the place of another."""
        both = _is_name(words, self.ours) and _is_name(others, self.theirs)
        if both and self.repeats < _CLOSELY and {w.stem for w in words} <= {w.stem for w in self.b}:
            # A sentence that turns the passage about names both in another order.
            return False
        return both and not {w.stem for w in words} & {w.stem for w in others}

    def _replaced(self, kind: FindingKind, replaced: Replaced) -> Iterator[_Difference]:
        for ours in replaced.ours[:1]:
            for theirs in replaced.theirs[:1]:
                yield _Difference(kind, (ours.start, ours.end), (theirs.start, theirs.end))


_ACTS = re.compile(
    r"\b(?P<party>[A-Z][\w-]{1,40}|plaintiff|defendant|tenant|landlord|buyer|seller|employer|employee|lender|borrower)"
    r"\s+(?:shall|must|may|will|can|should)\s+(?:not\s+|also\s+)?(?P<verb>[a-z]{3,40})"
)
"""Who does what."""
_OPPOSITES = frozenset({frozenset({"least", "most"}), frozenset({"more", "less"}), frozenset({"more", "fewer"})})
_STATES = frozenset({"be", "have", "receiv", "get", "not"})
"""Verbs that say what a party is or gets, which a passive turns about."""


def negations(ours: str, theirs: str) -> Iterator[_Difference]:
    """Yield what one sentence negates while the other one says it and negates nothing."""
    for text, other in ((ours, theirs), (theirs, ours)):
        if _NEGATES.search(other):
            continue
        says = {_stem(w) for w in stems_of(other)}
        m = next((m for m in _NEGATED.finditer(text) if _stem(m["what"].casefold()) in says), None)
        if m:
            yield _Difference(FindingKind.NEGATION, *((m.span(), (0, 0)) if text is ours else ((0, 0), m.span())))


def other_parties(ours: str, theirs: str) -> Iterator[_Difference]:
    """Yield the parties of a sentence that do what another party does in a passage."""
    acts = ((m for m in _ACTS.finditer(text) if m["party"].casefold() not in FUNCTION_WORDS) for text in (ours, theirs))
    mine, other = ({_stem(m["verb"]): m for m in of} for of in acts)
    pairs = [(m, other[verb]) for verb, m in mine.items() if verb in other]
    if not pairs and len(mine) == 1 == len(other) and not _STATES & {*mine, *other}:
        pairs = list(zip(mine.values(), other.values(), strict=True))
    if len(pairs) == 1 and not {*mine} & {*other} and pairs[0][1]["party"] in ours:
        # A sentence that names both parties may turn the passage about.
        pairs = []
    for m, n in pairs:
        if m["party"].casefold() != n["party"].casefold():
            yield _Difference(FindingKind.PARTY, m.span("party"), n.span("party"))


def _is_name(words: Sequence[_Word], text: str) -> bool:
    says = [w for w in words if w.says]
    return 0 < len(says) <= 2 and all(text[w.start].isupper() for w in says)


def _words(text: str) -> list[_Word]:
    words = (_Word(*m.span(), m.group().casefold(), "") for m in _WORD.finditer(text))
    return [w._replace(stem=_stem(w.text)) for w in words]


def _strength(words: set[str]) -> int:
    """1 for a duty, -1 for a permission, 0 for neither or both."""
    return bool(words & _STRONG) - bool(words & _WEAK)


def _stem(word: str) -> str:
    return (word[:-1] if len(word) > 4 and word.endswith("s") else word)[:6]


def _span(words: Sequence[_Word], text: str) -> tuple[int, int]:
    return (words[0].start, words[-1].end) if words else (0, 0)


def other_figures(ours: str, theirs: str, language: str) -> Iterator[_Difference]:
    """Yield the values of a sentence in whose place a passage has another one of the same unit; both plain."""
    values, others = read_values(ours, language), read_values(theirs, language)
    counted = [v for v in values if v.unit and v.kind not in (ValueKind.PROVISION, ValueKind.DOCKET)]
    # Of a table each figure stands beside all others.
    for value in counted if max(len(counted), len(others)) <= _MOST else ():
        alike = [v for v in others if _alike(v, value)]
        if (
            len(alike) == 1 == sum(_alike(v, value) for v in values)
            and _missing(value, ours, theirs)
            and _missing(alike[0], theirs, ours)
        ):
            yield _Difference(FindingKind.OTHER_FIGURE, (value.start, value.end), (alike[0].start, alike[0].end))


def _alike(value: Value, other: Value) -> bool:
    return value.kind is other.kind and value.unit == other.unit


def _missing(value: Value, text: str, other: str) -> bool:
    return ContextValues.of([other]).look_up(value, text).standing is Standing.MISSING


@keep(megabytes=16)
def differing(case: Case) -> tuple[Finding, ...]:
    """Find where sentences of a response differ from the passages that they otherwise repeat, in reading order; cached."""
    return tuple(_Compared(case).findings())


@keep(megabytes=8)
def left_out(case: Case) -> tuple[LeftOut, ...]:
    """List the longest clause of each sentence's nearest passage that no sentence of the response repeats; cached."""
    return tuple(_Compared(case).left_out())


class _Compared:
    """A response beside its nearest passages."""

    def __init__(self, case: Case) -> None:
        self._case, self._plain = case, PlainCase.of(case)
        facts = source_facts(self._plain.case.context)
        self._sources, self._language = facts.sources, facts.language
        self._nearest = list(self._pairs())
        self._answer = [stems_of(text) for _, _, text, *_ in self._nearest]

    def _pairs(self) -> Iterator[tuple[int, int, str, Unit, float]]:
        """Sentences that are near a passage: its number, where it begins, its text, the passage, and how near it is."""
        response = self._plain.response
        for i, s in enumerate(split(self._case.response)):
            first, last = response.at(s.start, s.end)
            text = response.text[first:last]
            if s.heading or not text:
                continue
            shares = self._sources.shares(text)
            best = self._sources.best(shares)
            if best >= 0 and shares[best] >= _NEAR:
                yield i, first, text, self._sources.units[best], shares[best]

    def _text(self, unit: Unit) -> str:
        return self._plain.case.context[unit.passage].text[unit.start : unit.end]

    def findings(self) -> Iterator[Finding]:
        """Yield what differs, each kind once a sentence."""
        for i, first, text, unit, share in self._nearest:
            theirs = self._text(unit)
            pair = _Pair(text, theirs)
            kinds = set[FindingKind]()
            in_other_words = (*other_parties(text, theirs), *negations(text, theirs)) if share >= _REPEATS else ()
            figures = other_figures(text, theirs, self._language)
            for d in (*figures, *in_other_words, *pair.differences(), *self._conditions(pair)):
                if d.kind not in kinds:
                    kinds.add(d.kind)
                    yield self._finding(i, first, d, pair, unit)

    def _conditions(self, pair: _Pair) -> Iterator[_Difference]:
        """The conditions of a passage that the answer states nowhere, where the sentence repeats the rest."""
        if pair.repeats < _CLOSELY or _CONDITION.search(f" {pair.ours}"):
            return
        for m in _CONDITION.finditer(pair.theirs):
            if self._is_left_out(m["clause"]):
                yield _Difference(FindingKind.CONDITION, (0, 0), m.span("clause"))

    def _is_left_out(self, clause: str) -> bool:
        """Whether no sentence of the answer has most of a clause's words."""
        stems = stems_of(clause)
        return len(stems) >= _FEWEST and all(len(stems & s) <= _SAID * len(stems) for s in self._answer)

    def _finding(self, sentence: int, first: int, d: _Difference, pair: _Pair, unit: Unit) -> Finding:
        (a, b), (c, e) = d.ours, d.theirs
        response, source = self._plain.response, self._plain.context[unit.passage]
        start, end = response.span(first + a, first + b) if a < b else response.span(first, first + len(pair.ours))
        there = source.span(unit.start + c, unit.start + e) if c < e else source.span(unit.start, unit.end)
        theirs = shown_words(source.original, *there, source=True)
        words = shown_words(response.original, start, end)
        if d.kind is FindingKind.CONDITION:
            why = f"The passage that this sentence repeats goes on: “{theirs}”. No sentence of the answer says so."
        elif c >= e:
            why = f"“{words}” is not in the passage that this sentence otherwise repeats."
        elif a >= b:
            why = f"The passage that this sentence otherwise repeats also has “{theirs}”."
        else:
            why = f"“{words}” here; “{theirs}” in the passage that this sentence otherwise repeats."
        place = ContextPlace(unit.passage, *there)
        text = self._case.response[start:end]
        kind, words_there = d.kind, theirs if c < e else ""
        return Finding(kind, sentence, start, end, text, why, place, Certainty.DIFFERS, CHECKS[kind], worth(kind), words_there)

    def left_out(self) -> Iterator[LeftOut]:
        """Yield a clause a sentence."""
        for i, _, _, unit, share in self._nearest:
            text = self._text(unit)
            clauses = [m for m in _LEFT_OUT.finditer(text) if self._is_left_out(m.group())] if share >= _REPEATS else []
            if clause := max(clauses, key=lambda m: len(stems_of(m.group())), default=None):
                place = self._plain.context[unit.passage].span(unit.start + clause.start(), unit.start + clause.end())
                words = shown_words(self._plain.context[unit.passage].original, *place, source=True)
                yield LeftOut(i, words, ContextPlace(unit.passage, *place))
