"""Bytes of a file -> rows: endings, archives, encodings and tables, and the limits on each."""

import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from groundscope.cases.dataset import read
from groundscope.errors import DataError
from groundscope.files.rows import MAX_DECODED, MAX_ROWS, Rejected, read_rows
from tests.loops import each

ROW = {"query": "q", "context": ["c"], "response": "r"}
LINE = json.dumps(ROW).encode()
HEADER = "query,context,response\n"


@each(
    ("name", "data"),
    [
        ("a.jsonl", LINE),
        ("a.ndjson", LINE),
        ("A.JSONL", LINE),
        ("a.json", b"[" + LINE + b"]"),
        ("a.json", b"\xef\xbb\xbf" + LINE),
        ("a.json", json.dumps(ROW, indent=2).encode()),
        ("a.jsonl", b"\xef\xbb\xbf" + LINE),
        ("a.jsonl.gz", gzip.compress(LINE, mtime=0)),
        ("a.csv", (HEADER + "q,c,r\n").encode()),
        ("a.csv", (HEADER + "q,c,r\n").encode("utf-8-sig")),
        ("a.csv.gz", gzip.compress((HEADER + "q,c,r").encode(), mtime=0)),
        ("a.csv", b"query, context ,response\r\nq,c,r\r\n"),
    ],
)
def test_the_same_case_is_read_from_every_kind_of_file(name: str, data: bytes) -> None:
    found = read(name, data)
    (case,) = found.cases
    assert (case.query, case.context[0].text, case.response) == ("q", "c", "r")
    assert (found.rejected, found.shapes, found.rows) == ((), ("Groundscope",), 1)


