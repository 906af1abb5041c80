"""Control edits change how a response is written, not what it says: a judge that reacts to them judges form, not support."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from groundscope.cases.edits.source import Edit, EditSource, Operator, keep_case

_SAME = (
    (r"prior to", "before"),
    (r"subsequent to", "after"),
    (r"in order to", "to"),
    (r"pursuant to", "under"),
    (r"in accordance with", "according to"),
    (r"in the event that", "if"),
    (r"until such time as", "until"),
    (r"(?:is|are) required to", "must"),
    (r"has the right to", "is entitled to"),
    (r"have the right to", "are entitled to"),
    (r"is entitled to(?= (?!the|a|an|its|his|her|their|no|any|all|some)[a-z])", "has the right to"),
    (r"are entitled to(?= (?!the|a|an|its|his|her|their|no|any|all|some)[a-z])", "have the right to"),
    (r"(?<=to )commence", "begin"),
    (r"(?<=to )terminate", "end"),
    (r"(?<=to )purchase", "buy"),
    (r"attempts? to", "try to"),
    (r"approximately", "about"),
    (r"permits(?= the| a| an)", "allows"),
    (r"allows(?= the| a| an)", "permits"),
    (r"prohibits", "forbids"),
    (r"forbids", "prohibits"),
    (r"demonstrates", "shows"),
    (r"demonstrate", "show"),
    (r"although", "even though"),
    (r"(?:on the ground|for the reason|due to the fact) that", "because"),
    (r"despite the fact that", "although"),
    (r"notwithstanding", "despite"),
    (r"entire(?! fairness)", "whole"),
    (r"occurs", "happens"),
    (r"assists", "helps"),
    (r"for example", "for instance"),
    (r"for instance", "for example"),
    (r"a number of", "several"),
    (r"does not", "doesn’t"),
    (r"do not", "don’t"),
    (r"did not", "didn’t"),
    (r"is not", "isn’t"),
    (r"are not", "aren’t"),
    (r"was not", "wasn’t"),
    (r"cannot", "can’t"),
)
"""Words, and what may stand for them wherever they stand."""
_PARAPHRASES = [(re.compile(rf"\b{old}\b", re.IGNORECASE), new) for old, new in _SAME]
_SHALL = re.compile(r"\bshall\b", re.IGNORECASE)
_LINK = "if|when|where|unless|because|although|before|after|until|once|as soon as"
_LINKED = re.compile(rf"\b(?:{_LINK})\b", re.IGNORECASE)
_HALF = r"[^,.;:()“”\"]"
_SUBJECT = "The|An?|It|They|He|She|This|No|Any|Each|Every|Such|These|Courts|Parties|That"
_CLAUSE_FIRST = re.compile(
    rf"(?P<link>{_LINK}) (?P<clause>{_HALF}{{6,160}}), (?!(?:and|or|but|then|which|who)\b)(?P<main>{_HALF}{{6,200}})\.",
    re.IGNORECASE,
)
_MAIN_FIRST = re.compile(
    rf"(?P<main>(?:{_SUBJECT}) {_HALF}{{6,200}}?)"
    rf"(?<!only)(?<!even)(?<!just)(?<!and)(?<!or)"
    rf" (?P<link>{_LINK}) (?P<clause>(?:the|an?|it|they|he|she|this|no|any) {_HALF}{{6,160}})\."
)
_WORD = re.compile(r"(?<![\w*_])[A-Za-z]{5,}(?![\w*_])")
_MARKS = (
    (re.compile(r"(?<=\w)'(?=\w)"), "’"),
    (re.compile(r"(?<=\w)’(?=\w)"), "'"),
    (re.compile(r"(?<=§) (?=\d)"), "\u00a0"),
    (re.compile(r"(?<=\d) (?=[a-z])"), "\u00a0"),
    (re.compile(r" [-–] "), " — "),
    (re.compile(r"(?<=\d)-(?=\d)"), "–"),
)


def _swapped(source: EditSource, swaps: Sequence[tuple[re.Pattern[str], str]]) -> Iterator[Edit]:
    for pattern, new in swaps:
        for m in source.found(pattern):
            yield _edit(source, m.start(), m.end(), keep_case(m.group(), new))


_paraphrased, _musts = partial(_swapped, swaps=_PARAPHRASES), partial(_swapped, swaps=((_SHALL, "must"),))


def _turned(source: EditSource) -> Iterator[Edit]:
    """A sentence of one main clause and one other, the other way round."""
    for claim in source.claims:
        first = _CLAUSE_FIRST.fullmatch(source.text, claim.start, claim.end)
        m = first or _MAIN_FIRST.fullmatch(source.text, claim.start, claim.end)
        # Of three clauses it would not be clear which the moved one belongs to.
        if m is None or len(_LINKED.findall(m.group())) > 1:
            continue
        if first:
            main = m["main"][:1].upper() + m["main"][1:]
            yield _edit(source, claim.start, claim.end, f"{main} {m['link'].lower()} {m['clause']}.")
        else:
            main = m["main"][:1].lower() + m["main"][1:]
            yield _edit(source, claim.start, claim.end, f"{m['link'].capitalize()} {m['clause']}, {main}.")


def _bold(source: EditSource) -> Iterator[Edit]:
    """The longest word of each sentence in bold."""
    for claim in source.claims:
        words = list(_WORD.finditer(source.text, claim.start, claim.end))
        if words:
            longest = max(words, key=lambda m: len(m.group()))
            yield _edit(source, longest.start(), longest.end(), f"**{longest.group()}**")


def _marked(source: EditSource) -> Iterator[Edit]:
    """Another apostrophe, dash or space."""
    for pattern, new in _MARKS:
        for _, m in source.in_claims(pattern):
            yield _edit(source, m.start(), m.end(), new)


def _edit(source: EditSource, start: int, end: int, new: str) -> Edit:
    return Edit(start, end, new, f"“{new}” says the same as “{source.text[start:end]}”.")


OPERATORS = (
    Operator("paraphrase", "Other words for the same", None, _paraphrased, "It holds no words that this project has others for."),
    Operator("must", "Must for shall", None, _musts, "It holds no shall."),
    Operator("order", "Clauses the other way round", None, _turned, "It has no sentence of two clauses that can change places."),
    Operator("bold", "A word in bold", None, _bold, "It holds no word of five letters."),
    Operator("marks", "Apostrophes, dashes, spaces", None, _marked, "It holds no mark that can be written in another way."),
)
