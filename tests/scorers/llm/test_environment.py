"""The model that the environment names: used where nothing else is chosen, and no trouble where it cannot be meant."""

import pytest

from groundscope.errors import ModelUnavailable
from groundscope.methods import registry
from groundscope.types import Status
from tests.scorers.llm.conftest import Serve
from tests.scorers.llm.scripts import case, line, passes

METHODS = ("direct", "lynx", "refchecker", "claims_verify", "multi_gen")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("named", ["nonsense", "openai:", "server:x", "anthropic:a b", "server:x@http://u:p@h/v1"])
def test_a_name_that_cannot_be_meant_leaves_every_method_listed_and_says_why(
    named: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_MODEL", named)
    scorer = registry.load(method)
    assert "|model=none" in scorer.signature
    missing = scorer.unavailable()  # type: ignore[attr-defined]
    assert "GROUNDSCOPE_MODEL" in missing or "lynx" in missing.lower()
    judgement = scorer.score(case("It was dismissed.", "It was dismissed."))
    assert (judgement.status, judgement.calls) == (Status.FAILED, 0)
    with pytest.raises(ModelUnavailable):
        scorer.estimate(case("It was dismissed.", "It was dismissed."))  # type: ignore[attr-defined]


def test_what_the_environment_names_is_asked_where_nothing_is_chosen(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(passes)
    monkeypatch.setenv("GROUNDSCOPE_MODEL", line("server", server))
    assert registry.load("direct").score(case("It was dismissed.", "It was dismissed.")).status is Status.SCORED
    assert len(server.asked) == 1
