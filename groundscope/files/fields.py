"""Typed reading of one row's fields; error messages name the field and never quote the data."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from groundscope.files.literals import structure
from groundscope.types import Case

MAX_CHARACTERS = 5_000_000
"""Largest case in characters, all texts together."""

ALIASES = {
    "query": ("query", "question", "user_input", "input"),
    "context": ("context", "contexts", "retrieved_contexts", "passages", "source_documents", "source_nodes"),
    "response": ("response", "answer", "result"),
}
NAMES = {
    "query": ("question", "query", "user_input", "prompt", "input", "instruction", "q", "inputs"),
    "context": (
        *("context", "contexts", "retrieved_contexts", "retrieval_context", "source_documents", "source_nodes", "documents"),
        *("document", "docs", "doc", "passages", "passage", "sources", "chunks", "retrieved_documents", "source", "source_text"),
        *("evidence", "references", "premise", "article", "grounding", "knowledge", "text"),
    ),
    "response": (
        *("answer", "response", "actual_output", "generated_answer", "model_answer", "output", "claim", "hypothesis", "summary"),
        *("generated_text", "completion", "generation", "prediction", "result", "statement", "sentence", "reply", "outputs"),
    ),
}
"""What a question, a context and an answer are called in the files of this field, the likeliest first; `ALIASES` are sure."""
_WRITTEN_TOGETHER = {
    name.replace("_", ""): name
    for name in (
        *(name for names in NAMES.values() for name in names),
        *("expected_output", "error_types", "reference_contexts", "record_id"),
    )
}
_NEW_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s_-]+")
SPLITS = {
    **dict.fromkeys(("train", "training"), "train"),
    **dict.fromkeys(("dev", "development", "val", "valid", "validation"), "dev"),
    **dict.fromkeys(("test", "testing"), "test"),
}
"""What splits are called elsewhere, in small letters."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "�"
_KINDS = {bool: "a truth value", int: "a number", float: "a number", list: "a list", dict: "an object", str: "text"}


def plain(value: object) -> str:
    """Small letters and digits alone."""
    return re.sub(r"[\W_]+", "", str(value).casefold())


def bare(name: str) -> str:
    """The name of a field inside others, in small letters with underscores: `review.isSound` is `is_sound`."""
    return _NEW_WORD.sub("_", name.rpartition(".")[2].strip()).lower()


def clean(text: str) -> str:
    """Replace NUL and lone surrogates, which browsers and models do not accept."""
    if "\x00" in text:
        text = text.replace("\x00", _REPLACEMENT)
    return text if text.isascii() else _SURROGATE.sub(_REPLACEMENT, text)


def cleaned(value: Any) -> Any:
    """Clean every text in a JSON value, as `clean` does."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [cleaned(v) for v in value]
    return {k: cleaned(v) for k, v in value.items()} if isinstance(value, dict) else value


def first(values: Mapping[str, Any], names: Sequence[str], none: Any = None) -> Any:
    """The first of some fields that is there and not empty."""
    return next((values[name] for name in names if values.get(name) is not None), none)


def kind(value: object) -> str:
    """Name the type of a JSON value for users."""
    return _KINDS.get(type(value), "empty")


def plain_names(values: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Name each field plainly: `User Input` and `userInput` as `user_input`; `names` are those that were looked up before."""
    plain = {}
    for name in values:
        if name not in names:
            words = _NEW_WORD.sub("_", name.strip()).lower()
            names[name] = _WRITTEN_TOGETHER.get(words.replace("_", ""), words)
        if names[name] == name or names[name] not in values:
            plain[names[name]] = values[name]
    return plain


def with_plain_names(values: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Add each field under its plain name, as in `plain_names`."""
    return plain_names(values, names) | values


def field_of(values: dict[str, Any], field: str) -> tuple[str, Any]:
    """Look a field up under its own or another common name: the name, and the value; None where there is none."""
    names = [name for name in ALIASES.get(field, (field,)) if name in values]
    named = next((name for name in names if values[name] is not None), names[0] if names else field)
    return named, values.get(named)


def text(values: dict[str, Any], field: str) -> str:
    """Read a required text."""
    name, value = field_of(values, field)
    if isinstance(value, str):
        return clean(value)
    if value is not None:
        raise ValueError(f"'{name}' must be text, it is {kind(value)}.")
    raise ValueError(f"'{name}' is empty." if name in values else f"'{name}' is missing.")


def optional(values: dict[str, Any], field: str) -> str | None:
    """Read an optional name; numbers are accepted as names."""
    value = values.get(field)
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"'{field}' must be text, it is {kind(value)}.")
    return clean(str(value))


def split_name(values: dict[str, Any]) -> str | None:
    """Read the optional split, with other names of `dev` made one."""
    split = optional(values, "split")
    return SPLITS.get(split.lower(), split.lower()) if split else None


def items(values: dict[str, Any], field: str) -> list[Any]:
    """Read an optional list, which may stand in a cell as JSON or as Python prints it."""
    value = values.get(field)
    if isinstance(value, str):
        value = structure(value) or value.strip()
    if value is None or value == "":
        return []
    if not isinstance(value, list):
        raise ValueError(f"'{field}' must be a list, it is {kind(value)}.")
    return value


def whole(value: object) -> bool:
    """Check that a value is an integer and not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def numbers(item: object, fields: tuple[str, ...], owner: str) -> list[int]:
    """Read integers of one entry of a list of objects."""
    values = item if isinstance(item, dict) else {}
    for field in fields:
        if not whole(values.get(field)):
            raise ValueError(f"'{field}' of each entry of '{owner}' must be a whole number.")
    return [values[field] for field in fields]


def pair(item: object, owner: str, size: int) -> tuple[int, int]:
    """Read a span [start, end] inside a text."""
    if not isinstance(item, list) or len(item) != 2 or not all(map(whole, item)):
        raise ValueError(f"Each entry of '{owner}' must be [start, end].")
    start, end = item
    if not 0 <= start < end <= size:
        raise ValueError(f"A span of '{owner}' lies outside its text.")
    return start, end


def sized(case: Case) -> Case:
    """Check that a case does not exceed `MAX_CHARACTERS`."""
    size = len(case.query) + len(case.response) + sum(len(p.text) for p in case.context)
    if size > MAX_CHARACTERS:
        raise ValueError(f"It holds {size:,} characters; a case may have {MAX_CHARACTERS:,}.")
    return case
