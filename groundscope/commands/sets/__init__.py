"""Verbs about sets of cases: checks of them, and sets made of them."""
