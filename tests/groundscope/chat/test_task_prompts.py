"""Prompts of tasks that are no methods: what is sent for each, as before they were files, and the user's own."""

from types import SimpleNamespace
from typing import Any

import pytest

from groundscope.arguments.asking import ChatArguer, ChatExtractor
from groundscope.arguments.loading import arguer, extractor
from groundscope.arguments.prompts import wording
from groundscope.cases import error_typing
from groundscope.cases.edits import by_model
from groundscope.chat.clients.model import chat_model
from groundscope.chat.prompt_files import (
    FOLDER,
    TASKS,
    PromptMissing,
    asked_chat,
    delete_prompt,
    part_of,
    prompt_named,
    prompts,
    save_prompt,
    shipped,
)
from groundscope.citations.decomposing import Decomposer, decomposer
from groundscope.citations.similarity import Asked, model_similarity
from groundscope.errors import DataError
from groundscope.rag.asking import ChatGenerator
from groundscope.types import Case, Passage

MODEL: Any = SimpleNamespace(identity="m")
CASE = Case("c", "q", (Passage("p", "text", "s"),), "r")
PASSAGE = Passage("id", "text", "title")
SPEC = "server:tiny@http://127.0.0.1:9/v1"


def test_every_folder_is_a_task_or_a_method_and_every_prompt_says_what_it_is() -> None:
    assert set(TASKS) <= {path.name for path in FOLDER.iterdir()}
    for task in TASKS:
        assert shipped(task)
        assert all(p.title and p.about.endswith(".") and not p.own for p in shipped(task))
        assert all("JSON" not in text for p in shipped(task) for _, text in p.texts)


def test_what_is_sent_is_what_was_sent_while_the_texts_were_constants() -> None:
    """Keys of replies and signatures, as commit f737e2bc gives them: replies that were paid for are found again."""
    answers = {p.name: ChatGenerator(MODEL, p).plan("question", (PASSAGE,)).key("") for p in shipped("rag_answer")}
    assert answers == {"benchmark": "e18e6bb1e6d5157c1c3df107264efd48", "cautious": "40fa36b2f1aa8b37457adb674e33d825"}
    assert "|prompt=benchmark|wording=3b1e4db1|" in ChatGenerator(MODEL).signature
    assert ChatArguer(MODEL).signature == (
        "chat_arguer|model=m|wording=9b4a407d1a56513a2880416efb445dc58a7d9612913cc75adc846bef987c27f9|verifies=d4006bab"
        "|max_tokens=3000"
    )
    assert ChatExtractor(MODEL).signature == "chat_extractor|model=m|wording=a5401ba1|max_tokens=2000"
    assert ChatExtractor(MODEL).plan("argument").key("") == "a5401ba1387e5a1aaacd60266d67a0b2"
    assert Asked(MODEL).signature == "asked|m|wording=ee64b07c"
    assert Asked(MODEL).plan("a", "b").key("") == "ee64b07ce884ef4c484295cb7a1125e5"
    assert Decomposer(MODEL).signature == "decomposed|m|wording=d5476fe5"
    assert Decomposer(MODEL).plan("Text.").key("") == "d5476fe5162bed523e42211555492a38"
    assert error_typing.prompt(CASE).key("") == "dfc433a92dfdb9d09495a57e5a75c040"
    assert by_model.prompt(CASE, 4).key("") == "501f8b33d90eaf87939e14a504944ea0"


def test_a_part_names_a_prompt() -> None:
    for spec in ("openai:gpt-4o", "server:a/b@http://127.0.0.1:9/v1"):
        assert asked_chat(spec) == (spec, "")
        for name in ("", "strict"):
            assert asked_chat(part_of(spec, name)) == (spec, name)


@pytest.mark.parametrize("task", TASKS)
def test_a_users_own_prompt_is_offered_behind_those_that_ship(task: str) -> None:
    default = shipped(task)[0]
    own = save_prompt(task, "mine", dict(default.texts) | {"system": "Mine."}, prompts(task))
    assert prompts(task) == (*shipped(task), own)
    assert prompt_named(task, "mine") == own
    assert prompt_named(task) == default
    delete_prompt(task, "mine")
    with pytest.raises(PromptMissing, match="must be one of"):
        prompt_named(task, "mine")


def test_a_users_own_prompt_is_sent_and_in_the_signature() -> None:
    for task in ("factor_extraction", "same_claim", "decomposition", "error_types", "variants"):
        save_prompt(task, "mine", {"system": "Mine.", "task": "Do {count}."}, shipped(task))
    assert extractor(f"chat/mine:{SPEC}").plan("argument").task.startswith("Do {count}.\n\nReply in JSON")
    assert extractor(f"chat/mine:{SPEC}").signature != extractor(f"chat:{SPEC}").signature
    assert model_similarity(f"chat/mine:{SPEC}", {}).plan("a", "b").system == "Mine."
    assert decomposer(f"chat/mine:{SPEC}").signature != decomposer(SPEC).signature
    assert error_typing.prompt(CASE, error_typing.chooser(f"chat/mine:{SPEC}").prompt).system == "Mine."
    assert by_model.prompt(CASE, 3, "mine").task.startswith("Do 3.\n")


def test_the_number_of_versions_must_have_its_place() -> None:
    with pytest.raises(DataError, match=r"The text “task” has no place for \{count\}"):
        save_prompt("variants", "mine", {"system": "Mine.", "task": "Write some."}, shipped("variants"))


def test_a_users_own_wording_is_in_the_signature_of_who_argues_by_it_alone() -> None:
    texts = dict(wording("plain").texts)
    save_prompt("argument", "mine", texts | {"abstention": "Stop."}, prompts("argument"))
    without, first = (arguer(f"chat:{SPEC}", names)[0].signature for names in (["plain"], ["plain", "mine"]))
    assert without == ChatArguer(chat_model(SPEC)).signature != first
    delete_prompt("argument", "mine")
    save_prompt("argument", "mine", texts | {"abstention": "Go on."}, prompts("argument"))
    assert arguer(f"chat:{SPEC}", ["mine"])[0].signature != first
