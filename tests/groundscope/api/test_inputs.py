"""What callers have becomes cases: tables, data sets, dicts, files, and bad rows that are named."""

import json
import math
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pytest

import groundscope
from groundscope.api.inputs import cases_of, plain
from groundscope.cases.dataset import Rejected
from groundscope.errors import DataError
from groundscope.types import Case, Passage
from tests.loops import each

ROWS: list[dict[str, Any]] = [
    {
        "query": "When is rent due?",
        "context": ["Rent is due on May 1.", "It is paid in advance."],
        "response": "On May 1.",
        "grounded": None,
    },
    {"query": "Who pays?", "context": ["The tenant pays."], "response": "The tenant pays.", "grounded": True},
]


@each("given", [ROWS, iter(ROWS), pd.DataFrame(ROWS), datasets.Dataset.from_list(ROWS)])
def test_tables_data_sets_and_dicts_give_the_same_cases(given: Any) -> None:
    (n, first), (m, second) = cases_of(given)
    assert (n, m) == (1, 2)
    assert isinstance(first, Case)
    assert isinstance(second, Case)
    assert [p.text for p in first.context] == ROWS[0]["context"]
    assert (second.response, first.grounded, second.grounded) == ("The tenant pays.", None, True)


def test_arrays_of_a_parquet_file_are_lists_and_what_is_missing_is_none(tmp_path: Path) -> None:
    pd.DataFrame(ROWS).to_parquet(tmp_path / "a.parquet")
    table = pd.read_parquet(tmp_path / "a.parquet")
    assert isinstance(table["context"][0], np.ndarray)
    assert [len(c.context) for _, c in cases_of(table) if isinstance(c, Case)] == [2, 1]
    assert [plain(v) for v in (pd.NA, pd.NaT, math.nan, np.float64("nan"), np.int64(3), np.bool_(True))] == [None] * 4 + [3, True]
    assert plain({"a": pd.Series([1.5, math.nan])}) == {"a": [1.5, None]}


def test_files_cases_and_one_dict_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(ROWS[0]) + "\nno json\n" + json.dumps(ROWS[1]) + "\n", encoding="utf-8")
    found = list(cases_of(file))
    assert [type(one) for _, one in found] == [Case, Case, Rejected]
    assert isinstance(found[2][1], Rejected)
    assert found[2][1].reason.startswith("cases.jsonl, row 2: ")
    case = Case("own", "q", (Passage("p", "Text."),), "Text.")
    assert list(cases_of(case)) == [(1, case)]
    assert [one.id for _, one in cases_of([case, ROWS[1]]) if isinstance(one, Case)] == ["own", "row-2"]
    assert len(list(cases_of(ROWS[0]))) == 1


def test_a_column_of_a_table_is_no_label_where_one_of_its_numbers_is_a_score() -> None:
    scored = [{**ROWS[0], "label": value} for value in (1, 2, 5)]
    assert [case.grounded for case in groundscope.load(pd.DataFrame(scored))] == [None] * 3
    assert [case.grounded for _, case in cases_of(iter(scored)) if isinstance(case, Case)] == [None] * 3
    sure = [{**ROWS[0], "label": value} for value in (1, 0)]
    assert [case.grounded for case in groundscope.load(sure)] == [True, False]
    with pytest.warns(UserWarning, match='Say it: mapping="context=context,answer=response,question=query,label=verdict,'):
        groundscope.load([{**ROWS[0], "verdict": "A"}])


def test_rows_that_cannot_be_used_are_named_one_by_one() -> None:
    table = pd.DataFrame([*ROWS, {"query": "Q", "context": ["C."], "response": math.nan}])
    assert [n for n, one in cases_of(table) if isinstance(one, Rejected)] == [3]
    with pytest.raises(DataError, match=r"1 row cannot be used: row 3: 'response'"):
        groundscope.load(table)
    unknown = pd.DataFrame(ROWS).drop(columns="context")
    with pytest.warns(UserWarning, match='such as mapping="context=FIELD,answer=response,question=query,label=grounded,'):
        missing = [one for _, one in cases_of(unknown)]
    refused = pytest.raises(DataError, match="2 rows cannot be used: row 1 and 1 more: The format is not")
    with pytest.warns(UserWarning, match="say what its fields are"), refused:
        groundscope.load(unknown)
    assert all(isinstance(one, Rejected) and "Needed: query, context and response" in one.reason for one in missing)
    mapped = list(cases_of([{"q": "Q", "docs": "C.", "a": "A."}], "question=q,context=docs,answer=a"))
    assert isinstance(mapped[0][1], Case)
    assert "It is int and no dict" in str(next(iter(cases_of([3])))[1])
    with pytest.raises(DataError, match="int holds no cases"):
        list(cases_of(3))
    with pytest.raises(DataError, match="cannot be read"):
        list(cases_of("nowhere.jsonl"))
