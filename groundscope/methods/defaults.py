"""Default methods."""

from groundscope.paths import set_setting, settings
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role

CLASSIFIER = "grounding_classifier"
EMBEDDER = "cos_sim:minilm"
"""The embedder that ships with the app, so that it is always available."""
OPENING = ("overlap", CLASSIFIER, EMBEDDER)
"""The order of the heatmap, which opens with the first of them that can run. `overlap` is there at once; the classifier is the
better judge, and takes seconds to load, so its row fills in later."""
EARLIER = {"grounding_classifier:smollm2": CLASSIFIER}
"""The id of today of a method by an id that links, runs and settings of earlier versions hold."""
LEADING = OPENING[:2]
"""The methods whose rows the heatmap always shows; the others on demand."""
SETTING = "opening_method"
"""Holds the method that the user chose to open with."""


def opening() -> tuple[str, ...]:
    """List the methods that may open the heatmap."""
    chosen = settings().get(SETTING)
    return (EARLIER.get(chosen, chosen), *OPENING) if isinstance(chosen, str) else OPENING


def open_with(method: str | None) -> None:
    """Choose the method that opens the heatmap, for everyone who uses this data folder."""
    require(Role.LEAD)
    set_setting(SETTING, method)


DEFAULTS = (*OPENING, "quip")
"""The methods that a shell run judges with, as far as they can run here."""
