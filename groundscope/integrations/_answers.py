"""Shared by the integrations: an answer of another library as a case, and its judgement."""

import os
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from threading import Lock
from typing import Any, NamedTuple

from groundscope.api.scoring import score
from groundscope.cases.own_format import own_case
from groundscope.errors import DataError
from groundscope.findings.listing import MethodReading
from groundscope.methods import Method
from groundscope.types import Case

ID = "answer"
"""Id of a case that stands alone."""
_NAMES = ("title", "source", "file_name", "file_path", "url")
"""Where loaders of documents put what a reader would call the source, best first."""
# These libraries judge many answers at once; a local model takes all processors for one, and is loaded once.
_LOCAL = Lock()


class Retrieved(NamedTuple):
    """A document that a retriever found, as the library holds it; an id may be missing or come twice.

    Anything but a text is refused later, with its number.
    """

    text: object
    id: object = None
    metadata: Mapping[str, Any] = {}


def record(id: str, question: object, retrieved: "str | Iterable[Retrieved] | None", answer: object) -> dict[str, Any]:
    """Lay out an answer in the format that `groundscope.score` reads; nothing is refused here.

    `retrieved` are documents, or their text; None = the answer carries none. Passages have the name and the page of their source
    where the metadata know them; an id that comes twice goes.
    """
    passages: Any = retrieved
    if retrieved is not None and not isinstance(retrieved, str):
        seen: set[str] = set()
        passages = [_passage(one, seen) for one in retrieved]
    return {"id": id, "query": question, "context": passages, "response": answer}


def _passage(retrieved: Retrieved, seen: set[str]) -> dict[str, Any]:
    passage: dict[str, Any] = {"text": retrieved.text}
    if isinstance(retrieved.id, str | int) and str(retrieved.id) not in seen:
        passage["id"] = str(retrieved.id)
        seen.add(passage["id"])
    names = (retrieved.metadata.get(name) for name in _NAMES)
    if source := next((os.fspath(name) for name in names if name and isinstance(name, str | os.PathLike)), None):
        passage["source"] = source
    page = str(retrieved.metadata.get("page_label", ""))
    if page.isascii() and page.isdecimal() and int(page) > 0:
        passage["pages"] = [[0, int(page)]]
    return passage


def case_from(values: dict[str, Any]) -> Case:
    """Read one `record` as a case without labels; raises DataError if a part is no text, or nothing says what was retrieved."""
    try:
        return own_case(values, values["id"])
    except ValueError as error:
        raise DataError(f"This answer cannot be read as a case: {error}") from None


def reading(case: Case, method: Method) -> MethodReading:
    """Judge a case by a method that is ready; of methods on this machine, one at a time. The judgement is in whatever state."""
    with nullcontext() if method.asks else _LOCAL:
        method_reading: MethodReading = score([case], method)[0].readings[0]
    return method_reading
