"""Training data: train and dev of a labelled set, never test."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from groundscope.errors import DataError
from groundscope.training.pairs import Pair, family
from groundscope.types import Case

DEV_SHARE = 0.1
"""Of sets without splits, this share of the queries is kept for dev, chosen by the hash of the query."""


@dataclass(frozen=True, slots=True)
class LabelledSplits:
    """A labelled set divided into training data, dev data and cases that stay unused.

    `untouched`: number of unused cases: test split and cases without a label.
    """

    train: tuple[Case, ...]
    dev: tuple[Case, ...]
    untouched: int
    drawn: bool = False


def parts(cases: Sequence[Case], split: str = "train") -> LabelledSplits:
    """Divide a set."""
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
    for name, members in ((split, train), ("dev", dev)):
        if len({c.grounded for c in members}) < 2:
            if drawn and len({c.grounded for c in labelled}) == 2:
                raise DataError(
                    f"These cases have no splits, and among the queries that were drawn for {name} are not both grounded and "
                    "ungrounded responses; give each case a split, train or dev."
                )
            raise DataError(f"The split {name} needs grounded and ungrounded responses, so that the model can learn.")
    return LabelledSplits(train, dev, len(cases) - len(train) - len(dev), drawn)


def digest(pairs: Sequence[Pair]) -> str:
    """Hash pairs."""
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
    return drawn_split(case.group or case.query or family(case))


def drawn_split(group: str) -> str:
    """Draw the split of a query by its hash, so that neither order nor company matters."""
    share = int.from_bytes(hashlib.blake2b(group.encode("utf-8", "replace"), digest_size=4).digest()) / 2**32
    return "dev" if share < DEV_SHARE else "train"
