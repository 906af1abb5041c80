"""The verb `citations` and what it shows."""
