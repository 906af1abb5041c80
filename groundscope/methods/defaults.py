"""The methods that are used unless the user chooses others."""

from groundscope.paths import set_setting, settings
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role

CLASSIFIER = "grounding_classifier"
EMBEDDER = "cos_sim:minilm"
"""The embedder that ships with the app, so that it is always available."""
OPENING = (CLASSIFIER, EMBEDDER)
"""The heatmap opens with the first of them that can run. On the test part of the samples the classifier is
shown to be better than chance and than the embedder, by sentence and by response. The ensemble is not shown to be better than the
classifier, its best method, so it does not open the heatmap (the figures: benchmarks/README.md)."""
SETTING = "opening_method"
"""Holds the method that the user chose to open with."""


def opening() -> tuple[str, ...]:
    """List the methods that may open the heatmap."""
    chosen = settings().get(SETTING)
    return (chosen, *OPENING) if isinstance(chosen, str) else OPENING


def open_with(method: str | None) -> None:
    """Choose the method that opens the heatmap, for everyone who uses this data folder."""
    require(Role.LEAD)
    set_setting(SETTING, method)


DEFAULTS = ("ensemble", *OPENING, "quip", "overlap")
"""The methods that a shell run judges with, as far as they can run here."""
