"""Tables of polars and data sets of Hugging Face -> the same scores as dicts."""

from typing import Any

import datasets
import polars as pl
import pytest

import groundscope
from groundscope.errors import DataError

ROWS: list[dict[str, Any]] = [
    {"question": "When is rent due?", "contexts": ["Rent is due on May 1.", ""], "answer": "Rent is due on May 1. Pay in gold."},
    {"question": "Who pays?", "contexts": ["The tenant pays."], "answer": None},
    {"question": "租金?", "contexts": [], "answer": "租金 \U0001f3e0 is due."},
    {"question": "q", "contexts": None, "answer": ""},
]


def said(given: Any) -> list[Any]:
    table = groundscope.score(given, ["overlap", "quip"]).frame("response")
    return table[["row", "status", "support", "note"]].astype(object).where(table.notna(), None).to_dict("records")


@pytest.mark.parametrize("make", [pl.from_dicts, datasets.Dataset.from_list, lambda rows: pl.from_dicts(rows).to_pandas()])
def test_tables_give_what_dicts_give(make: Any) -> None:
    assert said(make(ROWS)) == said(ROWS)
    assert [one["status"] for one in said(ROWS)][:3] == ["scored", "scored", "rejected"]


def test_passages_as_structs_keep_their_names_and_ids() -> None:
    rows = [{"query": "q", "context": [{"id": "x", "text": "Rent is due.", "source": "Lease"}], "response": "Rent is due."}]
    for table in (pl.from_dicts(rows), datasets.Dataset.from_list(rows)):
        (case,) = groundscope.load(table)
        assert [(p.id, p.text, p.source) for p in case.context] == [("x", "Rent is due.", "Lease")]


def test_a_frame_that_is_read_lazily_says_what_to_give() -> None:
    with pytest.raises(DataError, match="LazyFrame"):
        groundscope.score(pl.from_dicts(ROWS).lazy(), ["overlap"])


def test_a_streamed_data_set_is_read_row_by_row() -> None:
    streamed = datasets.Dataset.from_list(ROWS[:1] * 3).to_iterable_dataset()
    assert [one.row for one in groundscope.stream(streamed, ["overlap"])] == [1, 2, 3]


def test_columns_of_other_types_do_no_harm() -> None:
    table = pl.from_dicts(ROWS[:1]).with_columns(
        when=pl.date(2026, 1, 1), share=pl.lit(float("nan")), kind=pl.lit("a").cast(pl.Categorical), count=pl.lit(3, pl.UInt8)
    )
    assert said(table) == said(ROWS[:1])
