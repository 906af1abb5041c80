"""Parts of a run: the same method many times, under names of the user's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.parts import NamedPart, named, swept_values
from tests.loops import each

METHODS = ("cos_sim", "cos_sim:minilm", "direct", "quip")


def test_a_method_stands_in_a_run_under_many_names() -> None:
    settings = ("direct:gpt-4.1.model=openai:gpt-4.1", "direct:haiku.model=anthropic:claude-haiku;temperature=0", "quip.n=12")
    names = ("direct:gpt-4.1", "direct:haiku", "cos_sim:minilm", "cos_sim:minilm:fast", "quip", "quip:n=9")
    found = named(names, METHODS, settings)
    assert found == (
        NamedPart("direct:gpt-4.1", "direct", {"model": "openai:gpt-4.1"}),
        NamedPart("direct:haiku", "direct", {"model": "anthropic:claude-haiku;temperature=0"}),
        NamedPart("cos_sim:minilm", "cos_sim:minilm"),
        NamedPart("cos_sim:minilm:fast", "cos_sim:minilm"),
        NamedPart("quip", "quip", {"n": 12}),
        NamedPart("quip:n=9", "quip", {"n": 9}),
    )
    assert [part.titled("T") for part in found] == ["T (gpt-4.1)", "T (haiku)", "T", "T (fast)", "T", "T (n=9)"]


def test_a_sweep_makes_a_part_of_each_value() -> None:
    found = named(("quip",), METHODS, ("quip:n=9.scope=passage",), ("quip.n=9,15, 21",))
    assert found == (
        NamedPart("quip", "quip"),
        NamedPart("quip:n=9", "quip", {"n": 9, "scope": "passage"}, "quip.n"),
        NamedPart("quip:n=15", "quip", {"n": 15}, "quip.n"),
        NamedPart("quip:n=21", "quip", {"n": 21}, "quip.n"),
    )


def test_a_range_is_every_whole_number_of_it() -> None:
    assert swept_values("5..40") == [str(n) for n in range(5, 41)]
    assert swept_values(" 3, 5..7,, high") == ["3", "5", "6", "7", "high"]
    found = named((), METHODS, (), ("quip.n=5..40",))
    assert [p.options["n"] for p in found] == list(range(5, 41))
    assert {p.sweep for p in found} == {"quip.n"}


@each("text", ["0..100", "1,1..100", ",".join(["9"] * 101)])
def test_a_sweep_has_a_hundred_values_at_most(text: str) -> None:
    with pytest.raises(ValueError, match="at most 100 values"):
        swept_values(text)


@each(
    ("names", "settings", "sweeps", "words"),
    [
        (("clever",), (), (), "no method 'clever'; there are cos_sim"),
        (("quip:",), (), (), "not a valid name for a part"),
        (("quip:\x1b[31m",), (), (), "not a valid name for a part"),
        (("quip:" + "x" * 116,), (), (), "at most 120 characters"),
        (("quip:n=9",), (), ("quip.n=9,15",), "quip:n=9 is named twice"),
        (("quip",), ("direct.model=x",), (), "with one of quip, got 'direct.model=x'"),
        (("quip",), ("quip.n",), (), "--set takes PART.OPTION=VALUE"),
        ((), (), ("quip.n=9..9",), "at least two values"),
        ((), (), ("quip=9,15",), "--sweep takes METHOD.OPTION"),
    ],
)  # fmt: skip
def test_what_names_no_part_is_refused(
    names: tuple[str, ...], settings: tuple[str, ...], sweeps: tuple[str, ...], words: str
) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        named(names, METHODS, settings, sweeps)


@given(st.text(min_size=1, max_size=40).filter(lambda t: t.isprintable() and t.strip() and "=" not in t))
def test_any_printable_name_is_kept_as_it_is(label: str) -> None:
    (part,) = named((f"direct:{label}",), METHODS)
    assert (part.name, part.method, part.label, dict(part.options)) == (f"direct:{label}", "direct", label, {})
