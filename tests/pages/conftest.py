"""Pages without the slow model: it loads for seconds, and no page waits for it."""

import pytest

from components.worker import scoring
from groundscope.methods import defaults


@pytest.fixture(autouse=True)
def still_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """The grounding classifier is being loaded for as long as a test takes."""
    monkeypatch.setattr(scoring, "_cold", {defaults.CLASSIFIER})
    monkeypatch.setattr(scoring, "warm", lambda: None)
