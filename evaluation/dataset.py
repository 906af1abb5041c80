"""Files of cases -> cases, with every rejected row named by file, row and reason.

Read: JSONL, JSON, CSV and Parquet, the text ones also gzipped, in the app's own format, as ContractNLI or as RAGBench;
the shape is recognised from the fields. Good rows are kept whatever happens to the others.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from evaluation._fields import ALIASES, clean
from evaluation._own_shape import own_case, plain_passages
from evaluation._public_shapes import contractnli_case, contractnli_release, ragbench_case
from evaluation._rows import Rejected, Row, read_rows
from evaluation.errors import DataError
from evaluation.sentences import sentence_id
from evaluation.types import Case

__all__ = ["Loaded", "Rejected", "clean", "from_paste", "read", "to_jsonl"]

SHAPES = {
    "groundscope": "Groundscope",
    "contractnli": "ContractNLI",
    "contractnli-release": "ContractNLI (release file)",
    "ragbench": "RAGBench",
}


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was read from one file.

    Attributes:
        name: the file's name.
        shapes: names of the recognised shapes.
        cases: the good ones, ids unique.
        rejected: the others, with the reason.
        rows: rows seen.
    """

    name: str
    shapes: tuple[str, ...]
    cases: tuple[Case, ...]
    rejected: tuple[Rejected, ...]
    rows: int

    @property
    def labels(self) -> Counter[str]:
        """How many cases are grounded, ungrounded, unlabelled."""
        words = {True: "grounded", False: "ungrounded", None: "no label"}
        return Counter(words[c.grounded] for c in self.cases)

    @property
    def splits(self) -> Counter[str]:
        """How many cases each split has."""
        return Counter(c.split or "no split" for c in self.cases)


def read(name: str, data: bytes) -> Loaded:
    """Read a file of cases.

    Raises:
        DataError: nothing in the file can be used; the message says why and what to do.
    """
    cases: dict[str, Case] = {}
    rejected: list[Rejected] = []
    shapes: dict[str, None] = {}
    rows = 0
    for row in read_rows(name, data):
        rows += 1
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        for case in _cases(row):
            if isinstance(case, str):
                rejected.append(Rejected(name, row.number, case))
            elif case.id in cases:
                rejected.append(Rejected(name, row.number, "Its id stands in an earlier row; ids must be unique."))
            else:
                cases[case.id] = case
                shapes[SHAPES[_shape(row.values)]] = None
    if not cases and not rejected:
        raise DataError("The file has no rows.")
    return Loaded(name, tuple(shapes), tuple(cases.values()), tuple(rejected), rows)


def _shape(values: dict[str, Any]) -> str:
    keys = values.keys()
    if {"documents_sentences", "response_sentences"} <= keys:
        return "ragbench"
    if {"documents", "labels"} <= keys and isinstance(values["documents"], list):
        return "contractnli-release"
    if {"evidence", "label"} <= keys and keys & {"claim", "hypothesis"} and keys & {"context", "document"}:
        return "contractnli"
    return "groundscope" if all(keys & set(names) for names in ALIASES.values()) else ""


def _cases(row: Row) -> Iterator[Case | str]:
    """The cases of one row; a reason instead of one that cannot be used."""
    default_id = f"row-{row.number}"
    try:
        match _shape(row.values):
            case "ragbench":
                yield ragbench_case(row.values, default_id)
            case "contractnli":
                yield contractnli_case(row.values, default_id)
            case "contractnli-release":
                yield from contractnli_release(row.values)
            case "groundscope":
                yield own_case(row.values, default_id)
            case _:
                yield _unknown(row.values)
    except ValueError as error:
        yield str(error)


def _unknown(values: dict[str, Any]) -> str:
    names = ", ".join(sorted(str(k)[:40] for k in values)[:12]) or "none"
    return (
        f"The shape is not known. Its fields are: {names}. Needed: query, context and response "
        "(or the fields of ContractNLI or RAGBench)."
    )


def from_paste(query: str, context: str, response: str, case_id: str) -> Case:
    """Make a case of pasted text.

    Raises:
        DataError: the response or the context is empty.
    """
    passages = plain_passages(context)
    missing = [name for name, there in (("response", response.strip()), ("context", passages)) if not there]
    if missing:
        raise DataError(f"Paste the {' and the '.join(missing)} too: without it there is nothing to compare.")
    return Case(case_id, clean(query).strip(), passages, clean(response))


def to_jsonl(cases: Iterable[Case]) -> str:
    """Cases in the app's own format, one JSON object a line; `read` gives the same cases back.

    Beside the fields of `Case`, for people and other programs: an error carries its `text`, evidence the `sentence` it lies
    in ("p2.3", the third sentence of the passage with the id "p2").
    """
    return "".join(json.dumps(_row(case), ensure_ascii=False) + "\n" for case in cases)


def _row(case: Case) -> dict[str, Any]:
    row = asdict(case)
    for error in row["errors"]:
        error["text"] = case.response[error["start"] : error["end"]]
    for span, found in zip(row["evidence"], case.evidence, strict=True):
        span["sentence"] = sentence_id(case.context, found.passage, found.start)
    return row
