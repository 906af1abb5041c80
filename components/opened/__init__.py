"""What a page has open: a case with its bar, or a run with its thresholds, its split and its figures."""
