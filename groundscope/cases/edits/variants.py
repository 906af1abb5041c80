"""A grounded response -> subtly ungrounded variants, by rule-based legal edits or by a chat model.

After Trautmann et al. 2024, section 4.2, where language models wrote subtly altered versions of grounded responses.
Departs from the paper: the edits of `adapt` are rules, so that each has an exact span, an error type and a reason, and the
same seed gives the same variants; those of a chat model are the paper's way, with every change `checked`. A rule can at
most say that no passage states the new words; whether an edit is really wrong in law is for a person to check.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from groundscope.cases.edits import _confusable_terms, by_model, clauses, controls, figures, words
from groundscope.cases.edits import names as _name_edits
from groundscope.cases.edits.by_model import MOST
from groundscope.cases.edits.by_model import prompt as model_prompt
from groundscope.cases.edits.source import Edit, EditSource, Operator, shifted
from groundscope.errors import DataError
from groundscope.text.sentences import Sentence, split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan

__all__ = [
    "CONTROLS",
    "LEARNED",
    "MOST",
    "OPERATORS",
    "Adapted",
    "Operator",
    "Variant",
    "adapt",
    "check_parent",
    "checked",
    "model_prompt",
]

LEARNED: tuple[Operator, ...] = (
    *figures.OPERATORS,
    *words.OPERATORS,
    *_name_edits.OPERATORS,
    *_confusable_terms.OPERATORS,
)
"""Those whose edits the shipped weights learned from. With others their training would give other weights."""
OPERATORS: tuple[Operator, ...] = (*LEARNED, *clauses.OPERATORS, *figures.ELSEWHERE)
"""All that make an error."""
CONTROLS: tuple[Operator, ...] = controls.OPERATORS
"""Those that make none."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One ungrounded variant: the case, the operator, and the words of the parent that were replaced."""

    case: Case
    operator: Operator
    before: str
    parent_start: int


@dataclass(frozen=True, slots=True)
class Adapted:
    """What came of adapting one response; every operator asked for made a variant, or is skipped for a reason in one sentence."""

    variants: tuple[Variant, ...]
    skipped: tuple[tuple[Operator, str], ...]


def adapt(case: Case, *, seed: int = 0, names: Sequence[str] = ()) -> Adapted:
    """Make one variant an operator where it applies."""
    check_parent(case)
    source = EditSource(case)
    outcomes = [(operator, _first_good(source, operator, seed)) for operator in OPERATORS if not names or operator.name in names]
    return Adapted(
        tuple(variant for _, variant in outcomes if isinstance(variant, Variant)),
        tuple((operator, reason) for operator, reason in outcomes if isinstance(reason, str)),
    )


def checked(case: Case, replied: Sequence[by_model.Version]) -> Adapted:
    """Keep the versions of a model whose changes check out."""
    variants: list[Variant] = []
    skipped: list[tuple[Operator, str]] = []
    for number, version in enumerate(replied, 1):
        operator = Operator(f"model-{number}", f"Version {number} of the model", ErrorType.FACTUAL_INACCURACY, _written, "")
        result = by_model.as_case(case, version, number)
        if isinstance(result, str):
            skipped.append((operator, result))
        elif result[0].response in {v.case.response for v in variants}:
            skipped.append((operator, "It is the same as another version."))
        else:
            variant, change = result
            before = case.response[change.old_start : change.old_end].strip()
            by_type = replace(operator, type=variant.errors[0].type)
            variants.append(Variant(variant, by_type, before, case.response.find(before, change.old_start)))
    return Adapted(tuple(variants), tuple(skipped))


def _written(_: EditSource) -> Iterator[Edit]:
    """The edits of an operator that is a model's: it writes whole answers. Not a lambda: results go through a pipe."""
    return iter(())


def check_parent(case: Case) -> None:
    """Refuse an answer that is wrong already."""
    if case.grounded is False or case.called_wrong:
        raise DataError(
            "This answer is labelled as wrong; open the grounded one it was made from, so that each variant has one error."
        )


def _first_good(source: EditSource, operator: Operator, seed: int) -> Variant | str:
    edits = operator.edits(source)
    if not edits:
        return operator.absent
    # Not the built-in hash: it differs from one process to the next.
    random.Random(f"{seed} {operator.name} {source.text}").shuffle(edits)  # noqa: S311 - no secret
    for edit in edits:
        if variant := _applied(source, operator, edit, seed):
            return variant
    return "Every edit it could make would leave the sentence supported or change where sentences end."


def _applied(source: EditSource, operator: Operator, edit: Edit, seed: int) -> Variant | None:
    text = source.text[: edit.start] + edit.new + source.text[edit.end :]
    after = split(text)
    if [s for s in after if not s.heading] != list(_moved(source.claims, edit)):
        return None
    changed = next(s for s in after if s.start <= edit.start < s.end)
    if operator.type and source.says(text[changed.start : changed.end]):
        return None
    case = source.case
    variant = replace(
        case,
        id=f"{case.id}-{operator.name}" + (f"-{seed}" if seed else ""),
        response=text,
        grounded=False if operator.type else case.grounded,
        errors=(ErrorSpan(edit.start, edit.start + len(edit.new), operator.type, edit.why),) if operator.type else (),
        evidence=tuple(_evidence_moved(case.evidence, edit)),
        unsupported=(),
        error_types=(),
        reasons=(),
        group=case.group or case.id,
        parent=case.id,
    )
    return Variant(variant, operator, source.text[edit.start : edit.end], edit.start)


def _moved(claims: Sequence[Sentence], edit: Edit) -> Iterator[Sentence]:
    for s in claims:
        yield s._replace(start=shifted(s.start, edit, at_start=True), end=shifted(s.end, edit, at_start=False))


def _evidence_moved(evidence: Sequence[EvidenceSpan], edit: Edit) -> Iterator[EvidenceSpan]:
    for e in evidence:
        start = shifted(e.response_start, edit, at_start=True)
        yield replace(e, response_start=start, response_end=max(start + 1, shifted(e.response_end, edit, at_start=False)))
