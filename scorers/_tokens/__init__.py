"""Token classifiers: which words of an answer are not supported."""
