"""Edit operators on who said or did it: cases, courts, judges and parties (misattribution)."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from groundscope.cases.edits.source import Edit, EditSource, Operator, keep_case
from groundscope.text.facts import FactKind, Item
from groundscope.text.name_spelling import ABBREVIATIONS, folded
from groundscope.text.names import read_names
from groundscope.types import ErrorType

_VERSUS = re.compile(r"\sv\.?\s")
_COURT = re.compile(
    r"(?:.+\s)?(?:Circuit|Supreme Court(?: of .+)?|House of Lords|Privy Council|Court of (?:Appeals?|Chancery|Justice)"
    r"(?: for .+)?|High Court|General Court|Federal Court)"
)
_COURTS = {
    "circuit": ("Second Circuit", "Ninth Circuit", "Fifth Circuit", "Seventh Circuit", "Federal Circuit", "D.C. Circuit"),
    "english": ("Court of Appeal", "High Court", "Supreme Court", "House of Lords"),
    "european": ("Court of Justice", "General Court"),
    "other": ("Supreme Court", "Court of Appeals"),
}
_TITLE = re.compile(r"\b(?:Chief\sJustice|Justice|Judge|Vice\sChancellor|Chancellor|Lord(?:\sJustice)?|Lady|Baroness)\s\Z")
_WINDOW = 20
_MOST_NAMES = 200
"""Names of the context, the first ones, that may stand in the place of another."""
_OTHER_SENSE = r" (?:place|amount|purpose|office|reason|balance|sum)\b"
"""After "principal", which then is no person."""
PARTIES = (
    ("plaintiff", "defendant"), ("appellant", "appellee"), ("petitioner", "respondent"), ("claimant", "respondent"),
    ("buyer", "seller"), ("employer", "employee"), ("landlord", "tenant"), ("debtor", "creditor"), ("insurer", "insured"),
    ("licensor", "licensee"), ("lessor", "lessee"), ("mortgagor", "mortgagee"), ("assignor", "assignee"),
    ("promisor", "promisee"), ("offeror", "offeree"), ("bailor", "bailee"), ("principal", "agent"), ("trustee", "beneficiary"),
    ("prosecution", "defence"), ("prosecution", "defense"), ("movant", "nonmovant"), ("moving party", "nonmoving party"),
    ("controller", "processor"), ("consumer", "trader"), ("guarantor", "principal debtor"), ("vendor", "purchaser"),
    ("donor", "donee"), ("obligor", "obligee"), ("transferor", "transferee"), ("tippee", "tipper"), ("indemnitor", "indemnitee"),
    ("husband", "wife"), ("directors", "stockholders"), ("majority", "dissent"), ("district court", "court of appeals"),
    ("trial court", "appellate court"), ("judge", "jury"),
)  # fmt: skip


def _cases(source: EditSource) -> Iterator[Edit]:
    """Another case of the context, which shares no party with the old one and is not in the response yet."""
    names = dict.fromkeys(source.context[start:end] for start, end in _cases_of(source.context, read_names(source.context)))
    others = [(new, _sides(new)) for new in islice(names, _MOST_NAMES) if new not in source.text]
    for start, end in _cases_of(source.text, (item for _, item in source.facts(FactKind.NAME))):
        old = source.text[start:end]
        for new, theirs in others:
            if not theirs & _sides(old):
                yield Edit(start, end, new, f"The sources say this of {old}, not of {new}.")


def _cases_of(text: str, names: Iterable[Item]) -> Iterator[tuple[int, int]]:
    """Where names of cases begin and end, with the full stop of an abbreviation at the end."""
    for name in names:
        if _VERSUS.search(text, name.start, name.end):
            last = folded(text[name.start : name.end].rsplit(maxsplit=1)[-1])
            yield name.start, name.end + (last in ABBREVIATIONS and text[name.end : name.end + 1] == ".")


def _sides(name: str) -> set[str]:
    return set(_VERSUS.split(name.casefold()))


def _courts(source: EditSource) -> Iterator[Edit]:
    """Another court of the same kind, not in the sentence already; those that the context names come first."""
    names = (source.context[i.start : i.end] for i in read_names(source.context))
    named = list(islice(dict.fromkeys(filter(_COURT.fullmatch, names)), _MOST_NAMES))
    for claim, item in source.facts(FactKind.NAME):
        old, sentence = source.text[item.start : item.end], source.text[claim.start : claim.end]
        if not _COURT.fullmatch(old):
            continue
        for new in dict.fromkeys([*(c for c in named if _kind(c) == _kind(old)), *_COURTS[_kind(old)]]):
            if new not in sentence and old not in new and new not in old:
                yield Edit(item.start, item.end, new, f"The sources attribute this to the {old}, not to the {new}.")


def _kind(court: str) -> str:
    if court.endswith("Circuit"):
        return "circuit"
    if court in _COURTS["european"]:
        return "european"
    return "english" if court in {"Court of Appeal", "High Court", "House of Lords", "Privy Council"} else "other"


def _judges(source: EditSource) -> Iterator[Edit]:
    """Another judge whom the context names, not in the sentence already."""
    judges = dict.fromkeys(source.context[a:b] for a, b in _judges_of(source.context, read_names(source.context)))
    for claim, item in source.facts(FactKind.NAME):
        for start, end in _judges_of(source.text, [item]):
            old = source.text[start:end]
            for new in islice(judges, _MOST_NAMES):
                if new not in source.text[claim.start : claim.end]:
                    yield Edit(start, end, new, f"The sources name {old} here, not {new}.")


def _judges_of(text: str, names: Iterable[Item]) -> Iterator[tuple[int, int]]:
    """Where judges begin, with their titles, and end."""
    for name in names:
        if title := _TITLE.search(text, max(0, name.start - _WINDOW), name.start):
            yield title.start(), name.end


def _parties(source: EditSource) -> Iterator[Edit]:
    """The other side for the party named, by pair of parties; nothing inside a citation changes."""
    taken = source.marked((i.start, i.end) for _, i in source.facts(FactKind.CITATION))
    why = "The sources say this of the {party}, not of the {other}."
    for old, new in (pair for a, b in PARTIES for pair in ((a, b), (b, a))):
        for _, m in source.in_claims(re.compile(rf"\b{old}(?P<many>s?)\b(?!{_OTHER_SENSE})")):
            plural = "s" if m["many"] and not new.endswith("s") else ""
            words = keep_case(m.group(), new + plural)
            if 1 not in taken[m.start() : m.end()]:
                yield from source.unsaid(m.start(), m.end(), words, why, party=m.group().lower(), other=words.lower())


OPERATORS = (
    Operator("case", "Another case", ErrorType.MISATTRIBUTION, _cases, "It names no case, or the context no other."),
    Operator("court", "Another court", ErrorType.MISATTRIBUTION, _courts, "It names no court."),
    Operator("judge", "Another judge", ErrorType.MISATTRIBUTION, _judges, "It names no judge, or the context no other."),
    Operator("party", "The other party", ErrorType.MISATTRIBUTION, _parties, "It names no party with a known opposite."),
)
