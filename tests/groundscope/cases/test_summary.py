"""How large a set is and which errors it has, by split."""

from groundscope.cases.error_types import MEANINGS, STANCES, TITLES, TypeCount, type_counts
from groundscope.cases.summary import SplitCount, split_counts
from groundscope.types import Case, ErrorSpan, ErrorType, Passage

FACT, STEP, TERM = ErrorType.FACTUAL_INACCURACY, ErrorType.PROCEDURAL_ERROR, ErrorType.TERMINOLOGICAL_ERROR


def case(
    split: str | None = None,
    *,
    grounded: bool | None = None,
    query: str = "q",
    group: str | None = None,
    response: str = "It is.",
    errors: tuple[ErrorSpan, ...] = (),
) -> Case:
    return Case("c", query, (Passage("p", "A text."),), response, grounded=grounded, errors=errors, split=split, group=group)


def error(kind: ErrorType, contradicted: bool | None = None) -> ErrorSpan:
    return ErrorSpan(0, 2, kind, contradicted=contradicted)


def test_a_set_is_counted_by_split_and_in_all() -> None:
    cases = [
        case("test", grounded=True, group="g1", response="It is. It was."),
        case("dev", grounded=True, group="g2"),
        case("dev", grounded=False, group="g2", errors=(error(FACT), error(STEP))),
        case("dev", group="g3", response="# Rule\n\nIt is. It was."),
    ]
    assert split_counts(cases) == [
        SplitCount("dev", queries=2, responses=3, grounded=1, ungrounded=1, sentences=4, errors=2),
        SplitCount("test", queries=1, responses=1, grounded=1, ungrounded=0, sentences=2, errors=0),
        SplitCount("all", queries=3, responses=4, grounded=2, ungrounded=1, sentences=6, errors=2),
    ]


def test_one_split_needs_no_sum() -> None:
    assert [c.split for c in split_counts([case("test"), case("test")])] == ["test"]
    assert [c.split for c in split_counts([case()])] == ["no split"]
    assert split_counts([]) == []


def test_queries_without_a_group_are_reported_apart_by_their_words() -> None:
    (found,) = split_counts([case(query="a"), case(query="a"), case(query="b"), case(query="b", group="g")])
    assert found.queries == 3


def test_splits_come_in_their_usual_order_and_those_without_one_last() -> None:
    cases = [case(s) for s in ("test", None, "zeta", "dev", "other", "train")]
    assert [c.split for c in split_counts(cases)] == ["train", "dev", "test", "other", "zeta", "no split", "all"]


def test_errors_are_counted_by_type_and_split() -> None:
    cases = [
        case("dev", errors=(error(FACT, True), error(FACT, False), error(STEP))),
        case("test", errors=(error(FACT, True),)),
        case(errors=(error(TERM, False),)),
        case("dev"),
    ]
    found = type_counts(cases)
    assert [c.type for c in found] == list(ErrorType)
    assert [c for c in found if c.total] == [
        TypeCount(FACT, {"dev": 2, "test": 1}, total=3, contradicted=2),
        TypeCount(STEP, {"dev": 1}, total=1, contradicted=0),
        TypeCount(TERM, {"": 1}, total=1, contradicted=0),
    ]


def test_types_that_a_set_has_none_of_are_listed_too() -> None:
    assert type_counts([]) == [TypeCount(kind, {}, 0, 0) for kind in ErrorType]


def test_every_type_has_its_own_title_and_meaning() -> None:
    assert list(TITLES) == list(MEANINGS) == list(ErrorType)
    assert len(set(TITLES.values())) == len(set(MEANINGS.values())) == len(ErrorType)
    assert len(set(STANCES.values())) == 3
