"""The heatmap page: one case under all chosen methods."""

__all__ = ["chooser", "editing", "view"]
