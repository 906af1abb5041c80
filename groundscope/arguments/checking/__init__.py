"""A human check of the extractors: a sample is drawn, a person says which factors stand in a text, and how far they agree."""
