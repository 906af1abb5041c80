"""`split`: put every query of a set into train, dev or test."""

from collections.abc import Mapping
from pathlib import Path

import click

from groundscope.cases.dataset import to_jsonl
from groundscope.cases.splitting import with_splits
from groundscope.cases.summary import split_counts
from groundscope.commands import options
from groundscope.commands.case_files import write
from groundscope.commands.case_files.loading import CaseFiles, case_options
from groundscope.commands.terminal import DONE, say, show, table
from groundscope.errors import DataError


@click.command(cls=options.Verb)
# Its own --shares are what --make-splits is elsewhere.
@case_options("files of cases", required=True, splits=False, draws="of the splits")
@click.option(
    "--shares", metavar="A/B/C", type=options.Shares(), default="70/10/20", help="of the queries in train, dev and test"
)
@click.option("--replace", "anyway", is_flag=True, help="make new splits of a set that has some")
@click.option("--out", metavar="FILE", type=options.PATH, required=True, help="a new file for the cases with their splits")
def split(given: CaseFiles, shares: Mapping[str, float], anyway: bool, out: Path) -> int:
    """Split a set by query into train, dev and test.

    All responses of a query go into one split. Queries are drawn by area of law and by the labels of their responses, so that
    each split gets its share of each. The same seed gives the same splits.
    """
    read, source = given.read()
    if not anyway and (there := sorted({c.split for c in read if c.split})):
        raise DataError(f"{source} has splits already: {', '.join(there)}; add --replace to make new ones.")
    made = with_splits(read, shares, given.seed)
    try:
        path = write(out, to_jsonl(made).encode("utf-8"), "; name a file elsewhere", "xb")
    except FileExistsError:
        raise DataError(f"{out} is there already; name a new file.") from None
    rows = [
        (s.split, *(f"{n:,}" for n in (s.queries, s.responses, s.grounded, s.ungrounded, s.sentences)))
        for s in split_counts(made)
    ]
    say(table(("split", "queries", "responses", "grounded", "ungrounded", "sentences"), rows))
    show(path)
    return DONE
