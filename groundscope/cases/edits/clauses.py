"""Edit operators on clauses: a condition or exception left out, a wider scope, the burden moved, another standard, and for or."""

import re
from collections.abc import Iterator
from functools import partial

from groundscope.cases.edits.names import PARTIES
from groundscope.cases.edits.source import Edit, EditSource, Operator, keep_case
from groundscope.types import ErrorType

_CONDITION = r"(?:if|when|where|once|as soon as|in cases? (?:where|in which)|on condition that|provided that)"
_EXCEPTION = (
    r"(?:unless|except (?:where|when|if|that|as|in|for|by|to)|other than|save (?:where|that|as|for)|with the exception of"
    r"|subject to)"
)
# Without the clause these words would hang in the air, or ask for it.
_NOT_BEFORE = (
    "and|or|but|at|however|though|not|only|even|except|as|than|that|to|is|are|was|were|be|been|of|just|ask|asks|asked|decides?|decided|determines?"
    "|determined|knows?|knew|considers?|considered|sees?|shows?|asking|deciding|determining|see|say|says|depends?|turns?|on|in|for"
)
_CLAUSE = r"\b[^,.;:()]{6,140}"
_KEPT = r"(?P<kept>[A-Za-z][\w’'-]*)"
_NARROW = (
    "residential|commercial|civil|criminal|federal|foreign|domestic|public|private|registered|licensed|secured|unsecured|adult"
    "|individual|corporate|first-time|permanent|temporary|listed|certified|eligible|qualifying|qualified|relevant|disputed|serious"
    "|unreasonable|undue|intentional|wilful|willful|negligent|future|personal|consumer|industrial|agricultural|urgent|final"
)
_NARROWED = re.compile(
    rf"\b(?:{_NARROW}) (?!(?:and|or|interest|policy|office|law|injury|jurisdiction|government|nature|judgment)\b){_KEPT}\b",
    re.IGNORECASE,
)
_WIDER = {
    "consumer": "person", "tenant": "occupier", "employee": "worker", "shareholder": "person", "director": "officer",
    "citizen": "person", "child": "family member", "spouse": "family member", "car": "vehicle", "house": "building",
    "contract": "promise", "lease": "agreement", "will": "document", "theft": "crime", "felony": "offence", "judge": "official",
    "patient": "person", "refugee": "foreigner", "minor": "person", "passenger": "person", "pedestrian": "person",
    "manufacturer": "business", "physician": "professional", "attorney": "professional", "lawyer": "professional",
}  # fmt: skip
_ANOTHER = re.compile(r"\b(?:who|whose|which|that)\b")
_RELATIVE = re.compile(rf"\b{_KEPT} (?:who|which|that) {_CLAUSE[2:]} (?=(?:may|must|shall|can|cannot|should|will)\b)")
_SIDES = sorted({side for pair in PARTIES for side in pair}, key=len, reverse=True)
_SIDE = rf"(?P<side>{'|'.join(_SIDES)})"
_SHOW = r"(?:prov(?:e|es|ing)|show(?:s|ing)?|establish(?:es|ing)?|demonstrat(?:e|es|ing)|persuad(?:e|es|ing)|rebut(?:s|ting)?)"
_BEARS = r"(?:bears?|carr(?:y|ies)|has|have|had|bore|meets?|met)"
_MUST = r"(?:must|shall|ha[sd] to|have to|need not|fail(?:s|ed)? to)"
_BURDEN = (
    re.compile(rf"\b{_SIDE}(?= (?:\w+ )?{_MUST} (?:\w+ )?{_SHOW}\b)", re.IGNORECASE),
    re.compile(rf"\b{_SIDE}(?= (?:\w+ )?{_BEARS} (?:\w+ ){{0,3}}(?:burden|onus)\b)", re.IGNORECASE),
    re.compile(
        rf"\b(?:burden|onus)\b[^,.;:()]{{0,60}}? (?:on|upon|to|with) (?:the |a |an )?(?:\w+ )?{_SIDE}\b", re.IGNORECASE
    ),
)  # fmt: skip
_STANDARDS: tuple[tuple[str, ...], ...] = (
    ("for abuse of discretion", "for clear error", "for plain error", "de novo", "for substantial evidence"),
    ("abuse of discretion", "clear error", "plain error", "harmless error"),
    ("a preponderance of the evidence", "clear and convincing evidence", "substantial evidence", "some evidence"),
    ("the preponderance of the evidence", "clear and convincing evidence"),
    ("strict scrutiny", "intermediate scrutiny", "rational basis review"),
    ("beyond a reasonable doubt", "by a preponderance of the evidence", "on a balance of probabilities"),
    ("on the balance of probabilities", "beyond a reasonable doubt"),
    ("on a balance of probabilities", "beyond a reasonable doubt"),
    ("probable cause", "reasonable suspicion"), ("reasonable suspicion", "probable cause"),
    ("clearly erroneous", "arbitrary and capricious", "plainly wrong"), ("arbitrary and capricious", "clearly erroneous"),
)  # fmt: skip
_JOINED = re.compile(
    r"(?<=[a-z,] )(?:and|or)(?= (?!(?:may|must|is|are|was|were|has|have|had|it|he|she|they|then|so|thus|therefore|will|would|can"
    r"|cannot|could|does|do|did|not|there|this|that|no|in|if|when|where|even|also)\b)[a-z])"
)
# "between a and b", "both a and b", "either a or b", "whether or not", "and/or", pairs that are one thing.
_FIXED = re.compile(
    r"\b(?:between|both|either|neither|whether|more|one|two|time|again|now|and|or)\b[^,.;:()]{0,80}$"
    r"|\b(?:terms|cease|null|due|search|law|aid|by|over|goods|trial|each|notice) $",
    re.IGNORECASE,
)


