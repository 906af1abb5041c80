"""The Methods page without a browser: cards, options, prompts, models of one's own, the chat model's form, and what is saved."""

import re
import time
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components import case_sets
from components.chat import budgets
from components.scoring import app_worker
from groundscope.chat import prices
from groundscope.grounding.paper_tables import rows_of
from groundscope.methods import registry
from groundscope.methods.board import board
from groundscope.storage import support_cache
from tests.browser.scripted import KEY, MODEL
from tests.pages.drawn import html, opened, press

HOSTILE = "<img src=x onerror=alert(1)>"
WRONG_MODELS = (
    ("", "", "anthropic", "Enter the model's name, for example claude-haiku-5-5."),
    (HOSTILE, "", "anthropic", "Enter a model name without spaces"),
    ("a@http://127.0.0.1", "", "anthropic", "Enter the address in its own field"),
    (MODEL, "http://localhost:1", "anthropic", "Anthropic has its own address: clear that field, or choose"),
    ("llama3.1:8b", "", "server", "Enter the address of the server, for example http://localhost:11434/v1."),
    ("llama3.1:8b", "http://169.254.169.254/", "server", "link-local or metadata address, where no model server is"),
)


@pytest.fixture
def app(data: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page over an empty data folder, with a key in the environment."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    return opened("methods")


def card(app: AppTest, method: str) -> AppTest:
    app.query_params["method"] = method
    return app.run()


def words(app: AppTest) -> str:
    return unescape(re.sub("<[^>]+>", "", html(app)))


def notices(app: AppTest) -> str:
    return " ".join(unescape(found) for found in re.findall(r"gs-notice[^>]*>(.*?)</", html(app), re.S))


def test_the_board_shows_every_method_on_every_set_and_intervals_on_demand(app: AppTest) -> None:
    on = board()
    (auroc, low, high) = on.methods["overlap"].deciding["BEGIN"]
    for interval in (False, True):
        (drawn,) = re.findall(r"<table class='gs-counts gs-board'>.*?</table>", html(app), re.S)
        assert all(f">{row.title}<" in drawn for row in on.methods.values())
        assert all(f">{s.name}{'*' if s.decides else ''}<" in drawn for s in on.sets)
        assert f"<td>{auroc:.2f}" in drawn
        assert (f"<small>{low:.2f} to {high:.2f}</small>" in drawn) is interval
        app.toggle(key="board_intervals").set_value(True).run()


def test_a_card_has_all_that_a_reviewer_asks_for(app: AppTest) -> None:
    for name in ("quip", "cos_sim", "hem_v1", "direct"):
        scorer: Any = registry.load(name)
        about, needed = scorer.about, scorer.requirements()
        text = words(card(app, name))
        assert f"{about.title} " in text
        assert about.measures in text
        assert about.licence.replace("`", "") in text
        if about.paper:
            assert f"Trautmann et al. (2024), section {about.paper} (" in text
            assert all(f"{row.name}, macro-F1" in text for row in rows_of(name))
        for need in needed:
            for part in (need.name, need.revision, f"{need.megabytes:,} MB") if need.megabytes else ():
                assert part in text, (name, part)
            assert (need.where or "not on this machine") in text
        missing = scorer.asks or any(need.missing for need in needed) or bool(about.needs and not needed)
        assert ("What to do" in text) == missing, name
    assert "hf download vectara/hallucination_evaluation_model --revision 5838" in words(card(app, "hem_v1"))
    text = html(card(app, "no-such-method<b>"))
    assert "There is no method no-such-method&lt;b&gt; here. The first one is open." in text


def test_options_hold_for_a_session_lead_back_and_refuse_what_means_nothing(app: AppTest) -> None:
    card(app, "quip").number_input("option_quip_n").set_value(30).run()
    assert "quip|n=30|" in html(app)
    assert "Options, 1 changed" in [e.label for e in app.expander]
    app.number_input("option_quip_n").set_value(0).run()
    assert "Characters must be a whole number of at least 1, such as 21, got 0. The previous value stays." in notices(app)
    assert "quip|n=30|" in html(app)
    assert app.number_input("option_quip_n").value == 30
    assert "quip|n=30|" not in html(card(opened("methods"), "quip"))
    app.button("defaults_quip").click().run()
    assert "quip|n=30|" not in html(app)


def test_a_prompt_is_edited_saved_used_by_what_asks_with_it_and_deleted(app: AppTest, tmp_path: Path) -> None:
    card(app, "direct").text_area("prompt_direct_standard_task").set_value("Be strict.")
    app.text_input("prompt_name_direct").set_value("lynx")
    assert "There is a prompt lynx already, and results name it; choose another name." in notices(press(app, "Save as a copy"))
    app.text_area("prompt_direct_standard_task").set_value("Be strict.")
    app.text_input("prompt_name_direct").set_value("strict")
    assert "The prompt strict is saved, and in use in this session." in notices(press(app, "Save as a copy"))
    assert "prompt=strict" in html(app)
    assert "Be strict." in (tmp_path / "prompts" / "direct" / "strict.toml").read_text("utf-8")
    # A method that asks another one several times has that one's prompts, and loses a deleted one with it.
    card(app, "majority").selectbox("option_majority_prompt").set_value("strict").run()
    assert "prompt=strict" in html(app)
    card(app, "direct").button("prompt_delete_direct").click().run()
    assert "The prompt strict is deleted. Its results are kept." in notices(app)
    assert "prompt=strict" not in html(app)
    assert "prompt=strict" not in html(card(app, "majority"))


def test_lynx_takes_its_own_message_from_a_file_and_says_where_it_is(app: AppTest) -> None:
    assert "huggingface.co/PatronusAI/Llama-3-Patronus-Lynx-8B-Instruct" in html(card(app, "lynx"))
    app.file_uploader("prompt_file_lynx").set_value(("card.txt", b"{question} {context} {answer} {{}}", "text/plain"))
    app.text_input("prompt_name_lynx").set_value("trained")
    press(app, "Save as a copy")
    assert app.text_area("prompt_lynx_trained_message").value == "{question} {document} {answer} {}"


def test_an_entailment_model_is_added_and_removed_and_a_line_that_names_none_refused(app: AppTest) -> None:
    for line, said in (("", "Enter a hub id, such as"), ("no model at all", "Enter a hub id such as")):
        app.text_input("add_model_line").set_value(line)
        assert said in notices(press(app, "Add"))
    app.text_input("add_model_line").set_value("someone/entails")
    press(app, "Add")
    assert "NLI someone/entails" in words(app)
    app.button("remove_nli:entails").click().run()
    assert "NLI someone/entails" not in words(app)


def test_what_went_wrong_with_a_folder_is_said_until_the_next_try(app: AppTest) -> None:
    (path,) = (field.key for field in card(app, "hem_v1").text_input if str(field.key).startswith("path_hem_v1_"))
    app.text_input(path).set_value(HOSTILE)
    press(app, "Check and use")
    for _ in range(600):
        if "There is no folder with a config.json at this path" in html(app.run()):
            break
        time.sleep(0.1)
    # Neither another card nor another page takes it away, and the path stays so that a slip can be corrected.
    card(app, "quip").switch_page("pages/cases.py").run()
    app.switch_page("pages/methods.py").run()
    assert "There is no folder with a config.json at this path" in notices(card(app, "hem_v1"))
    assert "Folder refused" in words(app)
    assert app.text_input(path).value == HOSTILE
    assert HOSTILE not in html(app)


def form(app: AppTest, model: str, address: str = "", provider: str = "anthropic") -> str:
    """Fill the form of the chat model and use it; gives what is said."""
    fields: dict[str, Any] = {field.label: field for field in (*app.text_input, *app.selectbox)}
    fields["Provider"].set_value(provider)
    fields["Model"].set_value(model)
    fields["Address, for a server of your own"].set_value(address)
    return notices(press(app, "Use this model"))


def test_a_chat_model_is_of_one_session_and_what_cannot_be_meant_is_refused_in_words_of_the_form(app: AppTest) -> None:
    for model, address, provider, refusal in WRONG_MODELS:
        assert refusal in form(app, model, address, provider)
    assert "No model is chosen" in words(app)
    temperature = next(field for field in app.number_input if field.label.startswith("Temperature"))
    temperature.set_value(0.5)
    assert f"{MODEL} does not accept a temperature; leave that setting out" in form(app, MODEL)
    next(field for field in app.number_input if field.label.startswith("Temperature")).set_value(None)
    next(field for field in app.selectbox if field.label == "Reasoning effort").set_value("low")
    assert f"Methods now ask {MODEL} in this session." in form(app, MODEL)
    assert "sampling=the provider's, effort=low" in words(app)
    assert "ANTHROPIC_API_KEY is set" in words(app)
    assert KEY not in html(app)
    assert "No model is chosen" in words(opened("methods"))
    assert "No model is chosen" in words(press(app, "Clear this choice"))


def test_a_budget_is_set_and_prices_that_cannot_be_read_lead_back(app: AppTest, tmp_path: Path) -> None:
    fields = {field.label: field for field in app.number_input}
    fields["US dollars at most"].set_value(None)
    fields["Calls at most"].set_value(1)
    assert "This session's budget: 1 of 1 call left." in words(press(app, "Set the budget"))
    assert "Prices saved." in notices(press(app, "Save prices"))
    own = tmp_path / "prices.csv"
    assert prices.read(own.read_text(encoding="utf-8"), "own") == prices.shipped()
    own.write_text("model,above\nx,y\n", encoding="utf-8")
    assert "the first line must be model,above,input" in notices(app.run())
    assert "Default prices restored." in notices(press(app, "Restore default prices"))
    assert not own.exists()
    # A fault of the file is said in words of the table.
    assert budgets._words("line 3: input is not a number") == "row 2: “Read” is not a number"


def test_results_are_deleted_and_those_of_a_paste_are_saved_only_where_the_user_says_so(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    support_cache.default().put({b"k" * 16: 0.5})
    press(app.run(), "Delete all saved results")
    assert "All saved results are deleted." in notices(app)
    saved: list[bool] = []

    def submit(*_: object, keep: bool, **__: object) -> Any:
        saved.append(keep)
        return SimpleNamespace(future=SimpleNamespace(done=lambda: True, result=lambda: None), remote=False, words="")

    monkeypatch.setattr(app_worker, "worker", lambda: SimpleNamespace(submit=submit, warm=lambda *_: None))
    monkeypatch.setattr(case_sets, "edited", lambda _: False)
    for wanted in (False, True):
        app.switch_page("pages/methods.py").run().toggle("keep_private").set_value(wanted).run()
        saved.clear()
        app.switch_page("pages/cases.py").run().text_area("paste_context_1").set_value("It is due.")
        app.text_area("paste_response").set_value(f"It is due now, {wanted}.")
        app.button("paste_check").click().run()
        app.switch_page("pages/heatmap.py").run()
        assert set(saved) == {wanted}


def _offer() -> None:
    from components.methods.advice import offer

    offer("quip", "QUIP", "open_with", "said", earned=False, why="It is not shown to do better than chance.")


def test_a_judge_that_is_not_shown_to_be_right_cannot_open_the_heatmap() -> None:
    button = AppTest.from_function(_offer, default_timeout=120).run().button("open_with")
    assert (button.disabled, button.help) == (True, "It is not shown to do better than chance.")
