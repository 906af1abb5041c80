"""Which passage carries an answer, on the page without a browser."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from groundscope.experiments.plan import Place
from groundscope.rag import experiments
from groundscope.rag.dropping import Dropped, PassageEffect
from groundscope.rag.types import Verdict, Written
from tests.groundscope.rag.parts import begun, parts, worked

ROOT = Path(__file__).resolve().parents[2]
GOOD = Verdict(True, True)
ROWS = (
    Dropped(None, Written("Rule 0."), GOOD, 0.0, None),
    Dropped(0, Written("Rule 1."), Verdict(False, True), 0.5, PassageEffect.CARRIES),
    Dropped(1, Written("Rule 0."), GOOD, 0.0, PassageEffect.NONE),
    Dropped(2, Written("Rule 0."), GOOD, 0.0, PassageEffect.NONE),
)


def shown(rows: Sequence[Dropped]) -> str:
    made = parts()
    file = begun(made)
    worked(file, made)
    for retriever in range(2):
        file.keep(Place(0, retriever, 0), experiments.drops_result(rows))
    file.close()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["rag_drop"] = True
    app.switch_page("pages/legal_rag.py").run()
    assert not app.exception, app.exception
    return "\n".join(str(block.proto.body) for block in app.get("html"))


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))


def test_what_was_found_before_a_stop_is_shown_as_a_part() -> None:
    text = shown(ROWS[:2])
    assert "It was stopped after 2 of 4 answers; try it again for the others." in text
    assert "carries the answer" in text


def test_what_is_whole_is_not_called_stopped() -> None:
    text = shown(ROWS)
    assert "carries the answer" in text
    assert "It was stopped" not in text
    assert "answered and judged 4 times" in text
