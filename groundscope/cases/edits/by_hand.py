"""Edit a sentence of a case by hand and move the case's labels along; the undo history, and the variant saved from it.

What happens to labels where a sentence of the answer is edited: error spans that touch what changed are dropped, because no one
has labelled the new words; all others keep their words. Gold evidence follows its sentence, and is dropped with it. Where a
source is edited, evidence follows in the same way. Whether the edited answer is grounded is not known, unless an error is left.
"""

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from groundscope.cases.edits.by_model import changes, tokens
from groundscope.cases.edits.source import Edit, shifted
from groundscope.errors import DataError
from groundscope.files.fields import clean, sized
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage

LONGEST = 20_000
"""Characters that may be typed in the place of a sentence."""


class TextPlace(NamedTuple):
    """`text[start:end]` of the response, or of a passage."""

    start: int
    end: int
    passage: int | None = None


def response_place(case: Case, sentence: int) -> TextPlace | None:
    """Find a sentence of the response."""
    sentences = split(case.response)
    return TextPlace(sentences[sentence].start, sentences[sentence].end) if 0 <= sentence < len(sentences) else None


def source_place(case: Case, unit: int) -> TextPlace | None:
    """Find a context sentence."""
    units = context_sentences(case.context)
    return TextPlace(units[unit].start, units[unit].end, units[unit].passage) if 0 <= unit < len(units) else None


def text_at(case: Case, place: TextPlace) -> str:
    """Read the text of a place of a case."""
    text = case.response if place.passage is None else case.context[place.passage].text
    return text[place.start : place.end]


class HandEdit(NamedTuple):
    """An edited case, and the smallest edit that makes it, in whole words; `place` is where the typed text stands now."""

    case: Case
    edit: Edit
    place: TextPlace


def edited(case: Case, place: TextPlace, text: str) -> HandEdit | None:
    """Type a text over a place."""
    if len(text) > LONGEST:
        raise DataError(f"This text has {len(text):,} characters; type at most {LONGEST:,}, or paste a case of your own.")
    old = text_at(case, place)
    text = clean(text).replace("\r\n", "\n").replace("\r", "\n")
    if text == old.replace("\r\n", "\n").replace("\r", "\n"):
        return None
    new = text.replace("\n", "\r\n") if "\r\n" in old else text
    new = new if new.strip() else ""
    start, old_end, new_end = _changed(old, new)
    edit = Edit(place.start + start, place.start + old_end, new[start:new_end], "")
    changed = _in_response(case, edit) if place.passage is None else _in_source(case, place.passage, edit)
    _check(changed)
    label = False if changed.called_wrong else None
    return HandEdit(replace(changed, grounded=label, contradicted=None), edit, place._replace(end=place.start + len(new)))


def _changed(old: str, new: str) -> tuple[int, int, int]:
    """The smallest stretch `old[start:old_end]` in whole words that `new[start:new_end]` replaces."""
    a, b = tokens(old), tokens(new)
    shorter = min(len(a), len(b))
    before = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    after = next((i for i in range(shorter - before) if a[-1 - i] != b[-1 - i]), shorter - before)
    start, end = sum(map(len, a[:before])), sum(map(len, a[len(a) - after :]))
    return start, len(old) - end, len(new) - end


def _check(case: Case) -> None:
    if not case.response.strip():
        raise DataError("Nothing would be left of the answer; leave at least one sentence.")
    if not any(p.text.strip() for p in case.context):
        raise DataError("Nothing would be left of the sources; leave at least one sentence.")
    try:
        sized(case)
    except ValueError as error:
        raise DataError(str(error)) from None


def _in_response(case: Case, edit: Edit) -> Case:
    errors = (replace(e, start=at[0], end=at[1]) for e in case.errors if (at := _beside(e.start, e.end, edit)))
    evidence = (_evidence(e, edit, None) for e in case.evidence)
    return replace(
        case,
        response=case.response[: edit.start] + edit.new + case.response[edit.end :],
        errors=tuple(errors),
        unsupported=tuple(at for u in case.unsupported if (at := _beside(*u, edit))),
        # Whether what they are of was typed over is not known.
        error_types=(),
        reasons=(),
        evidence=tuple(e for e in evidence if e),
    )


def _in_source(case: Case, number: int, edit: Edit) -> Case:
    passage = case.context[number]
    text = passage.text[: edit.start] + edit.new + passage.text[edit.end :]
    pages = tuple((min(shifted(start, edit, at_start=True), len(text)), page) for start, page in passage.pages)
    new = Passage(passage.id, text, passage.source, pages)
    evidence = (_evidence(e, edit, number) if e.passage == number else e for e in case.evidence)
    return replace(
        case,
        context=(*case.context[:number], new, *case.context[number + 1 :]),
        evidence=tuple(e for e in evidence if e),
    )


