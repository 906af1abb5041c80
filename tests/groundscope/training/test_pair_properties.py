"""What holds of the pairs of any labelled set."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import DataError
from groundscope.text.sentences import context_sentences
from groundscope.training.data import parts
from groundscope.training.pairs import Pair, Recipe, pairs
from groundscope.types import Case, ErrorSpan, ErrorType, Passage
from tests.groundscope.training.samples import by_hash

WORDS = ("notice", "rent", "lease", "appeal", "costs", "tenant")
MATTERS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")


@st.composite
def sets(draw: st.DrawFn) -> list[Case]:
    """Sets of queries in splits; every sentence names the matter that it is of, so that none stands in two."""
    found: list[Case] = []
    splits = ["train", "dev", "test", *draw(st.lists(st.sampled_from(("train", "dev", "test")), max_size=3))]
    for matter, split in zip(MATTERS, splits, strict=False):

        def sentence(matter: str = matter) -> str:
            return f"The {draw(st.sampled_from(WORDS))} number {draw(st.integers(0, 5))} is of {matter}."

        context = tuple(
            Passage(f"p{i}", " ".join(sentence() for _ in range(draw(st.integers(1, 2))))) for i in range(draw(st.integers(1, 2)))
        )
        said = [sentence() for _ in range(draw(st.integers(1, 3)))]
        sound = Case(matter, f"What of {matter}?", context, " ".join(said), grounded=True, split=split, group=matter)
        found.append(sound)
        for k in range(draw(st.integers(1, 2))):
            i = draw(st.integers(0, len(said) - 1))
            response = " ".join([*said[:i], sentence(), *said[i + 1 :]])
            error = ErrorSpan(0, len(response), ErrorType.MISATTRIBUTION)
            found.append(replace(sound, id=f"{matter}.{k}", response=response, grounded=False, errors=(error,), parent=sound.id))
    return draw(st.permutations(found))


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    return Recipe(
        evidence=draw(st.integers(1, 3)),
        labels=draw(st.sampled_from(("cosine", "smoothed"))),
        smoothing=draw(st.floats(0.0, 0.49)),
        scope=draw(st.sampled_from(("changed", "all"))),
        edits=draw(st.integers(0, 2)),
    )


def made(cases: Sequence[Case], recipe: Recipe) -> list[Pair]:
    try:
        return pairs(cases, recipe, by_hash)
    except DataError:
        # A variant may have been drawn with the words of its parent.
        return []


@given(sets(), recipes())
def test_pairs_are_of_their_context_and_their_recipe(cases: list[Case], recipe: Recipe) -> None:
    found = parts(cases)
    contexts = {c.group: c.context for c in cases}
    for split, held in (("train", found.train), ("dev", found.dev)):
        assert {c.split for c in held} == {split}
        pairs_ = made(held, recipe)
        assert len(set(pairs_)) == len(pairs_)
        for pair in pairs_:
            assert 0.0 <= pair.label <= 1.0
            if recipe.labels == "smoothed":
                assert min(abs(pair.label - recipe.smoothing), abs(1 - pair.label - recipe.smoothing)) < 1e-9
            # Some of the query's own context sentences in reading order, as many as were asked for.
            context = contexts[pair.group]
            texts = [context[u.passage].text[u.start : u.end] for u in context_sentences(context)]
            count = min(recipe.evidence, len(texts))
            assert pair.evidence in {" ".join(chosen) for chosen in combinations(texts, count)}


@given(sets(), recipes())
def test_nothing_of_a_test_split_reaches_a_pair(cases: list[Case], recipe: Recipe) -> None:
    found = parts(cases)
    texts = [p.group + p.evidence + p.sentence for held in (found.train, found.dev) for p in made(held, recipe)]
    for matter in {str(c.group) for c in cases if c.split == "test"}:
        assert not [t for t in texts if matter in t]
