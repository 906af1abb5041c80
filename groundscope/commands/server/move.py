"""`move`: what people wrote goes along into another database, such as their firm's Postgres."""

from contextlib import closing

import click

from groundscope.commands import options
from groundscope.commands.terminal import DONE, say, show, table
from groundscope.errors import DataError
from groundscope.storage.database import VARIABLE, Database, shared
from groundscope.storage.moving import copy


@click.command(cls=options.Verb)
@click.option("--to", metavar="URL", required=True, help="an empty database, such as postgresql+psycopg://user@host/groundscope")
def move(to: str) -> int:
    """Copy decisions, matters and frozen thresholds into another database.

    All or nothing is copied, and the database that is in use stays as it is. A password need not stand in the URL: the server's
    own PGPASSWORD and .pgpass work, too.
    """
    source = shared()
    if not source.is_there():
        raise DataError(f"There is nothing to copy yet: {source.shown} is not there.")
    with closing(Database(to)) as target:
        counts = copy(source, target)
        show(table(["table", "rows"], [(name, f"{rows:,}") for name, rows in counts.items() if rows]))
        say(f"Copied from {source.shown}. From now on, start the app and the commands with {VARIABLE}={target.shown}")
    return DONE
