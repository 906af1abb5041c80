"""The thresholds page: tune on dev, freeze, then read test."""

__all__ = ["page"]
