"""Edit operators on who said or did it: cases, courts, judges and parties (misattribution)."""

import re
from collections.abc import Iterator
from itertools import islice

from groundscope.cases.edits.source import Edit, EditSource, Operator, keep_case
from groundscope.text.facts import FactKind
from groundscope.types import ErrorType

_ABBREVIATION = (
    r"(?:Inc|Corp|Co|Ltd|Bros|Indus|Assocs?|Mfg|Ins|Ry|Cty|Comm|St|Mr|Dr|Jr|Sr|Univ|Nat|Fin|Elec|Tel|Servs?|Sys|Techs?|Labs?|Pharm"
    r"|Prods?|Grp|Hosp|Sch|Dist|Bd|Def|Res|Fed|Gen|Am|Ass[’']n|Dep[’']t|Int[’']l)\."
)
# A full stop belongs to an abbreviation, to initials, or inside a word; otherwise it ends the sentence.
_NAME = rf"(?:{_ABBREVIATION}|[A-Z](?:\.[A-Z]){{0,9}}\.(?!\w)|[a-z]?[A-Z](?:[\w’'&/-]|\.(?=\w)){{0,60}})"
_LEAD_WORDS = (
    "No|Yes|In|Under|See|The|But|And|Since|After|As|Per|While|Because|Where|Unlike|Following|Before|Although|Accord|Cf|Compare|Both"
    "|By|For|From|Like|That|This|Then|When|With|Court|Justice|Applying|Citing|Relying|Quoting|At|On|To|If|An?|Its"
)
_FORM = r"(?:,?\s(?:Inc|Ltd|LLC|Corp|Co|plc|L\.P|S\.A|N\.A)\b\.?)?"
_OF = r"(?:of\sthe|for\sthe|in\sthe|of|the|for|&|and)"
_PARTY = rf"{_NAME}(?:\s{_OF}\s{_NAME}|\s&|,?\s{_NAME}){{0,6}}?{_FORM}"
_OTHER_PARTY = rf"{_NAME}(?:\s{_OF}\s{_NAME}|\s{_NAME}){{0,5}}{_FORM}"
_CASE = re.compile(rf"(?<![\w.]){_PARTY}\sv\.?\s{_OTHER_PARTY}")
_LEAD = re.compile(rf"^(?:(?:{_LEAD_WORDS})[.,]?\s)+")
_ORDINAL = "First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Eleventh|Federal|D\\.C\\."
_COURT = re.compile(
    rf"\b(?:(?:{_ORDINAL})\sCircuit|(?:U\.S\.\s|(?!(?:{_LEAD_WORDS})\s){_NAME}\s)?Supreme\sCourt(?:\sof\s{_NAME})?|House\sof\sLords|Privy\sCouncil"
    r"|Court\sof\s(?:Appeals?|Chancery|Justice)|High\sCourt|General\sCourt|Federal\sCourt)\b"
)
_COURTS = {
    "circuit": ("Second Circuit", "Ninth Circuit", "Fifth Circuit", "Seventh Circuit", "Federal Circuit", "D.C. Circuit"),
    "english": ("Court of Appeal", "High Court", "Supreme Court", "House of Lords"),
    "european": ("Court of Justice", "General Court"),
    "other": ("Supreme Court", "Court of Appeals"),
}
_JUDGE = re.compile(
    rf"\b(?:Chief\sJustice|Justice|Judge|Vice\sChancellor|Chancellor|Lord(?:\sJustice)?|Lady|Baroness)\s(?!Department|System|Ministry|Act\b){_NAME}"
)
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
    names = dict.fromkeys(name for name, _ in _case_names(source.context, 0, len(source.context)))
    others = [(new, _sides(new)) for new in islice(names, _MOST_NAMES) if new not in source.text]
    for claim in source.claims:
        for old, start in _case_names(source.text, claim.start, claim.end):
            ours = _sides(old)
            for new, theirs in others:
                if not theirs & ours:
                    yield Edit(start, start + len(old), new, f"The sources say this of {old}, not of {new}.")


def _case_names(text: str, start: int, end: int) -> Iterator[tuple[str, int]]:
    """Names of cases with their offsets, without the words of the sentence around them."""
    for m in _CASE.finditer(text, start, end):
        lead = _LEAD.match(m.group())
        skip = lead.end() if lead else 0
        yield _trimmed(m.group()[skip:]), m.start() + skip


def _trimmed(name: str) -> str:
    return name.rstrip(",").removesuffix("’s").removesuffix("'s").rstrip("'’")


def _sides(name: str) -> set[str]:
    return set(re.split(r"\sv\.?\s", name.casefold()))


def _courts(source: EditSource) -> Iterator[Edit]:
    """Another court of the same kind, not in the sentence already; those that the context names come first."""
    named = list(islice(dict.fromkeys(m.group() for m in _COURT.finditer(source.context)), _MOST_NAMES))
    for claim, m in source.in_claims(_COURT):
        kind, sentence = _kind(m.group()), source.text[claim.start : claim.end]
        for new in dict.fromkeys([*(c for c in named if _kind(c) == kind), *_COURTS[kind]]):
            if new not in sentence and m.group() not in new and new not in m.group():
                yield Edit(m.start(), m.end(), new, f"The sources attribute this to the {m.group()}, not to the {new}.")


def _kind(court: str) -> str:
    if court.endswith("Circuit"):
        return "circuit"
    if court in _COURTS["european"]:
        return "european"
    return "english" if court in {"Court of Appeal", "High Court", "House of Lords", "Privy Council"} else "other"


def _judges(source: EditSource) -> Iterator[Edit]:
    """Another judge whom the context names, not in the sentence already."""
    judges = list(islice(dict.fromkeys(_trimmed(m.group()) for m in _JUDGE.finditer(source.context)), _MOST_NAMES))
    for claim, m in source.in_claims(_JUDGE):
        old = _trimmed(m.group())
        for new in judges:
            if new != old and new not in source.text[claim.start : claim.end]:
                yield Edit(m.start(), m.start() + len(old), new, f"The sources name {old} here, not {new}.")


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
