"""The methods that are used unless the user chooses others."""

CLASSIFIER = "grounding_classifier"
EMBEDDER = "cos_sim:minilm"
"""The embedder that ships with the app, so that it is always available."""
OPENING = ("ensemble", CLASSIFIER, EMBEDDER)
"""The heatmap opens with the first of them that can run. The ensemble's AUROC is above the classifier's on whole responses of the
sample set and of SummEdits, and hardly below it elsewhere (the figures: `models/grounding-minilm/README.md`)."""
DEFAULTS = (*OPENING, "quip", "overlap")
"""The methods that a shell run judges with, as far as they can run here."""
