"""The methods page: what each method measures and needs, its weights and options."""

__all__ = ["catalogue", "saved_results"]
