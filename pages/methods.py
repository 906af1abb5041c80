"""Methods: what each measures and needs, weights, the chat model, training, and saved results."""

from components import shell
from components.chat import model
from components.methods import catalogue, saved_results
from components.training import page

shell.frame("Methods")
catalogue.show()
model.show()
page.show()
saved_results.show()
