"""Which methods are used where nobody chose any."""

from collections.abc import Callable

OPENING = "grounding_classifier"
"""The method that the heatmap opens with, where its weights are here."""
EMBEDDER = "cos_sim:minilm"
"""What embeds, always is here, and opens the heatmap where `OPENING` cannot run."""
DEFAULTS = (OPENING, EMBEDDER, "quip", "overlap")
"""Judge a set from a shell, those of them that can run."""


def ready(methods: tuple[str, ...], load: Callable[[str], object]) -> tuple[str, ...]:
    """Those of some methods that can run here.

    Args:
        methods: ids.
        load: builds a method by its id.
    """
    return tuple(m for m in methods if not getattr(load(m), "unavailable", str)())
