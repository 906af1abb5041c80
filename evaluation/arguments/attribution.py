"""Of which case a text says a factor: rules on clauses, so that the same text always gives the same answer.

A mention belongs to the case that its clause names: to that right after it ("F4 in TSC1"), else to the one before it ("TSC1 had
F4"), to several where they are joined or share it ("both the current case and TSC1"), else to the case of which the text spoke
last. What is said to be absent ("TSC1 lacked F6") is said of no case. Free prose has turns that no rule foresees: where a model
extracts, too, how far both agree is shown.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from evaluation.arguments.mentions import Found

_REFERENCE = re.compile(
    r"""(?ix)
    (?P<current>\b(?:current|present|instant|input|new|pending)\s+(?:fact\s+situation|case|matter|dispute)\b
        | \b(?:our|this)\s+case\b | \bcase\s+at\s+(?:hand|bar)\b | \bCC\b | \bCFS\b)
    | (?P<all>\ball\s+(?:three\s+)?cases\b|\ball\s+three\b)
    | (?P<both>\b(?:both|the(?:\s+two)?|neither)\s+precedents?\b|\bTSCs\b)
    | \bTSC[\s\-‑_#]{0,2}(?P<tsc>[12])\b
    | \b(?P<place>first|second)\s+(?:cited\s+)?(?:precedent|trade[\s\-]secrets?\s+case|TSC)\b
    | \b(?:precedent|trade[\s\-]secrets?\s+case)\s+(?:case\s+)?(?:no\.?\s*|\#\s*)?(?P<number>[12])\b
    """
)
_SENTENCE = re.compile(r"[.!?](?=[\"”’)*]*\s+[\"“‘(*]*[A-Z¤])|\n+")
_CLAUSE = re.compile(
    r"""(?ix)
    ,?\s*\b(?:while|whereas|but|although|though|however|which|neither\s+of\s+which|none\s+of\s+which|because|since|so|where|that)\b
    | [;:—]\s | ,\s*(?:as|just\s+like|not|present|absent|also|found|missing|shared)\b
    | \bnot\s+(?:present|found|shared|existing|seen|part)\b
    """
)
_AGAINST = re.compile(
    r"(?i)(?:unlike|in\s+contrast\s+(?:to|with)|as\s+opposed\s+to|contrary\s+to|compared\s+(?:to|with)|"
    r"(?:distinguish(?:able|ed|es)?|differ(?:ent|s)?)\s+(?:it\s+)?from)\s+(?:the\s+|that\s+of\s+|those\s+of\s+)?$"
)
_ABSENT = re.compile(
    r"""(?ix)
    \b(?:lack(?:s|ed|ing)?|without|absent|missing|absence|devoid|neither|none|nor)\b
    | (?:\bnot|n['’]t|\bnever)\s+(?:\w+\s+){0,2}?(?:present|found|exist|appear|ha[vds]e?|involve|include|contain|shared?|part)
    | \bnot\s+(?:in|of|from|the|our|this|TSC)\b | \b(?:no|not|nor)\s+(?:such\s+)?(?:the\s+)?(?:factors?\s+)?¤
    """
)
_SHARED = re.compile(r"(?i)\b(?:shar(?:e|es|ed|ing)|common|both|same|overlap\w*|all\s+three)\b")
_JOINED = re.compile(
    r"(?i)[\s,()]*(?:(?:and|&|or|also|both|in|with|as\s+well\s+as|together\s+with|along\s+with|just|like|similar\s+to|as\s+in|"
    r"the)[\s,]*)*"
)
_TOO = re.compile(r"(?i)\b(?:also|as\s+(?:in|does|did|was|is)|likewise|like|similar\s+to|too)\b")
_RUN = re.compile(r"(?i)[\s,&/()]*(?:(?:and|or|as\s+well\s+as|the|factors?)[\s,]*)*")
_TIGHT = re.compile(
    r"(?i)[\s,(]*(?:(?:were|was|is|are|present|found|existed|exist|exists|appeared|appears|appear|all|both|also|in|of|from|the)[\s,]*)*"
)
_PRESENCE = re.compile(r"(?i)\b(?:present|found|exist\w*|appear\w*|shared|also|too|as\s+(?:does|did|was|is|in))\b")

_LONGEST = 60
"""Characters before a case in which a word may set it against another one."""

Cases = tuple[str, ...]
_ALL: Cases = ("current", "tsc1", "tsc2")


class _Reference(NamedTuple):
    start: int
    end: int
    cases: Cases


class _Clause(NamedTuple):
    text: str
    start: int
    references: list[_Reference]
    mentions: list[int]


def attributed(text: str, found: Sequence[Found]) -> list[Cases]:
    """Of which cases each mention is said, in the order of the mentions; empty = it is said to be absent."""
    masked = _masked(text, found)
    said: list[Cases] = [()] * len(found)
    spoken: Cases = ("current",)
    before: list[int] = []
    for clause in _clauses(masked, found):
        absent = bool(_ABSENT.search(clause.text))
        groups = _groups(masked, clause, found)
        if clause.mentions and not absent:
            for run, cases in _runs(masked, clause, groups, found, spoken):
                for i in run:
                    said[i] = cases
        elif groups and before and not absent and not clause.mentions and _PRESENCE.search(clause.text):
            # "TSC1 had F12, which is also present in the current case": said of the mentions before.
            for i in before:
                said[i] = tuple(c for c in _ALL if c in said[i] or any(c in g.cases for g in groups))
        if groups and not (absent and not clause.mentions):
            spoken = _together(groups) if _SHARED.search(clause.text) else groups[0].cases
        before = clause.mentions or before
    return said


def _masked(text: str, found: Sequence[Found]) -> str:
    """The text with its mentions blotted out: a name may hold a word that means something here, such as `No` or `Not`."""
    parts, at = [], 0
    for f in found:
        parts += [text[at : f.start], "¤" * (f.end - f.start)]
        at = f.end
    return "".join([*parts, text[at:]])


def _clauses(masked: str, found: Sequence[Found]) -> list[_Clause]:
    references = [
        _Reference(m.start(), m.end(), _cases(m))
        for m in _REFERENCE.finditer(masked)
        if not _AGAINST.search(masked[max(0, m.start() - _LONGEST) : m.start()])
    ]
    cuts = {0, len(masked), *(m.end() for m in _SENTENCE.finditer(masked)), *(m.start() for m in _CLAUSE.finditer(masked))}
    made, r, f = [], 0, 0
    for start, end in pairwise(sorted(cuts)):
        inside, mentions = [], []
        while r < len(references) and references[r].start < end:
            inside.append(references[r])
            r += 1
        while f < len(found) and found[f].start < end:
            mentions.append(f)
            f += 1
        made.append(_Clause(masked[start:end], start, inside, mentions))
    return made


def _cases(m: re.Match[str]) -> Cases:
    if m["current"]:
        return ("current",)
    if m["all"]:
        return _ALL
    if m["both"]:
        return ("tsc1", "tsc2")
    number = m["tsc"] or m["number"] or {"first": "1", "second": "2"}[m["place"].lower()]
    return (f"tsc{number}",)


def _groups(masked: str, clause: _Clause, found: Sequence[Found]) -> list[_Reference]:
    """References that are joined are one."""
    made: list[_Reference] = []
    for one in clause.references:
        between = masked[made[-1].end : one.start] if made else ""
        last = not clause.mentions or found[clause.mentions[-1]].end <= one.end
        if made and (_JOINED.fullmatch(between) or (last and _TOO.search(between))):
            made[-1] = _Reference(made[-1].start, one.end, _union(made[-1].cases, one.cases))
        else:
            made.append(one)
    return made


def _runs(
    masked: str, clause: _Clause, groups: Sequence[_Reference], found: Sequence[Found], spoken: Cases
) -> list[tuple[list[int], Cases]]:
    runs: list[list[int]] = []
    for i in clause.mentions:
        if runs and _RUN.fullmatch(masked, found[runs[-1][-1]].end, found[i].start):
            runs[-1].append(i)
        else:
            runs.append([i])
    everyone = _together(groups)
    if len(everyone) > 1 and _SHARED.search(clause.text):
        return [(clause.mentions, everyone)]
    starts = [g.start for g in groups]
    return [(run, _of_run(masked, found[run[0]].start, found[run[-1]].end, groups, starts) or spoken) for run in runs]


def _of_run(masked: str, start: int, end: int, groups: Sequence[_Reference], starts: Sequence[int]) -> Cases:
    before, after = bisect_left(starts, start) - 1, bisect_left(starts, end)
    if after < len(groups) and _TIGHT.fullmatch(masked, end, starts[after]):
        return groups[after].cases
    return groups[before].cases if before >= 0 else groups[after].cases if after < len(groups) else ()


def _together(groups: Sequence[_Reference]) -> Cases:
    return _union(*(g.cases for g in groups))


def _union(*cases: Cases) -> Cases:
    return tuple(c for c in _ALL if any(c in one for one in cases))
