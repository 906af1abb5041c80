"""Properties without time limits, the same examples on every run."""

from hypothesis import settings

settings.register_profile("groundscope", deadline=None, database=None, derandomize=True)
settings.load_profile("groundscope")
