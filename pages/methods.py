"""Methods: what each measures and needs, weights, the chat model, training, and saved results."""

from components import shell
from components.chat import model, recordings
from components.methods import cached, catalogue
from components.training import page

shell.frame("Methods")
catalogue.overview()
model.show()
page.show()
catalogue.cards()
cached.show()
recordings.show()
