"""The chat model of a session: which one, consent, budgets, prices and recordings."""
