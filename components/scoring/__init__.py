"""What a session scores with: its methods, the models that these ask, the thresholds in use, and the results of its cases."""

__all__ = ["app_worker", "asking", "judging", "rules_in_use", "session"]
