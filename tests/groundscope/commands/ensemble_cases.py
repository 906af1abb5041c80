"""Labelled cases to fit an ensemble on: of each ungrounded response one sentence comes from nowhere."""

from dataclasses import replace

from groundscope.types import Case, ErrorSpan, ErrorType, Passage

TRUE = (
    "The court heard the case of the tenant in May.",
    "It found that the landlord owed him the deposit.",
    "The landlord paid ten dollars after the hearing.",
)
FALSE = ("Rain fell on the bridge for 40 days.", "Nobody ever asked Okafor.", "A baker must not sell stones on 3 May 2020.")
FIT = ("fit-ensemble", "--cases", "cases.jsonl", "--methods", "quip,overlap", "--name", "mine")


def made_cases(count: int = 40) -> list[Case]:
    """A grounded and an ungrounded response a query, one sentence of it foreign; each fourth query on dev, some on test."""
    found = []
    for i in range(count):
        split = ("train", "train", "dev", "train", "test")[i % 5]
        context = (Passage("p1", " ".join(TRUE)),)
        right = Case(f"right-{i}", f"Who paid in case {i}?", context, " ".join(TRUE), True, split=split, group=f"query {i}")
        texts = list(TRUE)
        texts[i % 3] = FALSE[i % 2]
        start = sum(len(t) + 1 for t in texts[: i % 3])
        error = ErrorSpan(start, start + len(texts[i % 3]), ErrorType.FACTUAL_INACCURACY, "It is not so.")
        wrong = replace(right, id=f"wrong-{i}", response=" ".join(texts), grounded=False, errors=(error,))
        found += [right, wrong]
    return found


CASES = made_cases()
