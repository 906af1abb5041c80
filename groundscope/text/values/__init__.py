"""Figures of a text as values: kind, amount and unit, so that equal ones are equal however they are written."""

__all__ = ["grammar", "lookup", "measures", "numbers", "provision_index", "provisions", "types", "words"]
