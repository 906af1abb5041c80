"""A mapping says what the fields of a file are; hand-made files that fit no known data set."""

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.dataset import read, read_many
from groundscope.cases.formats import FieldMapping, mapped
from groundscope.cases.mapping import saved_mappings
from groundscope.cases.mapping.field_mapping import fields_of, from_line, guess, meaning_grounded
from groundscope.errors import DataError
from tests.groundscope.junk import VALUES
from tests.loops import each

ROWS: list[dict[str, Any]] = [
    {
        "q": "When is the rent due?",
        "docs": [{"title": "Lease", "body": "The rent is due on the first."}, {"body": "A late fee is 5 %."}],
        "reply": "The rent is due on the first.",
        "verdict": "Supported",
        "meta": {"topic": "rent", "part": "train"},
    },
    {
        "q": "Who pays for water?",
        "docs": [{"body": "The tenant pays for water."}],
        "reply": "The landlord pays.",
        "verdict": "refuted",
        "meta": {"topic": "water", "part": "evaluation"},
    },
    {"q": "Are pets allowed?", "docs": [{"body": "No pets."}], "reply": "No.", "verdict": None, "meta": {"topic": "pets"}},
]
DATA = json.dumps(ROWS).encode()
MAPPING = FieldMapping("docs", "reply", "q", "verdict", ("supported",), "meta.part", "meta.topic")


def test_a_mapped_file_gives_cases_with_labels_splits_and_groups() -> None:
    found = read("a.json", DATA, MAPPING)
    assert (found.shapes, found.rejected, found.unknown) == (("mapped fields",), (), False)
    # `evaluation` stands for dev here: the file has no dev.
    assert [(c.query, c.grounded, c.split, c.group) for c in found.cases] == [
        ("When is the rent due?", True, "train", "rent"),
        ("Who pays for water?", False, "dev", "water"),
        ("Are pets allowed?", None, None, "pets"),
    ]
    assert [(p.text, p.source) for p in found.cases[0].context] == [
        ("The rent is due on the first.", "Lease"),
        ("A late fee is 5 %.", ""),
    ]
    # A word of three labels says what the sources do.
    assert [c.stance for c in found.cases] == [None, True, None]
    # It holds for all files that come together.
    assert [f.cases for f in read_many([("a.json", DATA), ("b.json", DATA)], MAPPING)] == [found.cases] * 2


def test_without_a_mapping_the_file_is_unknown_and_not_only_damaged() -> None:
    assert read("a.json", DATA).unknown
    assert not read("a.jsonl", b'{"broken\n{"query": "q", "context": ["c"], "response": "r"}').unknown
    assert not read("b.jsonl", b"{broken").unknown


def test_rows_that_lack_the_fields_are_read_by_their_shape() -> None:
    own = {"query": "q", "context": ["c"], "response": "r", "id": "own"}
    found = read("a.json", json.dumps([*ROWS[:1], own]).encode(), MAPPING)
    assert [case.id for case in found.cases] == ["row-1", "own"]


@each(
    ("context", "passages"),
    [
        ("One text.", ["One text."]),
        (["a", "b"], ["a", "b"]),
        ({"text": "a"}, ["a"]),
        ([{"page_content": "a"}, {"content": "b"}], ["a", "b"]),
        ('["a", "b"]', ["a", "b"]),
        ("['it''s', \"b\"]", ["its", "b"]),
        ("['a\\nb' 'c']", ["a\nb", "c"]),
        ("['it\\'s \\\\ \\xe9 \\u2019', 'x\x00']", ["it's \\ é ’", "x\ufffd"]),
    ],
)
def test_a_context_may_be_written_in_many_ways(context: object, passages: list[str]) -> None:
    case = mapped({"c": context, "a": "x"}, FieldMapping("c", "a"), "id")
    assert [p.text for p in case.context] == passages


@each(("field", "wrong"), [("reply", ["x"]), ("reply", True), ("docs", 5), ("docs", [1]), ("q", {}), ("meta", {"part": ["x"]})])
def test_what_a_field_must_not_hold_costs_its_own_row(field: str, wrong: object) -> None:
    found = read("a.json", json.dumps([{**ROWS[0], field: wrong}, ROWS[1]]).encode(), MAPPING)
    assert [case.id for case in found.cases] == ["row-2"]
    assert len(found.rejected) == 1


