"""Legal citations: read with offsets, resolved, looked up in a context, and scored by L-FRESCO and FRESCO."""
