"""`audit`: the log of a team's server, shown, exported and checked."""

import json
from pathlib import Path

import click

from groundscope.commands import options
from groundscope.commands.terminal import CHANGED, DONE, say, show, table
from groundscope.errors import DataError
from groundscope.storage.database import shared
from groundscope.storage.team import audit as log
from groundscope.text.humanize import plural


@click.command()
@click.argument(
    "action", type=click.Choice(["show", "export", "verify"]), required=False, default="show", help="what to do with it"
)
@click.option("--file", "file", metavar="FILE", type=options.PATH, help="verify this export in place of the database")
@click.option("--kept", "noted", metavar="HASH", default="", help="verify that the log still has this hash, noted earlier")
def audit(action: str, file: Path | None, noted: str) -> int:
    """Show, export or verify the log of who saw and did what.

    It is the log of a team's server. Each entry seals the one before it, so that a changed, dropped or moved entry is found. An
    export is JSON, one entry a line, on standard output. Note the last hash elsewhere now and then: --kept shows that nothing was
    cut off since.
    """
    if (file or noted) and action != "verify":
        raise ValueError("--file and --kept go with verify")
    if action == "verify":
        report = log.check_lines(_lines(file), noted) if file else log.check(shared(), noted)
        say(report.fault or f"{plural(report.entries, 'entry', 'entries')}, each as it was written. The last hash follows.")
        if not report.fault:
            show(report.last)
        return CHANGED if report.fault else DONE
    if action == "export":
        for line in log.exported(shared()):
            show(line)
        return DONE
    rows = [(f"{e.number:,}", e.time, e.person, e.action, json.dumps(dict(e.about))) for e in log.entries(shared())]
    show(table(("entry", "time", "person", "action", "about"), rows))
    return DONE


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{file.name} cannot be read as text ({type(error).__name__}).") from None
