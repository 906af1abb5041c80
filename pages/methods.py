"""Methods: what each measures and needs, its weights, the model that is asked, training one's own, and what is kept on disk."""

from components import catalogue, finetuning, kept, models, recordings, shell

shell.frame("Methods")
catalogue.overview()
models.show()
finetuning.show()
catalogue.cards()
kept.show()
recordings.show()
