"""The library: cases, methods, statistics and experiments. No user interface, no models."""
