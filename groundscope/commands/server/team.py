"""`audit`, `people`, `move`: the log, the roles and the database of a team's server."""

import json
from contextlib import closing
from pathlib import Path

import click

from groundscope.commands import options
from groundscope.commands.terminal import CHANGED, DONE, say, show, table
from groundscope.errors import DataError
from groundscope.paths import Variable
from groundscope.review.matters import default as matters
from groundscope.storage.database import Database, copy_all, shared
from groundscope.storage.team import audit as log
from groundscope.storage.team.acting import ABOUT, Role
from groundscope.storage.team.audit import SHELL
from groundscope.storage.team.members import Membership
from groundscope.storage.team.people import People
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
        say(report.fault or f"{plural(report.entries, 'entry', 'entries')}, none changed or missing. The last hash follows.")
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


_ROLES = {role.words: role for role in Role}


@click.command()
@click.argument("email", metavar="EMAIL", required=False, default="", help="a person's e-mail address; without it all are listed")
@click.option("--role", type=click.Choice(list(_ROLES)), help="give the person this role")
@click.option("--remove", is_flag=True, help="take the person's role, and their membership in every matter")
@click.option("--member-of", metavar="MATTER", help="make the person a member of the matter of this name")
def people(email: str, role: str | None, remove: bool, member_of: str | None) -> int:
    """List the people of a team's server, and give and take roles.

    A reader sees, a reviewer decides, a lead deletes, freezes, assigns, settles and names people. The first leads are those that
    the environment variable GROUNDSCOPE_LEADS names.
    """
    if not email:
        if role or remove or member_of:
            raise ValueError("name the person by their e-mail address")
        first = Variable.LEADS.names()
        rows = [(p.email, p.role.words, "by GROUNDSCOPE_LEADS" if p.email in first else "") for p in People().all() if p.role]
        show(table(("person", "role", "named"), rows))
        return DONE
    if remove and (role or member_of):
        raise ValueError("--remove stands alone")
    if remove:
        People().remove(email, by=SHELL)
        say(f"{email} has no role any more.")
    if role:
        person = People().name(email, _ROLES[role], by=SHELL)
        say(f"{person.email} is a {role}. A {role} {ABOUT[_ROLES[role]]}.")
    if member_of:
        number = next((m.number for m in matters().all() if m.name == member_of), None)
        if number is None:
            raise ValueError(f"there is no matter {member_of!r}")
        Membership(matters().database, number).add(email, by=SHELL)
        say(f"{email} is a member of {member_of}.")
    if not (role or remove or member_of):
        looked_up = People().find(email)
        say(f"{looked_up.email} {f'is a {looked_up.role.words}' if looked_up.role else 'has no role'}.")
    return DONE


@click.command(cls=options.Verb)
@click.option("--to", metavar="URL", required=True, help="an empty database, such as postgresql+psycopg://user@host/groundscope")
def move(to: str) -> int:
    """Copy decisions, matters and frozen thresholds into another database.

    All or nothing is copied, and the database that is in use stays as it is. A password need not stand in the URL: the server's
    own PGPASSWORD and .pgpass work, too.
    """
    source = shared()
    if not source.is_there():
        raise DataError(f"Nothing to copy yet: {source.shown} is not there.")
    with closing(Database(to)) as target:
        counts = copy_all(source, target)
        show(table(["table", "rows"], [(name, f"{rows:,}") for name, rows in counts.items() if rows]))
        say(f"Copied from {source.shown}. From now on, start the app and the commands with {Variable.DATABASE}={target.shown}")
    return DONE
