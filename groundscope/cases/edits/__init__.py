"""Edits of a grounded response that make it subtly ungrounded: legal operators, and a chat model."""
