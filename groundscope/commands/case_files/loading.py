"""Which cases a verb reads: files, what their fields are, a sample, splits that are made. The same options for all verbs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from groundscope.cases.mapping.kept_mappings import check_name, keep, named
from groundscope.cases.splitting import sampled, with_splits
from groundscope.commands import options
from groundscope.commands.case_files import read_cases
from groundscope.grounding.runs.planning import chosen
from groundscope.types import Case

_Verb = Callable[..., int]
MAP = click.option(
    "--map", "mapping", metavar="MAPPING",
    help="what the fields of the files are: the name of a mapping that was kept here or in the app, or "
    "context=FIELD,answer=FIELD and, as far as there are any, question=, label=, grounded=VALUE|VALUE, split=, group=",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CaseFiles:
    """What a user said about the cases of a verb.

    Attributes:
        files: that hold them; None = the sample set.
        mapping: what was typed after `--map`; None = the files are in a known format.
        keeps: the name under which the mapping is kept; None = it is not.
        sample: how many cases are drawn; None = all are read.
        splits: shares of train, dev and test, which are made; None = the files' own splits stay.
        seed: of the sample, of the splits, and of what else the verb draws.
    """

    files: Sequence[Path] | None
    mapping: str | None
    keeps: str | None
    sample: int | None
    splits: Mapping[str, float] | None
    seed: int

    def read(self, split: str = "") -> tuple[Sequence[Case], str]:
        """Read the cases: splits are made first, then one of them is chosen, then the sample is drawn.

        Raises:
            DataError: as `read_cases`; or the cases cannot be divided, or there is none of the split.
            ValueError: the mapping is none, or there is none to keep.
        """
        if self.keeps is not None:
            if not self.mapping:
                raise ValueError("--keep-map keeps what --map says; add --map")
            check_name(self.keeps)
        read, source = read_cases(self.files, self.mapping)
        if self.keeps is not None and self.mapping:
            # Only one that could be used.
            keep(self.keeps, named(self.mapping))
        if self.splits:
            read = with_splits(read, self.splits, self.seed)
        if split:
            read = chosen(read, split)
        return (sampled(read, self.sample, self.seed) if self.sample else read), source


def case_options(
    what: str = "files of labelled cases; without them the sample set",
    *,
    required: bool = False,
    splits: bool = True,
    draws: str = "",
    sample: tuple[str, ...] = ("--sample",),
    drawn: int | None = None,
) -> Callable[[_Verb], _Verb]:
    """Give a verb the options of its cases; its function gets them together, as `given`."""
    seeded = ", ".join(["of the sample", *["of the splits"] * splits, *[draws] * bool(draws)])
    parts = [
        click.option("--cases", type=options.FILES, required=required, help=what),
        MAP,
        click.option("--keep-map", "keeps", metavar="NAME", help="keep that mapping under a name, for later and for the app"),
        click.option(
            *sample, "sample", metavar="N", type=options.POSITIVE, default=drawn,
            help="draw so many cases; each split and label keeps its share", show_default=drawn is not None,
        ),
    ]  # fmt: skip
    if splits:
        words = "divide the cases by query into train, dev and test, such as 70/10/20"
        parts.append(click.option("--make-splits", "make_splits", type=options.Shares(), help=words))
    parts.append(click.option("--seed", metavar="N", type=options.FROM_ZERO, default=0, help=seeded))

    def decorate(verb: _Verb) -> _Verb:
        @wraps(verb)
        def call(
            *, cases: Sequence[Path] | None, mapping: str | None, keeps: str | None, sample: int | None, seed: int,
            make_splits: Mapping[str, float] | None = None, **others: Any,
        ) -> int:  # fmt: skip
            return verb(given=CaseFiles(cases, mapping, keeps, sample, make_splits, seed), **others)

        return options.together(*parts)(call)

    return decorate
