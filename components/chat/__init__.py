"""The chat model of a session: which one, consent, budgets and prices."""
