"""Undo history of a case that is edited by hand, and the labelled variant saved from it."""

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from groundscope.cases.edits.by_hand import TextPlace, edited
from groundscope.cases.edits.by_model import changes
from groundscope.cases.edits.source import Edit, shifted
from groundscope.errors import DataError
from groundscope.files.fields import clean
from groundscope.types import Case, ErrorSpan, ErrorType

_MOST_VERSIONS = 200
_MARK = "-edited"


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
        case = replace(change.case, id=f"{first.id}{_MARK}", parent=first.id, group=first.group or first.id)
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
