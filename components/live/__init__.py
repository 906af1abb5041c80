"""The page Live: answers of a running system."""
