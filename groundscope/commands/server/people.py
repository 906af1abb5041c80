"""`people`: who has which role, and who is a member of which matter."""

import click

from groundscope.commands.terminal import DONE, say, show, table
from groundscope.review.matters import default as matters
from groundscope.storage.team.audit import SHELL
from groundscope.storage.team.members import Membership
from groundscope.storage.team.people import People, first_leads
from groundscope.storage.team.roles import ABOUT, Role

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
        first = first_leads()
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
