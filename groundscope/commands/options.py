"""Option types that click lacks, and options that several commands share."""

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import click

from groundscope.cases.splitting import SHARES
from groundscope.grounding.parts import listed
from groundscope.methods.defaults import DEFAULTS

_F = TypeVar("_F", bound=Callable[..., Any])
_BREAK = "\0"
"""Parts the files of one option: no argument of a process can hold it."""


class Names(click.ParamType[tuple[str, ...]]):
    """Names separated by commas, each once."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Part the names, as `groundscope.grounding.parts.listed` does."""
        return listed(value) if isinstance(value, str) else value


class Counts(click.ParamType[tuple[int, ...]]):
    """Whole numbers separated by commas, each once, none below the least."""

    name = "N,M"

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Part the numbers; refuse what is none, or too small."""
        if not isinstance(value, str):
            return tuple(value)
        number: click.ParamType[Any] = click.IntRange(min=self.least)
        return tuple(dict.fromkeys(number.convert(n.strip(), param, ctx) for n in value.split(",") if n.strip()))


class Files(click.ParamType[tuple[Path, ...]]):
    """One file or several, as `Verb` joins them."""

    name = "FILE..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Path, ...]:
        """Part the files; they need not exist."""
        return tuple(map(Path, value.split(_BREAK))) if isinstance(value, str) else value


class Finite(click.FloatRange):
    """A number of a range; click alone takes `nan` for one of any range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Refuse what is no number, not finite, or out of the range."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Verb(click.Command):
    """A command whose options for files take several in a row: `--cases one.jsonl two.jsonl`, as a shell writes `*.jsonl`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join the files that stand behind one option, and let click do the rest."""
        many = {name for p in self.params if isinstance(p.type, Files) for name in p.opts}
        joined: list[str] = []
        gathering = False
        for before, argument in pairwise(["", *args]):
            file = argument == "-" or not argument.startswith("-")
            if gathering and file:
                joined[-1] += _BREAK + argument
            else:
                gathering = file and before in many
                joined.append(argument)
        return super().parse_args(ctx, joined)


class Shares(click.ParamType[dict[str, float]]):
    """Shares of train, dev and test, separated by slashes, such as 70/10/20."""

    name = "A/B/C"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, float]:
        """Read three numbers above 0."""
        if not isinstance(value, str):
            return dict(value)
        try:
            shares = dict(zip(SHARES, map(float, value.split("/")), strict=True))
        except ValueError:
            shares = {}
        if not shares or not all(math.isfinite(share) and share > 0 for share in shares.values()):
            self.fail(f"{value} is not three shares above 0, such as 70/10/20.", param, ctx)
        return shares


POSITIVE, FROM_ZERO = click.IntRange(min=1), click.IntRange(min=0)
AMOUNT, SHARE = Finite(min=0, min_open=True), Finite(0, 1)
NAMES, FILES = Names(), Files()
PATH: click.ParamType[Path] = click.Path(readable=False, path_type=Path)
"""The verb itself says, in its own words, what cannot be read or written."""


def together(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Combine decorators that each add an option into one; help shows them in this order."""

    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


RUN = click.argument(
    "run", metavar="RUN", help="a run's id, the name of one that comes with the app, or the folder of an exported run"
)
METHODS = click.option(
    "--methods", type=NAMES, help="method ids", show_default=f"those of {', '.join(DEFAULTS)} that can run here"
)
YES = click.option("--yes", is_flag=True, help="send texts to the addresses shown without asking")
QUIET = click.option("--quiet", is_flag=True, help="no progress")
WATCHED = together(
    QUIET, click.option("--with-parent", is_flag=True, help="stop when standard input closes: for programs that start this one")
)
BUDGET = together(
    click.option("--calls", metavar="N", type=POSITIVE, help="stop before more calls than this"),
    click.option("--dollars", metavar="X", type=AMOUNT, help="stop before more US dollars than this"),
)
LIMITS = together(BUDGET, WATCHED)
SPLIT = click.option(
    "--split", metavar="NAME", default="", show_default=False, help="only the cases of this split: train, dev or test"
)
SET = click.option(
    "--set", "settings", metavar="PART.NAME=VALUE", multiple=True, help="a parameter of a part; can be given again"
)
COPIES = together(
    SET,
    click.option("--model", metavar="SPEC", help="the chat model for methods that ask one"),
    YES,
    click.option("--name", help="what the run is called"),
    click.option("--out", metavar="DIR", type=PATH, help="a new folder for the run's files", show_default="beside the run"),
    LIMITS,
)
"""Of verbs that judge copies of cases as a run."""
RULES = click.option(
    "--rules", metavar="NAME", help="frozen thresholds; starting: those that methods start with",
    show_default="the newest that hold for all methods of the run, as on its pages",
)  # fmt: skip
READING = together(
    RULES,
    click.option(
        "--split", metavar="NAME",
        help="only responses of this split; none: those without one", show_default="all labelled ones",
    ),
)  # fmt: skip
