"""The methods of a session: built once until something that they depend on changes; what they lack is asked at each draw."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import scorers
from components import state
from components.scoring.session import this_session
from groundscope.chat.prompt_files import prompts, save_prompt
from groundscope.experiments.plan import Part
from groundscope.methods import Method, registry
from groundscope.methods.defaults import CLASSIFIER
from groundscope.paths import Variable

MODEL = "server:m@http://localhost:1/v1"


@pytest.fixture(autouse=True)
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session's state and a data folder of the test's own."""
    stored: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", stored)
    monkeypatch.setenv(Variable.DATA, str(tmp_path))
    return stored


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each method is built."""
    counted: Counter[str] = Counter()
    load = registry.load

    def count(method: str, /, **options: Any) -> Method:
        counted[method] += 1
        return load(method, **options)

    monkeypatch.setattr(registry, "load", count)
    return counted


def test_another_draw_builds_nothing_again_and_asks_once_what_is_missing(
    builds: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [m.id for m in this_session().shown] == [m.id for m in this_session().listed]
    assert sorted(builds) == sorted(registry.names())
    builds.clear()
    asked: Counter[str] = Counter()
    quip = type(this_session()["quip"].method)
    monkeypatch.setattr(quip, "unavailable", lambda self: asked.update([self.id]) or "Not now.")
    drawn = this_session()
    assert (drawn.recommendation.method, drawn["quip"].missing, drawn.of(["gone", "quip"])) == (
        drawn.listed[0].id,
        "Not now.",
        [drawn["quip"]],
    )
    assert (builds, asked) == (Counter(), Counter(["quip"]))


def test_an_option_a_chat_model_and_a_part_of_a_run_make_other_methods() -> None:
    before = this_session()
    state.options()["quip"] = {"n": 9}
    state.chat_model(MODEL)
    state.parts()["quip:short"] = Part("quip:short", method="quip", options={"n": 5})
    after = this_session()
    assert ("n=21" in before["quip"].signature, "n=9" in after["quip"].signature) == (True, True)
    assert (after["quip"].part.options, after["direct"].part.options) == ({"n": 9}, {"model": MODEL})
    part = after["quip:short"]
    assert (part.part.loads, part.part.options, part.about.title) == ("quip", {"n": 5}, "QUIP (short)")
    assert after.shown[-1] is part
    state.options().clear()
    assert this_session()["quip"].signature == before["quip"].signature


def test_a_prompt_of_the_users_is_read_again_after_it_is_deleted_and_so_is_a_file_that_was_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = dict(prompts("direct")[0].texts)
    for task in (texts["task"], "Say what is false."):
        save_prompt("direct", "mine", {**texts, "task": task}, prompts("direct"))
        state.options()["direct"] = {"prompt": "mine"}
        used = this_session()["direct"].method.prompt_used()
        assert used is not None
        assert used.text("task") == task
        (tmp_path / "prompts" / "direct" / "mine.toml").unlink()
        assert "prompt must be one of" in this_session()["direct"].missing
    folder = tmp_path / "files"
    folder.mkdir()
    folders = [*scorers.__path__, str(folder)]
    monkeypatch.setattr(scorers, "__path__", folders)
    monkeypatch.setattr(scorers.__spec__, "submodule_search_locations", folders)
    (folder / "shouts.py").write_text("import no_such_package")
    assert "no_such_package" in this_session()["shouts"].missing
    method = "from scorers.quip import Quip\n\n\nclass Shouts(Quip):\n    pass\n"
    (folder / "shouts.py").write_text(method)
    assert this_session()["shouts"].missing == ""


def test_a_method_that_combines_others_weighs_more_than_they_do() -> None:
    methods = this_session()
    cascade = methods["cascade"]
    assert [m.id for m in cascade.members] == list(cascade.method.methods)
    assert cascade.megabytes > max(m.megabytes for m in cascade.members)
    assert (methods["quip"].quick, methods[CLASSIFIER].quick) == (True, False)
