"""ExpertQA (Malaviya et al. 2024): experts' questions, several models' answers, each claim with its evidence and a support label.

As in its own script, a claim that needs no citation is left out, one with complete support is supported, any other label is not.
"""

import re
from collections.abc import Iterator
from typing import Any

from groundscope.cases.formats._format import Shape, Span, Values, merged
from groundscope.files import fields
from groundscope.types import Case, Passage

_ADDRESS = re.compile(r"\s*(?:\[\d+\]:?\s*)?(https?://\S+)")


def _cases(values: Values, default_id: str) -> Iterator[Case | str]:
    """One case a model's answer; all answers to a question are one group."""
    question = fields.text(values, "question")
    metadata = values.get("metadata")
    area = (fields.optional(metadata, "field") if isinstance(metadata, dict) else None) or ""
    split = fields.split_name(values)
    for number, (model, answer) in enumerate(values["answers"].items(), 1):
        try:
            response, context, supported, spans = _read(answer)
            case = Case(
                id=f"{fields.optional(values, 'id') or default_id}-{fields.clean(model)}",
                query=question,
                context=context,
                response=response,
                grounded=all(supported) if supported else None,
                unsupported=spans,
                split=split,
                group=question,
                area=area,
            )
            yield fields.sized(case)
        except ValueError as error:
            yield f"Answer {number}: {error}"


def _read(answer: Any) -> tuple[str, tuple[Passage, ...], list[bool], tuple[Span, ...]]:
    """Response, context, the label of each labelled claim, and where the claims without support stand."""
    if not isinstance(answer, dict):
        raise ValueError("it must be an object with an 'answer_string'.")
    response, claims = fields.text(answer, "answer_string"), fields.items(answer, "claims")
    if not all(isinstance(claim, dict) for claim in claims):
        raise ValueError("'claims' must be a list of objects.")
    context = _context(claims)
    if not context:
        raise ValueError("its evidence has no text to compare the answer with, addresses at most.")
    supported, spans = [], []
    for claim in claims:
        label = _supported(claim)
        if label is None:
            continue
        supported.append(label)
        words = fields.text(claim, "claim_string").strip()
        if not label and words and (start := response.find(words)) >= 0:
            spans.append((start, start + len(words)))
    return response, context, supported, merged(spans)


def _supported(claim: Values) -> bool | None:
    """Whether an annotator found complete support; None = not labelled, or nothing that needs a source."""
    support, worth = fields.optional(claim, "support"), fields.optional(claim, "worthiness")
    if support is None or support.startswith("N/A") or worth == "No":
        return None
    return support == "Complete"


def _context(claims: list[Values]) -> tuple[Passage, ...]:
    """The texts of all claims' evidence, each once; an address in front of a text is its source."""
    sources: dict[str, str] = {}
    for claim in claims:
        for evidence in fields.items(claim, "evidence"):
            if not isinstance(evidence, str):
                raise ValueError("'evidence' must be a list of texts.")
            address = _ADDRESS.match(evidence)
            text = fields.clean(evidence[address.end() if address else 0 :]).strip()
            if text:
                sources.setdefault(text, address[1] if address else "")
    return tuple(Passage(f"p{i}", text, fields.clean(source)) for i, (text, source) in enumerate(sources.items(), 1))


def _fits(values: Values) -> bool:
    answers = values.get("answers")
    if "question" not in values or not isinstance(answers, dict):
        return False
    return any(isinstance(answer, dict) and "answer_string" in answer for answer in answers.values())


SHAPE = Shape("ExpertQA", _fits, _cases, rank=80)
