"""Edit operators on the small words that carry the law: modals, negations, qualifiers, order of steps, quantity, terms."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from groundscope.cases.edits._confusable_terms import PAIRS
from groundscope.cases.edits.source import Edit, EditSource, keep_case

_MODALS = {
    "must": ("may",), "may": ("must",), "shall": ("may",), "shall not": ("need not",), "should not": ("need not",),
    "should": ("must",), "cannot": ("may",), "can": ("must",),
    "is required to": ("is permitted to",), "are required to": ("are permitted to",), "is permitted to": ("is required to",),
    "are permitted to": ("are required to",), "requires": ("permits",), "permits": ("requires",), "need not": ("must",),
    "required to": ("permitted to",), "may not": ("need not",), "must not": ("need not",), "has to": ("may",),
    "have to": ("may",),
}  # fmt: skip
_ORDER = {
    "before": ("after",), "after": ("before",), "prior to": ("following",),
    "until": ("even after",), "no later than": ("no earlier than",), "not later than": ("not earlier than",),
    "is served": ("is filed",), "was served": ("was filed",), "be served": ("be filed",), "are served": ("are filed",),
    "is filed": ("is served",), "was filed": ("was served",), "be filed": ("be served",), "are filed": ("are served",),
    "service of process": ("filing of the complaint",), "service of the complaint": ("filing of the complaint",),
    "filing of the complaint": ("service of the complaint",), "service of the summons": ("filing of the summons",),
    "service of the notice": ("filing of the notice",), "filing of the notice": ("service of the notice",),
    "at the same time as": ("after",),
    "commenced": ("concluded",), "orally": ("in writing",), "in writing": ("orally",), "sua sponte": ("on motion",),
    "on motion": ("on its own initiative",), "with leave of court": ("without leave of court",), "ex parte": ("on notice",),
    "as of right": ("by leave",), "in person": ("through counsel",), "at trial": ("on appeal",), "on appeal": ("at trial",),
}  # fmt: skip
_QUANTITY = {
    "some": ("all", "every"), "many": ("all",), "most of the": ("all of the",),
    "a few": ("all",), "several": ("all",), "often": ("always",),
    "usually": ("always",), "generally": ("always",), "ordinarily": ("invariably",), "normally": ("invariably",),
    "sometimes": ("always",), "typically": ("always",), "rarely": ("never",), "in some cases": ("in all cases",),
    "in most cases": ("in every case",), "in many cases": ("in every case",), "not every": ("every",), "not all": ("all",),
    "at least one": ("every",), "one of the": ("each of the",),
    "all": ("most",), "every": ("nearly every",), "always": ("usually",), "never": ("seldom",), "each": ("at least one",),
}  # fmt: skip
_NOUN = r"((?!(?:is|are|was|were|be|been|to|than|that|of|in|and|or|but|if|as|not|which|must|may|can|the|a|an|if)\b)[a-z]\w+)"
_LAST = r"\b((?!(?:only|and|or|but|not|even|is|are|was|were|so|then|just)\b)\w+)"
_ADVERB = "reasonably|substantially|materially|clearly|actually|knowingly|wilfully|willfully"
_ADJECTIVE = "material|substantial|reasonable|timely|written|actual|genuine|specific|compelling|direct|prior"
_UNLESS = "unless|except (?:where|when|if|that)|provided that|so long as|as long as"
_DROPPED = (
    (re.compile(r"\bonly (?=if|when|where|after|to the extent|by|for|on)(\w+)", re.IGNORECASE), 1, "only"),
    (re.compile(rf"\b(?:{_ADVERB}) {_NOUN}"), 1, ""),
    (re.compile(rf"\b(?:{_ADJECTIVE}) {_NOUN}"), 1, ""),
    (re.compile(rf"{_LAST},? (?:{_UNLESS}) [^,.;:()]{{8,90}}(?=[.;,])"), 1, ""),
    (re.compile(r"(\w+) in good faith\b"), 1, ""),
    (re.compile(r"(\w+) and (?:not|without) [^,.;:()]{4,60}(?=[.;,])"), 1, ""),
)  # fmt: skip
_SUBJECT = "the|a|an|it|that|he|she|they|there|its|one"
_NOT_AFTER = "".join(f"(?<!{word} )" for word in (",", "not", "on", "time", "only", "even", "as", "and"))
_ADDED = re.compile(rf"{_NOT_AFTER}\b(?:if|when|where) (?=(?:{_SUBJECT})\b)")
_DUTY = re.compile(r"\b(?:must|shall|may not|is required|are required|cannot)\b")
_LAST_WORD = re.compile(r"\b([a-z]+)(?=\.$)")
_EXCEPTIONS = ("unless the court orders otherwise", "unless the parties agree otherwise", "unless good cause is shown")
_WITHIN = re.compile(r"\b[Ww]ithin(?= (?:\d+|[a-z]+(?:-[a-z]+)?)[ -](?:[a-z]+ )?(?:day|week|month|year|hour))")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|must|may|should|will|would|does|do|did|has|have|can|could)(?P<no> not)?\b(?! (?:not|no|never|neither)\b)"
)
_DO_NOT = re.compile(r"\b(?P<aux>does|do|did) not (?P<verb>[a-z]+)\b")
_NEIGHBOURS: dict[str, list[tuple[str, str]]] = defaultdict(list)
for _one, _other, _difference in PAIRS:
    _NEIGHBOURS[_one].append((_other, _difference))
    _NEIGHBOURS[_other].append((_one, _difference))
_LONGEST_FIRST = "|".join(sorted(map(re.escape, _NEIGHBOURS), key=len, reverse=True))
_TERM = re.compile(rf"\b(?P<term>{_LONGEST_FIRST})(?P<many>s?)\b", re.IGNORECASE)


def _swapped(source: EditSource, swaps: Mapping[str, Sequence[str]], why: str) -> Iterator[Edit]:
    longest_first = sorted(swaps, key=len, reverse=True)
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
    for m in source.found(pattern):
        for other in swaps[m.group().casefold()]:
            new = keep_case(m.group(), other)
            if not source.says(source.around(m.start(), m.end(), new)):
                yield Edit(m.start(), m.end(), new, why.format(old=m.group(), new=new))


def modals(source: EditSource) -> Iterator[Edit]:
    """Make a duty of what is allowed, and the reverse.

    Args:
        source: response to edit; its headings are left alone.

    Yields:
        Edits with offsets into the response; "May" with a capital, which is a month too, and "... have been" stay.
    """
    for edit in _swapped(source, _MODALS, "The answer it was made from says “{old}” here: “{new}” makes another duty of it."):
        perfect = source.text.startswith(" have been", edit.end)
        if source.text[edit.start : edit.end] != "May" and not perfect:
            yield edit


def steps(source: EditSource) -> Iterator[Edit]:
    """Turn round the order, the occasion or the form of a step.

    Args:
        source: response to edit; its headings are left alone.

    Yields:
        Edits with offsets into the response; the context does not have the new words with their neighbours.
    """
    why = "The step is described with “{old}” in the answer it was made from, not with “{new}”."
    yield from _swapped(source, _ORDER, why)
    for m in source.found(_WITHIN):
        new = keep_case(m.group(), "only after")
        if not source.says(source.around(m.start(), m.end(), new)):
            yield Edit(m.start(), m.end(), new, why.format(old=m.group(), new=new))


def quantities(source: EditSource) -> Iterator[Edit]:
    """Put all for some, always for usually, and the reverse.

    Args:
        source: response to edit; its headings are left alone.

    Yields:
        Edits with offsets into the response; the context does not have the new words with their neighbours.
    """
    yield from _swapped(source, _QUANTITY, "The answer it was made from says “{old}”; “{new}” claims another range.")


def negations(source: EditSource) -> Iterator[Edit]:
    """Take a "not" out or put one in.

    Args:
        source: response to edit; its headings are left alone.

    Yields:
        Edits with offsets into the response: first "does not require" -> "requires", then those at other auxiliary verbs. The
        context does not have the new words with their neighbours.
    """
    why = "The answer it was made from says the opposite: “{old}”."
    for m in source.found(_DO_NOT):
        new = _affirmed(m["aux"], m["verb"])
        if new and not source.says(source.around(m.start(), m.end(), new)):
            yield Edit(m.start(), m.end(), new, why.format(old=m.group()))
    for m in source.found(_AUXILIARY):
        if m[1] in {"does", "do", "did"} or (m.start() and source.text[m.start() - 1] in "-’'"):
            continue
        new = m[1] if m["no"] else f"{m[1]} not".replace("can not", "cannot")
        if not source.says(source.around(m.start(), m.end(), new)):
            yield Edit(m.start(), m.end(), new, why.format(old=m.group()))


def _affirmed(auxiliary: str, verb: str) -> str:
    """The verb without "does not": "requires" for "does not require"; empty where English is not so regular."""
    if auxiliary == "do":
        return verb
    if auxiliary == "did" or len(verb) < 3 or verb in {"have", "be", "do", "go"}:
        return ""
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


def dropped_qualifiers(source: EditSource) -> Iterator[Edit]:
    """Leave out a condition, an exception or a qualifying word.

    Args:
        source: response to edit; its headings are left alone.

    Yields:
        Edits with offsets into the response; each keeps the word next to what is left out, so that its span is not empty.
    """
    for pattern, kept, lost in _DROPPED:
        for m in source.found(pattern):
            new = keep_case(m.group(), m[kept])
            what = lost or (source.text[m.start() : m.start(kept)] + source.text[m.end(kept) : m.end()]).strip(" ,")
            if not source.says(source.around(m.start(), m.end(), new)):
                yield Edit(m.start(), m.end(), new, f"The qualification “{what}” is left out.")


def added_qualifiers(source: EditSource) -> Iterator[Edit]:
    """Make a sufficient condition a necessary one, or add an exception to a duty that no passage knows.

    Args:
        source: response to edit; its headings are left alone.

    Yields:
        Edits with offsets into the response: first each added "only", then each exception at the end of a sentence with a duty.
    """
    yield from _added_only(source)
    for claim in source.claims:
        end = _LAST_WORD.search(source.text, claim.start, claim.end)
        if not end or not _DUTY.search(source.text, claim.start, claim.end) or " unless " in source.text[claim.start : claim.end]:
            continue
        for exception in _EXCEPTIONS:
            if not source.says(exception):
                new = f"{end[1]}, {exception}"
                yield Edit(end.start(), end.end(), new, f"No passage makes the exception “{exception}”.")


def _added_only(source: EditSource) -> Iterator[Edit]:
    for m in source.found(_ADDED):
        new = keep_case(m.group(), f"only {m.group()[0].lower()}{m.group()[1:]}").rstrip()
        if not source.says(source.around(m.start(), m.end() - 1, new)):
            why = f"The answer it was made from gives one condition (“{m.group().strip()}”); “only” shuts out the others."
            yield Edit(m.start(), m.end() - 1, new, why)


def terms(source: EditSource) -> Iterator[Edit]:
    """Put a legal term's confusable neighbour in its place; see `PAIRS`. Of nested terms the longest counts.

    Args:
        source: response to edit; its headings are left alone.

    Yields:
        Edits with offsets into the response; a plural stays one, and `why` states the difference between the two terms.
    """
    for m in source.found(_TERM):
        for other, difference in _NEIGHBOURS[m["term"].casefold()]:
            many = "s" if m["many"] and not other.endswith("s") else ""
            new = keep_case(m.group(), other + many)
            if not source.says(source.around(m.start(), m.end(), new)):
                yield Edit(m.start(), m.end(), new, f"“{new}” is not “{m.group()}”: {difference}.")
