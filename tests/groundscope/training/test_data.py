"""What may be learned from: splits, drawn ones too, and what is refused; a method's supports as labels."""

from dataclasses import replace
from itertools import permutations

import pytest

from groundscope.errors import DataError
from groundscope.text.sentences import context_sentences
from groundscope.training.further_pairs import distilled
from groundscope.training.pairs import DEV_SHARE, Pair, digest, parts
from groundscope.types import Case
from tests.groundscope.training.samples import CONTEXT, by_hash, easy, labelled


def test_a_set_is_cut_by_its_splits_and_test_is_left_alone() -> None:
    cases = [*labelled(4, 2, 3), replace(labelled(1)[0], id="more", group="more", grounded=None)]
    found = parts(cases)
    assert [c.split for c in found.train + found.dev] == ["train"] * 8 + ["dev"] * 4
    assert (found.untouched, found.drawn) == (7, False)


def test_another_split_than_train_can_be_learned_from() -> None:
    cases = [replace(c, split="more" if c.split == "train" else c.split) for c in labelled(4, 2)]
    assert {c.split for c in parts(cases, "more").train} == {"more"}


@pytest.mark.parametrize(
    ("split", "words"),
    [
        ("test", "A test split is for the last look only"),
        ("dev", "The dev split steers the training"),
        ("Test", "split Test; there are"),
    ],
)
def test_test_and_dev_are_refused(split: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        parts(labelled(), split)
    with pytest.raises(DataError):
        parts([replace(c, split=None) for c in labelled()], split)


def _only(grounded: bool, split: str) -> list[Case]:
    return [c for c in labelled() if c.split != split or c.grounded is grounded]


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        ([replace(c, grounded=None) for c in labelled()], "These cases have no labels"),
        ([c for c in labelled() if c.split != "train"], "No labelled case is in the split train; there are dev, test"),
        (_only(True, "train"), "The split train needs grounded and ungrounded responses"),
        (_only(False, "dev"), "The split dev needs grounded and ungrounded responses"),
        ([c for c in labelled() if c.split != "dev"], "The split dev needs grounded and ungrounded responses"),
        (
            [replace(c, split=None) for c in labelled(1, 0, 0)],
            "These cases have no splits, and among the queries that were drawn",
        ),
    ],
)
def test_what_cannot_be_learned_from_is_reported_in_a_sentence(cases: list[Case], words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        parts(cases)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("other", ["test", None])
def test_a_group_in_two_splits_is_refused(other: str | None) -> None:
    cases = [replace(c, split=other) if c.id == "q3-b" else c for c in labelled()]
    with pytest.raises(DataError, match=f"The query of case q3-b has responses in two splits, train and {other or 'none'}; keep"):
        parts(cases)


def test_a_variant_in_another_split_than_its_parent_is_refused_without_groups_too() -> None:
    cases = [replace(c, group=None, split="dev" if c.id == "q3-b" else c.split) for c in labelled()]
    with pytest.raises(DataError, match="case q3-b has responses in two splits, train and dev"):
        parts(cases)
    parts([replace(c, group=None) for c in labelled()])


def test_without_splits_dev_is_drawn_by_query_the_same_way_each_time() -> None:
    cases = [replace(c, split=None) for c in labelled(400, 0, 0)]
    found = parts(cases)
    assert found.drawn
    assert (len(found.train) + len(found.dev), found.untouched) == (800, 0)
    assert not {c.group for c in found.train} & {c.group for c in found.dev}
    assert DEV_SHARE / 2 < len(found.dev) / 800 < DEV_SHARE * 2
    # Neither the order of the file nor what else is in it moves a query.
    again = parts(cases[::-1])
    assert set(again.dev) == set(found.dev)
    more = parts(cases + [replace(c, id=f"new-{c.id}", group=f"new-{c.group}") for c in cases])
    assert {c for c in more.dev if not c.id.startswith("new")} == set(found.dev)


@pytest.mark.parametrize("bare", [{"group": None}, {"group": None, "parent": None}, {"group": None, "query": ""}])
def test_responses_to_one_query_are_drawn_together_without_groups_too(bare: dict[str, None]) -> None:
    found = parts([replace(c, split=None, **bare) for c in labelled(400, 0, 0)])
    numbers = [{c.id.partition("-")[0] for c in held} for held in (found.train, found.dev)]
    assert not numbers[0] & numbers[1]
    assert len(numbers[1]) * 2 == len(found.dev)


def test_a_methods_supports_become_labels() -> None:
    case = labelled(1)[1]
    ends = [case.response.index(".") + 1, len(case.response)]
    judged = {case.id: [(0, ends[0], 0.37), (ends[0] + 1, ends[1], 0.92)], "of another set": [(0, 5, 0.5)]}
    found = distilled([case, replace(case, id="not judged")], judged, by_hash, evidence=3)
    assert [(p.sentence, p.label) for p in found] == [
        (case.response[: ends[0]], 0.37),
        (case.response[ends[0] + 1 :], 0.92),
    ]
    assert {(p.group, p.made_by) for p in found} == {("q0", "distilled")}
    texts = [CONTEXT[u.passage].text[u.start : u.end] for u in context_sentences(CONTEXT)]
    assert {p.evidence for p in found} <= {" ".join(some) for n in (1, 2, 3) for some in permutations(texts, n)}


def test_the_digest_says_sets_of_pairs_apart() -> None:
    pairs = easy(3, "g")
    first = pairs[0]
    changed = [
        pairs[::-1],
        pairs[1:],
        [first._replace(label=0.8), *pairs[1:]],
        [first._replace(sentence="\ud800"), *pairs[1:]],
        [first._replace(evidence=first.sentence, sentence=first.evidence), *pairs[1:]],
        [Pair(first.evidence + first.sentence, "", *first[2:]), *pairs[1:]],
    ]
    assert len({digest(p) for p in [pairs, *changed]}) == 7
    assert digest(easy(3, "g")) == digest(pairs)
