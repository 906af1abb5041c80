"""A benchmark from a hub beside the page: while it loads, when it came, and when nothing did."""

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from components.rag import hub
from components.rag.hub import Loading
from groundscope.errors import Cancelled, DataError
from groundscope.rag.corpora.hub import LOCAL, Published
from groundscope.rag.types import Benchmark
from tests.groundscope.rag.parts import BENCHMARK

HOSTILE = "<img src=x onerror=alert(1)>/b"
PATIENCE = 20.0


def ended(load: Callable[[str, Event], Benchmark], name: str = "owner/name") -> Loading:
    loading = Loading(name)
    loading.begin(load)
    assert loading.thread is not None
    loading.thread.join(PATIENCE)
    assert not loading.works
    return loading


def failing(error: Exception) -> Callable[[str, Event], Benchmark]:
    def load(name: str, stop: Event) -> Benchmark:
        raise error

    return load


def test_what_came_is_there_when_it_no_longer_works() -> None:
    asked: list[str] = []

    def load(name: str, stop: Event) -> Benchmark:
        asked.append(name)
        return BENCHMARK

    loading = ended(load)
    assert (asked, loading.made, loading.refused) == (["owner/name"], BENCHMARK, "")


def test_one_that_was_not_begun_does_not_work() -> None:
    assert not Loading("owner/name").works


def test_a_load_works_until_it_is_stopped_and_says_so() -> None:
    begun = Event()

    def load(name: str, stop: Event) -> Benchmark:
        begun.set()
        assert stop.wait(PATIENCE)
        raise Cancelled("stopped")

    loading = Loading("owner/name")
    loading.begin(load)
    assert begun.wait(PATIENCE)
    assert loading.works
    loading.stop.set()
    assert loading.thread is not None
    loading.thread.join(PATIENCE)
    assert (loading.works, loading.made) == (False, None)
    assert loading.refused == f"Loading owner/name was stopped; {LOCAL}"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (DataError("No hub can be reached."), "No hub can be reached."),
        (KeyError("secret"), f"owner/name could not be loaded (KeyError); {LOCAL}"),
        (OSError("secret"), f"owner/name could not be loaded (OSError); {LOCAL}"),
    ],
)
def test_why_nothing_came_is_said_and_quotes_nothing(error: Exception, said: str) -> None:
    loading = ended(failing(error))
    assert (loading.made, loading.refused) == (None, said)


def test_what_a_hub_hands_out_becomes_a_benchmark_and_the_load_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def published(name: str, stop: Event) -> Published:
        given.extend((name, stop))
        return Published("CC0", b'{"id": "p", "text": "Rent is due."}', b'{"id": "q", "question": "What?", "answer": "Rent."}')

    monkeypatch.setattr("groundscope.rag.corpora.hub.published", published)
    loading = ended(hub._from_hub)
    assert given == ["owner/name", loading.stop]
    assert loading.made is not None
    assert (loading.made.name, loading.made.licence, [p.id for p in loading.made.passages]) == ("owner/name", "CC0", ["p"])


def _page() -> None:
    import streamlit as st

    from components.rag import hub as shown

    found = shown.show()
    st.text(f"came: {found.name}" if found else "nothing came")


def page(loading: Loading | None) -> AppTest:
    app = AppTest.from_function(_page)
    if loading is not None:
        app.session_state["rag_hub_loading"] = loading
    app.run()
    assert not app.exception, app.exception
    return app


def html_of(app: AppTest) -> str:
    return "\n".join(str(block.proto.body) for block in app.get("html"))


def test_what_came_is_handed_over_once() -> None:
    app = page(ended(lambda name, stop: BENCHMARK))
    assert app.text[0].value == f"came: {BENCHMARK.name}"
    app.run()
    assert app.text[0].value == "nothing came"
    assert app.button(key="rag_load_hub").disabled


def test_why_nothing_came_is_drawn_as_text_over_the_form() -> None:
    app = page(ended(failing(ValueError()), HOSTILE))
    assert "could not be loaded (ValueError)" in html_of(app)
    assert "<img" not in html_of(app)
    assert app.text_input(key="rag_hub").value == ""


def test_while_it_loads_it_can_be_cancelled() -> None:
    def load(name: str, stop: Event) -> Benchmark:
        stop.wait(PATIENCE)
        raise Cancelled

    loading = Loading(HOSTILE)
    loading.begin(load)
    app = page(loading)
    assert "Asking the hub for &lt;img" in html_of(app)
    assert app.text[0].value == "nothing came"
    app.button(key="rag_hub_cancel").click().run()
    assert loading.thread is not None
    loading.thread.join(PATIENCE)
    app.run()
    assert "was stopped" in html_of(app)


def test_a_name_begins_a_load(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    wanted = Event()

    def load(name: str, stop: Event) -> Benchmark:
        asked.append(name)
        assert wanted.wait(PATIENCE)
        return BENCHMARK

    monkeypatch.setattr(hub, "_from_hub", load)
    app = page(None)
    app.text_input(key="rag_hub").set_value("owner/name").run()
    app.button(key="rag_load_hub").click().run()
    assert "Asking the hub for owner/name" in html_of(app)
    wanted.set()
    app.session_state["rag_hub_loading"].thread.join(PATIENCE)
    app.run()
    assert app.text[0].value == f"came: {BENCHMARK.name}"
    assert asked == ["owner/name"]
