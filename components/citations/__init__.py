"""Citations on pages: the layer of the heatmap, and the citation recall page."""

__all__ = ["page"]
