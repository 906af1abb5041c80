"""Edits of a grounded response that make it subtly ungrounded: legal operators, and a chat model."""

__all__ = ["by_hand", "by_model", "source", "variants", "whole_set"]
