"""Fields of a reply: what decides must be plain and single, what explains is taken in any shape."""

from typing import Any

import pytest

from groundscope.chat.conversation import (
    choice_field,
    list_field,
    number_field,
    quotes_field,
    text_field,
    texts_field,
    truth_field,
)
from groundscope.chat.json_reply import Unreadable
from tests.loops import each

VERDICTS = ("PASS", "FAIL")
LABELS = ("Entailment", "Neutral", "Contradiction")
WORDS = ("yes", "no", "idk")


@each(
    "written",
    [
        "FAIL", "fail", "Fail", " FAIL ", "FAIL.", "FAIL!", "**FAIL**", "__Fail__", "`FAIL`", '"FAIL"', "(FAIL)", "[FAIL]",
        "Fail - because the fax is not in it", "FAIL: the fax is not in it.", "FAIL (one figure)", "FAIL\n\nIt is not in it.",
        "Verdict: FAIL", "verdict is **FAIL**", "fail, since no source has it", "FAIL — é", ["FAIL"], ["FAIL."],
    ],
)  # fmt: skip
def test_a_verdict_that_is_plain_is_read_in_any_dress(written: Any) -> None:
    assert choice_field({"verdict": written}, "verdict", VERDICTS) == "FAIL"


@each(
    "written",
    [
        "", "MAYBE", "PASS/FAIL", "PASS or FAIL", "FAIL or PASS", "PASS|FAIL", "PASS, no: FAIL", "not PASS", "does not FAIL",
        "PASS?", "FAIL??", "**PASS**?", "PASSABLE", "fail-safe", "PASS. On second thought it failed.", "FAIL, parts are passing",
        "I would say it should PASS", "null", None, True, 0, 1, [], {}, ["PASS", "FAIL"], [["FAIL"]], {"verdict": "FAIL"},
    ],
)  # fmt: skip
def test_a_verdict_that_is_none_or_open_to_doubt_is_no_verdict(written: Any) -> None:
    with pytest.raises(Unreadable, match=r"The model's (reply has no verdict|verdict is none of PASS, FAIL)"):
        choice_field({"verdict": written}, "verdict", VERDICTS)


@each(
    ("written", "allowed", "choice"),
    [
        ("ENTAILMENT.", LABELS, "Entailment"),
        ("Contradiction - the years differ", LABELS, "Contradiction"),
        ("Yes.", WORDS, "yes"),
        ("no - the facts say 2003", WORDS, "no"),
        ("IDK", WORDS, "idk"),
        ("Factual inaccuracy.", ("factual_inaccuracy", "reasoning_error"), "factual_inaccuracy"),
        ("**factual_inaccuracy**: the year", ("factual_inaccuracy", "reasoning_error"), "factual_inaccuracy"),
    ],
)
def test_the_words_of_every_method_are_read_alike(written: str, allowed: tuple[str, ...], choice: str) -> None:
    assert choice_field({"x": written}, "x", allowed) == choice


@each(
    ("written", "allowed"),
    [
        ("Neutral or Contradiction", LABELS),
        ("Entailment. Not contradictions.", LABELS),
        ("yes and no", WORDS),
        ("factual", ("factual_inaccuracy", "reasoning_error")),
        ("factual_inaccuracy, reasoning error", ("factual_inaccuracy", "reasoning_error")),
    ],
)
def test_two_words_are_no_choice(written: str, allowed: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable):
        choice_field({"x": written}, "x", allowed)


def test_a_field_is_known_by_its_name_in_any_case_but_not_twice() -> None:
    assert choice_field({"Verdict": "PASS"}, "verdict", VERDICTS) == "PASS"
    with pytest.raises(Unreadable, match="more than one verdict"):
        choice_field({"verdict": "FAIL", "VERDICT": "PASS"}, "verdict", VERDICTS)


@each(
    ("written", "texts"),
    [
        ("The fax is not in it.", ["The fax is not in it."]),
        (["a", "b"], ["a", "b"]),
        (["a", None, 7, "", {"text": "b", "more": "c"}], ["a", "b c"]),
        ({"first": "a"}, ["a"]),
        (None, []),
        ([], []),
        (True, []),
    ],
)
def test_reasons_are_taken_in_any_shape(written: Any, texts: list[str]) -> None:
    assert texts_field({"reasons": written}, "reasons") == texts
    assert texts_field({}, "reasons") == []


@each(
    ("written", "quotes"),
    [
        ([{"quote": "5,400 euros", "why": "It says 4,500."}], [("5,400 euros", "It says 4,500.")]),
        (["5,400 euros"], [("5,400 euros", "")]),
        ("5,400 euros", [("5,400 euros", "")]),
        ({"quote": "5,400 euros"}, [("5,400 euros", "")]),
        ([{"quote": "5,400 euros", "why": None}], [("5,400 euros", "")]),
        ([{"text": "5,400 euros", "reason": ["It", "says"]}], [("5,400 euros", "It says")]),
        ([{"5,400 euros": "It says 4,500."}], [("5,400 euros", "It says 4,500.")]),
        ([["5,400 euros", "It says 4,500."]], [("5,400 euros", "It says 4,500.")]),
        ([{"quote": None, "why": "x"}, {}, None, 7, ""], []),
        (None, []),
    ],
)
def test_quotations_are_taken_in_any_shape(written: Any, quotes: list[tuple[str, str]]) -> None:
    assert [quote[:2] for quote in quotes_field({"unsupported": written}, "unsupported")] == quotes
    assert quotes_field({}, "unsupported") == []


def test_a_text_that_explains_may_be_missing_and_one_that_decides_may_not() -> None:
    for value in (None, 7, [], {}, False):
        assert text_field({"why": value}, "why", "") == ""
        with pytest.raises(Unreadable):
            text_field({"text": value}, "text")
    assert text_field({"why": ["a", "b"]}, "why", "") == "a b"


def test_a_list_that_decides_may_be_one_item_and_may_not_be_missing() -> None:
    assert list_field({"claims": "a"}, "claims", str) == ["a"]
    assert list_field({"claims": {"text": "a"}}, "claims", dict) == [{"text": "a"}]
    for value in (None, 3, [1], ["a", None], {}):
        with pytest.raises(Unreadable, match="no list of claims"):
            list_field({"claims": value}, "claims", str)


@each(("value", "truth"), [(True, True), (False, False), ("True", True), ("**false**", False), ("true - it is", True)])
def test_truth_values_are_read_as_words_too(value: Any, truth: bool) -> None:
    assert truth_field({"same": value}, "same") is truth


@each("value", [None, 1, 0, "yes", "", "true or false", "untrue", "true?", [], {}])
def test_nothing_else_is_a_truth_value(value: Any) -> None:
    with pytest.raises(Unreadable, match="The model's same is neither true nor false"):
        truth_field({"same": value}, "same")


@each(
    ("value", "number"),
    [(1, 1), ("2", 2), (3.0, 3), (0, 0), (-1, 0), (1.5, 0), (True, 0), ("x", 0), ("²", 0), (None, 0)],
)
def test_numbers_are_read_as_texts_too(value: Any, number: int) -> None:
    assert number_field({"number": value}, "number") == number
