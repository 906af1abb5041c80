"""Data sets published as two files, and several files that came together."""

import json

import pytest

from groundscope.cases.dataset import read, read_many
from groundscope.errors import DataError
from groundscope.types import Case
from tests.groundscope.cases.format_files import RAGTRUTH, REFCHECKER, content, one, rows
from tests.loops import each


def marked(case: Case) -> list[str]:
    return [case.response[start:end] for start, end in case.unsupported]


def test_ragtruth_joins_answers_and_sources_whatever_their_names_and_order() -> None:
    found = one(*RAGTRUTH)
    assert (found.name, found.shapes) == ("ragtruth_response.jsonl", ("RAGTruth",))
    assert {c.id: c.grounded for c in found.cases} == {"r1": True, "r2": False, "r3": False, "r4": False}
    by_id = {case.id: case for case in found.cases}
    assert [p.text for p in by_id["r2"].context] == ["A tenant must give notice within 14 days.", "Notice is given in writing."]
    assert by_id["r2"].query == "Within how many days must a tenant give notice?"
    assert marked(by_id["r2"]) == ["30 days", "and by registered post"]
    assert {c.id: (c.group, c.split, c.area) for c in found.cases}["r3"] == ("s2", "test", "Summary")
    assert '"city": "Ely"' in by_id["r4"].context[0].text
    other = read_many([("b.jsonl", content(RAGTRUTH[1])), ("a.jsonl", content(RAGTRUTH[0]))])
    assert [(f.name, f.cases) for f in other] == [("a.jsonl", found.cases)]


def test_ragtruth_leaves_out_what_its_own_evaluation_leaves_out() -> None:
    (rejected,) = one(*RAGTRUTH).rejected
    assert (rejected.file, rejected.row) == ("ragtruth_response.jsonl", 5)
    assert "'quality'" in rejected.reason


@each("name", RAGTRUTH)
def test_half_of_ragtruth_is_refused_with_what_to_load(name: str) -> None:
    for call in (lambda: read(name, content(name)), lambda: read_many([(name, content(name))])):
        with pytest.raises(DataError, match=r"load response\.jsonl and source_info\.jsonl together"):
            call()


def test_answers_of_refchecker_alone_are_refused_with_what_to_load() -> None:
    with pytest.raises(DataError, match="load them together"):
        read(REFCHECKER[0], content(REFCHECKER[0]))


def test_an_answer_without_its_source_and_a_source_that_comes_twice_are_named() -> None:
    answers = b"\n".join(json.dumps({**row, "source_id": "gone" if row["id"] == "r1" else row["source_id"]}).encode()
                         for row in rows(RAGTRUTH[0]))  # fmt: skip
    first = json.dumps(rows(RAGTRUTH[1])[0]).encode()
    (found,) = read_many([("a.jsonl", answers), ("s.jsonl", content(RAGTRUTH[1]) + first + b'\n{"source_id"')])
    assert [c.id for c in found.cases] == ["r2", "r3", "r4"]
    assert [(r.file, r.row) for r in found.rejected] == [("a.jsonl", 1), ("a.jsonl", 5), ("s.jsonl", 4), ("s.jsonl", 5)]
    assert "No row of the file of sources" in found.rejected[0].reason


def test_files_that_do_not_belong_together_are_read_one_by_one() -> None:
    files = [(name, content(name)) for name in ("halueval_qa.json", *RAGTRUTH, "summedits.json")] + [("x.txt", b"a")]
    found = {f.name: f for f in read_many(files)}
    assert [len(found[name].cases) for name in ("halueval_qa.json", "ragtruth_response.jsonl", "summedits.json")] == [4, 4, 3]
    assert "not read" in found["x.txt"].refused
    assert found["x.txt"].rejected[0].row == 0
    assert len(found) == 4


def test_two_files_of_one_name_both_stay() -> None:
    data = content("summedits.json")
    found = read_many([("a.json", data), ("a.json", data)])
    assert [f.name for f in found] == ["a.json", "a (2).json"]
    assert all(len(f.cases) == 3 for f in found)


def test_nothing_usable_in_any_file_names_each() -> None:
    with pytest.raises(DataError, match=r"a\.jsonl: .*empty.* b\.txt: "):
        read_many([("a.jsonl", b""), ("b.txt", b"x")])
