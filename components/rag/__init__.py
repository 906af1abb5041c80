"""The Legal RAG page: begin an experiment, watch it, and see where answers fail."""

__all__ = ["page"]
