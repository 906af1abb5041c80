"""Which methods are used where nobody chose any."""

from collections.abc import Callable

CLASSIFIER = "grounding_classifier"
EMBEDDER = "cos_sim:minilm"
"""What embeds; always is here."""
OPENING = ("ensemble", CLASSIFIER, EMBEDDER)
"""The heatmap opens with the first of them that can run. The ensemble's AUROC is above the classifier's on whole responses of the
sample set and of SummEdits, and hardly below it elsewhere (the figures: `models/grounding-minilm/README.md`)."""
DEFAULTS = (*OPENING, "quip", "overlap")
"""Judge a set from a shell, those of them that can run."""


def ready(methods: tuple[str, ...], load: Callable[[str], object]) -> tuple[str, ...]:
    """Those of some methods that can run here.

    Args:
        methods: ids.
        load: builds a method by its id.
    """
    return tuple(m for m in methods if not getattr(load(m), "unavailable", str)())
