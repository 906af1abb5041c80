"""Cases: reading, checking, labelling, summarising and editing."""
