"""Edit operators on the small words that carry the law: modals, negations, qualifiers, order of steps, quantity, terms."""

import re
from collections.abc import Iterator, Mapping, Sequence

from groundscope.cases.edits.source import Edit, EditSource, Operator, keep_case
from groundscope.types import ErrorType

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


def _swapped(source: EditSource, swaps: Mapping[str, Sequence[str]], why: str) -> Iterator[Edit]:
    longest_first = sorted(swaps, key=len, reverse=True)
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
    for m in source.found(pattern):
        for other in swaps[m.group().casefold()]:
            yield from source.unsaid(m.start(), m.end(), keep_case(m.group(), other), why)


def _modals(source: EditSource) -> Iterator[Edit]:
    """A duty for what is allowed, and the reverse; "May" with a capital, which is a month too, and "... have been" stay."""
    for edit in _swapped(source, _MODALS, "The answer it was made from says “{old}” here: “{new}” makes another duty of it."):
        perfect = source.text.startswith(" have been", edit.end)
        if source.text[edit.start : edit.end] != "May" and not perfect:
            yield edit


def _steps(source: EditSource) -> Iterator[Edit]:
    """Another order, occasion or form of a step."""
    why = "The step is described with “{old}” in the answer it was made from, not with “{new}”."
    yield from _swapped(source, _ORDER, why)
    for m in source.found(_WITHIN):
        yield from source.unsaid(m.start(), m.end(), keep_case(m.group(), "only after"), why)


def _quantities(source: EditSource) -> Iterator[Edit]:
    """All for some, always for usually, and the reverse."""
    yield from _swapped(source, _QUANTITY, "The answer it was made from says “{old}”; “{new}” claims another range.")


def _negations(source: EditSource) -> Iterator[Edit]:
    """A "not" taken out or put in: first "does not require" -> "requires", then at other auxiliary verbs."""
    why = "The answer it was made from says the opposite: “{old}”."
    for m in source.found(_DO_NOT):
        if new := _affirmed(m["aux"], m["verb"]):
            yield from source.unsaid(m.start(), m.end(), new, why)
    for m in source.found(_AUXILIARY):
        if m[1] in {"does", "do", "did"} or (m.start() and source.text[m.start() - 1] in "-’'"):
            continue
        new = m[1] if m["no"] else f"{m[1]} not".replace("can not", "cannot")
        yield from source.unsaid(m.start(), m.end(), new, why)


def _affirmed(auxiliary: str, verb: str) -> str:
    """The verb without "does not": "requires" for "does not require"; empty where English is not so regular."""
    if auxiliary == "do":
        return verb
    if auxiliary == "did" or len(verb) < 3 or verb in {"have", "be", "do", "go"}:
        return ""
    if verb.endswith(("s", "sh", "ch", "x", "z")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


def _dropped_qualifiers(source: EditSource) -> Iterator[Edit]:
    """A condition, an exception or a qualifying word left out; the word next to it is kept, so that its span is not empty."""
    for pattern, group, lost in _DROPPED:
        for m in source.found(pattern):
            new = keep_case(m.group(), m[group])
            what = lost or (source.text[m.start() : m.start(group)] + source.text[m.end(group) : m.end()]).strip(" ,")
            yield from source.unsaid(m.start(), m.end(), new, "The qualification “{what}” is left out.", what=what)


def _added_qualifiers(source: EditSource) -> Iterator[Edit]:
    """A sufficient condition made a necessary one, or an exception to a duty that no passage knows."""
    only = "The answer it was made from gives one condition (“{old}”); “only” shuts out the others."
    for m in source.found(_ADDED):
        new = keep_case(m.group(), f"only {m.group()[0].lower()}{m.group()[1:]}").rstrip()
        yield from source.unsaid(m.start(), m.end() - 1, new, only)
    for claim in source.claims:
        end = _LAST_WORD.search(source.text, claim.start, claim.end)
        if not end or not _DUTY.search(source.text, claim.start, claim.end) or " unless " in source.text[claim.start : claim.end]:
            continue
        for exception in _EXCEPTIONS:
            if not source.says(exception):
                new = f"{end[1]}, {exception}"
                yield Edit(end.start(), end.end(), new, f"No passage makes the exception “{exception}”.")


_CONTEXT = ErrorType.CONTEXTUAL_MISINTERPRETATION
OPERATORS = (
    Operator(
        "step", "Order of steps", ErrorType.PROCEDURAL_ERROR, _steps, "It describes no step with an order, occasion or form."
    ),
    Operator("modal", "Shall, may, must", _CONTEXT, _modals, "It holds no shall, may, must or the like."),
    Operator("dropped", "Qualifier left out", _CONTEXT, _dropped_qualifiers, "It holds no qualifier to leave out."),
    Operator("added", "Condition or exception added", _CONTEXT, _added_qualifiers, "It holds no open condition or duty."),
    Operator("negation", "Negation", ErrorType.REASONING_ERROR, _negations, "It holds no verb that can be negated safely."),
    Operator("universal", "All for some", ErrorType.REASONING_ERROR, _quantities, "It holds no word of quantity or frequency."),
)
