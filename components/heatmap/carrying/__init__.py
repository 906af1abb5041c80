"""What carries a sentence: the panel under the heatmap that leaves out each source and each sentence of it."""
