"""Sets that are made on the Cases page: of what they are made says how private they are, and each has its own card."""

import json
import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from components import case_sets
from components.case_sets import PASTED, CaseSet
from groundscope.cases.dataset import read
from groundscope.cases.edits.whole_set import WRITING, VaryOptions, begin
from groundscope.chat import replies
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.chat.prompt_files import save_prompt, shipped
from groundscope.experiments.task import TaskSteps
from groundscope.experiments.work import work
from tests.components.processes import until
from tests.llm_server import Asked, LLMServer
from tests.pages.drawn import ROOT, html, opened

SOUND = tuple(c for c in read("s.jsonl", (ROOT / "sample_data" / "legal_qa.jsonl").read_bytes()).cases if c.grounded)[:8]

pytestmark = pytest.mark.usefixtures("data")


def of_set(name: str) -> AppTest:
    """The page with a set of sound answers."""
    return opened("cases", sets={name: CaseSet(name, SOUND)}, browse_set=name, cases_tab="Samples and loaded cases")


def press(app: AppTest, key: str) -> dict[str, CaseSet]:
    app.button(key=key).click().run()
    assert not app.exception, app.exception
    sets: dict[str, CaseSet] = app.session_state["sets"]
    return sets


@pytest.mark.parametrize(("name", "private"), [(PASTED, True), ("Matter Smith", True), ("mine.jsonl", False)])
def test_a_set_is_as_private_as_the_one_it_was_made_of(name: str, private: bool) -> None:
    app = of_set(name)
    app.number_input(key=f"divided_count_made_{name}").set_value(5)
    made = press(app, f"divided_sample_made_{name}")
    sample = made[f"{name}, sample of 5, seed 0"]
    assert (len(sample.cases), sample.private) == (5, private)
    app.session_state["browse_set"] = sample.name
    again = press(app.run(), f"divided_split_made_{sample.name}")
    assert again[f"{sample.name}, split 70/10/20, seed 0"].private is private


def test_what_is_private_is_found_among_one_case_and_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    new = tuple(replace(c, split="dev") for c in SOUND)
    sets = {"made": CaseSet("made", new, private=True), "mine.jsonl": CaseSet("mine.jsonl", SOUND)}
    monkeypatch.setattr(case_sets.st, "session_state", {"sets": sets})
    assert case_sets.private(new[0])
    assert case_sets.private(*SOUND, new[3])
    assert not case_sets.private(*SOUND)
    assert not case_sets.private()
    assert not case_sets.may_keep(*SOUND, new[0])


def test_a_set_of_variants_that_has_other_cases_by_now_has_no_card() -> None:
    app = of_set("mine.jsonl")
    name = "Variants of mine.jsonl, seed 0"
    made = press(app, "vary_make")
    assert len(made[name].cases) == 24
    cards = [b for b in app.get("download_button") if b.key == "download_card"]
    assert len(cards) == 1
    app.session_state["sets"] = {name: CaseSet(name, made[name].cases[:5])}
    app.run()
    assert not [b for b in app.get("download_button") if b.key == "download_card"]


def test_a_model_without_its_key_says_what_to_do_and_starts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    app = of_set("mine.jsonl")
    app.session_state["typed_chats"] = {"openai:gpt-4o": None}
    app.run().multiselect(key="vary_models").set_value(["openai:gpt-4o"]).run()
    assert any("Set OPENAI_API_KEY in the environment" in e.proto.body for e in app.get("html"))
    assert next(button for button in app.button if button.label == "Start").disabled


def writes(asked: Asked) -> str:
    start = asked.data["answer"][: -len(asked.data["answer"].split()[-1])]
    error = {"quote": "never.", "type": "misattribution", "contradicted": True, "why": "The sources say otherwise."}
    return json.dumps({"versions": [{"answer": f"{start}never.", "errors": [error]}]})


def test_chat_models_write_in_a_job_whose_set_appears_by_itself_and_of_which_nothing_stays() -> None:
    app = of_set(PASTED)
    with LLMServer(writes) as server:
        line = f"server:scripted-1@{server.openai}"
        app.session_state["typed_chats"] = {line: None}
        app.run().multiselect(key="vary_models").set_value([line]).run()
        app.checkbox(key="vary_edits").set_value(False).run()
        assert "Question, sources and text of 8 grounded answers go to each model" in html(app)
        app.button(key="vary_start").click().run()
        (path,) = [file.path for file in WRITING.folder.files()]
        until(lambda: html(app.run()) and not path.exists())
    assert len(server.asked) == 8
    name = f"Variants of {PASTED} by 1 chat model, seed 0"
    made = app.session_state["sets"][name]
    assert (len(made.cases), made.private) == (16, True)
    assert f"Created: the set “{name}” with 16 cases, shown now." in html(app)
    assert replies.default().models() == {}


def test_the_answers_that_are_done_of_a_paused_job_become_a_set_and_another_session_is_asked_first() -> None:
    with LLMServer(writes) as server:
        line = f"server:scripted-1@{server.openai}"
        how = VaryOptions(per_answer=2, seed=0, names=(), edits=False, versions=1)
        file = WRITING.folder.open(begin("mine.jsonl", SOUND, (line,), how, Limits(calls=3)))
        assert not work(file, TaskSteps(WRITING, file)).finished
        app = of_set("other.jsonl")
        made = press(app, f"vary_early_{file.id}")
        name = "Variants of mine.jsonl by 1 chat model, seed 0"
        assert (len(made[name].cases), made[name].private) == (6, True)
        assert "5 grounded answers were not reached. Resume the writing for the rest" in html(app)
        file.allow(NO_LIMITS)
        assert work(file, TaskSteps(WRITING, file)).finished
        file.close()
        app.run()
        made = press(app, f"variants_take_{file.id}")
        assert len(made[name].cases) == 16
        assert not file.path.exists()


def test_a_chat_model_writes_variants_of_one_answer_which_appear_by_themselves() -> None:
    with LLMServer(writes) as server:
        line = f"server:scripted-1@{server.openai}"
        app = opened("cases", cases_tab="Samples and loaded cases", read_case="business-records-a", chat_model=line)
        assert "This case's question, sources and answer go to <b>127.0.0.1</b>" in html(app)
        app.button(key="model_variants_start").click().run()
        until(lambda: "each labelled ungrounded" in "".join(t.value for t in app.run().text))
    assert len(server.asked) == 1
    assert not list(WRITING.folder.files())


def test_a_users_prompt_is_a_writer_of_its_own_and_counted_in_the_offer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
    texts = dict(shipped("variants")[0].texts)
    save_prompt("variants", "long", texts | {"system": "Be strict. " * 1800}, shipped("variants"))
    line = "anthropic:claude-sonnet-5-5"
    app = opened("cases", cases_tab="Samples and loaded cases", read_case="business-records-a", chat_model=line)
    assert app.multiselect(key="vary_models").options == [line, f"{line}, long prompt"]
    most = [float(re.findall(r"at most \$([\d.]+)", html(app))[0])]
    app.selectbox(key="model_variant_prompt").set_value("long").run()
    most.append(float(re.findall(r"at most \$([\d.]+)", html(app))[0]))
    # 19,800 characters in place of some 80, at three a token and two dollars a million, and cents are shown.
    assert most[1] - most[0] == pytest.approx(0.0132, abs=0.01)
