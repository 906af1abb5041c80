"""The citation recall page: two analyses beside each other, systems over a batch, key points, and what is loaded."""

from functools import partial

from components.citations import one, points, sources, systems
from components.controls import tabs


def show() -> None:
    """The whole page."""
    batch = sources.choose()
    sources.notes(batch)
    parts = {"Citations": one.show, "Systems": systems.show, "Key points": points.show}
    tabs({title: partial(draw, batch) for title, draw in parts.items()} | {"Load texts": sources.load}, "cites_page")
