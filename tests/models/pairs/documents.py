"""Texts to make pairs of, and counts over what was made."""

from collections import Counter
from collections.abc import Iterable

from hypothesis import strategies as st

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


def by_label(texts: Iterable[tuple[str, float]]) -> dict[str, tuple[int, int]]:
    """How often each text stands under supported, and under not supported."""
    counts = Counter((text, label > 0.5) for text, label in texts)
    return {text: (counts[text, True], counts[text, False]) for text, _ in counts}