@each(
    ("values", "value", "expected"),
    [
        (("0",), 0, True),
        (("0",), 1, False),
        (("0",), 0.0, True),
        (("false",), False, True),
        (("Supported", "partly"), " SUPPORTED ", True),
        (("yes",), "", None),
        (("yes",), None, None),
        ((), "grounded", True),
    ],
)
def test_a_label_is_grounded_where_the_user_says_so(values: tuple[str, ...], value: object, expected: bool | None) -> None:
    # A field may have a dot in its own name.
    row = {"c": "x", "a": "y", "label.value": value}
    assert mapped(row, FieldMapping("c", "a", label="label.value", grounded=values), "id").grounded is expected


def test_the_fields_of_a_file_are_listed_with_examples_and_few_values() -> None:
    found = fields_of("a.json", DATA)
    assert [f.name for f in found.fields] == [
        *("q", "docs", "docs.title", "docs.body", "reply", "verdict", "meta", "meta.topic", "meta.part"),
    ]
    by_name = {f.name: f for f in found.fields}
    assert by_name["verdict"].values == ("Supported", "refuted")
    assert by_name["reply"].example == "The rent is due on the first."
    assert [row.values for row in found.rows] == ROWS
    many = json.dumps([{"label": str(i), "n": 1} for i in range(13)]).encode()
    assert [f.values for f in fields_of("m.json", many).fields] == [(), ("1",)]
    with pytest.raises(DataError, match="no row that can be read"):
        fields_of("a.jsonl", b"[1]\n[2]")


def test_a_guess_is_a_mapping_to_check() -> None:
    assert guess(fields_of("a.json", DATA)) == FieldMapping(
        "docs", "reply", "q", "verdict", ("Supported",), "meta.part", "meta.topic"
    )
    assert guess(fields_of("b.json", b'[{"x": 1}]')) == FieldMapping("", "")
    assert meaning_grounded("hallucination", ("0", "1")) == ("0",)
    assert meaning_grounded("label", ("0", "1")) == ("1",)


def test_a_mapping_is_one_line_of_a_shell_and_another_line_is_refused() -> None:
    expected = "context=docs,answer=reply,question=q,label=verdict,grounded=supported,split=meta.part,group=meta.topic"
    assert MAPPING.line == expected
    assert from_line(MAPPING.line) == MAPPING
    assert from_line(" answer = a , context = c ,grounded=x|y") == FieldMapping("c", "a", grounded=("x", "y"))
    for line in ("context=c", "answer=a", "context=c,answer=", "context=c,answer=a,colour=x", "context"):
        with pytest.raises(ValueError, match="--map"):
            from_line(line)


def test_mappings_are_kept_replaced_and_forgotten(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    saved_mappings.save("support desk", MAPPING)
    saved_mappings.save("other", FieldMapping("c", "a"))
    assert saved_mappings.saved() == {"other": FieldMapping("c", "a"), "support desk": MAPPING}
    assert saved_mappings.named("support desk") == MAPPING
    assert saved_mappings.named("context=c,answer=a") == FieldMapping("c", "a")
    saved_mappings.save("other", MAPPING)
    saved_mappings.delete("support desk")
    assert saved_mappings.saved() == {"other": MAPPING}
    with pytest.raises(DataError, match="there are other"):
        saved_mappings.named("support desk")
    for name in ("", " ", "a=b", "x" * 61):
        with pytest.raises(DataError, match="1 to 60 characters"):
            saved_mappings.save(name, MAPPING)


def test_kept_mappings_that_cannot_be_read_are_left_out(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    saved_mappings.set_setting("mappings", {"a": 5, "b": {"colour": "x"}, "c": asdict(MAPPING), "d": None})
    assert saved_mappings.saved() == {"c": MAPPING}


@given(st.data())
def test_junk_never_breaks_the_reading_of_fields(data: st.DataObject) -> None:
    junk = {name: data.draw(st.sampled_from(VALUES)) for name in ("q", "docs", "reply", "verdict", "meta")}
    content = json.dumps([junk, ROWS[0]]).encode()
    guess(fields_of("a.json", content))
    assert read("a.json", content, MAPPING).cases[-1].response == ROWS[0]["reply"]
