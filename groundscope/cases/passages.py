"""Sources -> passages: what a person pasted, and texts, lists and documents of rows as LangChain and others write them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from groundscope.errors import DataError
from groundscope.files import fields
from groundscope.files.literals import structure
from groundscope.types import Case, Page, Passage

_TEXTS = ("text", "page_content", "pageContent", "content", "body", "chunk", "snippet", "passage", "node", "document", "kwargs")
"""What the text of a passage is called, here and in what other programs write; the last ones may be objects that have it."""
_LISTS = (*fields.ALIASES["context"], "documents", "docs", "nodes", "results", "matches", "chunks")
_SOURCES = ("source", "file_name", "filename", "title", "url", "file_path", "document_name")
_PAGES = ("page_number", "pageNumber", "page_label", "page")
_DEEPEST, _LONGEST_LABEL = 4, 30


def passages(value: object, name: str = "context") -> tuple[Passage, ...]:
    """Read passages from a list, from one object or from one text, which may hold a list as JSON or as a program prints it.

    In plain text, a line of three or more dashes begins a new passage, and so does a line `Source: ...`, which names it.
    """
    if isinstance(value, str):
        try:
            listed = structure(value)
        except ValueError as error:
            raise ValueError(f"'{name}' cannot be used. {error}") from None
        if listed is None:
            return plain_passages(value)
        value = listed
    if isinstance(value, dict):
        # The list in an object such as a retriever's output, or the object as the one passage.
        value = next((value[n] for n in _LISTS if isinstance(value.get(n), list)), [value])
    if not isinstance(value, list):
        raise ValueError(f"'{name}' must be a text or a list of passages, it is {fields.kind(value)}.")
    if len(value) == 1 and isinstance(value[0], list) and all(isinstance(item, str | dict | list) for item in value[0]):
        value = value[0]
    there = [item for item in value if item is not None]
    if value and not there:
        raise ValueError(f"'{name}' holds no text.")
    return tuple(_passage(item, number, name) for number, item in enumerate(there, 1))


def _passage(item: object, number: int, name: str) -> Passage:
    if isinstance(item, list) and item and all(isinstance(score, int | float) for score in item[1:]):
        item = item[0]  # A document with its score, as vector stores return it.
    if isinstance(item, str):
        return Passage(f"p{number}", fields.clean(item))
    if isinstance(item, dict):
        for depth, entry in enumerate(_around(item)):
            called = next((n for n in _TEXTS if isinstance(entry.get(n), str)), None)
            if called is None:
                continue
            text = fields.clean(entry[called])
            about = [*_about(entry), *(_about(item) if depth else ())]
            own_pages = _spans_of_pages(fields.items(entry, "pages"), len(text))
            page = _page(about, from_zero=called in ("page_content", "pageContent"))
            id_ = fields.optional(item, "id") if not isinstance(item.get("id"), list | dict) else None
            return Passage(id_ or f"p{number}", text, _source(about), own_pages or ((0, page),) * bool(page and text))
    raise ValueError(f"Passage {number} of '{name}' must be a text or an object with a 'text'.")


def _around(item: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The object, and the objects that stand in it where its text might."""
    entry: Any = item
    for _ in range(_DEEPEST):
        yield entry
        entry = next((entry[n] for n in _TEXTS if isinstance(entry.get(n), dict)), None)
        if entry is None:
            return


def _about(entry: dict[str, Any]) -> list[Mapping[str, Any]]:
    """Where a passage says what it is from: the object itself, and its metadata."""
    metadata = entry.get("metadata") or entry.get("meta")
    if isinstance(metadata, str):
        try:
            metadata = structure(metadata)
        except ValueError:
            metadata = None
    return [entry, metadata] if isinstance(metadata, dict) else [entry]


def _source(about: Iterable[Mapping[str, Any]]) -> str:
    named = (values.get(name) for values in about for name in _SOURCES)
    texts = (str(n) for n in named if isinstance(n, str | int | float) and not isinstance(n, bool))
    return fields.clean(next(filter(None, texts), ""))


def _page(about: Iterable[Mapping[str, Any]], *, from_zero: bool) -> Page:
    """The page from 1 or its label, or 0; what LangChain's readers of PDFs call `page` counts from 0, beside a label."""
    for values in about:
        for name in _PAGES:
            page: Any = values.get(name)
            if isinstance(page, float) or (isinstance(page, str) and page.isascii() and page.isdigit() and len(page) < 7):
                page = int(page) if float(page).is_integer() else None
            if fields.whole(page):
                return max(0, int(page) + (from_zero and name == "page"))
            if name == "page_label" and _is_label(page):
                return fields.clean(page.strip())
    return 0


def _spans_of_pages(pages: list[Any], size: int) -> tuple[tuple[int, Page], ...]:
    if not all(
        isinstance(p, list) and len(p) == 2 and fields.whole(p[0]) and (fields.whole(p[1]) or _is_label(p[1])) for p in pages
    ):
        raise ValueError("Each entry of a passage's 'pages' must be [start, page], the page a number or a short text.")
    starts = [start for start, _ in pages]
    if starts != sorted(set(starts)) or any(not 0 <= start <= size or (fields.whole(p) and p < 1) for start, p in pages):
        raise ValueError("The 'pages' of a passage must rise and begin inside its text.")
    return tuple((start, fields.clean(page) if isinstance(page, str) else page) for start, page in pages)


def _is_label(page: object) -> bool:
    return isinstance(page, str) and 0 < len(page.strip()) <= _LONGEST_LABEL


def plain_passages(text: str) -> tuple[Passage, ...]:
    """Cut a pasted text into passages at lines of three or more dashes and before lines `Source: ...`."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    for line in fields.clean(text).splitlines(keepends=True):
        bare = line.strip()
        if len(bare) >= 3 and not bare.strip("-"):
            parts.append(("", []))
        elif bare[:7].lower() == "source:":
            parts.append((line, []))
        else:
            parts[-1][1].append(line)
    passages: list[tuple[str, list[str]]] = []
    for named, lines in parts:
        body = "".join(lines).strip("\r\n")
        if body.strip():
            passages.append((named.strip()[7:].strip(), [body]))
        elif named and passages:
            passages[-1][1].append(named.strip())
    return tuple(Passage(f"p{i}", "\n".join(texts), source) for i, (source, texts) in enumerate(passages, 1))


def pasted_passages(sources: Iterable[tuple[str, str]]) -> tuple[Passage, ...]:
    """Cut pasted sources into passages."""
    titled = ((fields.clean(title).strip(), text) for title, text in sources)
    return numbered(replace(p, source=p.source or title) for title, text in titled for p in plain_passages(text))


def numbered(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Name passages "p1", "p2", ... in their order."""
    return tuple(replace(p, id=f"p{n}") for n, p in enumerate(passages, 1))


def from_paste(
    query: str,
    context: str | Iterable[tuple[str, str]],
    response: str,
    case_id: str,
    more: Iterable[Passage] = (),
) -> Case:
    """Make a case of pasted text."""
    pasted = plain_passages(context) if isinstance(context, str) else pasted_passages(context)
    passages = numbered((*pasted, *more))
    missing = [name for name, there in (("response", response.strip()), ("sources", passages)) if not there]
    if missing:
        raise DataError(f"Paste the {' and the '.join(missing)} too, so that there is something to compare.")
    return Case(case_id, fields.clean(query).strip(), passages, fields.clean(response))
