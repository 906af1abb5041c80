"""Groundscope from Python: score, look, save, run and compare, in notebooks and programs. `import groundscope` offers it."""

__all__ = ["runs", "scoring"]
