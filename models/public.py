"""Pairs that people labelled elsewhere: SummEdits, CUAD and RAGBench, cut to what may be learned from.

The texts belong to others and are not part of this project: `GROUNDSCOPE_PUBLIC_DATA` names a folder that holds them, in the
layout that `models/public_data.md` gives. Without it there are no such pairs. Documents that fall into test by
`models.public.part_of` are never read.
"""

import gzip
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from groundscope.errors import DataError
from groundscope.text.sentences import split
from groundscope.training.pairs import Embed, Nearest, Pair, changes
from groundscope.types import Case, Passage

FOLDER, NAME = "GROUNDSCOPE_PUBLIC_DATA", "grounding_pairs.jsonl.gz"
"""The environment variable that names the folder, and the file in it."""
TERMS = ("Apache-2.0", "CC-BY-4.0")
"""Licences whose texts weights may be trained on and given away."""
EDITS, CLAUSES, ANSWERS = "SummEdits/", "CUAD", ("RAGBench/hotpotqa", "RAGBench/emanual")
SOURCES = (EDITS, CLAUSES, *ANSWERS)
_ORIGINAL = "_og"
"""What the ids of SummEdits' first summary of a document hold; the others are edits of it."""
_SHORTEST = 30
_MOST_WRONG = 0.4
"""A change over more of a sentence than this holds words that are right, too: it does not show which are wrong."""


class PublicPairs(NamedTuple):
    """Pairs of one part.

    Attributes:
        labelled: sentences of SummEdits that an edit changed, with what it made of them; clauses of CUAD.
        supported: sentences of SummEdits and RAGBench that stand on their evidence, to be edited further.
    """

    labelled: list[Pair]
    supported: list[Pair]


def file() -> Path | None:
    """Where the pairs are read from; None where the environment names no folder."""
    folder = os.environ.get(FOLDER)
    return Path(folder).expanduser().resolve() / NAME if folder else None


def pairs(part: str, embed: Embed, evidence: int) -> PublicPairs:
    """All pairs of train or of dev; a text stands in no two parts.

    Raises:
        DataError: the folder that the environment names has no such file, or it cannot be read.
    """
    path = file()
    rows = [r for r in _rows(path) if part_of(r["group"]) == part] if path else []
    nearest = Nearest(embed, evidence)
    edited = list(_edits([r for r in rows if r["source"].startswith(EDITS)], nearest))
    clauses = [_pair(r, r["claim"], nearest) for r in rows if r["source"].startswith(CLAUSES)]
    answers = [
        _pair(r, r["claim"], nearest)
        for r in rows
        if r["source"] in ANSWERS and r["grounded"] and len(r["claim"]) >= _SHORTEST and not r["claim"].endswith(":")
    ]
    return PublicPairs(edited + clauses, list(dict.fromkeys([p for p in edited if p.label > 0.5] + answers)))


def _edits(rows: Sequence[Mapping[str, Any]], nearest: Nearest) -> Iterator[Pair]:
    """Of each edited summary the sentence that was changed, if it was one: of several, it is not known which is wrong."""
    first = {_document(r): r for r in rows if _ORIGINAL in r["id"] and r["grounded"]}
    for row in rows:
        original = first.get(_document(row))
        if original is None:
            continue
        if row is original:
            for s in split(row["claim"]):
                yield _pair(row, row["claim"][s.start : s.end], nearest)
        elif len(changed := changes(original["claim"], row["claim"])) == 1:
            _, now = changed[0]
            yield _pair(row, now, nearest, None if row["grounded"] else _difference(*changed[0]))


def _document(row: Mapping[str, Any]) -> str:
    return str(row["id"]).rsplit("_", 1)[0]


def _difference(old: str, new: str) -> tuple[int, int] | None:
    """The characters of `new` between what both begin with and what both end with; None if they are too many."""
    most = min(len(old), len(new))
    start = next((i for i in range(most) if old[i] != new[i]), most)
    end = next((i for i in range(most - start) if old[-1 - i] != new[-1 - i]), most - start)
    return (start, len(new) - end) if len(new) - end - start <= _MOST_WRONG * len(new) else None


def _pair(row: Mapping[str, Any], sentence: str, nearest: Nearest, wrong: tuple[int, int] | None = None) -> Pair:
    case = Case(row["id"], "", tuple(Passage(str(i), text) for i, text in enumerate(row["context"])), row["claim"])
    return Pair(nearest(case, sentence)[0], sentence, float(row["grounded"]), row["group"], "labelled", wrong)


@lru_cache(maxsize=1)
def _rows(path: Path) -> list[dict[str, Any]]:
    """Rows of the sources that are learned from, of documents outside test."""
    try:
        rows = map(json.loads, gzip.decompress(path.read_bytes()).decode("utf-8").splitlines())
        return [r for r in rows if r["source"].startswith(SOURCES) and r["license"] in TERMS and part_of(r["group"]) != "test"]
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{path}, which {FOLDER} names, cannot be read ({type(error).__name__}); see models/public_data.md."
        ) from None


def part_of(group: str) -> str:
    """The part of a document: a fifth is test, a tenth dev. Test is never trained on."""
    drawn = int(hashlib.sha256(group.encode("utf-8", "replace")).hexdigest(), 16) % 10
    return "test" if drawn < 2 else "dev" if drawn == 2 else "train"
