"""Text: sentences, facts, differences, alignment with a context, and location of quotes."""
