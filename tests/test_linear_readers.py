"""Every reader of what users and models write takes time as its text is long, whatever the text repeats."""

import pytest

from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.extraction import attributed
from groundscope.arguments.mentions import find
from tests.growth import growth
from tests.loops import each
from tests.readers import READERS


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.release)])
@each("number, name", enumerate(READERS))
def test_a_reader_takes_no_quadratic_time(step: int, number: int, name: str) -> None:
    read, pieces, characters = READERS[name]
    # Pieces that are left out with one reader are tried with the next, and all with all before a release.
    assert [wrong for piece in pieces[number % step :: step] if (wrong := growth(read, piece, characters))] == []


def test_a_long_list_that_many_clauses_tell_of_takes_no_quadratic_time() -> None:
    listed = "F4 of this "

    def of(text: str) -> object:
        both = text + text.replace(listed, ", which too TSC1")
        return attributed(both, find(both, TRADE_SECRETS))

    assert growth(of, listed, 20_000) == ""
