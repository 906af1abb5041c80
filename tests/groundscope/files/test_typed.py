"""Typed reading: what is stored comes back, what people write is taken for nothing else, and each fault is one sentence."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

import pytest

from groundscope.files.typed import from_json, read, stored
from tests.loops import each


class Kind(StrEnum):
    NAME = "name"


class Span(NamedTuple):
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Part:
    id: str
    share: float = 0.5
    kinds: tuple[Kind, ...] = ()
    span: Span | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError(f"share is from 0 to 1, it is {self.share:g}.")


@dataclass(frozen=True, slots=True)
class Plan:
    parts: tuple[Part, ...] = ()
    best: Part | None = None
    by_name: Mapping[str, Part] = field(default_factory=dict)
    again: bool = False


CONTENT = {"parts": [{"id": "a\x00", "kinds": ["name"], "span": [1, 2]}], "by_name": {"x": {"id": "b", "share": 1}}}
PLAN = Plan((Part("a\x00", 0.5, (Kind.NAME,), Span(1, 2)),), None, {"x": Part("b", 1.0)})


def test_all_ways_give_the_same() -> None:
    assert stored(Plan, CONTENT) == read(Plan, CONTENT) == from_json(Plan, json.dumps(CONTENT)) == PLAN
    # What is stored may hold half a character, as in a name that someone gave to a run.
    assert stored(Part, {"id": "\ud800"}) == Part("\ud800")


@each(
    ("content", "sentence"),
    [
        ({"again": 1}, "again must be true or false, it is 1."),
        ({"part": []}, "it has the unknown key 'part'; write 'parts'."),
        ({"best": {}}, "[best] needs id; write id = and its value there."),
        ({"best": 5}, "best must be a table with names and values below it, it is 5."),
        ({"best": {"id": 5}}, "[best] id must be text in quotation marks, it is 5."),
        ({"best": {"id": "a", "share": True}}, "[best] share must be a number, such as 0.05, it is True."),
        ({"best": {"id": "a", "share": "0.5"}}, "[best] share must be a number, such as 0.05, it is '0.5'."),
        ({"best": {"id": "a", "share": float("nan")}}, "[best] share is from 0 to 1, it is nan."),
        ({"best": {"id": "a", "sare": 0}}, "[best] has the unknown key 'sare'; write 'share'."),
        ({"best": {"id": "a", "kinds": ["names"]}}, "[best] [kinds] entry 1 must be one of 'name', it is 'names'."),
        ({"best": {"id": "a", "span": [1, 2.0]}}, "[best] [span] entry 2 must be a whole number, such as 3, it is 2.0."),
        ({"best": {"id": "a", "span": [1]}}, "[best] [span] needs 2 entries or more."),
        ({"parts": "ab"}, "parts must be a list in brackets, it is 'ab'."),
        ({"parts": [{"id": "a"}, {"id": "b", "more": 1}]}, "[parts] entry 2 has the unknown key 'more'; there are id, share,"),
        ({"by_name": {"x": {"id": "a", "kin": 1}}}, "[by_name] [x] has the unknown key 'kin'; write 'kinds'."),
        ({"best": {"id": "x" * 10_000, "share": []}}, "[best] share must be a number, such as 0.05, it is []."),
    ],
)
def test_a_fault_is_a_sentence_that_says_where_it_is_and_what_is_right(content: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        read(Plan, content)


def test_a_fault_of_a_list_alone_says_where_it_is() -> None:
    with pytest.raises(ValueError, match=r"^entry 1 has the unknown key 'sare'; write 'share'"):
        stored(list[Part], [{"id": "a", "sare": 0}])


def test_deep_nesting_is_no_crash() -> None:
    deep: dict[str, Any] = {}
    for depth in range(1_000):
        deep = {"best": deep}
        if depth in (220, 999):
            with pytest.raises(ValueError, match=r"nested (too )?deeply"):
                read(Plan, deep)
    with pytest.raises(ValueError, match="text that no file takes"):
        read(Plan, {"best": {"id": "\ud800"}})


@each("text", ["", "{", "[" * 100_000, '{"best": ' * 50_000, '{"by_name": []}', "null", "[]", '{"again": "\\ud800"}'])
def test_a_text_that_is_no_such_thing_is_refused_quickly(text: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        from_json(Plan, text)


def test_what_is_stored_is_refused_by_its_faults_too() -> None:
    for content in (None, {"parts": [{}]}, {"best": {"id": "a", "share": 2}}, {"more": 1}, {"best": {"id": None}}):
        with pytest.raises(ValueError, match=r"must be|needs|is from|unknown"):
            stored(Plan, content)


def test_nothing_of_it_is_imported_before_something_is_read() -> None:
    code = "import sys, groundscope, groundscope.gate.rules, groundscope.chat.replies; print('pydantic' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
