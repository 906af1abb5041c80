"""What each method notices: sound sentences beside variants of them that differ in one legal edit, or in form alone."""

__all__ = ["leave_one_out", "matrix", "pairs"]
