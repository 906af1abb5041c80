"""Files whose fields are not known: which field is the question, which the context, and so on."""

__all__ = ["field_mapping", "saved_mappings"]
