"""Ungrounded variants written by a chat model, as in the paper; every change is checked.

After Trautmann et al. 2024, section 4.2, where language models wrote subtly altered versions of gold responses. The model names
its errors by quoting them; the spans of a variant are those that really changed, so that they are exact whatever it quotes.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any, NamedTuple

from rapidfuzz.distance import Indel

from groundscope.cases.error_types import LISTED, blocks_of
from groundscope.cases.parents import differs_only_at_spans
from groundscope.chat.conversation import TEXT, array, choice_field, list_field, one_of, schema, text_field
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import Prompt
from groundscope.chat.prompt_files import fill, prompt_named
from groundscope.text.locate import locate, sentences_of
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType

MOST = 8
"""Variants of one response."""
_LENGTHS = (0.8, 1.25)
"""A variant's length against its parent's: a longer or shorter one gives itself away."""
_MOST_CHANGED = 0.5
"""Share of the sentences that may change; two may in any response."""
_MOST_COMPARED = 1_000_000, 400_000_000
"""Pairs of tokens of which the longest runs are found, and of which any alignment is; of more, all count as changed."""
_NEAR = 3
"""Words between two changes that make them one."""

TASK = "variants"
"""Whose prompts these are, see `groundscope.chat.prompt_files`."""
_REPLY = (
    '\n{types}\n\nReply in JSON: {{"versions": [{{"answer": "...", "errors": '
    '[{{"quote": "...", "type": "...", "contradicted": true, "why": "..."}}]}}]}}.'
)
_ERROR = schema(quote=TEXT, type=one_of(*(t.value for t in ErrorType)), contradicted={"type": "boolean"}, why=TEXT)
FORM = schema(versions=array(schema(answer=TEXT, errors=array(_ERROR))))


class NamedError(NamedTuple):
    """An error as a model names it."""

    quote: str
    type: ErrorType
    contradicted: bool | None
    why: str


class Version(NamedTuple):
    """A response as a model rewrote it."""

    answer: str
    errors: list[NamedError]


class TextChange(NamedTuple):
    """`new[start:end]` stands where `old[old_start:old_end]` stood."""

    start: int
    end: int
    old_start: int
    old_end: int


def prompt(case: Case, count: int, name: str = "") -> Prompt:
    """Build the prompt for subtly wrong versions of a response, by the prompt of a name or the default."""
    room, chosen = 500 + count * (300 + len(case.response) // 2), prompt_named(TASK, name)
    task = fill(chosen.text("task"), {"count": str(count)}) + _REPLY.format(types=LISTED)
    return Prompt(task, chosen.text("system"), blocks_of(case), FORM, max_tokens=room)


def versions(reply: dict[str, Any]) -> list[Version]:
    """Read the versions from a model's reply."""
    read: list[Version] = []
    unreadable: list[Unreadable] = []
    for row in list_field(reply, "versions", dict):
        answer, errors = text_field(row, "answer").strip("\n"), []
        try:
            errors = [_named(e) for e in list_field(row, "errors", dict)]
        except Unreadable as error:
            unreadable.append(error)
        # Without its errors a version is left out later, and the user sees why; the others stay.
        read.append(Version(answer, errors))
    if unreadable and len(unreadable) == len(read):
        raise unreadable[0]
    return read


def _named(error: dict[str, Any]) -> NamedError:
    stance = error.get("contradicted")
    kind = ErrorType(choice_field(error, "type", [t.value for t in ErrorType]))
    why = text_field(error, "why", "").strip()
    return NamedError(text_field(error, "quote"), kind, stance if isinstance(stance, bool) else None, why)


