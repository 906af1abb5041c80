"""Rows of public data sets -> cases: ContractNLI (Koreeda and Manning 2021) and RAGBench (Friel et al. 2024)."""

from collections.abc import Iterator
from typing import Any

from evaluation import _fields as fields
from evaluation.types import Case, EvidenceSpan, Passage

Span = tuple[int, int]
Place = tuple[int, int, int]


def contractnli_case(values: dict[str, Any], default_id: str) -> Case:
    """A claim against the spans of one contract, which is drawn as one document.

    Raises:
        ValueError: the message names the field.
    """
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
    starts, text = _joined([fields.clean(s) for s in spans])
    gold = [(starts[i], starts[i] + len(spans[i])) for i in cited]
    return _contract_case(fields.optional(values, "id") or default_id, claim, text, document, gold, values)


def _joined(spans: list[str]) -> tuple[list[int], str]:
    """Spans as paragraphs of one text, and where each begins."""
    starts, position = [], 0
    for span in spans:
        starts.append(position)
        position += len(span) + 2
    return starts, "\n\n".join(spans)


def _contract_case(case_id: str, claim: str, text: str, source: str, gold: list[Span], values: dict[str, Any]) -> Case:
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
            evidence=tuple(EvidenceSpan(0, len(claim), 0, s, e) for s, e in gold if e > s) if claim else (),
            unsupported=() if entailed or not claim else ((0, len(claim)),),
            split=fields.split_name(values),
            group=source or case_id,
            area=f"Contracts · {label}",
        )
    )


def contractnli_release(values: dict[str, Any]) -> Iterator[Case | str]:
    """The cases of ContractNLI's release file; a part that cannot be used gives the reason instead."""
    labels, documents = values.get("labels"), values.get("documents")
    if not isinstance(labels, dict) or not isinstance(documents, list):
        yield "A ContractNLI release file must have 'documents' and 'labels'."
        return
    for number, document in enumerate(documents, 1):
        try:
            annotations = document["annotation_sets"][0]["annotations"]
            for key, annotation in annotations.items():
                try:
                    yield _release_case(document, str(key), annotation, labels)
                except ValueError as error:
                    yield f"Document {number}: {error}"
        except (KeyError, TypeError, IndexError, AttributeError):
            yield f"Document {number} lacks an id, text, spans or annotations."


def _release_case(document: dict[str, Any], key: str, annotation: dict[str, Any], labels: dict[str, Any]) -> Case:
    text = fields.clean(document["text"])
    spans, cited = document["spans"], annotation["spans"]
    if not all(fields.whole(i) and 0 <= i < len(spans) for i in cited):
        raise ValueError("an annotation's 'spans' must be indices into the document's spans.")
    gold = [fields.pair(spans[i], "spans", len(text)) for i in cited]
    source = str(document.get("file_name", document["id"]))
    claim = fields.clean(labels[key]["hypothesis"])
    return _contract_case(f"{document['id']}-{key}", claim, text, source, gold, annotation)


def ragbench_case(values: dict[str, Any], default_id: str) -> Case:
    """A response with its sentence labels: adherence, unsupported sentences and their supporting context sentences.

    Raises:
        ValueError: the message names the field.
    """
    response = fields.text(values, "response")
    documents = values.get("documents")
    if not isinstance(documents, list) or not all(isinstance(d, str) for d in documents):
        raise ValueError("'documents' must be a list of texts.")
    context = tuple(Passage(f"p{i}", fields.clean(d)) for i, d in enumerate(documents, 1))
    spans = _located(response, _keyed(values["response_sentences"]))
    unsupported = fields.items(values, "unsupported_response_sentence_keys")
    if not all(isinstance(key, str) for key in unsupported):
        raise ValueError("'unsupported_response_sentence_keys' must be a list of keys.")
    grounded = values.get("adherence_score")
    return fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=fields.text(values, "query"),
            context=context,
            response=response,
            grounded=grounded if isinstance(grounded, bool) else None,
            evidence=tuple(_ragbench_evidence(values, spans, _places(values, context))),
            unsupported=tuple(spans[key] for key in unsupported if key in spans),
            split=fields.split_name(values),
            group=fields.text(values, "query"),
            area=fields.optional(values, "field") or "",
        )
    )


def _places(values: dict[str, Any], context: tuple[Passage, ...]) -> dict[str, Place]:
    places: dict[str, Place] = {}
    sentences_of = values["documents_sentences"]
    if not isinstance(sentences_of, list):
        raise ValueError(f"'documents_sentences' must be a list, it is {fields.kind(sentences_of)}.")
    for p, sentences in enumerate(sentences_of[: len(context)]):
        located = _located(context[p].text, _keyed(sentences))
        places.update({key: (p, *span) for key, span in located.items()})
    return places


def _keyed(pairs: object) -> list[tuple[str, str]]:
    if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        raise ValueError("Sentences must be a list of [key, text].")
    return [(str(key), fields.clean(str(text))) for key, text in pairs]


def _located(text: str, keyed: list[tuple[str, str]]) -> dict[str, Span]:
    """Where each keyed sentence stands in the text; a sentence that is not there word for word is left out."""
    found: dict[str, Span] = {}
    position = 0
    for key, sentence in keyed:
        bare = sentence.strip()
        start = text.find(bare, position) if bare else -1
        if start >= 0:
            position = start + len(bare)
            found[key] = (start, position)
    return found


def _ragbench_evidence(values: dict[str, Any], spans: dict[str, Span], places: dict[str, Place]) -> Iterator[EvidenceSpan]:
    for entry in fields.items(values, "sentence_support_information"):
        if not isinstance(entry, dict):
            raise ValueError("'sentence_support_information' must be a list of objects.")
        key, cited = entry.get("response_sentence_key"), entry.get("supporting_sentence_keys") or []
        if not isinstance(key, str | None) or not isinstance(cited, list) or not all(isinstance(c, str) for c in cited):
            raise ValueError("'sentence_support_information' must name its sentences by their keys.")
        for place in (places[c] for c in cited if c in places and key in spans):
            yield EvidenceSpan(*spans[str(key)], *place)
