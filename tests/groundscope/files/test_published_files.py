"""Files as people and other programs write them: tables, wrapped JSON and data frames in any orientation give the same cases."""

import io
import json
from typing import Any

import openpyxl
import pandas as pd
import pytest

from groundscope.cases.dataset import read, read_many
from groundscope.errors import DataError
from groundscope.files.rows import ENDINGS, KINDS, Row, read_rows
from groundscope.paths import ROOT
from tests.loops import each

CASES = [
    {
        "question": "When is notice due?",
        "answer": "Notice is due in June.",
        "contexts": ["Notice is due in June.", "It is free."],
    },
    {"question": "What is the fee?", "answer": "The fee is 9.", "contexts": ["The fee is 7; it is due at once."]},
]
FRAME = pd.DataFrame(CASES)
FLAT = pd.DataFrame([{**case, "contexts": json.dumps(case["contexts"])} for case in CASES])
NESTED = [{"vars": {"query": c["question"], "context": c["contexts"]}, "response": {"output": c["answer"]}} for c in CASES]
VIEWED = [{"row_idx": i, "row": case, "truncated_cells": []} for i, case in enumerate(CASES)]
FEATURES = [{"feature_idx": 0, "name": "question", "type": {"dtype": "string"}}]


def table(delimiter: str = ",", *, index: bool = False, before: str = "") -> str:
    return before + FLAT.to_csv(sep=delimiter, index=index)


def workbook(rows: list[list[object]], *, sheets_before: int = 0) -> bytes:
    book = openpyxl.Workbook()
    for number in range(sheets_before):
        book.create_sheet(f"Empty {number}", 0)
    for row in rows:
        book["Sheet"].append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def cells(frame: pd.DataFrame) -> list[list[object]]:
    return [list(frame.columns), *frame.values.tolist()]


def dumped(value: object) -> bytes:
    return json.dumps(value).encode()


TABLES: list[tuple[str, bytes]] = [
    *((f"a.{ending}", table(sep).encode()) for ending in ("csv", "tsv", "txt") for sep in ",;\t|"),
    ("a.csv", table(";", before="sep=;\r\n").encode()),
    ("a.csv", table(index=True).encode("utf-8-sig")),
    ("a.csv", pd.read_csv(io.StringIO(table(index=True))).to_csv().encode()),
    ("a.csv", table("\t").encode("utf-16")),
    ("a.txt", b"\xfe\xff" + table("\t").encode("utf-16-be")),
    ("a.csv", table().replace("\n", ",,\n").encode()),
    ("a.csv", FRAME.to_csv(index=False).encode()),
    ("a.csv", table().encode("utf-16-le")),
    ("a.csv", table(before="Answers of May,,\n,,\n").encode()),
    ("a.csv", table(before="Answers of May\n").encode()),
    ("a.xlsx", workbook(cells(FLAT))),
    ("a.xlsx", workbook([["Answers of May"], ["Texts", "", ""], *cells(FLAT)])),
    ("a.json", dumped({"version": 1, "data": {f"q{i}": case for i, case in enumerate(CASES)}})),
    ("a.xlsx", workbook([[], ["", *FLAT.columns], *(["0", *row] for row in FLAT.values.tolist())], sheets_before=2)),
]
DOCUMENTS: list[tuple[str, bytes]] = [
    *((f"a.{ending}", dumped(CASES)) for ending in ("json", "jsonl", "txt")),
    *((f"a.{ending}", "\n".join(map(json.dumps, CASES)).encode()) for ending in ("json", "jsonl", "ndjson", "txt")),
    ("a.jsonl", json.dumps(CASES, indent=1).encode()),
    ("a.jsonl", "\n".join(json.dumps(case, indent=2) for case in CASES).encode()),
    ("a.jsonl", ",\n".join(map(json.dumps, CASES)).encode()),
    ("a.jsonl", "\n".join(map(json.dumps, VIEWED)).encode()),
    ("a.json", json.dumps(CASES).encode("utf-16")),
    *(("a.json", dumped({name: CASES})) for name in ("data", "examples", "anything")),
    ("a.json", dumped({"version": 1, "splits": {"test": CASES}, "authors": [{"name": "A."}]})),
    ("a.json", dumped({"features": FEATURES, "rows": VIEWED, "num_rows_total": 2})),
    ("a.json", dumped({"results": {"prompts": [{"raw": "{{query}}"}], "results": NESTED}, "config": {"tests": [{"vars": {}}]}})),
    ("a.json", dumped({"results": {"results": NESTED}, "config": {"tests": [{"vars": case} for case in CASES]}})),
    *(("a.json", FRAME.to_json(orient=orient).encode()) for orient in ("columns", "index", "records", "split", "table")),
    ("a.json", FRAME.set_axis(["x", "y"]).to_json().encode()),
    ("a.json", FRAME.set_axis(["x", "y"]).to_json(orient="index").encode()),
    ("a.json", dumped(FRAME.to_dict("list"))),
]


@each(("name", "data"), [*TABLES, *DOCUMENTS])
def test_the_same_cases_are_read_however_they_are_written(name: str, data: bytes) -> None:
    found = read(name, data)
    cases = [{"question": c.query, "answer": c.response, "contexts": [p.text for p in c.context]} for c in found.cases]
    assert cases == CASES
    assert (found.rejected, found.notes) == ((), ())


