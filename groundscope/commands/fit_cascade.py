"""`fit-cascade`: a cheap method first, a second one only for what is doubtful; the band of doubt is chosen on a finished run."""

from pathlib import Path
from typing import get_args

import click

from groundscope.commands import options
from groundscope.commands.terminal import DONE, REFUSED, say, show, table
from groundscope.errors import DataError
from groundscope.files.private import users_umask
from groundscope.grounding.result_columns import money, seconds
from groundscope.grounding.runs import listing
from groundscope.training.cascade_bands import CascadeBand, CascadeBudget, CascadeChoice, best_bands
from groundscope.training.cascade_files import Asked
from groundscope.training.cascade_proof import as_json, fitted, proven
from groundscope.training.cascade_records import DEV, TEST
from groundscope.training.cascade_words import in_words
from groundscope.training.cascades import choose
from groundscope.training.ensembles import write
from groundscope.training.own_models import own_cascade


@click.command()
@options.RUN
@click.option("--first", metavar="PART", required=True, help="judges every sentence; works on this machine alone")
@click.option("--second", metavar="PART", required=True, help="judges what the first leaves in doubt")
@click.option("--dollars", metavar="X", type=float, help="US dollars a response at most")
@click.option("--seconds", metavar="X", type=float, help="seconds a response at most")
@click.option("--share", metavar="X", type=float, help="share of the sentences that are asked about at most, 0 to 1")
@click.option(
    "--asked", type=click.Choice(get_args(Asked)), help="what the second reads",
    show_default="the whole answer if it asks a chat model, else the doubtful sentences",
)  # fmt: skip
@click.option("--split", metavar="NAME", default=DEV, help="the split to choose on; test is refused")
@click.option("--name", help="keep it as the method cascade:NAME: small letters, figures, hyphens")
@click.option("--out", metavar="FILE", type=options.PATH, help="write it there instead of where the app finds it")
@click.option("--replace", "anyway", is_flag=True, help="put it in the place of the one of this name")
def fit_cascade(
    run: str, first: str, second: str, dollars: float | None, seconds: float | None, share: float | None,
    asked: Asked | None, split: str, name: str | None, out: Path | None, anyway: bool,
) -> int:  # fmt: skip
    """Choose for which sentences a second method is asked.

    The run must hold both methods on the same labelled responses; nothing is asked again. Bands of doubt are compared on dev by
    macro-F1 and by what they take; the best within the budget is read on test beside either method alone. Intervals draw the
    queries of both splits and tune the thresholds again each time; the band is given. Without --name or --out it is shown and not
    kept. It appears as the method cascade:NAME.
    """
    path = out or (own_cascade(name) if name else None)
    if path and path.exists() and not anyway:
        raise DataError(f"There is a cascade {path.name} already; choose another name, or add --replace.")
    if split == TEST:
        raise ValueError("A test split is for the last look only: no band is chosen on it. Choose dev.")
    read = listing.find(run)
    found = choose(read, first, second, CascadeBudget(dollars, seconds, share), asked, split)
    (say if path else show)(_table(found))
    if found.chosen is None:
        say(found.why)
        return REFUSED
    proof = proven(read, found, found.chosen)
    one, two = (read.methods[read.method(m)].title for m in (first, second))
    say(in_words(as_json(proof), one, two))
    if path:
        # A file that the user named is for those whom her umask lets read it.
        with users_umask():
            write(fitted(found, found.chosen, proof, read), path)
        show(str(path))
    return DONE


def _table(found: CascadeChoice) -> str:
    """The bands that no other beats, between the first method alone and the second alone; the proposed one is marked."""
    bands = [(f"{b.low:.3f} to {b.high:.3f}{' *' if b is found.chosen else ''}", b) for b in best_bands(found)]
    lines = [(f"never: {found.first.name}", found.never), *bands, (f"always: {found.second.name}", found.always)]
    head = ("doubtful", "sentences asked", "responses asked", "mean s", "US dollars", f"macro-F1 on {found.split}")
    return table(head, [(words, *_cells(band)) for words, band in lines])


def _cells(band: CascadeBand) -> tuple[str, ...]:
    return (
        f"{band.share:.0%}",
        f"{band.responses:.0%}",
        seconds(band.seconds),
        money(band.dollars),
        f"{band.macro_f1:.3f}",
    )
