"""Read and write the files that a user names; options for cases that all commands share."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Literal

import click

from groundscope.cases.dataset import LoadedDataset, Rejected, read_many
from groundscope.cases.mapping.saved_mappings import check_name, named, save
from groundscope.cases.splitting import sampled, with_splits
from groundscope.commands import options
from groundscope.commands.terminal import say
from groundscope.errors import DataError
from groundscope.files.addresses import is_address, shown
from groundscope.files.private import users_umask
from groundscope.grounding.runs.planning import chosen
from groundscope.paths import ROOT
from groundscope.types import Case

_SAMPLES = ROOT / "sample_data" / "legal_qa.jsonl"
_SHOWN = 20
"""Rows that cannot be used; of more, only the number is shown."""


def read_cases(paths: Sequence[Path] | None, mapping: str | None = None) -> tuple[Sequence[Case], str]:
    """Read the cases of files, without any those of the sample set; rows that cannot be used are listed on standard error.

    `mapping` is what the user typed after `--map`. Gives the cases in the order of the files and their rows, and the names of the
    files, separated by commas. Raises `DataError` where a file cannot be read, no case comes out, two cases have the same id, or
    it is not sure what the values of a label mean.
    """
    files = read_files(paths or [_SAMPLES])
    sets = read_sets(files, mapping, quiet=not paths)
    if asked := _asked(sets):
        raise DataError(asked)
    cases = [case for dataset in sets for case in dataset.cases]
    if len({c.id for c in cases}) < len(cases):
        raise DataError("Several files have cases with the same id; run them one by one.")
    return cases, ", ".join(name for name, _ in files)


def read_sets(files: Sequence[tuple[str, bytes]], mapping: str | None, *, quiet: bool = False) -> tuple[LoadedDataset, ...]:
    """Read cases from files; their counts, or if quiet what cannot be used, go to standard error.

    Raises `DataError` where no case comes out.
    """
    sets = read_many(files, named(mapping) if mapping else None)
    for dataset in sets:
        if quiet:
            tell_rejected(dataset.rejected)
        for line in dataset.notes if quiet else count_lines(dataset):
            say(line)
    if not any(found.cases for found in sets):
        raise DataError(" ".join(("No row of the files can be used.", _asked(sets))).strip())
    return sets


def _asked(sets: Sequence[LoadedDataset]) -> str:
    return " ".join(f"{dataset.name}: {dataset.unsure}" for dataset in sets if dataset.unsure)


def count_lines(dataset: LoadedDataset) -> list[str]:
    """The counts of a set for the shell: one line, then values of the label, what was left out, and what is worth a sentence."""
    counts = dataset.counts
    lines = [f"{dataset.name}: {counts.summary(dataset.shapes)}"]
    if words := counts.label_words():
        lines.append(f"  labels: {words}")
    for reason in counts.left_out:
        rows = ", ".join(f"{row:,}" for row in reason.rows)
        more = f" and {reason.number - len(reason.rows):,} more" if reason.number > len(reason.rows) else ""
        lines.append(f"  left out, {'row' if reason.number == 1 else 'rows'} {rows}{more}: {reason.reason}")
    return [*lines, *(f"  {line}" for line in (*counts.lines, *dataset.notes))]


def tell_rejected(rejected: Sequence[Rejected], most: int | None = _SHOWN) -> None:
    """List on standard error which rows cannot be used, and why; of more than `most`, the others are only counted."""
    for row in rejected[:most]:
        say(f"{row.file}, row {row.row}: {row.reason}")
    if most is not None and len(rejected) > most:
        say(f"... and {len(rejected) - most:,} more rows that cannot be used.")


def read_files(paths: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Read files: the name without its folder, and the bytes of each; raises `DataError` where one cannot be read."""
    return [(path.name, content(path)) for path in paths]


def content(path: Path, what: str = "") -> bytes:
    """Read the bytes of a file or a pipe; raises `DataError` where it cannot be read, which asks to name what is wanted."""
    hint = f"; name {what}" if what else ""
    if is_address(str(path)):
        raise DataError(f"{shown(str(path))} is an address, which `run --on ray` alone reads; copy the file here first.")
    try:
        # Some devices never end.
        if path.is_char_device() or path.is_block_device():
            raise DataError(f"{path} is a device and no file{hint}.")
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}){hint}.") from None


def check_place(path: Path | None, *, new: bool = True) -> None:
    """Check, before any work, that a file can be written where the user wants one; raises `DataError` where it cannot."""
    if path and new and path.exists():
        raise DataError(f"{path} already exists; name another file.")
    if path and (path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK)):
        raise DataError(f"{path} cannot be written; name a file elsewhere, in a folder that there is.")


def write(path: Path, data: bytes, hint: str = "", mode: Literal["wb", "xb"] = "wb") -> str:
    """Write a file and give its path as text; raises `DataError` where it cannot be written, with a hint what to do.

    With the mode `xb` it must be a new one, and `FileExistsError` says that it is not. The user named it (`--out`), so that a new
    one follows her own umask.
    """
    try:
        with users_umask(), path.open(mode) as file:
            file.write(data)
    except FileExistsError:
        raise
    except OSError as error:
        raise DataError(f"{path} cannot be written ({error.strerror}){hint}.") from None
    return str(path)


_Verb = Callable[..., int]
MAP = click.option(
    "--map", "mapping", metavar="MAPPING",
    help="what the fields of the files are: the name of a mapping that was kept here or in the app, or "
    "context=FIELD,answer=FIELD and, as far as there are any, question=, label=, grounded=VALUE|VALUE, split=, "
    "group=, sentence=, sentence_label=",
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
        """Read the cases: splits are made first, then one of them is chosen, then the sample is drawn."""
        if self.keeps is not None:
            if not self.mapping:
                raise ValueError("--keep-map keeps what --map says; add --map")
            check_name(self.keeps)
        read, source = read_cases(self.files, self.mapping)
        if self.keeps is not None and self.mapping:
            # Only one that could be used.
            save(self.keeps, named(self.mapping))
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
    """Give a verb the options of its cases; its function gets them together, as `case_files`."""
    seeded = ", ".join(["of the sample", *["of the splits"] * splits, *[draws] * bool(draws)])
    parts = [
        click.option("--cases", type=options.FILES, required=required, help=what),
        MAP,
        click.option("--keep-map", "keeps", metavar="NAME", help="keep that mapping under a name, for later and for the app"),
        click.option(
            *sample, "sample", metavar="N", type=options.POSITIVE, default=drawn,
            help="draw whole queries, about N cases; each split and kind keeps its share", show_default=drawn is not None,
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
            return verb(case_files=CaseFiles(cases, mapping, keeps, sample, make_splits, seed), **others)

        return options.together(*parts)(call)

    return decorate
