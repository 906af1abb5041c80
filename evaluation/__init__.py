"""What is measured: cases, sentences, judgements, decisions. No user interface, no models."""
