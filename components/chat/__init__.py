"""The chat model of a session: which one, consent, budgets and prices."""

__all__ = ["budgets", "model", "prompts"]
