"""Review of answers: decisions of people on sentences, whether they were made blind, and the labels and reports that result."""

from groundscope.review.decisions import ReviewDecision, Ruling, SourcePlace, StoredDecision, case_key, reviewer_name
from groundscope.review.store import ReviewStore, default

__all__ = [
    "ReviewDecision", "ReviewStore", "Ruling", "SourcePlace", "StoredDecision", "audit", "case_key", "decisions", "default",
    "matters", "pack", "queues", "ratings", "redline", "redline_docx", "report", "report_docx", "reviewer_name", "settling",
    "side_by_side", "sources",
]  # fmt: skip