@each(
    ("name", "data", "message"),
    [
        ("a.jsonl", b"", "empty"),
        ("a.csv", b" \n\t\n", "empty"),
        ("a.jsonl.gz", gzip.compress(b"", mtime=0), "empty"),
        ("a.doc", LINE, "not supported"),
        ("a.gz", gzip.compress(LINE, mtime=0), "not supported"),
        ("a.jsonl.gz", b"not gzip", "damaged"),
        ("a.jsonl.gz", gzip.compress(LINE * 99, mtime=0)[:-9], "damaged"),
        ("a.jsonl.gz", gzip.compress(LINE, mtime=0)[:-6] + b"\xff" * 6, "damaged"),
        ("a.jsonl.gz", gzip.compress(LINE, mtime=0)[:10] + b"\xff" + gzip.compress(LINE, mtime=0)[11:], "damaged"),
        ("a.json", b"[]", "no rows"),
        ("a.csv", HEADER.encode(), "no rows"),
        ("a.json", b"[" * 200_000, "nested too deeply"),
        ("a.json", b"[" + LINE, "not complete JSON"),
    ],
)
def test_an_unusable_file_says_why(name: str, data: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(name, data)


def test_a_gzip_bomb_stops_at_the_limit() -> None:
    bomb = gzip.compress(bytes(MAX_DECODED + 1), compresslevel=1)
    assert len(bomb) < MAX_DECODED // 100
    with pytest.raises(DataError, match="more than 100 MB"):
        read("a.jsonl.gz", bomb)


def test_rows_over_the_limit_are_not_read_and_it_is_said() -> None:
    found = read("a.jsonl", b"\n".join([LINE] * (MAX_ROWS + 5)))
    assert len(found.cases) == MAX_ROWS
    assert [r.row for r in found.rejected] == [MAX_ROWS + 1]
    assert f"{MAX_ROWS:,} rows" in found.rejected[0].reason


def test_a_reader_may_take_more_or_fewer_rows_and_bytes_than_others() -> None:
    assert [row.number for row in read_rows("a.jsonl", b"{}\n" * (MAX_ROWS + 1), max_rows=MAX_ROWS + 1)][-1] == MAX_ROWS + 1
    *_, last = read_rows("a.jsonl", b"{}\n" * 5, max_rows=3)
    assert last == Rejected("a.jsonl", 4, "The file has more than 3 rows; the rest was not read.")
    with pytest.raises(DataError, match="more than 2 MB"):
        list(read_rows("a.jsonl.gz", gzip.compress(b"{}\n" * 800_000), max_bytes=2_000_000))


@each(
    ("ending", "bad", "reason"),
    [
        ("jsonl", LINE[:20], "not complete JSON"),
        ("json", LINE[:20], "not complete JSON"),
        ("jsonl", b'{"a": "\xff"}', "not UTF-8"),
    ],
)
def test_a_bad_line_is_named_and_the_others_kept_even_where_the_ending_says_one_document(
    ending: str, bad: bytes, reason: str
) -> None:
    found = read(f"a.{ending}", LINE + b"\n" + bad + b"\n" + LINE)
    assert [c.id for c in found.cases] == ["row-1", "row-3"]
    assert [(r.row, reason in r.reason) for r in found.rejected] == [(2, True)]


def test_a_csv_row_with_too_many_or_too_few_cells_is_named() -> None:
    found = read("a.csv", (HEADER + "q,c,r\nq,c,r,extra\nq,c\n").encode())
    assert [c.id for c in found.cases] == ["row-1"]
    assert [r.row for r in found.rejected] == [2, 3]
    assert "more cells" in found.rejected[0].reason
    assert "format is not recognised" in found.rejected[1].reason


def test_wrong_csv_columns_are_listed_and_repeated_ones_refused() -> None:
    (rejected,) = read("a.csv", b"prompt,output\nq,r\n").rejected
    assert "output, prompt" in rejected.reason
    assert "query, context and response" in rejected.reason
    with pytest.raises(DataError, match="twice"):
        read("a.csv", b"query,query,context,response\nfirst,second,c,r\n")


def test_csv_of_a_windows_spreadsheet_and_with_nul_is_read() -> None:
    assert read("a.csv", (HEADER + "“q”,c,r\n").encode("cp1252")).cases[0].query == "“q”"
    assert read("a.csv", (HEADER + "q\x00,c,r\n").encode()).cases[0].query == "q\ufffd"


def test_csv_cells_hold_lists_as_json_and_passages_as_text() -> None:
    cells = 'id,query,context,response,grounded,errors\n1,q,"One.\n---\nTwo.",resp,false,'
    errors = '"[{""start"": 0, ""end"": 2, ""type"": ""misattribution""}]"\n2,q,"[""A.""]",resp,,[bad\n'
    found = read("a.csv", (cells + errors).encode())
    assert [p.text for p in found.cases[0].context] == ["One.", "Two."]
    assert (found.cases[0].errors[0].end, found.cases[0].grounded) == (2, False)
    assert [r.row for r in found.rejected] == [2]


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


# Of half a gigabyte, and of too many rows.
@each(("characters", "rows"), [(500_000, 1000), (1, 20_001)])
def test_a_table_that_decodes_to_too_much_is_refused(characters: int, rows: int) -> None:
    bomb = encoded({"query": repeated("x" * characters, rows)})
    assert len(bomb) < 1_000_000
    with pytest.raises(DataError, match="decodes to more"):
        read("a.parquet", bomb)


def test_a_damaged_file_is_refused() -> None:
    whole = encoded({"query": ["q"], "context": ["c"], "response": ["r"]})
    # Text that is not UTF-8 is damaged, and not too large.
    offsets, bad = pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")
    wrong = encoded({"query": pa.Array.from_buffers(pa.string(), 1, [None, offsets, bad]), "context": ["c"], "response": ["r"]})
    for data in (b"not parquet", b"PAR1", whole[: len(whole) // 2], wrong):
        with pytest.raises(DataError, match="damaged or not Parquet"):
            read("a.parquet", data)


@each("ending", ["jsonl", "json", "parquet"])
def test_what_is_no_number_in_a_field_that_nothing_needs_costs_no_row(ending: str) -> None:
    line = LINE.decode()[:-1]
    rows = {
        "jsonl": f'{line}, "x": NaN, "y": [-Infinity, 1e999, {"9" * 9_000}]}}\n{line}, "x": 1.0}}',
        "json": f'[{line}, "x": Infinity}}, {line}, "x": {"9" * 9_000}}}]',
    }
    table = {"query": ["q"] * 2, "context": ["c"] * 2, "response": ["r"] * 2, "x": [float("nan"), float("inf")]}
    found = read(f"a.{ending}", rows[ending].encode() if ending in rows else encoded(table))
    assert ([c.id for c in found.cases], found.rejected) == (["row-1", "row-2"], ())


def test_raw_bytes_are_not_taken_for_text() -> None:
    found = read("a.parquet", encoded({"query": [b"q"], "context": ["c"], "response": ["r"]}))
    assert "b'" not in "".join(c.query for c in found.cases)
