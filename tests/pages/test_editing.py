"""Sentences typed over on the heatmap: old beside new, undo, what is kept and where, and what never leaves the session."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components import case_sets, state
from components.case_sets import CaseSet
from components.heatmap import editing
from groundscope.cases.edits.by_hand import EditHistory, TextPlace, response_place
from groundscope.cases.pasted_store import PastedCases
from groundscope.drawing.board import prepared
from groundscope.types import Case, ErrorType, Passage
from tests.loops import each
from tests.pages.drawn import html, session
from tests.pages.test_pages import open_case

ANSWER = "The tenant may appeal. The notice is due in 30 days. The court may extend it."
CASE = Case(
    "rent", "When?", (Passage("p1", "A tenant may appeal. Notice is due within 30 days. A court may extend it."),), ANSWER, True
)
TYPED = "The notice is due in $60_ days <script>alert(1)</script> שלום."


@pytest.fixture
def app(store: PastedCases) -> AppTest:
    """Not run yet: the overview would score its own samples first."""
    return session(**{state.METHODS: ["overlap", "quip"]})


def edit(app: AppTest, *steps: Callable[[EditHistory], EditHistory]) -> AppTest:
    history = EditHistory.of(CASE)
    for step in steps:
        history = step(history)
    app.session_state["edits"] = {CASE: history}
    open_case(app, CASE)
    deadline = time.monotonic() + 60
    while (" → " not in html(app) or app.session_state["jobs"]) and time.monotonic() < deadline:
        app.run()
    return app


def over(sentence: int, text: str) -> Callable[[EditHistory], EditHistory]:
    def step(history: EditHistory) -> EditHistory:
        place = response_place(history.shown.case, sentence)
        assert place
        return history.typed(place, text, (0, 0))

    return step


def shown(app: AppTest) -> Case:
    history: EditHistory = app.session_state["edits"][CASE]
    return history.shown.case


def test_old_values_stand_beside_the_new_and_undo_and_redo_lead_through_the_versions(app: AppTest, tmp_path: Path) -> None:
    edit(app, over(1, TYPED))
    text = html(app)
    assert "Edited by hand: 1 edit. In this session only; the link opens the original." in text
    assert "Original → now" in text
    assert "<script>" not in text
    assert list(app.query_params) == ["case"], "the link has no text"
    assert "".join(app.query_params["case"]) == "rent", "it opens the original"
    assert {key[1].response for key in app.session_state["judgements"]} == {ANSWER, shown(app).response}
    app.button(key="edit_undo").click().run()
    assert shown(app) == CASE
    assert "Original → now" not in html(app)
    app.button(key="edit_redo").click().run()
    assert TYPED in shown(app).response
    app.button(key="edit_back").click().run()
    assert shown(app) == CASE
    # The store of supports is for numbers under hashes; nothing else of the session is on the disk.
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"alert(1)" in path.read_bytes()]


def test_a_variant_is_kept_among_the_users_own_cases_with_span_type_and_parent(app: AppTest, store: PastedCases) -> None:
    edit(app, over(1, TYPED))
    app.text_input(key="edit_name").set_value("Two months_")
    app.selectbox(key="edit_kind").set_value(ErrorType.FACTUAL_INACCURACY.value)
    app.text_input(key="edit_note").set_value("The rule says 30.")
    app.button(key="edit_keep").click().run()
    (variant,) = app.session_state["sets"][case_sets.PASTED].cases
    assert store.cases() == (variant,)
    assert (variant.id, variant.parent, variant.group, variant.grounded) == ("rent-Two-months", "rent", "rent", False)
    assert [(variant.response[e.start : e.end], e.type, e.why) for e in variant.errors] == [
        ("$60_ days <script>alert(1)</script> שלום.", ErrorType.FACTUAL_INACCURACY, "The rule says 30.")
    ]
    assert "Kept as rent-Two-months, ungrounded with 1 marked place." in html(app)
    assert "".join(app.query_params["case"]) == "rent-Two-months"
    assert app.session_state["edits"] == {}
    app.switch_page("pages/cases.py").run()
    assert "Variant of rent: When?" in html(app)


def test_a_paraphrase_is_kept_as_grounded_under_an_id_that_no_other_tab_has_used(app: AppTest, store: PastedCases) -> None:
    store.add(replace(CASE, id="rent-edited"))
    edit(app, over(0, "A tenant may appeal."))
    app.button(key="edit_keep").click().run()
    assert [(c.id, c.grounded, c.errors) for c in store.cases()] == [("rent-edited", True, ()), ("rent-edited-2", True, ())]


def test_an_error_cannot_be_marked_where_no_word_of_the_answer_changed(app: AppTest) -> None:
    edit(app, lambda h: h.typed(TextPlace(0, 20, 0), "No tenant may appeal.", (0, 0)))
    assert "Only sources changed" in html(app)
    app.selectbox(key="edit_kind").set_value(ErrorType.MISATTRIBUTION.value)
    app.button(key="edit_keep").click().run()
    assert "no error can be marked in it" in html(app)
    assert case_sets.PASTED not in app.session_state["sets"]


def test_what_cannot_be_kept_for_the_next_visit_is_in_the_session_and_says_so(app: AppTest, tmp_path: Path) -> None:
    (tmp_path / "pasted").write_text("a file, where the folder should be")
    edit(app, over(0, "A tenant may appeal."))
    app.button(key="edit_keep").click().run()
    assert "Kept as rent-edited for this session. What this browser keeps cannot be saved or deleted" in html(app)
    assert [c.id for c in app.session_state["sets"][case_sets.PASTED].cases] == ["rent-edited"]


def message(about: Case, **more: Any) -> dict[str, Any]:
    return {"case": prepared(about).key, "where": "response", "index": 1, "sentence": 1, "text": "It is due."} | more


@pytest.fixture
def without_page(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session without a page."""
    values: dict[str, Any] = {"sets": {"Test": CaseSet("Test", (CASE,))}, "options": {}}
    monkeypatch.setattr("streamlit.session_state", values)
    monkeypatch.setattr("components.state.st.session_state", values)
    return values


@each(
    "sent",
    [
        None,
        message(CASE, text=7),
        message(CASE, index="1"),
        message(CASE, index=-1),
        message(CASE, where="source", index=99),
        message(CASE, case="another"),
        message(CASE, text="The notice is due in 30 days."),
    ],
)
@pytest.mark.usefixtures("without_page")
def test_a_message_that_no_board_would_send_changes_nothing(sent: object) -> None:
    assert not editing.take(CASE, sent, ())
    assert case_sets.edits() == {}


@pytest.mark.usefixtures("without_page")
def test_an_edited_case_is_private_and_needs_consent_of_its_own() -> None:
    assert editing.take(CASE, message(CASE), ())
    made = editing.shown(CASE)
    assert made.response == ANSWER.replace("The notice is due in 30 days.", "It is due.")
    assert case_sets.may_keep(CASE)
    assert not case_sets.may_keep(made)
    assert editing.take(made, message(made, where="source", index=0, text="None may."), ())
    assert editing.shown(CASE).context[0].text.startswith("None may. Notice")
    assert case_sets.original(made) == CASE
    assert not case_sets.edited(CASE)
    assert not case_sets.edited(replace(CASE, response="Another."))


def test_what_is_too_long_is_refused_with_a_message(without_page: dict[str, Any]) -> None:
    assert editing.take(CASE, message(CASE, text="x" * 100_000), ())
    assert case_sets.edits() == {}
    assert "100,000 characters" in without_page["said_editing"][1]
