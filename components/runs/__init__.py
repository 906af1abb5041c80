"""The runs page, and what all pages of a run share."""
