"""Methods: what each measures and needs, its weights, its options, and what is kept on disk."""

from components import catalogue, kept, shell

shell.frame("Methods")
catalogue.show()
kept.show()
