"""Rows of known shapes -> cases: the app's own format, ContractNLI and RAGBench, told apart by their fields.

Sources of the shapes: ContractNLI (Koreeda and Manning 2021), RAGBench (Friel et al. 2024).
"""

from collections.abc import Iterator
from typing import Any

from evaluation._rows import parse_json
from evaluation.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage

MAX_CHARACTERS = 5_000_000
"""Of one case, all texts together."""

_ALIASES = {
    "query": ("query", "question", "user_input"),
    "context": ("context", "contexts", "retrieved_contexts", "passages"),
    "response": ("response", "answer"),
}
_TRUE, _FALSE = {"true", "1", "yes", "grounded"}, {"false", "0", "no", "ungrounded"}
_SPLITS = {"validation": "dev", "val": "dev", "development": "dev"}
_REPLACEMENT = "�"


def shape_of(values: dict[str, Any]) -> str:
    """`ragbench`, `contractnli`, `contractnli-release`, `groundscope`, or empty for an unknown shape."""
    keys = values.keys()
    if {"documents_sentences", "response_sentences"} <= keys:
        return "ragbench"
    if {"documents", "labels"} <= keys and isinstance(values["documents"], list):
        return "contractnli-release"
    if {"evidence", "label"} <= keys and keys & {"claim", "hypothesis"} and keys & {"context", "document"}:
        return "contractnli"
    if all(keys & set(names) for names in _ALIASES.values()):
        return "groundscope"
    return ""


def cases_of(shape: str, values: dict[str, Any], default_id: str) -> Iterator[Case]:
    """Make the case, or in ContractNLI's release file the cases, of one row.

    Raises:
        ValueError: the row does not hold what its shape needs; the message names the field.
    """
    if shape == "ragbench":
        yield _ragbench(values, default_id)
    elif shape == "contractnli":
        yield _contractnli(values, default_id)
    elif shape == "contractnli-release":
        yield from _contractnli_release(values)
    else:
        yield _own(values, default_id)


