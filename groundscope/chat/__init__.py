"""Chat models: messages, model specs, conversations, JSON replies, prices, budgets."""

__all__ = [
    "addresses", "budget", "clients", "conversation", "json_reply", "messages", "model_spec", "prices", "prompt_files",
    "providers", "replies",
]  # fmt: skip
