"""The Arguments page: make triples, have models argue them, and see invented, missed and wrongly ascribed factors."""

__all__ = ["page"]
