"""What `python -m groundscope` does, verb by verb: it ties scorers and evaluation together and measures nothing itself."""
