"""Whether cosines can be the labels of pairs, as in the paper, and what is odd about labels that are.

For training, Trautmann et al. 2024 (section 5.4) label a grounded sentence with the cosine of its evidence and its ungrounded
counterpart with 1 - that cosine. By legal-bert these cosines lie from 0.8 to 0.99. By other embedders many lie near one half, and
some below it: then the changed sentence gets the higher label of the two.
"""

from collections.abc import Sequence
from dataclasses import replace

from groundscope.text.humanize import plural
from groundscope.training.pairs import Pair, Recipe

PAPERS_EMBEDDER = "nlpaueb/legal-bert-base-uncased"
"""Its cosines are the paper's labels."""
LABEL_WARNING = "Labels, a warning"
"""Key of `label_warning` in what a model's card and record say of how it was made."""
LOWEST = 0.8
"""The lowest cosine of a grounded sentence that the paper reports."""


def suited(recipe: Recipe, signature: str) -> Recipe:
    """Replace cosines as labels by the true sides, unless the paper's embedder makes them."""
    papers = PAPERS_EMBEDDER in signature
    return recipe if papers or recipe.labels != "cosine" else replace(recipe, labels="sides")


def upside_down(pairs: Sequence[Pair]) -> int:
    """Count the labels that lie on the wrong side."""
    return sum((pair.label >= 0.5) != pair.side for pair in pairs)


def label_warning(pairs: Sequence[Pair]) -> str:
    """Say what is odd about the labels of a training."""
    sound = [pair for pair in pairs if pair.supported]
    low, wrong = sum(pair.label < LOWEST for pair in sound), upside_down(pairs)
    if not low:
        return ""
    words = f"{low:,} of {plural(len(sound), 'grounded sentence has', 'grounded sentences have')} a label below {LOWEST}"
    turned = f" {wrong:,} of all {len(pairs):,} labels lie on the wrong side of 0.5." if wrong else ""
    return f"{words}, where the paper's lie from {LOWEST} to 0.99: the model learns them as doubtful.{turned}"
