"""One method = one file: how files, variants and parameters become methods, and what a wrong name is told."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import scorers
from groundscope.errors import ScorerUnavailable
from groundscope.methods import registry
from groundscope.types import Case, Passage
from tests.loops import each

COINS = """
from dataclasses import dataclass
from groundscope.methods import Method
from groundscope.types import Case, Judgement, Status

VARIANTS = {"tails": {"support": 0.0}, "edge": {"support": 0.5}}

@dataclass(frozen=True)
class Coins(Method):
    support: float = 1.0

    @property
    def signature(self) -> str:
        return f"coins|support={self.support}"

    def score(self, case: Case) -> Judgement:
        return Judgement(Status.SCORED, support=self.support)
"""

SOUND = """
from groundscope.methods import Method

class Sound(Method):
    signature = "sound"

    def score(self, case): ...
"""
BROKEN = {
    "a syntax error": "def broken(:\n",
    "a package that is not installed": "import a_package_that_nobody_has_installed\n",
    "bytes that are not UTF-8": b"# \xff\xfe\nx = 1\n",
    "no class": "x = 1\n",
    "two classes": SOUND + SOUND.replace("Sound", "Other"),
    "no signature": SOUND.replace('signature = "sound"', "title = 3"),
    "a constructor that raises": f"{SOUND}\n    def __init__(self): 1 / 0\n",
    "an exit while it is imported": "import sys\nsys.exit(3)\n",
    "variants that raise": f"def variants(): raise OSError\n{SOUND}",
}

CASE = Case("c", "q", (Passage("p", "The court dismissed the appeal."),), "The court dismissed the appeal.")


@pytest.fixture
def extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose files are methods as those of `scorers` are."""
    folders = [*scorers.__path__, str(tmp_path)]
    monkeypatch.setattr(scorers, "__path__", folders)
    monkeypatch.setattr(scorers.__spec__, "submodule_search_locations", folders)
    yield tmp_path
    for name in ("coins", "broken"):
        sys.modules.pop(f"scorers.{name}", None)
        scorers.__dict__.pop(name, None)


def _supports(*names: str) -> list[float | None]:
    return [registry.load(name).score(CASE).support for name in names]


def test_names_are_sorted_with_variants_after_their_file() -> None:
    names = registry.names()
    assert {"cos_sim", "cos_sim:minilm", "overlap", "quip"} <= set(names)
    assert list(names) == sorted(names, key=lambda name: name.split(":"))
    assert len(set(names)) == len(names)
    assert not any(name.startswith("_") for name in names)


@each("name", ["no_such_method", "_ngrams", "__init__", "", "Quip", "../quip", "scorers.quip"])
def test_an_unknown_method_is_reported_which_there_are(name: str) -> None:
    with pytest.raises(ValueError, match=r"cos_sim, cos_sim:minilm, .*overlap, .*quip") as caught:
        registry.load(name)
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize(("name", "allowed"), [("cos_sim:maxilm", "minilm"), ("quip:minilm", "none")])
def test_an_unknown_variant_is_reported_which_there_are(name: str, allowed: str) -> None:
    with pytest.raises(ValueError, match=repr(name.partition(":")[2])) as caught:
        registry.load(name)
    assert allowed in str(caught.value)


@each("method", registry.names())
def test_an_unknown_parameter_is_reported_which_there_are(method: str) -> None:
    with pytest.raises(ValueError, match="width_of_the_window") as caught:
        registry.load(method, width_of_the_window=3)
    allowed: Any = registry.load(method)
    assert all(name in str(caught.value) for name in allowed.parameters)


def test_a_new_file_is_a_method_without_another_edit(extra: Path) -> None:
    before = registry.names()
    (extra / "coins.py").write_text(COINS, encoding="utf-8")
    assert sorted(registry.names()) == sorted([*before, "coins", "coins:edge", "coins:tails"])
    assert _supports("coins", "coins:edge", "coins:tails", "quip") == [1.0, 0.5, 0.0, 1.0]


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_file_says_so_and_does_not_stop_the_others(reason: str, extra: Path) -> None:
    before, source = registry.names(), BROKEN[reason]
    (extra / "broken.py").write_bytes(source if isinstance(source, bytes) else source.encode())
    assert sorted(registry.names()) == sorted([*before, "broken"])
    assert _supports("overlap", "quip") == [1.0, 1.0]
    with pytest.raises(ScorerUnavailable, match=r"^scorers/broken\.py ") as caught:
        registry.load("broken")
    repair = r"; run `make app` again or use pip to install what it needs, or correct scorers/broken\.py\.$"
    assert re.search(repair, str(caught.value))
