"""Base of the public formats: how rows are recognised, how they become cases, and what the licence forbids.

And what several shapes need: labelled spans as spans of the text, and names for texts that have none.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from groundscope.cases.labels import LabelReading
from groundscope.files import fields
from groundscope.types import Case

# Sentences on licences, for the report of an upload. They are no legal advice.
_MARCO = "come from MS MARCO, which is for non-commercial research only (microsoft.github.io/msmarco)"
_YELP = "come from Yelp's data set, which has terms of use of its own: read them before any other use than research"

RAGTRUTH_QA = f"RAGTruth is under the MIT licence, but the passages of its questions {_MARCO}."
RAGTRUTH_DATA = f"RAGTruth is under the MIT licence, but the records of its Data2txt part {_YELP}."
RAGBENCH_MARCO = f"RAGBench is under CC BY 4.0, but the passages of this part {_MARCO}."
REFCHECKER_MARCO = f"The passages of RefChecker's noisy-context part {_MARCO}."
SUMMEDITS_SAMSUM = (
    "SummEdits is under CC BY 4.0, but its SAMSum part rests on the SAMSum corpus: CC BY-NC-ND 4.0, non-commercial only."
)
FAITHBENCH = (
    "FaithBench is under CC BY-NC-SA 4.0: non-commercial use only, and what is made from it is passed on under the same licence."
)
HALUBENCH = "HaluBench is under CC BY-NC 2.0: non-commercial use only."
FELM = "FELM is under CC BY-NC-SA 4.0: non-commercial use only, and what is made from it is passed on under the same licence."
AGGREFACT = "LLM-AggreFact is under CC BY-ND 4.0: changed copies of it may not be passed on."
STATED = "The file itself names a non-commercial licence for its rows: read it before any other use than research."

_NON_COMMERCIAL = re.compile(r"\bnc\b|non-?\s?commercial", re.IGNORECASE)


def stated(values: dict[str, Any]) -> str:
    """Read what a row says of its licence: `STATED` if it names a non-commercial one; otherwise empty."""
    named = [values.get(field) for field in ("license", "licence")]
    return STATED if any(isinstance(n, str) and _NON_COMMERCIAL.search(n) for n in named) else ""


Values = dict[str, Any]
Span = tuple[int, int]
FILE_NAME = "name of the file"
"""What a row's shape finds the file's name under, without its ending; no data set has a field of this name."""


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape.

    Attributes:
        fits: whether a row has the shape, by its fields alone; raises nothing whatever they hold.
        cases: the row's cases, made with the id to use where it has none; a reason stands in for one that cannot be used.
            Raises ValueError where the whole row cannot be.
        licence: what the row's source must not be used for, in a sentence that names it; empty = nothing to say.
        rank: its turn among the shapes, the lowest first; a row is of the first shape that fits.
        labels: the labels of a row as they are written, each with what it is taken for; where a label stands at spans, none.
        uses: the fields that it reads, where a file may have others that mean something; None = the data set's own fields.
    """

    title: str
    fits: Callable[[Values], bool]
    cases: Callable[[Values, str], Iterator[Case | str]]
    licence: Callable[[Values], str] = lambda _: ""
    rank: int = 100
    labels: Callable[[Values], list[tuple[str, LabelReading]]] = lambda _: []
    uses: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Halves:
    """A shape that is published as two files: answers, and the sources they were made from.

    `key`: the field of both that says which belong together, or `other` in some files of sources. `lone_sources`: what to say of
    sources that came without answers; empty where their fields fit too much else to say it.
    """

    answers: Callable[[Values], bool]
    sources: Callable[[Values], bool]
    key: str
    alone: str
    lone_sources: str = ""
    other: str = ""


def placed(item: object, names: tuple[str, str], quoted: str, text: str, owner: str) -> Span:
    """Find where an annotation's span lies in its text.

    A browser counts an emoji as two characters. So where an annotation quotes its words and others stand at its offsets, the one
    place that has the words is taken; without such words, offsets that cut a word are taken as a browser's if those cut none.
    """
    start, end = fields.numbers(item, names, owner)
    words = item.get(quoted) if isinstance(item, dict) else None
    if words is not None and not isinstance(words, str):
        raise ValueError(f"'{quoted}' of each entry of '{owner}' must be text.")
    words = fields.clean(words) if words else None
    if words is None and _cuts(start, end, text) and max(text, default="") > "\uffff":
        units = text.encode("utf-16-le")
        first, last = (len(units[: 2 * i].decode("utf-16-le", "replace")) for i in (max(0, start), end))
        if start >= 0 and 2 * end <= len(units) and not _cuts(first, last, text):
            start, end = first, last
    if 0 <= start < end <= len(text) and words in (None, text[start:end]):
        return start, end
    if words and text.count(words) == 1:
        start = text.index(words)
        return start, start + len(words)
    raise ValueError(f"The span ({start}, {end}) of '{owner}' lies outside its text, or its words are not in it.")


def _cuts(start: int, end: int, text: str) -> bool:
    """Whether a span begins or ends inside a word, or lies outside its text."""
    return end > len(text) or any(i > 0 and text[i - 1 : i].isalnum() and text[i : i + 1].isalnum() for i in (start, end))


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Merge overlapping spans: several annotators mark the same words. Spans that only touch stay two."""
    union: list[Span] = []
    for start, end in sorted(spans):
        if union and start < union[-1][1]:
            union[-1] = (union[-1][0], max(end, union[-1][1]))
        else:
            union.append((start, end))
    return tuple(union)


def group_of(text: str) -> str:
    """Name a source that has no name, so that all answers made from it stay in one split."""
    return f"source-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def split_of(values: Values) -> str | None:
    """Read the split of a row, or of the file's name where a data set has a file a split: `dev-00000-of-00001`."""
    words = re.findall(r"[a-z]+", str(values.get(FILE_NAME, "")).lower())
    named = next((word for word in words if word in fields.SPLITS), None)
    return fields.split_name(values) or fields.split_name({"split": named})
