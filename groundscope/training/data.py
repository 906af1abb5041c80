"""Training data: train and dev of a labelled set, never test; labelled pairs; and a method's supports."""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundscope.errors import DataError
from groundscope.files.fields import clean, split_name
from groundscope.files.rows import parse_json
from groundscope.training.pairs import Embed, Nearest, Pair, family
from groundscope.types import Case

DEV_SHARE = 0.1
"""Of sets without splits, this share of the queries is kept for dev, chosen by the hash of the query."""

_EVIDENCE, _SENTENCE, _LABEL = ("evidence", "context"), ("statement", "claim", "sentence"), ("label", "grounded")
_YES, _NO = {"supported", "entailment", "grounded"}, {"contradicted", "not_stated", "contradiction", "notmentioned", "ungrounded"}


@dataclass(frozen=True, slots=True)
class LabelledSplits:
    """A labelled set divided into training data, dev data and cases that stay unused.

    Attributes:
        train: cases to train on.
        dev: cases for early stopping and the threshold.
        untouched: number of unused cases: test split and cases without a label.
        drawn: whether dev was drawn from a set without splits.
    """

    train: tuple[Case, ...]
    dev: tuple[Case, ...]
    untouched: int
    drawn: bool = False


def parts(cases: Sequence[Case], split: str = "train") -> LabelledSplits:
    """Divide a set.

    Args:
        cases: the whole set.
        split: split to train on.

    Returns:
        Labelled cases of `split` and of dev, in order. Of a set without splits, `DEV_SHARE` of the queries are dev.

    Raises:
        DataError: no labels, one class only, a query in two splits, no case in `split`, or `split` is test or dev.
    """
    if split == "test":
        raise DataError("A test split is for the last look only: nothing is trained on it. Choose train.")
    if split == "dev":
        raise DataError("The dev split steers the training and finds the threshold, so nothing is learned from it. Choose train.")
    labelled = [c for c in cases if c.grounded is not None]
    if not labelled:
        raise DataError("These cases have no labels, so there is nothing to learn from; label them as grounded or not.")
    _one_split_each(labelled)
    drawn = not any(c.split for c in labelled)
    where = _drawn if drawn else (lambda c: c.split or "")
    train = tuple(c for c in labelled if where(c) == split)
    dev = tuple(c for c in labelled if where(c) == "dev")
    if not train:
        held = sorted({c.split or "none" for c in labelled})
        raise DataError(f"No labelled case is in the split {split}; there are {', '.join(held)}. Test is never trained on.")
    for name, found in ((split, train), ("dev", dev)):
        if len({c.grounded for c in found}) < 2:
            if drawn and len({c.grounded for c in labelled}) == 2:
                raise DataError(
                    f"These cases have no splits, and among the queries that were drawn for {name} are not both grounded and "
                    "ungrounded responses; give each case a split, train or dev."
                )
            raise DataError(f"The split {name} needs grounded and ungrounded responses, so that the model can learn.")
    return LabelledSplits(train, dev, len(cases) - len(train) - len(dev), drawn)


def labelled_pairs(name: str, data: bytes) -> dict[str, list[Pair]]:
    """Read labelled pairs: JSON lines with evidence (or context), statement (or claim, sentence) and a label.

    Args:
        name: name of the file.
        data: its content.

    Returns:
        Pairs by split; a file without splits is divided as in `parts`. Rows of test are left out.

    Raises:
        DataError: with file and row; no text is quoted.
    """
    found: dict[str, list[Pair]] = {"train": [], "dev": []}
    of_group: dict[str, str] = {}
    for number, line in enumerate(io.BytesIO(data.removeprefix(b"\xef\xbb\xbf")), 1):
        if not line.strip():
            continue
        try:
            pair, part = _labelled(parse_json(line))
        except ValueError as error:
            raise DataError(f"{name}, row {number}: {error}") from None
        if of_group.setdefault(pair.group, part) != part:
            raise DataError(f"{name}, row {number}: Its group is in another split too; keep all its pairs in one.")
        if part in found:
            found[part].append(pair)
    if not found["train"]:
        raise DataError(f"{name} holds no pair to learn from; its rows need evidence, statement and label, and a split but test.")
    return found


