"""Files of arguments made elsewhere: what hostile or odd rows become."""

import json

import pytest

from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.parsing import LONGEST, PLIES
from groundscope.arguments.records import Arguments, pasted, read_arguments, to_jsonl
from groundscope.arguments.scenarios import make, to_row
from groundscope.arguments.types import Test

ONE, TWO = make(TRADE_SECRETS, Test.ARGUABLE, 2, 5)
GOOD = {"model": "m", "scenario_id": ONE.id, "argument": "TSC1 had F4."}


def read(*rows: object) -> Arguments:
    return read_arguments("a.jsonl", "\n".join(map(json.dumps, rows)).encode(), TRADE_SECRETS, [ONE, TWO])


def test_an_argument_given_as_an_object_passes_the_same_guards_as_a_text() -> None:
    plies = ("<think>F99 F98</think>TSC1 had F4 \ud800.", "x" * (LONGEST + 5), "F6")
    found = read({**GOOD, "argument": dict(zip(PLIES, plies, strict=True))})
    (one,) = found.judged
    assert one.exact.sets == (frozenset(), {"F4"}, frozenset())
    assert one.argument.plies[0] == "TSC1 had F4 \ufffd."
    assert sum(map(len, one.argument.plies)) <= LONGEST
    assert one.argument.note == f"Only the first {LONGEST:,} characters were read. The model's thinking was left out."
    to_jsonl(found.judged, TRADE_SECRETS).encode()


def test_thinking_alone_in_an_object_is_no_argument() -> None:
    (one,) = read({**GOOD, "argument": {PLIES[0]: "<think>F4", PLIES[1]: ""}}).judged
    assert one.argument.empty
    assert one.argument.note == "There is thinking and no argument."


@pytest.mark.parametrize(
    "extracted",
    [{"model": []}, {"model": {"current": []}}, {"model": {"current": [1], "tsc1": [], "tsc2": []}},
     {"model": {"current": ["F4"] * 501, "tsc1": [], "tsc2": []}}],
)  # fmt: skip
def test_lists_of_another_model_that_are_none_are_refused(extracted: object) -> None:
    (bad,) = read(GOOD, {**GOOD, "model": "n", "extracted": extracted}).rejected
    assert bad.reason == "'extracted.model' must hold lists of factors: current, tsc1, tsc2."


def test_lists_of_another_model_are_read_and_their_figures_are_worked_out_again() -> None:
    lists = {"current": ["F4 Agreed-not-to-disclose (P)", "6"], "tsc1": ["none"], "tsc2": ["\ud800x"], "acc_h": 1, "note": 3}
    (one,) = read({**GOOD, "extracted": {"model": lists, "exact": {}}}).judged
    assert one.other is not None
    assert one.other.sets == ({"F4", "F6"}, frozenset(), {"x"})
    made = one.score("model")
    assert made is not None
    assert made.acc_h < 1
    assert [j.other for j in read(GOOD, {**GOOD, "model": "n", "extracted": {"exact": {}}}).judged] == [None, None]


def test_two_triples_of_one_id_are_not_taken_for_one() -> None:
    first, second = to_row(ONE, TRADE_SECRETS), to_row(TWO, TRADE_SECRETS) | {"id": ONE.id}
    found = read(*({"model": m, "scenario": s, "argument": "x"} for m, s in (("a", first), ("b", second), ("c", first))))
    assert [j.arguer for j in found.judged] == ["a", "c"]
    assert [(r.row, r.reason) for r in found.rejected] == [
        (2, "Its triple has the id of another one in an earlier row; give each triple an id of its own.")
    ]


def test_a_pasted_argument_may_have_a_wording() -> None:
    assert pasted(ONE, "m", "x", TRADE_SECRETS, "plain").wording == "plain"
