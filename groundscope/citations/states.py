"""State of every citation of a response: in the context, in it but different, not in it, or unreadable.

No model and no network: a citation that is not in the context may still exist elsewhere, and one that is there may be cited for
something it does not say. The states claim no more than that.
"""

from dataclasses import dataclass

from groundscope.citations._comparing_parts import Differs
from groundscope.citations._index import ContextCitation, Index, placeless
from groundscope.citations._lookup import LookupResult, State, looked_up
from groundscope.citations._part_places import part_span
from groundscope.citations.case_names import ONLY_NAMED, CaseNames, may_name_cases
from groundscope.citations.claims import claim_sentences
from groundscope.citations.quotes import ContextPlace, Quote, quotes
from groundscope.citations.reader.reading import read
from groundscope.citations.types import Citation
from groundscope.runtime.kept import keep
from groundscope.types import Case, Passage

__all__ = ["Checked", "Layer", "State", "layer"]


@dataclass(frozen=True, slots=True)
class Checked:
    """One citation of a response.

    Attributes:
        place: where it, or what is like it, stands in the context; a place in a source begins and ends at 0.
        in_source: whether that is what the passage is called.
        why: a sentence that says more; may be empty.
        sentence: index of the response sentence that holds it.
        claim: index of the sentence that it is cited for.
    """

    citation: Citation
    state: State
    place: ContextPlace | None
    in_source: bool
    theirs: str
    differs: tuple[Differs, ...]
    why: str
    sentence: int
    claim: int


@dataclass(frozen=True, slots=True)
class Layer:
    """All citations and quotations of a response; `note` says what was not read."""

    citations: tuple[Checked, ...]
    quotes: tuple[Quote, ...]
    note: str = ""

    def count(self, state: State) -> int:
        """Count the citations with one state."""
        return sum(c.state is state for c in self.citations)


@keep(megabytes=16)
def layer(case: Case) -> Layer:
    """Check the citations and quotations of a case's response against its context; cached.

    Args:
        case: only its response and context are read.

    Returns:
        Citations and quotations in reading order, with offsets into the response.
    """
    ours = read(case.response)
    wanted = bool(ours.citations) or may_name_cases(case.response)
    known, names, notes = _context(case.context if wanted else ())
    cited_for = claim_sentences(case.response, ours.citations)
    results: dict[tuple[Citation, str], LookupResult] = {}
    checked = []
    for c, (sentence, claim) in zip(ours.citations, cited_for, strict=True):
        # A text may say the same thousands of times: it is looked up once.
        said = placeless(c), case.response[c.start : c.end]
        result = results[said] = results.get(said) or looked_up(case, c, known)
        checked.append(_checked(case, c, result, sentence, claim))
    named = list(names.named_in(case.response, ours.citations))
    for one, (sentence, claim) in zip(named, claim_sentences(case.response, [n.citation for n in named]), strict=True):
        found = LookupResult(State.HERE, one.found, why=ONLY_NAMED)
        checked.append(_checked(case, one.citation, found, sentence, claim))
    checked.sort(key=lambda c: c.citation.outer)
    note = " ".join(dict.fromkeys(filter(None, (ours.note, *(notes if checked else ())))))
    return Layer(tuple(checked), quotes(case.response, case.context), note)


@keep(megabytes=16)
def _context(context: tuple[Passage, ...]) -> tuple[Index, CaseNames, tuple[str, ...]]:
    found: list[ContextCitation] = []
    notes: list[str] = []
    for p, passage in enumerate(context):
        reading = read(passage.text)
        found += [ContextCitation(ContextPlace(p, c.outer, c.end), c, False) for c in reading.citations]
        found += [ContextCitation(ContextPlace(p, 0, 0), c, True) for c in read(passage.source).citations]
        if reading.note:
            notes.append(f"Passage {p + 1}: {reading.note}")
    return Index(found), CaseNames.of(context, found), tuple(notes)


def _checked(case: Case, ours: Citation, result: LookupResult, sentence: int, claim: int) -> Checked:
    place, theirs, in_source, differs = None, "", False, result.differs
    if result.found:
        place, in_source = result.found.place, result.found.in_source
        passage = case.context[place.passage]
        theirs = passage.source if in_source else passage.text[place.start : place.end]
        told = passage.source if in_source else passage.text
        differs = tuple(_placed(d, case.response, ours, told, result.found.citation) for d in differs)
    return Checked(ours, result.state, place, in_source, theirs, differs, result.why, sentence, claim)


def _placed(differs: Differs, response: str, ours: Citation, passage: str, theirs: Citation) -> Differs:
    span = part_span(response, ours, differs.part, differs.ours)
    return differs._replace(span=span, context_span=part_span(passage, theirs, differs.part, differs.theirs))
