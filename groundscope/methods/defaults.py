"""Default methods. Which one is recommended says `groundscope.methods.advice`."""

from groundscope.paths import set_setting, settings

QUICK = "overlap"
"""Is there at once, while the recommended method takes seconds to load."""
CLASSIFIER = "grounding_classifier"
EMBEDDER = "cos_sim:minilm"
"""The embedder that ships with the app, so that it is always available."""
EARLIER = {"grounding_classifier:smollm2": CLASSIFIER}
"""The id of today of a method by an id that links, runs and settings of earlier versions hold."""
DEFAULTS = (QUICK, CLASSIFIER, EMBEDDER, "quip")
"""The methods that a shell run judges with, as far as they can run here."""
_SETTING = "opening_method"


def chosen() -> str | None:
    """Find the method that the user chose to open the heatmap with."""
    method = settings().get(_SETTING)
    return EARLIER.get(method, method) if isinstance(method, str) else None


def open_with(method: str | None) -> None:
    """Choose the method that opens the heatmap, for everyone who uses this data folder."""
    set_setting(_SETTING, method)
