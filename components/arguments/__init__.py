"""The Arguments page: make triples, have them argued, and see what is invented, left out, and argued where nothing can be."""
