"""COS_SIM: cosine of sentence embeddings, best context sentence per response sentence (paper, section 5.1).

E_r (n_response, d) and E_c (n_context, d) are L2-normalised; the matrix is E_r E_c^T and a sentence's support its row's
maximum. The paper's model is nlpaueb/legal-bert-base-uncased with mean pooling over the last hidden state; the paper
does not say how sentences make the response's support, so that is the parameter `aggregation`.

Departs from the paper: negative cosines count as 0; runs in bf16 where the processor has it (named in the signature).
The variant `minilm` is another model than the paper's: all-MiniLM-L6-v2, which needs no download.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from groundscope.methods import About, starting
from groundscope.models.embedders import sentences as _embedding
from groundscope.models.pairs.context_units import texts_of
from groundscope.models.weights.files import MINILM, WeightFiles
from groundscope.models.weights.local import LocalModel
from groundscope.models.weights.memory import Precision, native
from groundscope.statistics.decision import SentenceRule
from groundscope.text.alignment import judge, nothing_to_assess, score_sentences
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Judgement, Matrix

LEGAL_BERT = WeightFiles(
    "nlpaueb/legal-bert-base-uncased", "15b570cbf88259610b082a167dacc190124f60f6", megabytes=440, pickled=True
)
VARIANTS: dict[str, dict[str, Any]] = {"minilm": {"weights": MINILM}}

_ABOUT = {
    LEGAL_BERT: About(
        title="COS_SIM",
        measures="How close a sentence comes to its nearest source sentence in meaning, by legal-bert.",
        needs="the weights of nlpaueb/legal-bert-base-uncased (440 MB)",
        licence="CC BY-SA 4.0",
        paper="5.1",
    ),
    MINILM: About(
        title="COS_SIM MiniLM",
        plain="Likeness in meaning",
        measures="How close a sentence comes to its nearest source sentence in meaning, by a small general model.",
        licence="Apache-2.0",
        **starting("cos_sim:minilm"),
    ),
}


@dataclass(frozen=True)
class CosSim(LocalModel):
    """Cosine similarity of mean-pooled sentence embeddings."""

    weights: WeightFiles = LEGAL_BERT
    precision: Precision = field(default_factory=native)
    aggregation: SentenceRule = "min"

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users; other weights than the two known ones are shown by their name."""
        return _ABOUT.get(
            self.weights,
            About(title=f"COS_SIM {self.weights.model}", measures=_ABOUT[LEGAL_BERT].measures, licence="see its card"),
        )

    @property
    def signature(self) -> str:
        """Method, model, revision, precision and every parameter."""
        return f"cos_sim|{self.weights.identity()}|{self.precision}|mean-pooled|aggregation={self.aggregation}"

    def prepare(self) -> None:
        """Load the weights, so that the first score does not wait for them."""
        _embedding.load(self.weights, self.precision)

    def embed(self, texts: list[str]) -> Matrix:
        """Embed n texts, (n, d) float32 with rows of length 1; those longer than the model's input are cut."""
        return _embedding.load(self.weights, self.precision).embed(texts).vectors

    def read_ahead(self, cases: Sequence[Case]) -> None:
        """See `Method`: the sentences of all cases together."""
        some = [case for case in cases if not nothing_to_assess(case)]
        _embedding.load(self.weights, self.precision).embed(_embedding.sentences_of(some))

    def judge_case(self, case: Case) -> Judgement:
        """See `LocalModel`."""
        embedder = _embedding.load(self.weights, self.precision)
        started = time.perf_counter()
        response, context = split(case.response), context_sentences(case.context)
        claims = [case.response[s.start : s.end] for s in response]
        read = texts_of(case, context)
        response_vectors = embedder.embed(claims, after=len(set(read)))
        context_vectors, again = embedder.embed_again(read, before=len(set(claims)))
        matrix: Matrix = np.clip(response_vectors.vectors @ context_vectors.vectors.T, 0.0, 1.0)
        seen = float(context_vectors.tokens_read.sum() / context_vectors.tokens_total.sum())
        sentences = score_sentences(response, context, matrix)
        seconds = time.perf_counter() - started
        cut = int((response_vectors.tokens_read < response_vectors.tokens_total).sum())
        note = (
            f"{cut} of {len(response)} response sentences are longer than the model reads; their ends were left out."
            if cut
            else ""
        )
        cached = len(context) / (len(context) + len(response)) if again else 0.0
        return judge(sentences, self.aggregation, seconds=seconds, matrix=matrix, context_seen=seen, note=note, cached=cached)
