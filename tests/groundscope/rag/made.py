"""Answers with given shares, such as those that Legal RAG Bench prints."""

from collections.abc import Iterator

from groundscope.rag.outcomes import Answer

PRINTED = {
    ("Kanon 2 Embedder", "Gemini 3.1 Pro"): (95, 95, 86),
    ("Text Embedding 3 Large", "Gemini 3.1 Pro"): (77, 96, 52),
    ("Gemini Embedding 001", "Gemini 3.1 Pro"): (75, 92, 53),
    ("Kanon 2 Embedder", "GPT-5.2"): (93, 97, 86),
    ("Text Embedding 3 Large", "GPT-5.2"): (76, 87, 52),
    ("Gemini Embedding 001", "GPT-5.2"): (73, 82, 53),
}
"""Percent correct, grounded and retrieved of 100 questions (Butler and Butler 2026)."""


def published() -> Iterator[Answer]:
    """100 answers a combination, with the shares that the paper prints.

    Which questions they are is made up, and with it how being correct, grounded and retrieved go together: the paper prints the
    three shares only. So RAG accuracy, errors by kind and tests of these answers are none of the paper's.
    """
    for (embedder, model), (correct, grounded, hit) in PRINTED.items():
        for i in range(100):
            yield Answer(embedder, model, f"q{i}", i < correct, i >= 100 - grounded, i < hit)
