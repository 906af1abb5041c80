"""Chat models: messages, model specs, conversations, JSON replies, prices, budgets."""