def _beside(start: int, end: int, edit: Edit) -> tuple[int, int] | None:
    """Where a span stands after an edit; None if the edit touches it."""
    if end <= edit.start:
        return start, end
    moved = len(edit.new) - (edit.end - edit.start)
    return (start + moved, end + moved) if start >= edit.end else None


def _evidence(e: EvidenceSpan, edit: Edit, passage: int | None) -> EvidenceSpan | None:
    """Evidence after an edit of its side in the response (None) or in a passage; None if nothing is left of that side."""
    start, end = (e.response_start, e.response_end) if passage is None else (e.start, e.end)
    start, end = shifted(start, edit, at_start=True), shifted(end, edit, at_start=False)
    if start >= end:
        return None
    return replace(e, response_start=start, response_end=end) if passage is None else replace(e, start=start, end=end)


_MOST_VERSIONS = 200


class EditedVersion(NamedTuple):
    """One version of a case: `edit` of the version before made it, in the response or in a source.

    `focus` is the stretch of its response that the edit is about; an empty one stands where a sentence was deleted.
    """

    case: Case
    edit: Edit | None
    in_response: bool
    focus: tuple[int, int]


@dataclass(frozen=True, slots=True)
class EditHistory:
    """What was made of a case by hand, oldest version first, and which version is shown."""

    versions: tuple[EditedVersion, ...]
    at: int = 0

    @classmethod
    def of(cls, case: Case) -> "EditHistory":
        """Begin with a case as it is."""
        return cls((EditedVersion(case, None, False, (0, 0)),))

    @property
    def original(self) -> Case:
        """The case before any edit."""
        return self.versions[0].case

    @property
    def shown(self) -> EditedVersion:
        """The version that is shown."""
        return self.versions[self.at]

    @property
    def can_redo(self) -> bool:
        """Whether an edit was undone."""
        return self.at + 1 < len(self.versions)

    def typed(self, place: TextPlace, text: str, about: tuple[int, int]) -> "EditHistory":
        """Type a text over a place of the version that is shown; what was undone is gone."""
        change = edited(self.shown.case, place, text)
        if change is None:
            return self
        if self.at + 1 >= _MOST_VERSIONS:
            raise DataError(f"These are {_MOST_VERSIONS:,} versions; keep this one as a variant and edit that.")
        inside = place.passage is None
        first = self.original
        case = replace(change.case, id=f"{first.id}-edited", parent=first.id, group=first.group or first.id)
        version = EditedVersion(case, change.edit, inside, change.place[:2] if inside else about)
        return EditHistory((*self.versions[: self.at + 1], version), self.at + 1)

    def undone(self) -> "EditHistory":
        """Show the version before."""
        return replace(self, at=max(0, self.at - 1))

    def redone(self) -> "EditHistory":
        """Show the version after."""
        return replace(self, at=min(len(self.versions) - 1, self.at + 1))

    def reset(self) -> "EditHistory":
        """Show the case as it was; every edit can be done again."""
        return replace(self, at=0)

    def before(self) -> tuple[int, int]:
        """Find the stretch of the original response that became the one that the shown edit is about."""
        start, end = self.shown.focus
        for place in range(self.at, 0, -1):
            version = self.versions[place]
            if version.in_response and version.edit:
                edit, old = version.edit, self.versions[place - 1].case.response
                back = Edit(edit.start, edit.start + len(edit.new), old[edit.start : edit.end], "")
                start, end = shifted(start, back, at_start=True), shifted(end, back, at_start=False)
        return start, max(start, end)


def variant_id(case: Case, name: str, taken: Container[str]) -> str:
    """Make the id of a variant from the name that the user gave it."""
    first = f"{case.id}-{re.sub(r'[^0-9A-Za-z]+', '-', name).strip('-')[:40] or 'edited'}"
    return next(i for n in count(1) if (i := first if n == 1 else f"{first}-{n}") not in taken)


def labelled_variant(history: EditHistory, case_id: str, kind: ErrorType | None, note: str = "") -> Case:
    """Make a labelled variant of the version that is shown."""
    original, shown = history.original, history.shown
    note = clean(note).strip()
    if kind is None:
        grounded = original.grounded
        if original.grounded is False and not shown.case.called_wrong:
            # All labelled errors were typed over, and the user says that what stands there now is right.
            grounded = True if original.called_wrong else None
        return replace(shown.case, id=case_id, grounded=grounded, note=f"{original.note} {note}".strip())
    response = shown.case.response
    spans = [(c.start, c.end) for c in changes(original.response, response)]
    if response == original.response and response[shown.focus[0] : shown.focus[1]].strip():
        spans = [shown.focus]
    if not spans:
        raise DataError("No word of the answer changed, so that no error can be marked in it; choose “No error”, or edit a word.")
    errors = sorted((*shown.case.errors, *(ErrorSpan(a, b, kind, note) for a, b in spans)), key=lambda e: (e.start, e.end))
    return replace(shown.case, id=case_id, grounded=False, errors=tuple(errors))
