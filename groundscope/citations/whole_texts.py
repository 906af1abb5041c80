"""Scores of whole texts beside FRESCO: ROUGE-L and BARTScore, citation recall and precision.

Each compares a generated text with its reference. Citation recall is the share of the reference's authorities that the generated
text cites, whatever for; precision the share of the generated text's authorities that the reference cites.

BARTScore (Yuan, Neubig and Liu 2021) needs weights, and is made of likelihoods that a model gives. Precision: how likely the
generated text is to be written from the reference. Recall: the reference from the generated text. F: their mean. All are natural
logs of a probability per token: at most 0, higher = better.
"""

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import NamedTuple, Protocol, runtime_checkable

from groundscope.citations.authorities import same_places
from groundscope.citations.claims import CitedClaim, CitingDocument
from groundscope.citations.comparing import RankAgreement, agreements
from groundscope.citations.similarity import RougeL

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


def cut_words(count: int) -> str:
    """Say how many texts were not read whole; empty where all were."""
    texts = "1 text or its reference is" if count == 1 else f"{count:,} texts or their references are"
    return f"{texts} longer than the {MOST_TOKENS:,} tokens that BARTScore reads; the ends were left out." if count else ""


class WholeTextScore(NamedTuple):
    """Of one generated text against its reference; higher = better.

    Attributes:
        citation_recall: 0 to 1; NaN where the reference cites nothing.
        citation_precision: 0 to 1; NaN where the generated text cites nothing.
        bart_f: in nats per token, at most 0, like its parts; NaN = not computed, or a text has no word.
        bart_precision: how likely the generated text is to be written from the reference.
        bart_recall: how likely the reference is to be written from the generated text.
    """

    rouge_l: float
    citation_recall: float
    citation_precision: float
    bart_f: float = nan
    bart_precision: float = nan
    bart_recall: float = nan


WHOLE_TEXT = {
    "rouge_l": "ROUGE-L of the whole texts",
    "citation_recall": "Citation recall",
    "citation_precision": "Citation precision",
}
"""What the figures are called, by their names."""
BARTSCORE = {
    "bart_f": "BARTScore F of the whole texts",
    "bart_precision": "BARTScore precision",
    "bart_recall": "BARTScore recall",
}
"""The same of those that need weights."""
RATING = "Human rating"


def whole_texts(pairs: list[tuple[CitingDocument, CitingDocument]]) -> list[WholeTextScore]:
    """Score generated texts by the measures of the module."""
    rouge = RougeL().of([(generated.text, reference.text) for generated, reference in pairs])
    return [WholeTextScore(value, *_cited(*both)) for value, both in zip(rouge, pairs, strict=True)]


def with_bart(score: WholeTextScore, pair: Pair, method: WritesTexts) -> tuple[WholeTextScore, bool]:
    """Add BARTScore of a generated text and its reference, NaN where one has no word; and whether one was not read whole."""
    precision, recall = method.likelihoods([pair[::-1], pair])
    mean = (precision.value + recall.value) / 2
    scored = score._replace(bart_f=mean, bart_precision=precision.value, bart_recall=recall.value)
    return scored, precision.cut or recall.cut


def beside_ratings(
    measures: Mapping[str, Sequence[float]], beside: Sequence[WholeTextScore], ratings: Sequence[float | None], ids: Sequence[str]
) -> list[RankAgreement]:
    """Compute how measures rank texts beside their human ratings, and scores of the whole texts, where there are any.

    The bootstrap draws references by `ids`. None = no rating; nothing is computed where no text has one.
    """
    if all(r is None for r in ratings):
        return []
    computed = any(not isnan(s.bart_f) for s in beside)
    titles = {**WHOLE_TEXT, **(BARTSCORE if computed else {})} if beside else {}
    whole = {title: [float(getattr(s, name)) for s in beside] for name, title in titles.items()}
    human = {RATING: [float("nan") if r is None else r for r in ratings]}
    return [agreements({name: values, **human}, ids)[0] for name, values in {**measures, **whole}.items()]


def _cited(generated: CitingDocument, reference: CitingDocument) -> tuple[float, float]:
    """Recall and precision over authorities."""
    places = same_places(generated, reference)
    return (
        _share(reference.pairs, {reference.pairs[j].key for _, j in places}),
        _share(generated.pairs, {generated.pairs[i].key for i, _ in places}),
    )


def _share(pairs: tuple[CitedClaim, ...], matched: set[str]) -> float:
    authorities = {pair.key for pair in pairs}
    return len(authorities & matched) / len(authorities) if authorities else float("nan")
