"""Hands on: sentences typed over on the heatmap, their old values beside the new, and variants to keep."""
