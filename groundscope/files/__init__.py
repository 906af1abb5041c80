"""Bytes of files -> rows, fields and texts, with limits on time and memory so that a hostile file cannot harm the machine."""
