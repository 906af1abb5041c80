"""Training: classifiers fine-tuned on labelled cases."""
