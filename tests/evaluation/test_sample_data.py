"""The bundled samples keep the promises of their README."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from evaluation.dataset import read
from evaluation.types import ErrorType

PATH = Path(__file__).parents[2] / "sample_data" / "samples.jsonl"


def raw() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def test_all_24_cases_are_read() -> None:
    found = read(PATH.name, PATH.read_bytes())
    assert (len(found.cases), found.rejected) == (24, ())
    assert found.labels == {"grounded": 12, "ungrounded": 12}
    assert found.splits == {"dev": 8, "test": 16}


def test_every_marked_error_is_the_text_it_quotes() -> None:
    marked = [(row["response"][e["start"] : e["end"]], e["text"]) for row in raw() for e in row["errors"]]
    assert len(marked) == 17
    assert all(ours == quoted for ours, quoted in marked)


def test_every_error_type_stands_at_least_twice() -> None:
    counts = Counter(e["type"] for row in raw() for e in row["errors"])
    assert set(counts) == set(ErrorType)
    assert min(counts.values()) >= 2


def test_only_ungrounded_answers_have_errors_and_a_grounded_parent() -> None:
    cases = {c.id: c for c in read(PATH.name, PATH.read_bytes()).cases}
    for case in cases.values():
        assert bool(case.errors) == (case.grounded is False) == (case.parent is not None)
        if case.parent is not None:
            parent = cases[case.parent]
            assert parent.grounded
            assert (parent.query, parent.context, parent.group) == (case.query, case.context, case.group)


def test_a_group_lies_in_one_split() -> None:
    splits: dict[str, set[str]] = {}
    for row in raw():
        splits.setdefault(row["group"], set()).add(row["split"])
    assert len(splits) == 12
    assert all(len(s) == 1 for s in splits.values())
