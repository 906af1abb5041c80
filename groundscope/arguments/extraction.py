"""Factors that an argument ascribes to each case: three sets, by the exact extractor of this project or by another model.

Only the argument's own text goes in, never the scenario, as in the paper (Zhang et al. 2025); a factor that is mentioned
twice counts once. The paper extracts by a model alone; the exact extractor is this project's: it attributes each mention to a
case by rules on clauses, so that the same text always gives the same answer.

A mention belongs to the case that its clause names: to that right after it ("F4 in TSC1"), else to the one before it ("TSC1 had
F4"), to several where they are joined or share it ("both the current case and TSC1"), else to the case of which the text spoke
last. What is said to be absent ("TSC1 lacked F6") is said of no case. Where cases are said to share nothing, a factor is said of
the case that it stands beside. Free prose has turns that no rule foresees, such as "the plaintiff's precedent" or "did not waive
confidentiality (F23)": where a model extracts, too, how far both agree is shown.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from groundscope.arguments.clauses import Cases, Clause, Reference, clauses, masked, union
from groundscope.arguments.mentions import FactorMatch, find, wrong_side
from groundscope.arguments.types import CASES, Catalogue

EXACT = "exact"
"""The id of the exact extractor."""

_ABSENT = re.compile(
    r"""(?ix)
    \b(?:lack(?:s|ed|ing)?|without|absent|missing|absence|devoid|neither|none|nor)\b
    | (?:\bnot|n['’]t|\bnever)\s+(?:\w+\s+){0,2}?
        (?:present|found|exist|appear|ha[vds]e?|involve|include|contain|feature|possess|shared?|part)
    | \bnot\s+(?:in|of|from|the|our|this|TSC)\b | \b(?:no|not|nor)\s+(?:such\s+)?(?:the\s+)?(?:factors?\s+)?¤
    """
)
_SHARED = re.compile(r"(?i)\b(?:shar(?:e|es|ed|ing)|common|both|same|overlap\w*|all\s+three)\b")
_UNSHARED = re.compile(
    r"""(?ix)
    (?:\b(?:no|not(?!\s+only)|neither|nor|without|lacks?|lacking|nothing|none|zero|never|cannot|fails?\s+to)|n['’]t)\s+
        (?:\w+\s+){0,5}?(?:shar(?:e|es|ed|ing)|common|overlap\w*|same)\b
    | \bneither\s[^.;]{0,120}?\b(?:shares?|common|overlaps?)\b
    | \bshar(?:e|es|ed|ing)\s+(?:\w+\s+){0,2}?(?:no|nothing|none|zero|neither)\b
    """
)
_NOTHING_AFTER = re.compile(r"(?i)[\s)]*[:=–—\-]\s*(?:none|nothing|zero|0|empty|∅)(?!\w)")
_SUCH_AS = re.compile(r"(?i)\s*(?:factors?)?[\s,(]*(?:such\s+as|like|e\.\s?g\.|including|namely|for\s+example|of)?[\s,]*")
_BESIDE = re.compile(
    r"(?i)(?:[’']s)?[\s,]*(?:\((?:won|decided)[^()]{0,60}\)[\s,]*)?[(\[{]\s*(?:(?:which\s+)?(?:ha[ds]|having|with)\s+)?(?:the\s+)?"
    r"(?:factors?\s+)?"
)
_RUN = re.compile(r"(?i)[\s,&/()\-–]*(?:(?:and|or|to|through|as\s+well\s+as|the|factors?)[\s,]*)*")
_TIGHT = re.compile(
    r"(?i)[\s,(]*(?:(?:were|was|is|are|present|found|existed|exist|exists|appeared|appears|appear|all|both|also|the)[\s,]*)*"
    r"(?:in|of|from)\s+(?:(?:both|the|all)\s+)*"
)
_HERE = re.compile(r"(?i)[\s(]*(?:(?:were|was|is|are|present|found|both|also)\s+)*here\b")
_ASIDE = re.compile(r"(?i)\s*\(\s*(?:(?:is|are|was|were|also|likewise|both)\s+)*(?:present|found|shared)\b")
_LISTED = re.compile(r"(?i):\s*(?:the\s+)?(?:factors?\s+)?")
_PRESENCE = re.compile(r"(?i)\b(?:present|found|exist\w*|appear\w*|shared|also|too|as\s+(?:does|did|was|is|in))\b")
_THERE = re.compile(
    r"(?i)[\s,]*(?:(?:that|which)\s+)?(?:(?:is|are|was|were)\s+)?(?:present|found|existing|seen)\s+(?:in\s+)?(?:the\s+)?"
)
_LACKS = re.compile(
    r"(?i)(?:\bnot|n['’]t|\bnever)\s+(?:\w+\s+){0,2}?(?:have|involve|include|contain|feature)\b|\black(?:s|ed|ing)?\b"
)
_RELATIVE = re.compile(r"(?i),?\s*(?:which|that)\b(?!.*\b(?:why|mean\w*|mak\w+|distinguish\w*|differ\w*)\b)")

_NEAR = 120
"""Characters; what stands farther apart does not belong together."""


class Mention(NamedTuple):
    """`plies[ply][start:end]` says the factor `key` of `cases`; of none where it is said to be absent."""

    ply: int
    start: int
    end: int
    key: str
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was extracted. `mentions`: with their places, where the exact extractor found them; a model gives none."""

    sets: tuple[frozenset[str], frozenset[str], frozenset[str]]
    mentions: tuple[Mention, ...] = ()
    note: str = ""

    @property
    def empty(self) -> bool:
        """Whether all three sets are: the argument uses no factor."""
        return not any(self.sets)


def of_sets(sets: Sequence[frozenset[str]], note: str = "") -> Extraction:
    """Make an extraction without places, as a model's is, of three sets of keys in the order of `CASES`."""
    current, tsc1, tsc2 = sets
    return Extraction((current, tsc1, tsc2), (), note)


def exact(plies: Sequence[str], catalogue: Catalogue) -> Extraction:
    """Extract by numbers and names from the texts of the plies; see `mentions` and `attributed`.

    Gives the sets, and the mentions by ply and place, with half-open character offsets; a note counts those with a wrong side.
    """
    mentions: list[Mention] = []
    wrong = 0
    for number, text in enumerate(plies):
        matches = find(text, catalogue)
        wrong += sum(wrong_side(text, f, catalogue) for f in matches)
        mentions += [
            Mention(number, f.start, f.end, f.key, cases) for f, cases in zip(matches, attributed(text, matches), strict=True)
        ]
    current, tsc1, tsc2 = (frozenset(m.key for m in mentions if case in m.cases) for case in CASES)
    note = f"{wrong:,} of its mentions give a factor the wrong side; they count as that factor." if wrong else ""
    return Extraction((current, tsc1, tsc2), tuple(mentions), note)


def attributed(text: str, mentions: Sequence[FactorMatch]) -> list[Cases]:
    """Decide of which cases each mention is said."""
    blotted = masked(text, mentions)
    owners: list[Cases] = [()] * len(mentions)
    spoken: Cases = ("current",)
    before: list[int] = []
    lacking = denied = False
    for clause in clauses(blotted, mentions):
        absent, shares = bool(_ABSENT.search(clause.text)), _shares(blotted, clause)
        first = mentions[clause.mentions[0]].start if clause.mentions else 0
        if clause.mentions and not (denied and not clause.groups and _LISTED.fullmatch(blotted, clause.start, first)):
            for run, cases in _said(blotted, clause, mentions, spoken, absent=absent, shares=shares):
                for i in run:
                    owners[i] = cases
        elif clause.groups and not (clause.mentions or absent) and _tells_of_before(clause.text, lacking=lacking):
            # "TSC1 had F12, which is also present in the current case": said of the mentions before.
            for i in before:
                owners[i] = union(owners[i], *(g.cases for g in clause.groups))
            before = before if len(before) <= _NEAR else []  # a longer list is read once
        if clause.groups and not (absent and not clause.mentions):
            spoken = _together(clause.groups) if shares else clause.groups[0].cases
        elif clause.relative:
            spoken = clause.relative
        lacking, denied = absent and bool(clause.mentions), absent and not clause.mentions
        before = clause.mentions or before
    return owners


def _shares(text: str, clause: Clause) -> bool:
    if not _SHARED.search(clause.text) or _UNSHARED.search(clause.text):
        return False
    return not _NOTHING_AFTER.match(text, clause.start + len(clause.text))


def _tells_of_before(text: str, *, lacking: bool) -> bool:
    """Whether a clause says who else has what was mentioned; `lacking`: it was said to be absent just before."""
    return bool(_PRESENCE.search(text)) or (lacking and bool(_RELATIVE.match(text)))


def _said(
    text: str, clause: Clause, mentions: Sequence[FactorMatch], spoken: Cases, *, absent: bool, shares: bool
) -> Iterator[tuple[list[int], Cases]]:
    """Mentions of a clause that are said of cases, with these."""
    groups = clause.groups
    if clause.relative:
        # "TSC1 shares with the current case: F4": of all that were spoken of.
        cases = spoken if len(spoken) > 1 and clause.text.startswith(":") else clause.relative
        groups = [Reference(clause.start, clause.start, cases), *groups]
    everyone = _together(groups)
    if len(everyone) > 1 and shares and not absent:
        yield clause.mentions, everyone
        return
    unshared = _UNSHARED.search(clause.text)
    lacks = _LACKS.search(clause.text)
    starts = [g.start for g in groups]
    for run in _runs(text, clause.mentions, mentions):
        start, end = mentions[run[0]].start, mentions[run[-1]].end
        at = bisect_left(starts, start) - 1
        if unshared and at >= 0 and _stands(_BESIDE, text, groups[at].end, start):
            yield run, groups[at].cases
        elif absent:
            after = bisect_left(starts, end)
            late = lacks and at >= 0 and groups[at].end <= clause.start + lacks.start() < start
            if late and after < len(groups) and _THERE.fullmatch(text, end, starts[after]):
                # "TSC2 did not have F4 present in the current case."
                yield run, groups[after].cases
        elif not (unshared and _stands(_SUCH_AS, text, clause.start + unshared.end(), start)):
            yield run, _of_run(text, start, end, groups, starts) or spoken


def _stands(pattern: re.Pattern[str], text: str, start: int, end: int) -> bool:
    """Whether a pattern is all that stands between two places that are near each other."""
    return 0 <= end - start <= _NEAR and pattern.fullmatch(text, start, end) is not None


def _runs(text: str, numbers: Sequence[int], mentions: Sequence[FactorMatch]) -> list[list[int]]:
    """Mentions that are listed together."""
    runs: list[list[int]] = []
    for i in numbers:
        if runs and _RUN.fullmatch(text, mentions[runs[-1][-1]].end, mentions[i].start):
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs


def _of_run(text: str, start: int, end: int, groups: Sequence[Reference], starts: Sequence[int]) -> Cases:
    before, after = bisect_left(starts, start) - 1, bisect_left(starts, end)
    if after < len(groups) and (_TIGHT.fullmatch(text, end, starts[after]) or _HERE.fullmatch(text, end, groups[after].end)):
        # "TSC1 had F12 (present in the current case)": of both.
        aside = before >= 0 and _ASIDE.match(text, end)
        return union(groups[before].cases, groups[after].cases) if aside else groups[after].cases
    return groups[before].cases if before >= 0 else groups[after].cases if after < len(groups) else ()


def _together(groups: Sequence[Reference]) -> Cases:
    return union(*(g.cases for g in groups))