def clean(text: str) -> str:
    """Replace NUL and lone surrogates, which neither browsers nor models can take; offsets stay the same."""
    if "\x00" in text:
        text = text.replace("\x00", _REPLACEMENT)
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        text = "".join(_REPLACEMENT if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def _text(values: dict[str, Any], field: str, default: str | None = None) -> str:
    for name in _ALIASES.get(field, (field,)):
        value = values.get(name)
        if isinstance(value, str):
            return clean(value)
        if value is not None:
            raise ValueError(f"'{name}' must be text, it is {_kind(value)}.")
    if default is None:
        raise ValueError(f"'{field}' is missing.")
    return default


def _kind(value: object) -> str:
    names = {bool: "a truth value", int: "a number", float: "a number", list: "a list", dict: "an object", str: "text"}
    return names.get(type(value), "empty")


def _optional(values: dict[str, Any], field: str) -> str | None:
    value = values.get(field)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return clean(value) if isinstance(value, str) and value else None


def _split(values: dict[str, Any]) -> str | None:
    split = _optional(values, "split")
    return _SPLITS.get(split.lower(), split.lower()) if split else None


def _label(value: object) -> bool | None:
    if value is None or value == "" or isinstance(value, bool):
        return value if isinstance(value, bool) else None
    word = str(value).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise ValueError("'grounded' must be true, false or empty.")


def _sized(case: Case) -> Case:
    size = len(case.query) + len(case.response) + sum(len(p.text) for p in case.context)
    if size > MAX_CHARACTERS:
        raise ValueError(f"It holds {size:,} characters; a case may have {MAX_CHARACTERS:,}.")
    return case


def _own(values: dict[str, Any], default_id: str) -> Case:
    response = _text(values, "response")
    name = next(n for n in _ALIASES["context"] if n in values)
    return _sized(
        Case(
            id=_optional(values, "id") or default_id,
            query=_text(values, "query"),
            context=passages(values[name]),
            response=response,
            grounded=_label(values.get("grounded")),
            errors=tuple(_error(e, response) for e in _list(values, "errors")),
            evidence=tuple(_evidence(e) for e in _list(values, "evidence")),
            split=_split(values),
            group=_optional(values, "group"),
            parent=_optional(values, "parent"),
            area=_optional(values, "area") or "",
        )
    )


def passages(value: object) -> tuple[Passage, ...]:
    """Passages from a list of texts or of `{id, text, source}`, or from one text (perhaps itself JSON).

    In plain text, a line of three or more dashes begins a new passage, and a first line `Source: ...` names it.
    """
    if isinstance(value, str):
        stripped = value.strip()
        if not stripped.startswith("["):
            return plain_passages(value)
        try:
            value = parse_json(stripped)
        except ValueError:
            return plain_passages(stripped)
    if not isinstance(value, list):
        raise ValueError(f"'context' must be a text or a list of passages, it is {_kind(value)}.")
    return tuple(_passage(item, number) for number, item in enumerate(value, 1))


def _passage(item: object, number: int) -> Passage:
    if isinstance(item, str):
        return Passage(f"p{number}", clean(item))
    if isinstance(item, dict) and isinstance(item.get("text"), str):
        source = item.get("source") or item.get("title") or ""
        return Passage(_optional(item, "id") or f"p{number}", clean(item["text"]), clean(str(source)))
    raise ValueError(f"Passage {number} of 'context' must be a text or an object with a 'text'.")


def plain_passages(text: str) -> tuple[Passage, ...]:
    """Passages of a pasted text; see `passages`."""
    parts: list[list[str]] = [[]]
    for line in clean(text).splitlines(keepends=True):
        bare = line.strip()
        if len(bare) >= 3 and not bare.strip("-"):
            parts.append([])
        else:
            parts[-1].append(line)
    found: list[Passage] = []
    for lines in parts:
        body, source = "".join(lines).strip("\r\n"), ""
        first, _, rest = body.lstrip().partition("\n")
        if first.lower().startswith("source:"):
            source, body = first[7:].strip(), rest
        if body.strip():
            found.append(Passage(f"p{len(found) + 1}", body, source))
    return tuple(found)


def _list(values: dict[str, Any], field: str) -> list[Any]:
    value = values.get(field)
    if isinstance(value, str) and value.strip():
        value = parse_json(value)
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise ValueError(f"'{field}' must be a list, it is {_kind(value)}.")
    return value


def _whole(item: object, field: str, owner: str) -> int:
    value = item.get(field) if isinstance(item, dict) else None
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"'{field}' of each entry of '{owner}' must be a whole number.")
    return value


def _error(item: object, response: str) -> ErrorSpan:
    start, end = _whole(item, "start", "errors"), _whole(item, "end", "errors")
    values = item if isinstance(item, dict) else {}
    if not 0 <= start < end <= len(response):
        raise ValueError(f"An error span ({start}, {end}) lies outside the response.")
    if isinstance(values.get("text"), str) and clean(values["text"]) != response[start:end]:
        raise ValueError(f"The text of the error span ({start}, {end}) is not what stands there in the response.")
    try:
        kind = ErrorType(str(values.get("type")))
    except ValueError:
        raise ValueError(f"The type of an error must be one of {', '.join(ErrorType)}.") from None
    return ErrorSpan(start, end, kind, _optional(values, "why") or "")


def _evidence(item: object) -> EvidenceSpan:
    fields = ("response_start", "response_end", "passage", "start", "end")
    return EvidenceSpan(*(_whole(item, f, "evidence") for f in fields))


def _contractnli(values: dict[str, Any], default_id: str) -> Case:
    claim = _text(values, "claim" if "claim" in values else "hypothesis")
    spans = values.get("context")
    document = _optional(values, "document") or ""
    if spans is None:
        spans, document = [document], ""
    if not isinstance(spans, list) or not all(isinstance(s, str) for s in spans):
        raise ValueError("'context' must be a list of the contract's spans.")
    cited = _list(values, "evidence")
    if not all(isinstance(i, int) and 0 <= i < len(spans) for i in cited):
        raise ValueError("'evidence' must be indices into 'context'.")
    starts, text = _joined([clean(s) for s in spans])
    gold = [(starts[i], starts[i] + len(spans[i])) for i in cited]
    return _contract_case(_optional(values, "id") or default_id, claim, text, document, gold, values)


