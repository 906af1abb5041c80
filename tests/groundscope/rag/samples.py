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


TABLE_4 = {
    "Text Embedding 3 Large": "-9.0 (4.2)*",
    "Gemini Embedding 001": "-10.0 (4.8)*",
    "Kanon 2 Embedder": "+2.0 (2.7)",
    "Kanon 2 Embedder against Text Embedding 3 Large, with GPT-5.2": "+11.0 (5.2)*",
    "Gemini Embedding 001 against Text Embedding 3 Large, with GPT-5.2": "-1.0 (6.2)",
    "Kanon 2 Embedder against Gemini Embedding 001, with GPT-5.2": "+12.0 (5.0)*",
}
"""Differences of grounded answers in points with standard errors: between the models, then how much more one embedder gains."""

_SWITCHED = {
    # Of 100 questions: those that only Gemini 3.1 Pro answers from its passages, those that only GPT-5.2 does, and neither.
    "Text Embedding 3 Large": ({*range(12)}, {12, 13, 14}, {99}),
    "Gemini Embedding 001": ({0, 1, *range(15, 28)}, {*range(28, 33)}, {97, 98, 99}),
    "Kanon 2 Embedder": ({15, 16}, {2, 33, 34, 35}, {99}),
}


def discordant() -> Iterator[Answer]:
    """100 answers a combination with the printed shares of grounded ones, and as discordant as table 4 needs.

    With 100 questions a printed difference and its standard error leave one number of discordant answers each: 15, 20 and 6
    between the models, and sums of squares of 23, 31 and 22 between the embedders. Which questions these are is made up.
    """
    for embedder, (only_first, only_second, neither) in _SWITCHED.items():
        for model, lost in (("Gemini 3.1 Pro", only_second | neither), ("GPT-5.2", only_first | neither)):
            for i in range(100):
                yield Answer(embedder, model, f"q{i}", None, i not in lost, None)
