"""The review page without a browser: a store that cannot be used, and decisions that a browser sends."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from components import case_sets
from components.review import exports, queue, saving
from groundscope.cases.pasted_store import PastedCases
from groundscope.review import default, matters
from groundscope.review.decisions import ReviewDecision, Ruling, case_key
from groundscope.review.report import report_content
from groundscope.storage.database import FILE
from groundscope.storage.team.acting import Person, Role, use_logins
from groundscope.types import Case, Passage
from tests.pages.drawn import html, opened, press, session


@pytest.fixture
def app(data: Path) -> AppTest:
    """A reviewer with the first sample open."""
    group = case_sets.sets()[case_sets.SAMPLES]
    return session(**{queue.NAME: "Ada", "review_set": group.name, "review_case": group.cases[0].id})


def test_a_store_that_cannot_be_used_is_named_and_the_page_stands(app: AppTest, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    app.switch_page("pages/review.py").run()
    assert "is damaged or not a file of decisions and matters; move it away" in html(app)
    assert (tmp_path / FILE).read_bytes() == b"no database" * 100
    # Moved away, the page works without a restart.
    (tmp_path / FILE).unlink()
    app.run()
    assert "0 of 421 cases read, 2,851 sentences left." in html(app)
    assert default().all() == ()


def test_without_a_name_nothing_is_kept_and_the_page_says_what_would_be(data: Path) -> None:
    assert "Each decision is saved at once in the data of this app" in html(opened("review"))
    assert not (data / FILE).exists()


def test_a_reviewer_without_a_set_or_with_a_link_to_nothing_opens_on_the_start(data: Path) -> None:
    app = session(**{queue.NAME: "Ada"}).switch_page("pages/review.py").run()
    assert "You review as Ada." in html(app)
    assert queue.LINK not in app.query_params
    labels = ["Create a matter and drop in its documents", "Load a file of cases", "Try a sample"]
    assert [b.label for b in app.button if b.label in labels] == labels
    app.query_params[queue.LINK] = "0" * 32
    app.run()
    assert "The case in the link is not loaded in this session." in html(app)
    assert "You review as Ada." in html(app)
    press(app, "Try a sample")
    assert app.query_params[queue.LINK] == case_key(case_sets.sets()[case_sets.SAMPLES].cases[0])
    press(app, "Back to the start")
    assert "You review as Ada." in html(app)
    assert queue.LINK not in app.query_params


def test_matters_and_queues_stand_at_the_start_with_how_many_answers_are_unread(data: Path) -> None:
    matter = matters.default().create("Doe v. Roe <b>")
    passages = (Passage("p", "Rent is due in May."),)
    cases = [
        matters.default().add_answer(matter, Case("x", "When?", passages, answer)).case for answer in ("In May.", "In <b> June.")
    ]
    default().decide(cases[0], "Ada", ReviewDecision(0, Ruling.SUPPORTED))
    default().queues.assign("Urgent", ["Ada"], cases)
    app = session(**{queue.NAME: "Ada"}).switch_page("pages/review.py").run()
    assert "Queue 1: Urgent: 2 cases, 1 unread" in html(app)
    assert "Doe v. Roe &lt;b&gt;: 2 answers, 1 unread" in html(app)
    assert html(app).count("Doe v. Roe &lt;b&gt;: 2 answers") == 1
    next(b for b in app.button if b.key == "start_open_Matter Doe v. Roe <b>").click().run()
    # The first answer is read.
    assert app.query_params[queue.LINK] == case_key(cases[1])


def test_a_name_outlives_the_session_and_is_forgotten_for_another(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_sets, "pasted_store", lambda: PastedCases("a" * 43))
    app = session().switch_page("pages/review.py").run()
    app.text_input(key="review_name_field").set_value(" Ada  <b> ")
    press(app, "Begin")
    assert "You review as Ada &lt;b&gt;." in html(app)
    assert "Ada" not in str(dict(app.query_params))
    later = session().switch_page("pages/review.py").run()
    assert "You review as Ada &lt;b&gt;." in html(later)
    press(later, "Review under another name")
    assert [t.label for t in later.text_input] == ["Your name"]
    assert [t.label for t in session().switch_page("pages/review.py").run().text_input] == ["Your name"]
    assert not any(b"Ada" in path.read_bytes() for path in data.rglob("*") if path.is_file())


@pytest.mark.parametrize("in_view", [None, False, True])
def test_whether_seen_findings_stand_in_view_outlives_a_reload(data: Path, in_view: bool | None) -> None:
    case = case_sets.sets()[case_sets.SAMPLES].cases[0]
    default().reveal("Ada", case)
    app = session(**{queue.NAME: "Ada", "review_views": {("Ada", case_key(case)): in_view}}).switch_page("pages/review.py")
    app.query_params[queue.LINK] = case_key(case)
    app.run()
    later = session(**{queue.NAME: "Ada"}).switch_page("pages/review.py")
    for name, words in app.query_params.items():
        later.query_params[name] = words
    labels = [b.label for b in later.run().button]
    assert ("Decide without them" in labels) == (in_view is None)
    assert ("Reveal what methods, labels and others say" in labels) == (in_view is False)


def test_a_pack_builds_its_report_at_the_click_and_is_old_once_something_is_decided(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    monkeypatch.setattr(exports, "report_content", lambda *of, **more: built.append("") or report_content(*of, **more))
    app.switch_page("pages/review.py").run().run()
    assert built == []
    press(app, "Make an evidence pack")
    assert built == [""]
    assert "Seal: " in html(app)
    assert [b.label for b in app.button if "pack" in b.label] == []
    default().decide(case_sets.sets()[case_sets.SAMPLES].cases[0], "Ada", ReviewDecision(0, Ruling.SUPPORTED))
    app.run()
    assert "Something has changed since it was made." in html(app)
    assert [b.label for b in app.button if "pack" in b.label] == ["Make the pack again"]
    assert built == [""]


def test_what_waits_and_is_refused_is_said_and_saved_when_it_can_be(app: AppTest, tmp_path: Path) -> None:
    case = case_sets.sets()[case_sets.SAMPLES].cases[0]
    item = {"n": 7, "sentence": 0, "ruling": "supported", "after": 0}
    app.session_state["review_held"] = [saving._Held(case, "Ada", item)]
    assert default().all() == ()
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("CREATE TRIGGER stop BEFORE INSERT ON decisions BEGIN SELECT RAISE(ABORT, 'no room'); END")
        app.switch_page("pages/review.py").run()
        assert "no room" in html(app)
        assert "Not saved yet: 1 decision" in html(app)
        db.execute("DROP TRIGGER stop")
    app.run()
    assert "Saved: 1 decision that waited" in html(app)
    assert [d.decision.ruling for d in default().all()] == ["supported"]


def test_what_waits_of_a_person_whose_role_is_gone_is_said_and_not_saved(app: AppTest) -> None:
    case = case_sets.sets()[case_sets.SAMPLES].cases[0]
    who = Person("ada@example.org", Role.READER)
    app.session_state["review_held"] = [saving._Held(case, who.email, {"n": 7, "sentence": 0, "ruling": "supported", "after": 0})]
    use_logins(lambda: who)
    try:
        app.switch_page("pages/review.py").run()
        assert "Not saved: This needs a reviewer, and you are a reader." in html(app)
        assert app.session_state["review_held"] == []
        assert default().all() == ()
        app.run()
        assert "Not saved" not in html(app)
    finally:
        use_logins(None)


def test_what_came_twice_is_kept_once_and_lands_on_the_case_it_was_decided_of(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = case_sets.sets()[case_sets.SAMPLES].cases[:2]
    by_key = {case_key(c): c for c in (first, second)}
    items = [
        {"n": 1, "id": "a.1", "case": case_key(first), "sentence": 0, "ruling": "contradicted"},
        {"n": 2, "id": "a.2", "case": case_key(first), "sentence": 0, "note": "Why."},
        {"n": 3, "id": "a.3", "case": "0" * 32, "sentence": 0, "ruling": "supported"},
    ]
    # A server that was killed knows nothing of the session any more; the page has gone on to the second case.
    for _ in range(2):
        monkeypatch.setattr(st, "session_state", {})
        saving.keep(second, "Ada", items, by_key.get)
        assert st.session_state[saving.DONE] == 3
    kept = [(d.case, d.decision.ruling, d.decision.note) for d in default().all()]
    assert kept == [(case_key(first), "contradicted", ""), (case_key(first), "contradicted", "Why.")]
