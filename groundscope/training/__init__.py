"""Training: classifiers fine-tuned on labelled cases, and ensembles of methods."""
