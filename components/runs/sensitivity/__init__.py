"""The page of sensitivity: which kinds of edits each method notices."""
