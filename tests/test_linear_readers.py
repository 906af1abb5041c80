"""Every reader of what users and models write takes time as its text is long, whatever the text repeats."""

from groundscope.arguments.attribution import attributed
from groundscope.arguments.catalogue import TRADE_SECRETS
from groundscope.arguments.mentions import find
from tests.growth import growth
from tests.loops import each
from tests.readers import READERS


@each("name", READERS)
def test_a_reader_takes_no_quadratic_time(name: str) -> None:
    read, pieces, characters = READERS[name]
    assert [wrong for piece in pieces if (wrong := growth(read, piece, characters))] == []


def test_a_long_list_that_many_clauses_tell_of_takes_no_quadratic_time() -> None:
    listed = "F4 of this "

    def of(text: str) -> object:
        both = text + text.replace(listed, ", which too TSC1")
        return attributed(both, find(both, TRADE_SECRETS))

    assert growth(of, listed, 20_000) == ""
