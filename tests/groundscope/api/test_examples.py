"""The examples in the docstrings of the Python interface give what they say."""

import doctest
from types import ModuleType

from groundscope.api import inputs, runs, scores, scoring
from tests.loops import each


@each("module", [inputs, runs, scores, scoring])
def test_examples_give_what_they_say(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_there_are_examples() -> None:
    assert doctest.testmod(scoring).attempted >= 3