def distilled(
    cases: Sequence[Case], judged: Mapping[str, Sequence[tuple[int, int, float]]], embed: Embed, evidence: int
) -> list[Pair]:
    """Make pairs whose labels are another method's supports of the same sentences (knowledge distillation; Hinton et al. 2015).

    Args:
        cases: of the split to learn from; labels are not needed.
        judged: (start, end, support) of sentences by case id, of one method whose supports mean a probability; start and end are
            half-open characters of the response.
        embed: finds the evidence.
        evidence: how many of the nearest context sentences are joined.

    Returns:
        One pair a judged sentence, in the order of the cases and of `judged`.

    Raises:
        DataError: the method judged none of them, or a judged case has no context sentence.
    """
    nearest = Nearest(embed, evidence)
    found = []
    for case in cases:
        for start, end, support in judged.get(case.id, ()):
            sentence = case.response[start:end]
            found.append(Pair(nearest(case, sentence)[0], sentence, support, family(case), "distilled"))
    if not found:
        raise DataError("The chosen method judged none of these sentences; run it on this set first.")
    return found


def digest(pairs: Sequence[Pair]) -> str:
    """Hash pairs.

    Args:
        pairs: all of a training, whose order counts.

    Returns:
        Sixteen hexadecimal digits.
    """
    hashed = hashlib.blake2b(digest_size=8)
    for pair in pairs:
        # Without a side of their own, pairs keep the hash that they had before they could have one.
        hashed.update(json.dumps(pair if pair.supported is not None else pair[:-1], ensure_ascii=True).encode())
    return hashed.hexdigest()


def _one_split_each(cases: Sequence[Case]) -> None:
    seen: dict[str, str] = {}
    for case in cases:
        group, part = family(case), case.split or ""
        if seen.setdefault(group, part) != part:
            raise DataError(
                f"The query of case {case.id} has responses in two splits, {seen[group] or 'none'} and {part or 'none'}; "
                "keep all responses of a query in one, or dev says nothing."
            )


def _drawn(case: Case) -> str:
    # Without a group the query itself shows which responses belong together.
    return "dev" if _share(case.group or case.query or family(case)) < DEV_SHARE else "train"


def _share(group: str) -> float:
    return int.from_bytes(hashlib.blake2b(group.encode("utf-8", "replace"), digest_size=4).digest()) / 2**32


def _labelled(row: Any) -> tuple[Pair, str]:
    if not isinstance(row, dict):
        raise ValueError("It is not a JSON object with named fields.")
    evidence, sentence = _first(row, _EVIDENCE), _first(row, _SENTENCE)
    if isinstance(evidence, list) and all(isinstance(text, str) for text in evidence):
        evidence = " ".join(evidence)
    if not isinstance(evidence, str) or not isinstance(sentence, str) or not evidence.strip() or not sentence.strip():
        raise ValueError(
            f"It needs texts under {' or '.join(_EVIDENCE)} and under {', '.join(_SENTENCE[:-1])} or {_SENTENCE[-1]}."
        )
    label = _label(_first(row, _LABEL))
    evidence, sentence, group = clean(evidence), clean(sentence), clean(str(row.get("group") or evidence))
    return Pair(evidence, sentence, label, group, "labelled"), split_name(row) or (
        "dev" if _share(group) < DEV_SHARE else "train"
    )


def _label(value: Any) -> float:
    if isinstance(value, int | float) and 0.0 <= value <= 1.0:
        return float(value)
    word = str(value).strip().lower().replace(" ", "_")
    if word in _YES | _NO:
        return float(word in _YES)
    raise ValueError("Its label is none of supported, contradicted, not_stated, true, false or a number from 0 to 1.")


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[n] for n in names if row.get(n) is not None), None)
