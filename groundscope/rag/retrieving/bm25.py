"""BM25 (Robertson and others 1994), by the bm25s library (Lù 2024), in the form that Lucene computes.

The score of a passage is the sum over the question's words w, repeated ones repeatedly, of

    idf(w) * f / (f + k1 * (1 - b + b * n / m)),    idf(w) = ln(1 + (N - N_w + 0.5) / (N_w + 0.5)):

f is how often the passage has w, n how many words it has, m how many a passage has on average, and w is in N_w of N passages.
"""

import logging
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from groundscope.rag.types import Hit
from groundscope.text.embedding import Hear
from groundscope.types import Passage

_HEARD_EVERY = 256
_K1, _B = 1.5, 0.75
"""How much more a word counts that is repeated, and how much longer passages are marked down."""
_PIECE = re.compile(r"\S{1,256}")
_TOKEN = re.compile(
    r"""
    (?P<section> §+ | (?<![^\W_]) (?<!-) (?:sections?|secs?|ss?) \.? (?=\s{0,3}\d) )
    | (?P<figure> (?: \d{1,3}(?:,\d{3}){1,6}(?!\d) (?:\.\d+)? | \d++(?:\.\d+){0,6} ) [a-z]{0,3} (?![^\W_]) )
      (?P<below> (?: \( (?: \d{1,3}[a-z]{0,2} | [a-z]{1,2} | [ivxl]{3,6} ) \) ){0,6} )
    | (?P<word> [^\W_]+ (?:'[^\W_]+)* )
    """,
    re.VERBOSE,
)
_BELOW = re.compile(r"\([^)]*\)")


def words(text: str) -> list[str]:
    """Cut a text into the words and figures that BM25 compares, in lower case.

    - `§`, `§§`, and `s`, `ss`, `sec`, `section` and their like before a figure are all `section`.
    - `12(3)(a)` is `12`, `12(3)` and `12(3)(a)`: a question about the whole section finds it, and one about the same
      subsection finds it better. `12A` and `2.5.1` stay whole; `1,000` is `1000`.
    - A possessive's `'s` is dropped; a hyphen parts words.
    """
    tokens = []
    for token in _TOKEN.finditer(_plain(text)):
        if token["section"]:
            tokens.append("section")
        elif token["figure"]:
            reference = token["figure"].replace(",", "")
            tokens.append(reference)
            for below in _BELOW.findall(token["below"]):
                reference += below
                tokens.append(reference)
        else:
            tokens.append(token["word"].removesuffix("'s"))
    return tokens


def _plain(text: str) -> str:
    """Lower case, with ligatures, wide letters and combining accents as others write them (NFKC)."""
    if not unicodedata.is_normalized("NFKC", text):
        # Piece by piece: a long run of combining marks takes time that grows with the square of its length.
        text = _PIECE.sub(lambda piece: unicodedata.normalize("NFKC", piece[0]), text)
    return text.lower().replace("’", "'").replace("\xad", "")


class Bm25:
    """Retrieval by words; needs no model. The 33 English stop words of Lucene are left out."""

    signature = f"bm25|lucene|words 1|k1={_K1}|b={_B}|stop words=english"

    def search(self, passages: Sequence[Passage], questions: Sequence[str], k: int, hear: Hear) -> list[list[Hit]]:
        """Find the k best passages of each question; see `Retriever.search`.

        Passages with the same score come in the order of the corpus. Those without a word of the question have score 0 and come
        last, but they do come: every retriever puts as many passages before a model. A score is the sum over words, from 0 on.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        if not passages:
            return [[] for _ in questions]
        score = self._index(passages, hear)
        return [list(_best(score(self._words(question)), k)) if question.strip() else [] for question in questions]

    def _words(self, text: str) -> list[str]:
        from bm25s.stopwords import STOPWORDS_EN  # type: ignore[import-untyped]

        left_out = frozenset(STOPWORDS_EN)
        return [word for word in words(text) if word not in left_out]

    def _index(self, passages: Sequence[Passage], hear: Hear) -> Callable[[list[str]], NDArray[np.float64]]:
        """A function from a question's words to the scores of all passages."""
        import bm25s  # type: ignore[import-untyped]

        # The library sends its own log to whatever the root logger writes to.
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        vocabulary: dict[str, int] = {}
        read: list[list[int]] = []
        for i, passage in enumerate(passages):
            if i % _HEARD_EVERY == 0:
                hear(i, len(passages))
            read.append([vocabulary.setdefault(word, len(vocabulary)) for word in self._words(passage.text)])
        hear(len(passages), len(passages))
        if not vocabulary:
            return lambda _: np.zeros(len(passages))
        index = bm25s.BM25(k1=_K1, b=_B, method="lucene", dtype="float64", backend="numpy")
        index.index((read, vocabulary), create_empty_token=False, show_progress=False)

        def score(question: list[str]) -> NDArray[np.float64]:
            scores: NDArray[np.float64] = index.get_scores_from_ids([vocabulary[w] for w in question if w in vocabulary])
            return scores

        return score


def _best(scores: NDArray[np.float64], k: int) -> Iterator[Hit]:
    for i in np.argsort(-scores, kind="stable")[:k].tolist():
        yield Hit(i, float(scores[i]))
