"""The nouns of Groundscope: a case to judge, and a judgement of it.

All offsets are half-open, count Python characters (code points), and refer to the original text:
`response[start:end]`, `context[passage].text[start:end]`. Support runs from 0 to 1, higher = more grounded.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Page = int | str
"""A page as its document numbers it: 3, "xii", or a note on it, "3, n. 2"."""


class Status(StrEnum):
    """Outcome of one scoring. Only `SCORED` carries numbers; no other status is ever converted to one."""

    SCORED = "scored"
    INVALID = "invalid"
    ABSTAINED = "abstained"
    NOT_ASSESSABLE = "not_assessable"
    FAILED = "failed"


class ErrorType(StrEnum):
    """The six error types of Trautmann et al. 2024, table 5."""

    FACTUAL_INACCURACY = "factual_inaccuracy"
    CONTEXTUAL_MISINTERPRETATION = "contextual_misinterpretation"
    PROCEDURAL_ERROR = "procedural_error"
    REASONING_ERROR = "reasoning_error"
    MISATTRIBUTION = "misattribution"
    TERMINOLOGICAL_ERROR = "terminological_error"


DOCUMENT_KINDS = (".markdown", ".md", ".text", ".txt", ".docx", ".pdf", ".html", ".htm")
"""Endings of the files that are read as documents."""
_FILE = re.compile(rf".*?(?:{'|'.join(map(re.escape, DOCUMENT_KINDS))})(?=, |$)", re.IGNORECASE)


def _check_span(what: str, start: int, end: int) -> None:
    if not 0 <= start < end:
        raise ValueError(f"{what} must satisfy 0 <= start < end, got start={start}, end={end}")


def _check_support(what: str, support: float | None) -> None:
    if support is not None and not 0.0 <= support <= 1.0:
        raise ValueError(f"{what} must lie in 0..1 or be None, got {support}")


@dataclass(frozen=True, slots=True)
class Passage:
    """One retrieved text.

    Attributes:
        id: unique within its case.
        text: of the source.
        source: its name for readers: a citation, a title, a file.
        pages: (start, page) of each page that the text touches: `text[start:]` begins on, or goes on to, `page`; empty where
            pages are not known.
    """

    id: str
    text: str
    source: str = ""
    pages: tuple[tuple[int, Page], ...] = ()

    @property
    def document(self) -> str:
        """The name of the document that it is a piece of: that of the file before a heading, else `source`."""
        match = _FILE.match(self.source)
        return match[0] if match else self.source

    def page(self, offset: int) -> Page | None:
        """Find the page of a character; None where pages are not known."""
        return next((page for start, page in reversed(self.pages) if start <= offset), None)


@dataclass(frozen=True, slots=True)
class ErrorSpan:
    """A labelled error: `response[start:end]` is wrong in the way of `type`, for the reason `why`.

    `contradicted`: True = the context says otherwise, False = the context does not say it, None = not labelled.
    """

    start: int
    end: int
    type: ErrorType
    why: str = ""
    contradicted: bool | None = None

    def __post_init__(self) -> None:
        _check_span("an error span", self.start, self.end)


@dataclass(frozen=True, slots=True)
class EvidenceSpan:
    """Gold alignment: a context span that bears on a response span.

    `context[passage].text[start:end]` supports `response[response_start:response_end]`, or refutes a contradicted claim.
    """

    response_start: int
    response_end: int
    passage: int
    start: int
    end: int

    def __post_init__(self) -> None:
        _check_span("an evidence span's response side", self.response_start, self.response_end)
        _check_span("an evidence span", self.start, self.end)


@dataclass(frozen=True, slots=True)
class Case:
    """One answer to judge: a query, the retrieved context and the response, and the labels when they are known.

    Attributes:
        id: unique within its set.
        grounded: the gold label; None = not labelled.
        errors: labelled error spans of the response.
        evidence: gold alignment of response spans to context spans.
        unsupported: spans of the response that an annotator called unsupported, without an error type.
        error_types: types of errors that the response has somewhere, without a span.
        split: `train`, `dev` or `test`.
        group: the query that keeps all its responses in one split.
        parent: the id of the grounded response that an ungrounded one was made from.
        area: area of law and jurisdiction, for people.
        note: what a reader must know of its sources, such as what of them is not in `context`.
        reasons: (type, why) of those in `error_types` that have a reason, each type once.
        contradicted: of a response that is not grounded: True = the context says otherwise, False = it is silent, None = not
            labelled, or labelled at its spans alone; see `stance`.
        numbered: whether `id` is that of its row, because the file has none: it names the answer nowhere else.
    """

    id: str
    query: str
    context: tuple[Passage, ...]
    response: str
    grounded: bool | None = None
    errors: tuple[ErrorSpan, ...] = ()
    evidence: tuple[EvidenceSpan, ...] = ()
    unsupported: tuple[tuple[int, int], ...] = ()
    error_types: tuple[ErrorType, ...] = ()
    split: str | None = None
    group: str | None = None
    parent: str | None = None
    area: str = ""
    note: str = ""
    reasons: tuple[tuple[ErrorType, str], ...] = ()
    contradicted: bool | None = None
    numbered: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse labels that point outside the texts, and reasons of types that the case does not have."""
        if any(kind not in self.error_types for kind, _ in self.reasons):
            raise ValueError("a reason must be of a type in error_types")
        for start, end in self.unsupported:
            _check_span("an unsupported span", start, end)
        size = len(self.response)
        ends = [e.end for e in self.errors] + [e.response_end for e in self.evidence]
        ends += [end for _, end in self.unsupported]
        if any(end > size for end in ends):
            raise ValueError(f"a labelled span ends at {max(ends)}, the response has {size}")
        for e in self.evidence:
            if not 0 <= e.passage < len(self.context) or e.end > len(self.context[e.passage].text):
                raise ValueError("an evidence span lies outside the context")

    @property
    def types(self) -> tuple[ErrorType, ...]:
        """The labelled error types, with and without a span, each once, in the order of `ErrorType`."""
        kinds = {*(e.type for e in self.errors), *self.error_types}
        return tuple(kind for kind in ErrorType if kind in kinds)

    @property
    def typed(self) -> tuple[tuple[ErrorType, str], ...]:
        """(type, why) of `types`; the reason is that of the first span where there is one, and empty where none is given."""
        whys = {e.type: e.why for e in reversed(self.errors)}
        return tuple((kind, whys.get(kind) or dict(self.reasons).get(kind, "")) for kind in self.types)

    @property
    def stance(self) -> bool | None:
        """Whether the context contradicts a response that is not grounded: one span suffices; None = not labelled."""
        if self.grounded is not False or self.contradicted is not None:
            return self.contradicted if self.grounded is False else None
        stances = {e.contradicted for e in self.errors}
        if True in stances:
            return True
        return False if stances == {False} and not self.unsupported and not self.error_types else None

    @property
    def called_wrong(self) -> bool:
        """Whether a label says that something in the response is wrong: a span, or an error type."""
        return bool(self.errors or self.unsupported or self.error_types)


