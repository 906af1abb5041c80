"""The methods that are used unless the user chooses others."""

from groundscope.paths import settings

CLASSIFIER = "grounding_classifier"
EMBEDDER = "cos_sim:minilm"
"""The embedder that ships with the app, so that it is always available."""
OPENING = ("ensemble", CLASSIFIER, EMBEDDER)
"""The heatmap opens with the first of them that can run. The ensemble's AUROC is above the classifier's on whole responses of the
sample set and of SummEdits, and hardly below it elsewhere (the figures: `models/grounding-minilm/README.md`)."""
SETTING = "opening_method"
"""Holds the method that the user chose to open with."""


def opening() -> tuple[str, ...]:
    """List the methods that may open the heatmap.

    Returns:
        Ids in the order in which they are tried: the user's choice, if there is one, then `OPENING`.
    """
    chosen = settings().get(SETTING)
    return (chosen, *OPENING) if isinstance(chosen, str) else OPENING


DEFAULTS = (*OPENING, "quip", "overlap")
"""The methods that a shell run judges with, as far as they can run here."""
