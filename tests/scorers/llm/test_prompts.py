"""Prompts of methods that ask a model: those that ship, the user's own, and what is sent for each."""

import json
import re
from pathlib import Path

import pytest

from groundscope.chat.prompt_files import (
    FOLDER,
    STANDARD,
    TASKS,
    PromptFile,
    delete_prompt,
    own_prompts,
    prompts,
    save_prompt,
    shipped,
    texts_of,
    written,
)
from groundscope.errors import DataError
from groundscope.methods import registry
from groundscope.paths import data_folder
from tests.groundscope.chat.clients.conftest import Serve
from tests.groundscope.chat.clients.scripts import CASE, line, load, passes, score

METHODS = sorted(path.name for path in FOLDER.iterdir() if path.name not in TASKS)
SHIPPED = [prompt for method in METHODS for prompt in shipped(method)]
PUBLISHED = (
    "Judge.\n\n--\nQUESTION:\n{user_input}\n\n--\nDOCUMENT:\n{context}\n\n--\nANSWER:\n{bot_output}\n\n--\n"
    'Reply with {{"REASONING": <points>, "SCORE": <score>}}'
)
"""As publishers write a message: other names for the places, and braces doubled."""


def _name(prompt: PromptFile) -> str:
    return f"{prompt.method}/{prompt.name}"


def test_every_file_is_a_prompt_and_every_method_with_prompts_has_a_standard_one() -> None:
    assert len(SHIPPED) == len([path for path in FOLDER.rglob("*.toml") if path.parent.name not in TASKS])
    for method in METHODS:
        assert shipped(method)[0].name == STANDARD
        assert registry.load(method).prompts() == shipped(method)
    assert registry.load("quip").prompts() == ()


@pytest.mark.parametrize("prompt", SHIPPED, ids=_name)
def test_a_prompt_is_for_any_field_and_leaves_the_form_to_the_code(prompt: PromptFile) -> None:
    assert prompt.title
    assert prompt.about.endswith(".")
    for name, text in prompt.texts:
        assert not re.search(r"\b(legal|law|lawyer|court)\b", text, re.IGNORECASE)
        assert ("JSON" in text) == (name == "message")
    assert prompt.name in {p.name for p in registry.load(prompt.method, prompt=prompt.name).prompts()}


def test_signatures_differ_and_only_the_standard_prompt_has_rewordings() -> None:
    method = registry.load("direct")
    made = [method.reworded(number) for number in (1, 2)]
    assert [m.parameters["prompt"] for m in made if m] == ["plain", "steps"]
    chosen = [registry.load("direct", prompt=p.name).signature for p in method.prompts()]
    assert len(set(chosen)) == len(chosen) == 5
    assert {m.signature for m in made if m} <= set(chosen)
    assert "|prompt=standard" in method.signature
    assert method.reworded(0) is None
    assert method.reworded(3) is None
    assert registry.load("direct", prompt="lynx").reworded(1) is None
    # What a model was trained on cannot be said in other words.
    judge = registry.load("direct:granite-guardian")
    assert judge.reworded(1) is None
    (own,) = judge.prompts()
    assert own.about.startswith("As published: github.com/Liyan06/MiniCheck, minicheck/inference.py;")
    with pytest.raises(ValueError, match=r"Granite Guardian 3.3 8B has a message of its own"):
        registry.load("direct:granite-guardian", prompt="plain")
    with pytest.raises(ValueError, match="prompt must be one of standard, lynx, plain, steps, three, got 'no'"):
        registry.load("direct", prompt="no")


def test_a_reworded_method_sends_other_instructions_about_the_same_data(serve: Serve) -> None:
    server = serve(passes)
    spec = line("server", server)
    method = load("direct", spec)
    for one in (method, method.reworded(1), method.reworded(2)):
        assert one is not None
        assert one.score(CASE).support == 1.0
    asked = server.asked
    assert len({a.task for a in asked}) == len({a.system for a in asked}) == 3
    assert asked[0].data == asked[1].data == asked[2].data
    form = 'Reply in JSON: {"reasons"'
    assert all(a.task.count(form) == 1 for a in asked)
    assert method.estimate(CASE).input != load("direct", spec).reworded(1).estimate(CASE).input  # type: ignore[union-attr]


@pytest.mark.parametrize("schemas", [True, False])
@pytest.mark.parametrize(("said", "support"), [("PASS", 1.0), ("FAIL", 0.0)])
def test_direct_sends_lynxs_message_to_any_model(said: str, support: float, schemas: bool, serve: Serve) -> None:
    server = serve(lambda _: json.dumps({"REASONING": ["One.", "Two."], "SCORE": said}))
    server.schemas = schemas
    judgement = score("direct", "openai:gpt-4o", prompt="lynx")
    assert (judgement.status, judgement.support, judgement.note) == ("scored", support, "One. Two.")
    asked = server.asked[-1]
    assert asked.forced == schemas
    # One message, no other; nothing of this project's markers, which a message without them could not explain.
    assert [m["role"] for m in asked.body["messages"]] == ["user"]
    assert "{marker}" not in asked.user
    lynx = load("lynx", "server:lynx@http://127.0.0.1:9/v1").plan(CASE)[0][0].task
    assert asked.user == lynx
    if schemas:
        form = asked.body["response_format"]["json_schema"]["schema"]
        assert list(form["properties"]) == ["REASONING", "SCORE"]


