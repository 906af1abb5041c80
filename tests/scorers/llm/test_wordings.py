"""Rewordings of prompts: each file fits its method, and changes the instructions alone."""

import tomllib

import pytest

from groundscope.methods import registry
from scorers._chat.prompted import Prompted
from scorers._chat.wordings import FOLDER
from tests.scorers.llm.conftest import Serve
from tests.scorers.llm.scripts import CASE, line, load, passes

FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))


@pytest.mark.parametrize("name", FILES)
def test_every_rewording_fits_its_method_and_changes_all_that_it_names(name: str) -> None:
    method = registry.load(name.rpartition("-")[0])
    assert isinstance(method, Prompted)
    made = [method.reworded(number) for number in range(1, len(FILES))]
    own = [m.rewording for m in made if m is not None and m.rewording]
    assert name in [r.name for r in own]
    texts = [text for text in method.WORDING if isinstance(text, str)]
    for text in tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))["texts"]:
        assert any(text["was"] in said for said in texts)
        # The form of the reply is no matter of style.
        assert "JSON" not in text["was"]
        assert text["was"] != text["now"]


def test_signatures_differ_and_the_own_words_keep_theirs() -> None:
    method = registry.load("direct")
    made = [method.reworded(number) for number in (1, 2)]
    assert None not in made
    assert len({method.signature, *(m.signature for m in made if m)}) == 3
    assert method.reworded(0) is None
    assert method.reworded(3) is None
    assert registry.load("quip").reworded(1) is None
    # What a model was trained on cannot be said in other words.
    assert registry.load("direct:granite-guardian").reworded(1) is None


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
