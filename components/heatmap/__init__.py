"""The heatmap page: one case under all chosen methods."""