def _joined(spans: list[str]) -> tuple[list[int], str]:
    """Spans as paragraphs of one text, and where each begins: a contract reads as one document."""
    starts, position = [], 0
    for span in spans:
        starts.append(position)
        position += len(span) + 2
    return starts, "\n\n".join(spans)


def _contract_case(case_id: str, claim: str, text: str, source: str, gold: list[tuple[int, int]], values: dict[str, Any]) -> Case:
    label = str(values.get("label") or values.get("choice"))
    if label not in {"Entailment", "Contradiction", "NotMentioned"}:
        raise ValueError("'label' must be Entailment, Contradiction or NotMentioned.")
    entailed = label == "Entailment"
    return _sized(
        Case(
            id=case_id,
            query="Does the contract say this?",
            context=(Passage("contract", text, source),),
            response=claim,
            grounded=entailed,
            evidence=tuple(EvidenceSpan(0, len(claim), 0, s, e) for s, e in gold if e > s) if claim else (),
            unsupported=() if entailed or not claim else ((0, len(claim)),),
            split=_split(values),
            group=source or case_id,
            area=f"Contracts · {label}",
        )
    )


def _contractnli_release(values: dict[str, Any]) -> Iterator[Case]:
    try:
        hypotheses = {key: clean(label["hypothesis"]) for key, label in values["labels"].items()}
        for document in values["documents"]:
            annotations = document["annotation_sets"][0]["annotations"]
            for key, annotation in annotations.items():
                gold = [tuple(document["spans"][i]) for i in annotation["spans"]]
                source = str(document.get("file_name", document["id"]))
                case_id = f"{document['id']}-{key}"
                yield _contract_case(case_id, hypotheses[key], clean(document["text"]), source, gold, annotation)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"A ContractNLI file must have documents, spans, annotations and labels ({error!r}).") from None


def _ragbench(values: dict[str, Any], default_id: str) -> Case:
    response = _text(values, "response")
    documents = values.get("documents")
    if not isinstance(documents, list) or not all(isinstance(d, str) for d in documents):
        raise ValueError("'documents' must be a list of texts.")
    context = tuple(Passage(f"p{i}", clean(d)) for i, d in enumerate(documents, 1))
    spans = _located(response, _keyed(values["response_sentences"]))
    places = {}
    for p, sentences in enumerate(values["documents_sentences"]):
        if p < len(context):
            found = _located(context[p].text, _keyed(sentences))
            places.update({key: (p, *span) for key, span in found.items()})
    grounded = values.get("adherence_score")
    unsupported = _list(values, "unsupported_response_sentence_keys")
    return _sized(
        Case(
            id=_optional(values, "id") or default_id,
            query=_text(values, "query"),
            context=context,
            response=response,
            grounded=grounded if isinstance(grounded, bool) else None,
            evidence=tuple(_ragbench_evidence(values, spans, places)),
            unsupported=tuple(spans[key] for key in unsupported if key in spans),
            split=_split(values),
            group=_text(values, "query"),
            area=_optional(values, "field") or "",
        )
    )


def _keyed(pairs: object) -> list[tuple[str, str]]:
    if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        raise ValueError("Sentences must be a list of [key, text].")
    return [(str(key), clean(str(text))) for key, text in pairs]


def _located(text: str, keyed: list[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Where each keyed sentence stands in the text; a sentence that is not there word for word is left out."""
    found, position = {}, 0
    for key, sentence in keyed:
        bare = sentence.strip()
        start = text.find(bare, position) if bare else -1
        if start >= 0:
            position = start + len(bare)
            found[key] = (start, position)
    return found


def _ragbench_evidence(
    values: dict[str, Any], spans: dict[str, tuple[int, int]], places: dict[str, tuple[int, int, int]]
) -> Iterator[EvidenceSpan]:
    for entry in _list(values, "sentence_support_information"):
        key = entry.get("response_sentence_key") if isinstance(entry, dict) else None
        for cited in (entry.get("supporting_sentence_keys") or []) if key in spans else []:
            if cited in places:
                yield EvidenceSpan(*spans[str(key)], *places[cited])
