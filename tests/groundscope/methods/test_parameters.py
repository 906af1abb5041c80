"""Every parameter of every method beside hostile values: it loads, or one sentence names the parameter; nothing else comes up."""

from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groundscope.methods import Method, registry
from groundscope.types import Case, Judgement

HOSTILE: tuple[Any, ...] = (
    "", "x" * 100_000, "/not/there", "/", "a\0b", "\ud800", "a\nb", 0, -1, 10**5000, 1e999, float("nan"), True, None, [], {},
    [[1]], b"bytes", object(), np.zeros(2), Path("/dev/zero"), ("fp32",),
)  # fmt: skip
FIELDS = [
    (method, field.name) for method in registry.names() if is_dataclass(found := registry.load(method)) for field in fields(found)
]


@pytest.mark.parametrize(("method", "name"), FIELDS)
def test_a_parameter_takes_a_value_or_refuses_it_by_name(method: str, name: str) -> None:
    refused = 0
    for value in HOSTILE:
        try:
            made = registry.load(method, **{name: value})
        except ValueError as error:
            refused += 1
            text = str(error)
            assert text.startswith(f"{name} must be "), text
            assert len(text) < 600
            assert "\n" not in text
            text.encode()
        else:
            # What was taken must do no harm either.
            assert isinstance(made.signature, str)
            assert isinstance(made.unavailable(), str)
            assert made.about.title
    assert refused >= len(HOSTILE) - 6


@pytest.mark.parametrize(
    ("method", "name", "value", "words"),
    [
        ("quip", "n", "many", "n must be a whole number of at least 1, such as 21, got 'many'"),
        ("multi_gen", "temperature", "hot", "temperature must be a number from 0 to 2, such as 1.0, got 'hot'"),
        ("grounding_classifier", "verbatim", 1, "verbatim must be true or false, such as true, got 1"),
        ("direct", "model", 3, "model must be text of one line, at most 4,000 signs, such as anthropic:claude-haiku-5-5, got 3"),
        ("direct", "model", "x", "model must be the spec of a chat model: A model is written provider:name"),
        ("grounding_classifier", "weights", "/a/folder", "weights must be left out: only code can give its WeightFiles"),
        ("cos_sim", "precision", "fp8", "precision must be one of bf16, fp32, got 'fp8'"),
    ],
)
def test_a_refusal_says_what_the_parameter_takes_with_an_example(method: str, name: str, value: object, words: str) -> None:
    with pytest.raises(ValueError, match="must be") as found:
        registry.load(method, **{name: value})
    assert str(found.value).startswith(words)


@dataclass(frozen=True)
class _Plain(Method):
    """A method of a package, which checks nothing itself."""

    count: int = 3
    late: "Unknown" = 1  # type: ignore[name-defined] # noqa: F821

    signature = "plain"

    def score(self, case: Case) -> Judgement:
        raise NotImplementedError


def test_annotations_that_mean_nothing_here_are_no_error() -> None:
    assert _Plain(count=4).count == 4
