"""Parquet: read through a child process, which a small file cannot make the app's memory overflow with."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from groundscope.cases.dataset import read
from groundscope.errors import DataError


def encoded(columns: dict[str, object]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def repeated(text: str, times: int) -> pa.DictionaryArray:
    """One text, stored once, that stands in every row."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * times, pa.int32()), pa.array([text]))


def test_rows_with_lists_and_records_are_read() -> None:
    context = [[{"text": "One.", "source": "S"}], [{"text": "Two.", "source": None}]]
    data = encoded({"query": ["q", "w"], "context": context, "response": ["r", "s"], "grounded": [True, None]})
    found = read("a.parquet", data)
    assert [c.context[0].text for c in found.cases] == ["One.", "Two."]
    assert [c.grounded for c in found.cases] == [True, None]


@pytest.mark.parametrize(("characters", "rows"), [(500_000, 1000), (20_000_000, 50)])
def test_a_dictionary_bomb_is_refused(characters: int, rows: int) -> None:
    bomb = encoded({"query": repeated("x" * characters, rows)})
    # Half a gigabyte and a whole one.
    assert len(bomb) < 2_000_000
    with pytest.raises(DataError, match="decodes to more"):
        read("a.parquet", bomb)


def test_too_many_rows_are_refused() -> None:
    with pytest.raises(DataError, match="decodes to more"):
        read("a.parquet", encoded({"query": repeated("q", 20_001)}))


@pytest.mark.parametrize("damage", [b"not parquet", b"PAR1", None])
def test_a_damaged_file_is_refused(damage: bytes | None) -> None:
    data = encoded({"query": ["q"], "context": ["c"], "response": ["r"]})
    with pytest.raises(DataError, match="damaged or not Parquet"):
        read("a.parquet", damage or data[: len(data) // 2])


def test_text_that_is_not_utf8_is_called_damaged_not_too_large() -> None:
    offsets, bad = pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")
    text = pa.Array.from_buffers(pa.string(), 1, [None, offsets, bad])
    with pytest.raises(DataError, match="damaged"):
        read("a.parquet", encoded({"query": text, "context": ["c"], "response": ["r"]}))


def test_nan_in_one_row_loses_only_that_row() -> None:
    data = encoded({"query": ["q"] * 2, "context": ["c"] * 2, "response": ["r"] * 2, "x": [float("nan"), 1.0]})
    found = read("a.parquet", data)
    assert [c.id for c in found.cases] == ["row-2"]
    assert "NaN" in found.rejected[0].reason


def test_raw_bytes_are_not_taken_for_text() -> None:
    found = read("a.parquet", encoded({"query": [b"q"], "context": ["c"], "response": ["r"]}))
    assert "b'" not in "".join(c.query for c in found.cases)
