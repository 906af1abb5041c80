"""Reviewing answers: what people decide of sentences, what they saw when they did, and what becomes of it."""

from groundscope.review.decisions import ReviewDecision, Ruling, SourcePlace, StoredDecision, case_key, reviewer_name
from groundscope.review.store import ReviewStore, default

__all__ = ["ReviewDecision", "ReviewStore", "Ruling", "SourcePlace", "StoredDecision", "case_key", "default", "reviewer_name"]
