"""RAGBench (Friel et al. 2024): a response with its sentence labels and the context sentences that support each."""

from collections.abc import Iterator

from groundscope.cases.formats import _format as licences
from groundscope.cases.formats._format import Shape, Span, Values
from groundscope.files import fields
from groundscope.types import Case, EvidenceSpan, Passage

Place = tuple[int, int, int]

_SPLITS = ("train", "validation", "test")


def _cases(values: Values, default_id: str) -> Iterator[Case]:
    """A response with its labels; a sentence that does not stand in its text word for word has neither label nor evidence."""
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
    yield fields.sized(
        Case(
            id=fields.optional(values, "id") or default_id,
            query=fields.text(values, "query"),
            context=context,
            response=response,
            grounded=grounded if isinstance(grounded, bool) else None,
            evidence=tuple(_ragbench_evidence(values, spans, _places(values, context))),
            unsupported=tuple(spans[key] for key in unsupported if key in spans),
            split=_split(values),
            group=fields.text(values, "query"),
            area=fields.optional(values, "field") or "",
        )
    )


def _places(values: Values, context: tuple[Passage, ...]) -> dict[str, Place]:
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
    places: dict[str, Span] = {}
    position = 0
    for key, sentence in keyed:
        bare = sentence.strip()
        start = text.find(bare, position) if bare else -1
        if start >= 0:
            position = start + len(bare)
            places[key] = (start, position)
    return places


def _ragbench_evidence(values: Values, spans: dict[str, Span], places: dict[str, Place]) -> Iterator[EvidenceSpan]:
    for entry in fields.items(values, "sentence_support_information"):
        if not isinstance(entry, dict):
            raise ValueError("'sentence_support_information' must be a list of objects.")
        key, cited = entry.get("response_sentence_key"), entry.get("supporting_sentence_keys") or []
        if not isinstance(key, str | None) or not isinstance(cited, list) or not all(isinstance(c, str) for c in cited):
            raise ValueError("'sentence_support_information' must name its sentences by their keys.")
        for place in (places[c] for c in cited if c in places and key in spans):
            yield EvidenceSpan(*spans[str(key)], *place)


def _split(values: Values) -> str | None:
    """The split, which the published files have in the data set's name alone: `msmarco_validation`."""
    _, _, ending = (fields.optional(values, "dataset_name") or "").rpartition("_")
    return fields.split_name(values) or (fields.split_name({"split": ending}) if ending in _SPLITS else None)


def _licence(values: Values) -> str:
    return licences.RAGBENCH_MARCO if str(values.get("dataset_name")).lower().startswith("msmarco") else ""


SHAPE = Shape("RAGBench", lambda values: values.keys() >= {"documents_sentences", "response_sentences"}, _cases, _licence, rank=0)
