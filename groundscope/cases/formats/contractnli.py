"""ContractNLI (Koreeda and Manning 2021): rows of a claim against a contract's spans, and the release file of whole contracts."""

from collections.abc import Iterator
from itertools import accumulate

from groundscope.cases.formats._format import Shape, Span, Values
from groundscope.cases.labels import label as read_label
from groundscope.files import fields
from groundscope.types import Case, EvidenceSpan, Passage


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """A claim against the spans of one contract, shown as one document; a claim without Entailment is unsupported as a whole."""
    claim = fields.text(values, "claim" if "claim" in values else "hypothesis")
    document = fields.optional(values, "document") or ""
    spans = values.get("context")
    if spans is None:
        spans, document = [document], ""
    if not isinstance(spans, list) or not all(isinstance(s, str) for s in spans):
        raise ValueError("'context' must be a list of the contract's spans.")
    cited = fields.items(values, "evidence")
    if not all(fields.whole(i) and 0 <= i < len(spans) for i in cited):
        raise ValueError("'evidence' must be indices into 'context'.")
    # The spans are paragraphs of one text.
    starts, text = list(accumulate((len(s) + 2 for s in spans), initial=0)), "\n\n".join(map(fields.clean, spans))
    gold = [(starts[i], starts[i] + len(spans[i])) for i in cited]
    yield _contract_case(fields.optional(values, "id") or default_id, claim, text, document, gold, values)


def _contract_case(case_id: str, claim: str, text: str, source: str, gold: list[Span], values: Values) -> Case:
    label = values.get("label") or values.get("choice")
    if label not in ("Entailment", "Contradiction", "NotMentioned"):
        raise ValueError("'label' must be Entailment, Contradiction or NotMentioned.")
    entailed = label == "Entailment"
    return fields.sized(
        Case(
            id=case_id,
            query=f"Does the contract say this? {claim}",
            context=(Passage("contract", text, source),),
            response=claim,
            grounded=entailed,
            contradicted=read_label(label).contradicted,
            evidence=tuple(EvidenceSpan(0, len(claim), 0, s, e) for s, e in gold if e > s) if claim else (),
            unsupported=() if entailed or not claim else ((0, len(claim)),),
            split=fields.split_name(values),
            group=source or case_id,
            area=f"Contracts · {label}",
        )
    )


def _release_cases(values: Values, _: str) -> Iterator[Case | str]:
    """The annotations of the release file, document by document; a part that cannot be used yields the reason instead."""
    labels, documents = values.get("labels"), values.get("documents")
    if not isinstance(labels, dict) or not isinstance(documents, list):
        yield "A ContractNLI release file must have 'documents' and 'labels'."
        return
    for number, document in enumerate(documents, 1):
        try:
            annotations = list(document["annotation_sets"][0]["annotations"].items())
        except (KeyError, TypeError, IndexError, AttributeError):
            yield f"Document {number} lacks an id, text, spans or annotations."
            continue
        for key, annotation in annotations:
            try:
                yield _release_case(document, fields.clean(key), annotation, labels)
            except ValueError as error:
                yield f"Document {number}: {error}"
            except (KeyError, TypeError, IndexError, AttributeError):
                yield f"Document {number} lacks an id, a text, spans, or the hypothesis of an annotation."


def _release_case(document: Values, key: str, annotation: Values, labels: Values) -> Case:
    text = fields.clean(document["text"])
    spans, cited = document["spans"], annotation["spans"]
    if not all(fields.whole(i) and 0 <= i < len(spans) for i in cited):
        raise ValueError("an annotation's 'spans' must be indices into the document's spans.")
    gold = [fields.pair(spans[i], "spans", len(text)) for i in cited]
    name = fields.optional(document, "id")
    if name is None:
        raise ValueError("its 'id' is missing.")
    claim = fields.clean(labels[key]["hypothesis"])
    return _contract_case(f"{name}-{key}", claim, text, fields.optional(document, "file_name") or name, gold, annotation)


def _fits_row(values: Values) -> bool:
    keys = values.keys()
    return keys >= {"evidence", "label"} and bool(keys & {"claim", "hypothesis"}) and bool(keys & {"context", "document"})


def _fits_release(values: Values) -> bool:
    return values.keys() >= {"documents", "labels"} and isinstance(values["documents"], list)


SHAPE = Shape("ContractNLI", _fits_row, _cases, rank=20)
RELEASE = Shape("ContractNLI (release file)", _fits_release, _release_cases, rank=10)
