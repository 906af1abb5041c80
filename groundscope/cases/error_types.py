"""Titles and meanings of the six error types of Trautmann et al. 2024 (table 5), and how often a set has each."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from groundscope.chat.messages import Block
from groundscope.types import Case, ErrorType

TITLES = {
    ErrorType.FACTUAL_INACCURACY: "Factual inaccuracy",
    ErrorType.CONTEXTUAL_MISINTERPRETATION: "Contextual misinterpretation",
    ErrorType.PROCEDURAL_ERROR: "Procedural error",
    ErrorType.REASONING_ERROR: "Reasoning error",
    ErrorType.MISATTRIBUTION: "Misattribution",
    ErrorType.TERMINOLOGICAL_ERROR: "Terminological error",
}

MEANINGS = {
    ErrorType.FACTUAL_INACCURACY: "an established fact, date or detail is misrepresented",
    ErrorType.CONTEXTUAL_MISINTERPRETATION: "a legal principle is misapplied, or an analogy does not fit",
    ErrorType.PROCEDURAL_ERROR: "a legal procedure or process is misdescribed",
    ErrorType.REASONING_ERROR: "the argument is flawed, or the law stated does not carry the conclusion",
    ErrorType.MISATTRIBUTION: "an opinion, quotation or action is assigned to the wrong source",
    ErrorType.TERMINOLOGICAL_ERROR: "a legal term or concept is misused",
}
LISTED = "\n".join(f"- {kind.value}: {meaning}" for kind, meaning in MEANINGS.items())
"""The closed list, as a prompt shows it."""

EXAMPLES = {
    ErrorType.FACTUAL_INACCURACY: "the document dates the lease 3 May 2019, the answer 3 May 2021",
    ErrorType.CONTEXTUAL_MISINTERPRETATION: "a rule that the document states for consumers is applied to two merchants",
    ErrorType.PROCEDURAL_ERROR: "the answer lets an appeal go to the trial court that gave the judgment",
    ErrorType.REASONING_ERROR: "a duty to inform the buyer is stated, and the answer concludes that the sale is void",
    ErrorType.MISATTRIBUTION: "what the dissent says is given as the holding of the majority",
    ErrorType.TERMINOLOGICAL_ERROR: "the answer calls a licence that can be revoked an easement",
}
"""An example of each type, of this project's own making."""
DESCRIBED = "\n".join(f"- {kind.value}: {meaning}. For example, {EXAMPLES[kind]}." for kind, meaning in MEANINGS.items())
"""The closed list with an example of each, for a model that sorts errors."""

STANCES = {True: "the sources say otherwise", False: "the sources do not say it", None: ""}
"""`ErrorSpan.contradicted` in words."""


def blocks_of(case: Case) -> tuple[Block, ...]:
    """Make the data of a prompt about the errors of a response: its query, its whole context and itself."""
    context = "\n\n".join(p.text for p in case.context)
    return Block("question", case.query), Block("document", context), Block("answer", case.response)


@dataclass(frozen=True, slots=True)
class TypeCount:
    """How often one error type occurs, by split and in all; `contradicted` of them the context contradicts."""

    type: ErrorType
    by_split: dict[str, int]
    total: int
    contradicted: int


def type_counts(cases: Iterable[Case]) -> list[TypeCount]:
    """Count the typed errors of a set: spans, and types without a span, which count once a response where no span has them."""
    by_type: dict[ErrorType, Counter[str]] = {kind: Counter() for kind in ErrorType}
    against: Counter[ErrorType] = Counter()
    for case in cases:
        for error in case.errors:
            by_type[error.type][case.split or ""] += 1
            against[error.type] += error.contradicted is True
        for kind in set(case.types) - {error.type for error in case.errors}:
            by_type[kind][case.split or ""] += 1
    return [TypeCount(kind, dict(counts), counts.total(), against[kind]) for kind, counts in by_type.items()]
