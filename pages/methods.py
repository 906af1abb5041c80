"""Methods: what each measures and needs, its weights, the model that is asked, options, and what is kept on disk."""

from components import catalogue, kept, models, recordings, shell

shell.frame("Methods")
catalogue.overview()
models.show()
catalogue.cards()
kept.show()
recordings.show()