@dataclass(frozen=True, slots=True)
class Match:
    """A place in the context that a method found for a response sentence: `context[passage].text[start:end]`."""

    passage: int
    start: int
    end: int
    support: float

    def __post_init__(self) -> None:
        _check_span("a match", self.start, self.end)
        _check_support("a match's support", self.support)


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """One response sentence under one method.

    Attributes:
        support: 0..1, higher = more grounded; None where this method cannot assess the sentence.
        matches: best first.
        verbatim: spans of the response inside the sentence that the method found word for word in the context.
        contradiction: how likely the context says otherwise, 0..1; None where the method does not distinguish this from silence.
        unsupported: spans of the response inside the sentence that the method marks as not supported by the context.
    """

    start: int
    end: int
    support: float | None
    matches: tuple[Match, ...] = ()
    verbatim: tuple[tuple[int, int], ...] = ()
    contradiction: float | None = None
    unsupported: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        _check_span("a sentence", self.start, self.end)
        _check_support("a sentence's support", self.support)
        _check_support("a sentence's contradiction", self.contradiction)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim a method extracted from the response, tied to `response[start:end]`."""

    text: str
    support: float | None
    start: int
    end: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one method says of one case.

    Attributes:
        status: only `SCORED` has a support.
        support: of the whole response, 0..1, higher = more grounded; None unless scored.
        sentences: one a response sentence, in order.
        matrix: supports (n_response, n_context) over all response and context sentences, NaN where the method read no
            such pair; or None.
        seconds: wall clock, the model already loaded.
        calls: answered requests to a chat model; cached replies do not count.
        tokens: of these calls, read and written.
        cost: of these calls in US dollars; None = the model's price is not known.
        context_seen: share of the context's characters or tokens that the method read, 0..1.
        cached: share of the work that was served from the cache on disk or from memory, 0..1; `seconds` then says little.
        note: a sentence or two for the user: why there is no score, what was cut, or a model's reasons.
        raw: the model's reply if it could not be parsed.
    """

    status: Status
    support: float | None = None
    sentences: tuple[SentenceScore, ...] = ()
    claims: tuple[Claim, ...] = ()
    matrix: Matrix | None = field(default=None, compare=False)
    seconds: float = 0.0
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    context_seen: float = 1.0
    cached: float = 0.0
    note: str = ""
    raw: str = ""

    def __post_init__(self) -> None:
        _check_support("a judgement's support", self.support)
        if (self.status is Status.SCORED) != (self.support is not None):
            raise ValueError(f"support must be None unless scored, got {self.support} with status {self.status}")
