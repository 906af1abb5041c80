"""BARTScore of generated texts against references (Yuan, Neubig and Liu 2021), from likelihoods that a model gives.

Precision: how likely the generated text is to be written from the reference. Recall: the reference from the generated text. F:
their mean. All are natural logs of a probability per token: at most 0, higher = better.
"""

from collections.abc import Mapping, Sequence
from math import nan
from typing import NamedTuple, Protocol, runtime_checkable

METHOD = "bart_score"
"""Id of the method that has the model; its weights come as every method's do."""
MOST_TOKENS = 1_024
"""Tokens of each text that the model reads; the rest is left out."""
Pair = tuple[str, str]


class TokenLikelihood(NamedTuple):
    """How likely a text is to be written from another.

    `value`: natural log of the probability per token, at most 0, higher = more likely; NaN where a text has no word.
    """

    value: float
    cut: bool = False


@runtime_checkable
class WritesTexts(Protocol):
    """A method that can say how likely a text is to be written from another."""

    def likelihoods(self, pairs: Sequence[Pair]) -> list[TokenLikelihood]:
        """Score texts (that is read, that is written), in the order given; equal pairs are computed once.

        Reports progress and can be cancelled between batches, which hold texts of one length.
        """


class BartScores(NamedTuple):
    """BARTScore of a generated text, in nats per token; NaN where a text has no word."""

    f: float
    precision: float
    recall: float
    cut: bool


def directions(pairs: Sequence[Pair]) -> list[Pair]:
    """List what is to be scored, (text that is read, text that is written) both ways, each once; texts need a word.

    Longest first, so that a part of the list holds texts of about one length.
    """
    both = (way for generated, reference in pairs for way in ((reference, generated), (generated, reference)))
    worded = [way for way in dict.fromkeys(both) if all(text.strip() for text in way)]
    return sorted(worded, key=lambda way: -sum(map(len, way)))


def bart_scores(pairs: Sequence[Pair], likelihoods: Mapping[Pair, TokenLikelihood]) -> list[BartScores]:
    """Combine likelihoods by (text that is read, text that is written) into one score a pair; what is missing is NaN."""
    scores = []
    for generated, reference in pairs:
        precision, recall = (
            likelihoods.get(way, TokenLikelihood(nan)) for way in ((reference, generated), (generated, reference))
        )
        mean = (precision.value + recall.value) / 2
        scores.append(BartScores(mean, precision.value, recall.value, precision.cut or recall.cut))
    return scores


def cut_words(scores: Sequence[BartScores]) -> str:
    """Say how many texts were not read whole; empty where all were."""
    count = sum(score.cut for score in scores)
    texts = "1 text or its reference is" if count == 1 else f"{count:,} texts or their references are"
    return f"{texts} longer than the {MOST_TOKENS:,} tokens that BARTScore reads; the ends were left out." if count else ""