def _left_out(source: EditSource, opening: str, why: str) -> Iterator[Edit]:
    """A clause goes, at the head of its sentence or at its end; the word beside it stays, so that the span is not empty."""
    head = re.compile(rf"{opening}{_CLAUSE}, (?:then )?(?!(?:and|or|but)\b){_KEPT}", re.IGNORECASE)
    tail = re.compile(rf"\b(?!(?:{_NOT_BEFORE})\b){_KEPT},? {opening}{_CLAUSE}(?=[.;,])", re.IGNORECASE)
    for claim in source.claims:
        first = head.match(source.text, claim.start, claim.end)
        for m in (*([first] if first else ()), *tail.finditer(source.text, claim.start, claim.end)):
            lost = (source.text[m.start() : m.start("kept")] + source.text[m.end("kept") : m.end()]).strip(" ,")
            yield from source.unsaid(m.start(), m.end(), keep_case(m.group(), m["kept"]), why, what=lost)


_conditions = partial(_left_out, opening=_CONDITION, why="The condition “{what}” is left out.")
_exceptions = partial(_left_out, opening=_EXCEPTION, why="The exception “{what}” is left out.")


def _scopes(source: EditSource) -> Iterator[Edit]:
    """A narrowing adjective or relative clause left out, or a wider word for a class of persons or things."""
    why = "The answer it was made from speaks of “{old}” alone; “{new}” takes in more."
    for m in source.found(_NARROWED):
        yield from source.unsaid(m.start(), m.end(), keep_case(m.group(), m["kept"]), why)
    for m in source.found(_RELATIVE):
        if len(_ANOTHER.findall(m.group())) == 1:
            yield from source.unsaid(m.start(), m.end(), f"{m['kept']} ", why)
    for m in source.found(re.compile(rf"\b(?P<one>{'|'.join(_WIDER)})(?P<many>s?)\b(?! (?:of|to|be|not)\b)", re.IGNORECASE)):
        new = _WIDER[m["one"].lower()] + m["many"]
        verb = m["one"].lower() == "will"
        if not verb or source.text[: m.start()].endswith((" a ", " the ", " his ", " her ")):
            yield from source.unsaid(m.start(), m.end(), keep_case(m.group(), new), why)


def _burdens(source: EditSource) -> Iterator[Edit]:
    """The other side has to prove it."""
    other: dict[str, list[str]] = {}
    for a, b in PARTIES:
        other.setdefault(a, []).append(b)
        other.setdefault(b, []).append(a)
    why = "The sources put this on the {party}, not on the {new}."
    for pattern in _BURDEN:
        for _, m in source.in_claims(pattern):
            for new in other[m["side"].lower()]:
                words = keep_case(m["side"], new)
                yield from source.unsaid(m.start("side"), m.end("side"), words, why, party=m["side"].lower())


def _standards(source: EditSource) -> Iterator[Edit]:
    """Another standard of review or of proof, of the same form of words."""
    every = sorted({one for group in _STANDARDS for one in group}, key=len, reverse=True)
    why = "The standard is “{old}”, not “{new}”."
    for m in source.found(re.compile(rf"\b(?:{'|'.join(every)})\b", re.IGNORECASE)):
        old = m.group().lower()
        for new in dict.fromkeys(one for group in _STANDARDS if old in group for one in group if one != old):
            yield from source.unsaid(m.start(), m.end(), keep_case(m.group(), new), why)


def _junctions(source: EditSource) -> Iterator[Edit]:
    """One of "and", "or" for the other, where no other word of the sentence asks for the one that stands there."""
    why = "The answer it was made from says “{old}”: with “{new}” another number of them is needed."
    for claim in source.claims:
        for m in _JOINED.finditer(source.text, claim.start, claim.end):
            before = source.text[max(claim.start, m.start() - 90) : m.start()]
            # After a single comma it joins clauses, and either word may do.
            if not _FIXED.search(before) and (not before.endswith(", ") or before.count(",") > 1):
                new = "or" if m.group() == "and" else "and"
                yield from source.unsaid(m.start(), m.end(), new, why)


_CONTEXT = ErrorType.CONTEXTUAL_MISINTERPRETATION
OPERATORS = (
    Operator("condition", "Condition left out", _CONTEXT, _conditions, "It holds no condition to leave out."),
    Operator("exception", "Exception left out", _CONTEXT, _exceptions, "It holds no exception to leave out."),
    Operator("scope", "Wider scope", _CONTEXT, _scopes, "It holds no word that narrows what it speaks of."),
    Operator("burden", "Burden on the other side", ErrorType.PROCEDURAL_ERROR, _burdens, "It puts no burden on a party."),
    Operator(
        "standard", "Another standard", ErrorType.TERMINOLOGICAL_ERROR, _standards, "It names no standard of review or proof."
    ),
    Operator("junction", "And for or", ErrorType.REASONING_ERROR, _junctions, "It joins nothing with and, or or."),
)
