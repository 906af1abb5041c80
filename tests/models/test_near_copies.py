"""Near-copies of queries and passages, with embeddings whose cosines are counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.cases import validation
from groundscope.cases.validation import ValidationOutcome, near_copies, texts_to_embed
from groundscope.types import Case, Matrix, Passage
from tests.groundscope.labelled import NAMES, SOUND, apart


def by_words(texts: list[str]) -> Matrix:
    """Word counts of length 1: the cosine of two texts without repeated words is shared / sqrt(words * other words)."""
    words = sorted({w for t in texts for w in t.split()})
    counts = np.array([[t.split().count(w) for w in words] for t in texts], dtype=np.float32)
    return np.asarray(counts / np.linalg.norm(counts, axis=1, keepdims=True), dtype=np.float32)


def asked(group: str, query: str, *passages: str) -> Case:
    return Case(f"c-{group}", query, tuple(Passage(f"p{i}", t) for i, t in enumerate(passages)), "It holds.", group=group)


# 19 of 20 words shared: cosine 19 / 20 = 0.95; 8 of 10 shared: 0.8.
TWENTY = " ".join(f"w{i}" for i in range(20))
NEARLY = TWENTY.replace("w19", "other")
TEN = " ".join(f"v{i}" for i in range(10))
SIMILAR = TEN.replace("v8", "x8").replace("v9", "x9")


TWO_GROUPS = [asked("a", TWENTY, TEN), asked("b", NEARLY, SIMILAR)]


@pytest.mark.parametrize(
    ("cases", "findings", "cosine"),
    [
        (TWO_GROUPS, (("c-b", "A query is nearly the same as one of c-a."),), "0.95"),
        # Without a group each is its own.
        ([replace(c, group=None) for c in TWO_GROUPS], (("c-b", "A query is nearly the same as one of c-a."),), "0.95"),
        (
            [asked("a", "one", TEN, TWENTY), asked("b", "two", "three", NEARLY)],
            (("c-b", "A passage is nearly the same as one of c-a."),),
            "0.95",
        ),
        ([asked("a", TEN, "one"), asked("b", SIMILAR, "two")], (), "0.80"),
        # Within a group they are no fault.
        ([TWO_GROUPS[0], replace(asked("a", NEARLY, TEN), id="second"), asked("b", "one", "two")], (), "0.00"),
    ],
)
def test_near_copies_are_found_across_groups(cases: list[Case], findings: tuple[tuple[str, str], ...], cosine: str) -> None:
    result = near_copies(cases, by_words)
    assert result.outcome is (ValidationOutcome.FAILED if findings else ValidationOutcome.PASSED)
    assert result.findings == findings
    assert result.figure == f"highest cosine {cosine}; at most 0.9"


def test_one_group_alone_leaves_nothing_to_compare() -> None:
    found = near_copies([asked("a", TWENTY, TEN)], by_words)
    assert (found.outcome, found.figure) == (
        ValidationOutcome.NOT_APPLICABLE,
        "There is one query only, so there is nothing to compare.",
    )


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1024])
def test_near_copies_are_found_in_every_block_of_rows(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "_BLOCK", block)
    # The pairs 0-5, 4-6 and 3-7 lie in one or in different blocks; the others share nothing.
    queries = [f"only{i}" for i in range(9)]
    for first, second, words in ((0, 5, "a"), (4, 6, "b"), (3, 7, "c")):
        queries[first] = " ".join(f"{words}{i}" for i in range(20))
        queries[second] = " ".join(f"{words}{i}" for i in range(1, 21))
    found = near_copies([asked(str(i), q, f"passage{i}") for i, q in enumerate(queries)], by_words)
    assert set(found.findings) == {
        ("c-5", "A query is nearly the same as one of c-0."),
        ("c-6", "A query is nearly the same as one of c-4."),
        ("c-7", "A query is nearly the same as one of c-3."),
    }
    assert len(found.findings) == 3
    assert found.figure.startswith("highest cosine 0.95")


def test_the_texts_to_embed_are_those_that_are_asked_for() -> None:
    seen: list[str] = []

    def embed(texts: list[str]) -> Matrix:
        seen.extend(texts)
        return apart(texts)

    near_copies(SOUND, embed)
    wanted = texts_to_embed(SOUND)
    assert set(seen) == set(wanted)
    assert len(wanted) == len(set(wanted)) == 2 * len(NAMES)