@each(
    ("value", "words"),
    [
        (FRAME.values.tolist(), "orient='records'"),
        ({"train": CASES, "dev": CASES}, "‘train’, ‘dev’"),
        ({"a": [{"x": 1}], "b": [{"y": 1}], "data": {"x": 1}}, ""),
    ],
)
def test_what_is_not_sure_is_refused_with_what_to_do_or_left_whole(value: object, words: str) -> None:
    if words:
        with pytest.raises(DataError, match=words):
            read("a.json", dumped(value))
    else:
        assert read("a.json", dumped(value)).unknown


def test_a_row_that_the_viewer_cut_off_is_refused() -> None:
    found = read("a.json", dumped({"rows": [VIEWED[0], {**VIEWED[1], "truncated_cells": ["contexts"]}]}))
    assert len(found.cases) == 1
    assert "cut its texts off" in found.rejected[0].reason


def test_a_record_that_holds_lists_of_objects_stays_one() -> None:
    record = {"query": "q", "response": "It is due.", "context": [{"text": "It is due."}], "evidence": []}
    assert len(read("a.json", dumped(record)).cases) == 1


@each(
    "names",
    [
        ("Question", "ANSWER", "Contexts"),
        ("User Input", "Response", "retrievedContexts"),
        ("userinput", "response ", "Retrieved-Contexts"),
        ("user_input", "answer", "retrieved contexts"),
    ],
)
def test_names_of_columns_are_read_in_any_case(names: tuple[str, ...]) -> None:
    (case,) = read("a.json", dumped([dict(zip(names, ("q", "a", ["c"]), strict=True))])).cases
    assert (case.query, case.response, case.context[0].text) == ("q", "a", "c")


def test_of_two_names_that_are_one_the_exact_one_wins() -> None:
    row = {"Answer": "other", "answer": "a", "question": "q", "contexts": ["c"], "Grounded": "yes"}
    (case,) = read("a.json", dumped([row])).cases
    assert (case.response, case.grounded) == ("a", True)


@each(
    ("name", "data", "words"),
    [
        ("a.csv", "question,answer,contexts\nWo?,Köln,Köln\n".encode("cp1252"), "Windows-1252"),
        ("a.jsonl", '{"question": "Wo?", "answer": "Köln", "contexts": "Köln"}'.encode("cp1252"), "Windows-1252"),
        (
            "a.csv",
            "question,answer,contexts\nWo?,Köln,Köln am Rhein € \n".encode() + b"Wann?,um 9\xff,um 9\n",
            "became \ufffd (1)",
        ),
    ],
)
def test_an_encoding_that_is_guessed_is_said(name: str, data: bytes, words: str) -> None:
    found = read(name, data)
    assert found.cases[0].response == "Köln"
    assert any(words in note for note in found.notes)
    (joined,) = read_many([(name, data)])
    assert joined.notes == found.notes


@each("empty", ["nan", "NaN", "None", "NULL", "<NA>", " "])
def test_what_programs_write_for_nothing_is_empty(empty: str) -> None:
    (case,) = read("a.csv", f"question,answer,contexts,grounded,split\nq,a,c,{empty},{empty}\n".encode()).cases
    assert (case.grounded, case.split) == (None, None)


def test_a_formula_without_a_value_and_other_sheets_are_said() -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook([["question", "answer", "contexts", "n"], ["q", 42, "c", "=1+1"]])))
    book.create_sheet("Notes", 0).append(["read me"])
    file = io.BytesIO()
    book.save(file)
    found = read("a.xlsx", file.getvalue())
    assert found.cases[0].response == "42"
    (note,) = found.notes
    assert "‘Sheet’ was read" in note
    assert "1 cell is a formula without a value" in note


@each(
    ("name", "data", "words"),
    [
        ("a.xlsx", b"PK\x03\x04 and nothing", "damaged or not Excel"),
        ("a.csv", b'question,answer,contexts\nq,a,"c\nq,a,c\n' + b"x\n" * 50_000, "never closed"),
        ("a.csv", b"\xff\xfe\x00", "damaged"),
        ("a.csv", workbook(cells(FLAT)), "a workbook under another name"),
        ("a.csv", b"<!DOCTYPE html><html>", "is a web page and not the data"),
        ("a.jsonl", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "a pointer of Git LFS"),
        ("a.csv", b'question,answer,contexts\nq,a,"' + str(["a, b"] * 9_000)[:32_767].encode() + b'"', "cut off"),
    ],
)
def test_a_table_that_cannot_be_read_says_why(name: str, data: bytes, words: str) -> None:
    try:
        reason = read(name, data).rejected[0].reason
    except DataError as error:
        reason = str(error)
    assert words in reason


def test_the_how_to_names_every_kind_of_file() -> None:
    assert f"{KINDS}, are read." in (ROOT / "docs" / "how-to" / "own-files.md").read_text("utf-8")
    assert all(ending.upper() in KINDS for ending in ENDINGS if ending not in ("ndjson", "parquet", "gz"))


def test_a_cell_may_hold_lines_and_other_delimiters() -> None:
    quoted = 'a;b\n"one\ntwo; three";4\n'
    values: list[dict[str, Any]] = [row.values for row in read_rows("a.csv", quoted.encode()) if isinstance(row, Row)]
    assert values == [{"a": "one\ntwo; three", "b": "4"}]
