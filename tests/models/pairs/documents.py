"""Texts to make contrast pairs of, and counts over what was made."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from hypothesis import strategies as st

from groundscope.text.sentences import split
from groundscope.training.pairs import Pair

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "sample_data" / "legal_qa.jsonl"

PARTS = (
    "Okafor", "the tenant", "The landlord", "must pay", "may not leave", "shall serve notice on", "is liable", "was not heard",
    "600 euros", "within 14 days", "1,950 dollars", "in 1999", "on 3 May 2020", "before the hearing", "unless the court agrees",
    "if he asks", ", which came to 5 per cent,", "(as the High Court held)", "Smith and Jones", "Lindqvist v. Okafor",
    '"rescission must follow"', "Section 12(b)", "only where", "all claims", "after the trial", "rose", "without good cause",
    "In March,", "When notice is served,", "with costs", "he", "she", "and", "or", "1", "0.5", "the Ninth Circuit",
)  # fmt: skip
SENTENCES = st.one_of(
    st.lists(st.sampled_from(PARTS), min_size=3, max_size=14).map(lambda parts: " ".join(parts).strip(" ,") + "."),
    st.text(max_size=120),
    st.text(alphabet='aA1,. (")%must not\n\x00\ud800é', max_size=120),
    st.just("The landlord must pay 600 euros to Okafor within 14 days."),
    st.just(""),
)
DOCUMENTS = st.lists(st.lists(SENTENCES, max_size=7), max_size=4)


def training_texts() -> list[list[str]]:
    """The contexts of the sample set's train split, as sentences; each text once."""
    rows = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
    texts = dict.fromkeys(p["text"] for row in rows if row["split"] == "train" for p in row["context"])
    return [[text[s.start : s.end] for s in split(text)] for text in texts]


def squares(pairs: Sequence[Pair]) -> list[Sequence[Pair]]:
    """The fours, in the order in which they were made."""
    assert len(pairs) % 4 == 0
    return [pairs[i : i + 4] for i in range(0, len(pairs), 4)]


def by_label(texts: Iterable[tuple[str, float]]) -> dict[str, tuple[int, int]]:
    """How often each text stands under supported, and under not supported."""
    counts = Counter((text, label > 0.5) for text, label in texts)
    return {text: (counts[text, True], counts[text, False]) for text, _ in counts}


def all_but_one(before: str, after: str) -> tuple[str, str]:
    """What differs between two texts, without what they begin and end with alike."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return before[start : len(before) - end], after[start : len(after) - end]
