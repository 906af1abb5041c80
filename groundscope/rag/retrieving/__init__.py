"""What finds passages: by words, by vectors, and what varies of it."""
