"""Types that two chat models chose are kept with the set on a click: in place, or beside the sample set."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from components.case_sets import SAMPLES, CaseSet
from groundscope.cases.dataset import read, to_jsonl
from groundscope.cases.error_typing import Typed
from groundscope.types import Case, ErrorSpan, ErrorType, Passage

ROOT = Path(__file__).resolve().parents[2]
FACT, STEP = ErrorType.FACTUAL_INACCURACY, ErrorType.PROCEDURAL_ERROR
CASES = tuple(Case(f"c{i}", f"q{i}", (Passage("p", "Within 30 days."),), f"Answer {i}.", grounded=False) for i in range(4))
MARKED = replace(CASES[3], errors=(ErrorSpan(0, 6, STEP),))
SET = CaseSet("mine.jsonl", (*CASES[:3], MARKED))
TYPED = [
    Typed("c0", frozenset({FACT, STEP}), frozenset({FACT, STEP})),
    Typed("c1", frozenset({FACT}), frozenset({FACT})),
    Typed("c2", frozenset({FACT}), frozenset({STEP})),
    Typed("c3", frozenset({FACT}), frozenset({FACT})),
]


def opened(cases: tuple[Case, ...], typed: list[Typed], name: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["sets"] = {SET.name: SET}
    app.session_state["browse_set"] = name
    app.session_state["typing_found"] = (cases, ["a:one", "b:two"], typed)
    app.session_state["cases_tab"] = "Browse"
    app.switch_page("pages/cases.py").run()
    assert not app.exception, app.exception
    return app


def html(app: AppTest) -> str:
    return "\n".join(str(block.proto.body) for block in app.get("html"))


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))


def test_types_are_kept_with_the_set_and_leave_with_it() -> None:
    app = opened(SET.cases, TYPED, SET.name)
    assert "2 responses would get types in this set. 1 response with marked errors keeps the types of the marks." in html(app)
    app.button(key="typing_keep").click().run()
    assert not app.exception, app.exception
    kept = app.session_state["sets"][SET.name].cases
    assert [c.types for c in kept] == [(FACT, STEP), (FACT,), (), (STEP,)]
    assert "2 responses of “mine.jsonl” got types." in html(app)
    assert "These types are kept with the set." in html(app)
    assert not [b for b in app.button if b.key == "typing_keep"]
    assert read("mine.jsonl", to_jsonl(kept).encode()).cases == kept


def test_types_of_samples_make_a_set_of_their_own() -> None:
    samples = read("legal_qa.jsonl", (ROOT / "sample_data" / "legal_qa.jsonl").read_bytes()).cases
    wrong = [c for c in samples if c.grounded is False][:3]
    app = opened(samples, [Typed(c.id, frozenset({FACT}), frozenset({FACT})) for c in wrong], SAMPLES)
    # Every wrong sample has marked errors, so that there is nothing to keep.
    assert "No response gets a type that it does not have. 3 responses with marked errors keep the types" in html(app)
    assert not [b for b in app.button if b.key == "typing_keep"]
