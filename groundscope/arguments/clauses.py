"""Split a text into clauses, each with the factors and cases that it mentions; input of `attribution`.

A case is named as TSC1, as the current case, as "here", or as the former or the latter of those named before. One that is
named only to be set against another ("unlike TSC1, …") is left out of its clause, unless something is said of it at once
("unlike TSC1, where …").
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from groundscope.arguments.mentions import FactorMatch
from groundscope.arguments.types import CASES

Cases = tuple[str, ...]

_REFERENCE = re.compile(
    r"""(?ix)
    (?P<current>\b(?:current|present|instant|input|new|pending)\s+(?:fact\s+situation|case|matter|dispute)\b
        | \b(?:our|this)\s+case\b | \bcase\s+at\s+(?:hand|bar)\b | \bhere\b | \bCC\b | \bCFS\b)
    | (?P<all>\ball\s+(?:three\s+)?cases\b|\ball\s+three\b)
    | (?P<both>\b(?:both|the\s+two|neither)\s+(?:cited\s+)?precedents?\b|\bthe\s+(?:cited\s+)?precedents\b|\bTSCs\b)
    | \bthe\s+(?P<order>former|latter)\b
    | \bTSC[\s\-‑_#]{0,2}(?P<tsc>[12])\b
    | \b(?P<place>first|second)\s+(?:cited\s+)?(?:precedent|trade[\s\-]secrets?\s+case|TSC)\b
    | \b(?:precedent|trade[\s\-]secrets?\s+case)\s+(?:case\s+)?(?:no\.?\s*|\#\s*)?(?P<number>[12])\b
    """
)
_SENTENCE = re.compile(r"[.!?](?=[\"”’)*]*\s+[\"“‘(*]*[A-Z¤])|\n+")
# What stands before a word is bounded: a run of spaces would be read from each of them.
_CLAUSE = re.compile(
    r"""(?ix)
    ,?\s{0,20}\b(?:while|whereas|but|although|though|however|which|neither\s+of\s+which|none\s+of\s+which|because|since|so|where|that)\b
    | [;:—]\s | ,\s*(?:as|just\s+like|not|present|absent|also|found|missing|shared)\b
    | ,\s*(?:(?:an?|the)\s+)?(?:\w+\s+){0,2}factors?\s+(?:the|missing|absent|lacking|not)\b
    | ,\s*(?=the\s+(?:former|latter)\b)
    | \band\s+(?:there\s+(?:is|are)|adds?|has|have|shares?|(?:(?:is|are|was|were)\s+)?(?:present|found)\s+in)\b
    | \bnot\s+(?:present|found|shared|existing|seen|part)\b
    """
)
_AGAINST = re.compile(
    r"(?i)(?:unlike|in\s+contrast\s+(?:to|with)|as\s+opposed\s+to|contrary\s+to|compared\s+(?:to|with)|"
    r"(?:distinguish(?:able|ed|es)?|differ(?:ent|s)?)\s+(?:it\s+)?from)\s+(?:in\s+)?(?:(?:that|those)\s+of\s+)?"
    r"(?:the\s+)?(?:(?:cited\s+)?(?:precedent|case)\s+)?$"
)
_WHERE = re.compile(r"(?i),?\s*(?:where|(?:(?:in|of)\s+)?which|whose)\b")
_JOINED = re.compile(
    r"(?i)[\s,()]*(?:(?:and|&|or|also|both|in|with|as\s+well\s+as|together\s+with|along\s+with|just|like|similar\s+to|as\s+in|"
    r"the)[\s,]*)*"
)
_AND_HAS = re.compile(r"(?i)and\s+(?:adds?|has|have)\b")
_TOO = re.compile(r"(?i)\b(?:also|as\s+(?:in|does|did|was|is)|likewise|like|similar\s+to|too)\b")
_AS_IN = re.compile(r"(?i),\s*(?:just\s+)?(?:as\s+(?:in|with)|like)\b")
_ALIKE = re.compile(r"(?i)(?:^|[.,;:]\s*)(?:just\s+)?(?:as\s+(?:in|with)|like)\s+(?:the\s+)?$")
_HAD = re.compile(
    r"(?i)\s+(?:also|additionally|only|alone)?\s*(?:ha[sdv]e?|contain|involve|include|feature|present|lack|do(?:es)?\b|did\b)"
)
_AFTER_MENTION = re.compile(r"(?i)¤\)?,\s+(?:the\s+)?$")
_TO_RELATIVE = re.compile(r"[\s,]*(?:\([^()]{0,60}\)[\s,]*)?(?:in|of|for)?\s*")
_TO_COLON = re.compile(
    r"(?i)\s*(?:\((?:won|decided)[^()]{0,60}\)\s*)?[(\[]?\s*(?:ha[ds]|contains|with)?\s*(?:the\s+)?(?:following\s+)?(?:factors?)?\s*"
)

_LONGEST = 60
"""Characters beside a case in which a word may show how it is named."""


class Reference(NamedTuple):
    """`text[start:end]` names these cases."""

    start: int
    end: int
    cases: Cases


class Clause(NamedTuple):
    """A part of a text in which a case named first is what is spoken of.

    `groups`: the cases that it names; those that are joined are one. `relative`: what it speaks of because it follows at once
    ("TSC1, which had …", "TSC1: …"); none = it does not.
    """

    text: str
    start: int
    groups: list[Reference]
    mentions: list[int]
    relative: Cases


def masked(text: str, mentions: Sequence[FactorMatch]) -> str:
    """Blot the mentions out of a text: a name may hold a word that means something here, such as `No` or `Not`."""
    parts, at = [], 0
    for f in mentions:
        parts += [text[at : f.start], "¤" * (f.end - f.start)]
        at = f.end
    return "".join([*parts, text[at:]])


def clauses(text: str, mentions_of_text: Sequence[FactorMatch]) -> list[Clause]:
    """Cut a masked text into clauses."""
    references = _references(text)
    cuts = {0, len(text), *(m.end() for m in _SENTENCE.finditer(text)), *(m.start() for m in _CLAUSE.finditer(text))}
    # "… share F16, TSC2 had F20": the case begins a clause of its own.
    cuts |= {one.start for one in references if _begins(text, one)}
    parts: list[Clause] = []
    r = f = 0
    for start, end in pairwise(sorted(cuts)):
        inside, mentions = [], []
        while r < len(references) and references[r].start < end:
            inside.append(references[r])
            r += 1
        while f < len(mentions_of_text) and mentions_of_text[f].start < end:
            mentions.append(f)
            f += 1
        last = mentions_of_text[mentions[-1]].end if mentions else 0
        groups, relative = _groups(text, start, inside, last), _relative(text, start, parts[-1]) if parts else ()
        if relative and groups and _AS_IN.match(text, start):
            # "Here, as in TSC1, …": of both.
            groups[0], relative = groups[0]._replace(cases=union(relative, groups[0].cases)), ()
        parts.append(Clause(text[start:end], start, groups, mentions, relative))
    return parts


def union(*cases: Cases) -> Cases:
    """Join groups of cases, which may overlap: every case once, in the order of `CASES`."""
    return tuple(c for c in CASES if any(c in one for one in cases))


def _references(text: str) -> list[Reference]:
    references: list[Reference] = []
    named: list[Cases] = []
    for m in _REFERENCE.finditer(text):
        cases = _cases(m, named)
        if not cases:
            continue
        if not m["order"]:
            named = [*(n for n in named if n != cases), cases][-2:]
        if not _AGAINST.search(text, max(0, m.start() - _LONGEST), m.start()) or _WHERE.match(text, m.end()):
            references.append(Reference(m.start(), m.end(), cases))
    return references


def _cases(m: re.Match[str], named: Sequence[Cases]) -> Cases:
    if m["current"]:
        return ("current",)
    if m["all"]:
        return CASES
    if m["both"]:
        return ("tsc1", "tsc2")
    if m["order"]:
        return () if len(named) < 2 else named[-1] if m["order"].lower() == "latter" else named[-2]
    number = m["tsc"] or m["number"] or {"first": "1", "second": "2"}[m["place"].lower()]
    return (f"tsc{number}",)


def _begins(text: str, reference: Reference) -> bool:
    return bool(
        _AFTER_MENTION.search(text, max(0, reference.start - _LONGEST), reference.start) and _HAD.match(text, reference.end)
    )


def _groups(text: str, start: int, references: Sequence[Reference], last: int) -> list[Reference]:
    groups: list[Reference] = []
    alike = False
    for reference in references:
        between = text[groups[-1].end : reference.start] if groups else ""
        if groups and (alike or _JOINED.fullmatch(between) or (last <= reference.end and _TOO.search(between))):
            groups[-1] = Reference(groups[-1].start, reference.end, union(groups[-1].cases, reference.cases))
        else:
            groups.append(reference)
        # "As in TSC1, the defendant in this case …": both, whatever stands between.
        alike = bool(_ALIKE.search(text[max(start, reference.start - _LONGEST) : reference.start]))
    return groups


def _relative(text: str, start: int, before: Clause) -> Cases:
    if not before.groups:
        return ()
    gap = text[before.groups[-1].end : start]
    if len(gap) > 2 * _LONGEST:
        return ()
    if _AND_HAS.match(text, start):
        return before.groups[0].cases
    named = text[start : start + 1] == ":" and _TO_COLON.fullmatch(gap)
    follows = (_WHERE.match(text, start) or (_AS_IN.match(text, start) and not before.mentions)) and _TO_RELATIVE.fullmatch(gap)
    return before.groups[-1].cases if named or follows else ()
