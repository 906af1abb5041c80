"""What the tests of the scorers share."""

from tests.scorers.conftest import case, check, cross_encoders, no_models_loaded, none_shipped

__all__ = ["case", "check", "cross_encoders", "no_models_loaded", "none_shipped"]
