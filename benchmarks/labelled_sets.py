"""The labelled sets of the board, each with how it is held that nothing learned from its rows.

The training reads the sources in `models.public.SOURCES` alone, of them only documents that `part_of` puts in train and dev, and
of the samples train and dev; tests/benchmarks/test_board.py holds that no row of the board is among them.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.machine import SAMPLES
from groundscope.cases.dataset import read
from groundscope.methods.board import PEOPLE
from groundscope.types import Case, Passage
from models.public import part_of

_MODEL, _WRITTEN, _UNKNOWN = "a model", "those who wrote the errors", "the file"
_NOT_READ = "no training here reads this set"
_TEST = "only documents set aside for tests, which no training here reads"


class LabelledRows(NamedTuple):
    """A set.

    Attributes:
        labelled: by whom.
        held: how it is held that nothing learned from these rows, in one line.
        decides: whether the recommended method and the starting thresholds are chosen by it.
        ships: whether it belongs on the board that comes with the app.
    """

    name: str
    cases: tuple[Case, ...]
    labelled: str = _UNKNOWN
    held: str = "a file named on the command line: not checked"
    decides: bool = False
    ships: bool = False

    @property
    def groups(self) -> list[str]:
        """The query or document that keeps rows together, of each."""
        return [c.group or document(c) for c in self.cases]


_PAIRS = {
    "WiCE": LabelledRows("WiCE", (), PEOPLE, _NOT_READ, True, True),
    "ExpertQA": LabelledRows("ExpertQA", (), PEOPLE, _NOT_READ, True, True),
    "BEGIN": LabelledRows("BEGIN", (), PEOPLE, _NOT_READ, True, True),
    "SummEdits/": LabelledRows("SummEdits", (), PEOPLE, _TEST, True, True),
    "CUAD": LabelledRows("CUAD", (), PEOPLE, f"{_TEST}; its kinds of claim were learned from other contracts", False, True),
}
"""The sets in `grounding_pairs`, by how their source begins."""


def labelled_sets(paths: Sequence[Path], most: int = 0) -> Iterator[LabelledRows]:
    """The sets in these files, then the samples: at most so many rows of each, drawn by the hash of their ids; 0 = all."""
    for path in sorted(paths, key=lambda p: "grounding_pairs" not in p.name):
        for rows in _of_file(path):
            yield _drawn(rows, most)
    cases = tuple(c for c in _labelled(SAMPLES) if c.split == "test")
    held = "their test split, which no training here reads"
    yield _drawn(LabelledRows("Samples", cases, _WRITTEN, held, False, True), most)


def _of_file(path: Path) -> Iterator[LabelledRows]:
    if "grounding_pairs" in path.name:
        pairs = pair_cases(path)
        for source, rows in _PAIRS.items():
            in_test = rows.held.startswith(_TEST)
            cases = (c for s, c in pairs if s.startswith(source) and not (in_test and part_of(str(c.group)) != "test"))
            yield rows._replace(cases=tuple(cases))
    elif "contractnli" in path.name:
        cases = tuple(_pair(str(r["id"]), r["context"], r["claim"], r["label"] == "Entailment") for r in json_lines(path))
        yield LabelledRows("ContractNLI", cases, PEOPLE, _NOT_READ, True, True)
    elif "ragbench_expertqa" in path.name:
        held = "no training here reads this part of RAGBench"
        yield LabelledRows("RAGBench ExpertQA", _labelled(path), _MODEL, held, False, True)
    else:
        yield LabelledRows(path.name, _labelled(path))


def _labelled(path: Path) -> tuple[Case, ...]:
    return tuple(c for c in read(path.name, path.read_bytes()).cases if c.grounded is not None)


def _drawn(rows: LabelledRows, most: int) -> LabelledRows:
    """Some rows, those about the same texts one after another."""
    drawn = sorted(rows.cases, key=lambda c: hashlib.sha256(c.id.encode()).hexdigest())[: most or None]
    return rows._replace(cases=tuple(sorted(drawn, key=document)))


def document(case: Case) -> str:
    """A hash of the sources: rows about the same texts belong together."""
    return hashlib.sha256("".join(sorted(p.text for p in case.context)).encode()).hexdigest()[:16]


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines, packed by gzip where its name says so."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in data.decode("utf-8").splitlines()]


def pair_cases(path: Path) -> list[tuple[str, Case]]:
    """Every claim of `grounding_pairs` with its source, in the order of the file."""
    rows = json_lines(path)
    return [(r["source"], _pair(r["id"], r["context"], r["claim"], bool(r["grounded"]), r["group"])) for r in rows]


def _pair(name: str, context: Sequence[str], claim: str, grounded: bool, group: str | None = None) -> Case:
    """A claim beside its context as a case without a question."""
    passages = tuple(Passage(str(i), text) for i, text in enumerate(context))
    return Case(name, "", passages, claim, grounded=grounded, group=group)
