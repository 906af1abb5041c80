"""Further training pairs: files of labelled pairs, and the supports that a method of a run (the teacher) gave."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundscope.errors import DataError, GroundscopeError
from groundscope.files.fields import clean, first, split_name
from groundscope.files.literals import parse_json
from groundscope.files.rows import Rejected
from groundscope.grounding.runs import listing
from groundscope.grounding.runs.arrays import RunData
from groundscope.training.pairs import Embed, Nearest, Pair, drawn_split, family
from groundscope.types import Case

_EVIDENCE, _SENTENCE, _LABEL = ("evidence", "context"), ("statement", "claim", "sentence"), ("label", "grounded")
_YES, _NO = {"supported", "entailment", "grounded"}, {"contradicted", "not_stated", "contradiction", "notmentioned", "ungrounded"}

Supports = Mapping[str, Sequence[tuple[int, int, float]]]
"""By case id (start, end, support) of the response's sentences."""


@dataclass(frozen=True, slots=True)
class PairFile:
    """What was read from a file of labelled pairs."""

    name: str
    train: tuple[Pair, ...]
    dev: tuple[Pair, ...]
    untouched: int
    rejected: tuple[Rejected, ...]


def read_pairs(name: str, data: bytes) -> PairFile:
    """Read labelled pairs: JSON lines with evidence (or context), statement (or claim, sentence) and a label."""
    by_split: dict[str, list[Pair]] = {"train": [], "dev": [], "test": []}
    rejected: list[Rejected] = []
    of_group: dict[str, str] = {}
    for number, line in enumerate(io.BytesIO(data.removeprefix(b"\xef\xbb\xbf")), 1):
        if not line.strip():
            continue
        try:
            pair, part = _labelled(parse_json(line))
            if of_group.setdefault(pair.group, part) != part:
                raise ValueError("Its group is in another split too; keep all its pairs in one.")
        except ValueError as error:
            rejected.append(Rejected(name, number, str(error)))
        else:
            by_split.setdefault(part, []).append(pair)
    if not by_split["train"]:
        why = f" Row {rejected[0].row}: {rejected[0].reason}" if rejected else ""
        raise DataError(
            f"{name} holds no pair to learn from; its rows need evidence, statement and label, and a split but test.{why}"
        )
    others = sum(map(len, by_split.values())) - len(by_split["train"]) - len(by_split["dev"])
    return PairFile(name, tuple(by_split["train"]), tuple(by_split["dev"]), others, tuple(rejected))


def teacher_of(line: str) -> tuple[RunData, str]:
    """Find the run and the method that a teacher is named by."""
    problems: list[GroundscopeError] = []
    for at in [i for i in reversed(range(len(line))) if line[i] == "/"] or [0]:
        try:
            run = listing.find(line[:at])
        except GroundscopeError as error:
            problems.append(error)
            continue
        ids = [m.id for m in run.methods]
        if line[at + 1 :] in ids:
            return run, line[at + 1 :]
        raise ValueError(f"--teacher is written RUN/METHOD; the methods of that run are {', '.join(ids)}")
    raise problems[0]


def supports_of(run: RunData, method: str, cases: Sequence[Case]) -> Supports:
    """Read what a method of a run gave the sentences of cases."""
    texts = {c.id: (c.response, c.context) for c in cases}
    rows = [row for row, name in enumerate(run.ids) if name in texts]
    if any(texts[c.id] != (c.response, c.context) for c in run.read_cases(rows)):
        raise DataError("The run judged other texts under the ids of these cases; give a run of these cases.")
    judged: dict[str, list[tuple[int, int, float]]] = {}
    for row, start, end, support, _ in zip(*run.read_sentences(run.method(method)), strict=True):
        if support == support and run.ids[row] in texts:
            judged.setdefault(run.ids[row], []).append((int(start), int(end), float(support)))
    if not judged:
        raise DataError("The chosen method judged none of these sentences; run it on this set first.")
    return judged


def distilled(cases: Sequence[Case], judged: Supports, embed: Embed, evidence: int) -> list[Pair]:
    """Make pairs whose labels are a method's supports of the same sentences (knowledge distillation; Hinton et al. 2015).

    Supports must mean a probability. So many of the nearest context sentences are joined as evidence.
    """
    nearest = Nearest(embed, evidence)
    pairs = []
    for case in cases:
        for start, end, support in judged.get(case.id, ()):
            sentence = case.response[start:end]
            pairs.append(Pair(nearest(case, sentence)[0], sentence, support, family(case), "distilled"))
    return pairs


def _labelled(row: Any) -> tuple[Pair, str]:
    if not isinstance(row, dict):
        raise ValueError("It is not a JSON object with named fields.")
    evidence, sentence = first(row, _EVIDENCE), first(row, _SENTENCE)
    if isinstance(evidence, list) and all(isinstance(text, str) for text in evidence):
        evidence = " ".join(evidence)
    if not isinstance(evidence, str) or not isinstance(sentence, str) or not evidence.strip() or not sentence.strip():
        raise ValueError(
            f"It needs texts under {' or '.join(_EVIDENCE)} and under {', '.join(_SENTENCE[:-1])} or {_SENTENCE[-1]}."
        )
    label = _label(first(row, _LABEL))
    evidence, sentence, group = clean(evidence), clean(sentence), clean(str(row.get("group") or evidence))
    return Pair(evidence, sentence, label, group, "labelled"), split_name(row) or drawn_split(group)


def _label(value: Any) -> float:
    if isinstance(value, int | float) and 0.0 <= value <= 1.0:
        return float(value)
    word = str(value).strip().lower().replace(" ", "_")
    if word in _YES | _NO:
        return float(word in _YES)
    raise ValueError("Its label is none of supported, contradicted, not_stated, true, false or a number from 0 to 1.")
