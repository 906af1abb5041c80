"""Which embedder and which model matter: the fit, and its tables as the paper prints them (Butler and Butler 2026)."""

from groundscope.rag.effects.fit import APART, NEVER_RUN, NO_VARIANCE, TOO_FEW, CannotTell, Combination, Effect, Fit, Joint

__all__ = [
    "APART", "NEVER_RUN", "NO_VARIANCE", "TOO_FEW", "CannotTell", "Combination", "Effect", "Fit", "Joint", "axes", "printed",
]  # fmt: skip