def as_case(case: Case, version: Version, number: int) -> tuple[Case, TextChange] | str:
    """Convert a version to a case with exact spans."""
    answer, parent = version.answer, case.response
    if answer == parent:
        return "It is the answer itself, unchanged."
    ratio = len(answer) / max(1, len(parent))
    if not _LENGTHS[0] <= ratio <= _LENGTHS[1]:
        low, high = (f"{100 * bound:.0f}" for bound in _LENGTHS)
        return f"It is {100 * ratio:.0f} % as long as the answer, and {low} to {high} % are allowed."
    changed = changes(parent, answer)
    sentences = [(s.start, s.end) for s in split(answer)]
    touched = {i for c in changed for i in sentences_of((c.start, c.end), sentences)}
    if len(touched) > max(2, _MOST_CHANGED * len(sentences)):
        return f"It changes {len(touched)} of {len(sentences)} sentences, which is not subtle."
    errors = []
    for change in changed:
        named = _naming(version, change, sentences)
        if named is None:
            return "It changes a place that it does not name as an error."
        if not named.why:
            return "It does not say why a change is wrong."
        errors.append(ErrorSpan(change.start, change.end, named.type, named.why, named.contradicted))
    variant = replace(
        case,
        id=f"{case.id}-model-{number}",
        response=answer,
        grounded=False,
        errors=tuple(errors),
        evidence=(),
        unsupported=(),
        error_types=(),
        reasons=(),
        parent=case.id,
    )
    if not differs_only_at_spans(variant, parent):
        return "It differs elsewhere than in the places it names."
    return variant, changed[0]


def _naming(version: Version, change: TextChange, sentences: Sequence[tuple[int, int]]) -> NamedError | None:
    """The error that names a change: one whose quote overlaps it, else one in the same sentence."""
    named = [(span, e) for e in version.errors if (span := locate(e.quote, version.answer))]
    span = (change.start, change.end)
    around = [sentences[i] for i in sentences_of(span, sentences)[:1]]
    return next((e for start, end in (span, *around) for span, e in named if span[0] < end and span[1] > start), None)


def changes(old: str, new: str) -> list[TextChange]:
    """Find where a version differs from the parent's response, in whole words, in reading order, with offsets into both texts.

    Nearby differences are one change, which begins and ends on no white space in `new` and is not empty there.
    """
    a, b = tokens(old), tokens(new)
    differing: list[TextChange] = []
    starts_a, starts_b = (list(accumulate(map(len, words), initial=0)) for words in (a, b))
    for i1, i2, j1, j2 in _differing(a, b):
        if j1 == j2:
            # Something was left out: the words around the gap are the place.
            i1, j1 = max(0, i1 - 1), max(0, j1 - 1)
            i2, j2 = min(len(a), i2 + 1), min(len(b), j2 + 1)
        change = TextChange(starts_b[j1], starts_b[j2], starts_a[i1], starts_a[i2])
        if differing and len(new[differing[-1].end : change.start].split()) < _NEAR:
            change = TextChange(differing[-1].start, change.end, differing[-1].old_start, change.old_end)
            differing.pop()
        differing.append(change)
    return [_trimmed(c, new) for c in differing if new[c.start : c.end].strip()]


def tokens(text: str) -> list[str]:
    """Cut a text into its words and the white space between them; joined, they are the text."""
    return re.findall(r"\s+|[^\s]+", text)


def _differing(a: list[str], b: list[str]) -> list[tuple[int, int, int, int]]:
    """Runs of tokens `a[i1:i2]` and `b[j1:j2]` that differ; what is too long to be compared is one run."""
    pairs = len(a) * len(b)
    if pairs > _MOST_COMPARED[1]:
        return [(0, len(a), 0, len(b))]
    if pairs > _MOST_COMPARED[0]:
        opcodes = (o for o in Indel.opcodes(a, b) if o.tag != "equal")
        return [(o.src_start, o.src_end, o.dest_start, o.dest_end) for o in opcodes]
    return [o[1:] for o in SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if o[0] != "equal"]


def _trimmed(change: TextChange, new: str) -> TextChange:
    """Without white space at its ends."""
    words = new[change.start : change.end]
    return change._replace(
        start=change.start + len(words) - len(words.lstrip()), end=change.end - len(words) + len(words.rstrip())
    )
