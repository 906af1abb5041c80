"""Arguments out of replies and pasted texts."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.parsing import LONGEST, PLIES, read_argument
from groundscope.arguments.prompts import DEFAULT, TASK, prompt, wording
from groundscope.arguments.scenarios import make
from groundscope.arguments.types import Test
from groundscope.chat.prompt_files import prompts

PLAIN = dict(zip(PLIES, ("One F4.", "Two F6.", "Three."), strict=True))
TEXTS = tuple(PLAIN.values())


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(PLAIN), json.dumps(PLAIN, indent=2), f"```json\n{json.dumps(PLAIN)}\n```", str(PLAIN),
        json.dumps({"Plaintiff's Argument": TEXTS[0], "Defendant's Counterargument": TEXTS[1], "Plaintiff's Rebuttal": TEXTS[2]}),
        json.dumps({"argument": [TEXTS[0]], "counterargument": TEXTS[1], "rebuttal": TEXTS[2]}),
        json.dumps({"argument": PLAIN}), json.dumps({"plies": [{k: v} for k, v in PLAIN.items()]}),
        json.dumps([{k: v} for k, v in PLAIN.items()]), json.dumps([{"ply": i, "text": v} for i, v in enumerate(TEXTS, 1)]),
        json.dumps([{"role": "plaintiff", "content": TEXTS[0]}, {"role": "defendant", "content": TEXTS[1]},
                    {"role": "rebuttal", "content": TEXTS[2]}]),
        json.dumps({k: {"text": v} for k, v in PLAIN.items()}),
        json.dumps({k: {"factors": ["F9"], "argument": v} for k, v in PLAIN.items()}),
    ],
)  # fmt: skip
def test_json_in_any_dress_gives_three_plies(raw: str) -> None:
    found = read_argument(raw)
    assert (found.plies, found.note) == (TEXTS, "")


@pytest.mark.parametrize(
    ("raw", "plies", "note"),
    [
        ("<think>F9 F9</think>" + json.dumps(PLAIN), TEXTS, "The model's thinking was left out."),
        ("F9 was there</think>\n" + json.dumps(PLAIN), TEXTS, "The model's thinking was left out."),
        ("<think>a</think>F9<think>b</think>" + json.dumps(PLAIN), TEXTS, "The model's thinking was left out."),
        ("Here it is:\n" + json.dumps(PLAIN) + "\nDone.", TEXTS, "Text around the JSON was left out."),
        ("The plaintiff wins.", ("The plaintiff wins.",), "It is no JSON with the three plies, so it is read as one text."),
        (json.dumps({"a": "b"}), ('{"a": "b"}',), "It is no JSON with the three plies, so it is read as one text."),
        (json.dumps({PLIES[0]: 4}), ('{"plaintiff_argument": 4}',),
         "It is no JSON with the three plies, so it is read as one text."),
        (json.dumps({PLIES[0]: "x"}), ("x", "", ""), ""), (json.dumps({PLIES[0]: {"text": "x"}}), ("x", "", ""), ""),
        (json.dumps(PLAIN | {PLIES[0]: "<think>F9</think> One F4."}), (" One F4.", *TEXTS[1:]),
         "The model's thinking was left out."),
        (json.dumps(PLAIN) + "<think>F9", TEXTS, "The model's thinking was left out."),
        (f"Plaintiff's Argument: {TEXTS[0]}\nDefendant's Counterargument: {TEXTS[1]}\nPlaintiff's Rebuttal: {TEXTS[2]}", TEXTS,
         "It is read by its headings."),
        (f"Sure.\n\n## 1. Plaintiff’s argument\n{TEXTS[0]}\n\n**Ply 2: Defendant's counter-argument:**\n{TEXTS[1]}\n\n"
         f"### Plaintiff's Rebuttal (ply 3)\n{TEXTS[2]}",
         TEXTS, "It is read by its headings. Text before the first was left out."),
        ("Plaintiff's rebuttal: a\nPlaintiff's argument: b\nDefendant's counterargument: c", None,
         "It is no JSON with the three plies, so it is read as one text."),
        ("The plaintiff's argument: a\nDefendant's counterargument: b", None,
         "It is no JSON with the three plies, so it is read as one text."),
        (json.dumps([PLAIN, PLAIN]), None, "It is no JSON with the three plies, so it is read as one text."),
    ],
)  # fmt: skip
def test_other_replies_are_read_as_what_they_are(raw: str, plies: tuple[str, ...] | None, note: str) -> None:
    found = read_argument(raw)
    assert (found.plies, found.note) == (plies or (raw,), note)


@pytest.mark.parametrize(
    "raw",
    ["", "  \n", json.dumps(dict.fromkeys(PLIES, "")), json.dumps(dict.fromkeys(PLIES)), "<think>F4",
     "Okay.\n<think>F4 was in TSC1",
     "<think>a</think><think>F4", json.dumps({PLIES[0]: "<think>F4"})],
)  # fmt: skip
def test_what_says_nothing_is_empty(raw: str) -> None:
    assert read_argument(raw).empty


def test_a_ply_that_stands_twice_is_no_argument_in_json() -> None:
    assert len(read_argument('{"rebuttal": "a", "plaintiff_rebuttal": "b"}').plies) == 1


def test_a_very_long_text_is_cut_and_says_so() -> None:
    found = read_argument("F4 " * LONGEST)
    assert len(found.text) <= LONGEST
    assert f"Only the first {LONGEST:,} characters were read." in found.note


@given(st.text(max_size=300))
def test_any_text_is_read(raw: str) -> None:
    found = read_argument(raw)
    assert len(found.plies) in (1, 3)
    assert len(found.titles) == len(found.plies)
    found.text.encode()


def test_the_instruction_to_abstain_stands_in_every_prompt_of_every_test() -> None:
    for test in Test:
        (s,) = make(TRADE_SECRETS, test, 1, 5)
        for w in prompts(TASK):
            asked = prompt(s, TRADE_SECRETS, w)
            assert w.text("abstention") in asked.task
            (block,) = asked.blocks
            assert all(TRADE_SECRETS.by_number[n].written in block.text for case in s.cases for n in case)
            assert block.text.count("won by the") == 2
            assert all(name in asked.task for name in PLIES)


def test_wordings_are_named_and_all_but_the_control_ask_to_stop() -> None:
    assert wording() == wording(DEFAULT)
    texts = {w.name: w.text("abstention") for w in prompts(TASK)}
    assert [name for name, text in texts.items() if not text] == ["none"]
    assert len(set(texts.values())) == len(texts)
    assert all("no common factor" in text for name, text in texts.items() if name != "none")
    with pytest.raises(ValueError, match=r"must be one of plain, .*'loud'"):
        wording("loud")


def test_the_default_does_not_tell_a_model_what_is_measured() -> None:
    (s,) = make(TRADE_SECRETS, next(iter(Test)), 1, 5)
    primed = [w.name for w in prompts(TASK) if re.search(r"\ball factors\b|\badd none\b", prompt(s, TRADE_SECRETS, w).task)]
    assert primed == ["all-and-none"]


def test_each_side_cites_the_precedent_that_it_won_as_the_prompt_gives_it() -> None:
    (s,) = make(TRADE_SECRETS, Test.REORDERED, 1, 5)
    text = prompt(s, TRADE_SECRETS, wording()).blocks[0].text
    assert "TSC1 (won by the defendant)" in text
    assert "TSC2 (won by the plaintiff)" in text