def test_a_users_prompt_is_sent_and_its_text_is_in_the_signature(serve: Serve) -> None:
    server = serve(passes)
    texts = dict(shipped("direct")[0].texts)
    made = save_prompt("direct", "strict", {**texts, "task": 'Be strict:\n"quotes" and \\ stay. é\x00'}, shipped("direct"))
    assert own_prompts("direct") == (made,)
    assert made.text("task") == 'Be strict:\n"quotes" and \\ stay. é�'
    spec = line("server", server)
    method = load("direct", spec, prompt="strict")
    assert method.score(CASE).support == 1.0
    assert server.asked[-1].task.startswith(made.text("task"))
    first = method.signature
    delete_prompt("direct", "strict")
    assert own_prompts("direct") == ()
    with pytest.raises(ValueError, match="prompt must be one of"):
        load("direct", spec, prompt="strict")
    # The one that is loaded keeps its text, and the same name with another text is another signature.
    assert method.signature == first
    save_prompt("direct", "strict", {**texts, "task": "Be lenient."}, shipped("direct"))
    assert load("direct", spec, prompt="strict").signature != first


@pytest.mark.parametrize("method", ["lynx", "direct"])
def test_a_published_message_is_taken_as_it_is_published(method: str, serve: Serve) -> None:
    server = serve(lambda _: '{"REASONING": ["One."], "SCORE": "PASS"}')
    save_prompt(method, "trained", {"message": PUBLISHED}, shipped(method))
    spec = line("server", server).replace("scripted-1", "lynx-8b")
    assert score(method, spec, prompt="trained").support == 1.0
    user = server.asked[-1].user
    assert f"QUESTION:\n{CASE.query}\n" in user
    assert f"ANSWER:\n{CASE.response}\n" in user
    assert user.endswith('Reply with {"REASONING": <points>, "SCORE": <score>}')


def test_a_text_that_holds_a_place_stays_as_it_is(serve: Serve) -> None:
    server = serve(lambda _: '{"SCORE": "PASS"}')
    spec = line("server", server).replace("scripted-1", "lynx-8b")
    hostile = CASE.__class__("c", "{answer}", CASE.context, "{document} {question} {marker}")
    load("lynx", spec).score(hostile)
    assert "ANSWER:\n{document} {question} {marker}\n" in server.asked[-1].user
    assert "background information):\n{answer}\n" in server.asked[-1].user


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("Strict", "x", "A prompt's name has 1 to 40 small letters"),
        ("../evil", "x", "A prompt's name has 1 to 40 small letters"),
        ("standard", "x", "There is a prompt standard already"),
        ("strict", "  ", "The text “message” is empty"),
        ("strict", "x" * 20_001, "has 20,001 characters; at most 20,000"),
        ("strict", "{question} {context}", "has no place for {answer}"),
    ],
)
def test_what_is_no_prompt_is_refused_and_nothing_is_saved(name: str, text: str, wrong: str) -> None:
    with pytest.raises(DataError, match=re.escape(wrong)):
        save_prompt("lynx", name, {"message": text}, shipped("lynx"))
    assert not (data_folder() / "prompts").exists()


def test_what_is_written_reads_the_same_and_other_texts_are_refused() -> None:
    for prompt in SHIPPED:
        assert texts_of("x.toml", written(prompt).encode()) == dict(prompt.texts)
    odd = PromptFile("direct", "odd", (("task", 'a\n"""\\ \t\n\n"'), ("system", " x\r\n")))
    assert texts_of("x.TOML", written(odd).encode()) == dict(odd.texts)
    assert texts_of("x.txt", "\ufeffHello {a}".encode()) == {"message": "Hello {a}"}
    for name, data in {
        "x.txt": b"\xff",
        "x.toml": b"[",
        "y.toml": b"a = 1",
        "z.toml": b"[texts]\na = 1",
        "big.txt": b"x" * 200_001,
    }.items():
        with pytest.raises(DataError, match=name):
            texts_of(name, data)
    with pytest.raises(DataError, match="direct takes a prompt with the texts message; or system, task"):
        save_prompt("direct", "strict", {"task": "x"}, shipped("direct"))


def test_files_of_the_users_that_are_no_prompts_hide_no_other() -> None:
    save_prompt("direct", "fine", {"message": "{question} {document} {answer}"}, shipped("direct"))
    folder: Path = data_folder() / "prompts" / "direct"
    for name, content in {
        "broken": "[", "empty": "[texts]\n", "number": "[texts]\nsystem = 1\n", "other": '[texts]\nnothing = "known"\n',
        "standard": '[texts]\nsystem = "x"\ntask = "y"\n', "Bad Name": '[texts]\nsystem = "x"\ntask = "y"\n',
        "same": 'same_as = "lynx/standard"\n',
    }.items():  # fmt: skip
        (folder / f"{name}.toml").write_text(content)
    assert [p.name for p in prompts("direct")] == ["standard", "lynx", "plain", "steps", "three", "fine"]
    assert not prompts("direct")[0].own
