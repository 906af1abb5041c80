"""Roles, and the current person with theirs, checked by the use cases of the app and by the stores of what people write.

Where no login is set up, everything is allowed: the app and the shell belong to the one person who can reach them. Where one is,
nothing is allowed to a thread of which no one knows for whom it works.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import IntEnum
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from groundscope.errors import StoreError
from groundscope.runtime.progress import scoped

P = ParamSpec("P")
R = TypeVar("R")


class Role(IntEnum):
    """What a person may do; a higher one may do all that a lower one may."""

    READER = 1
    REVIEWER = 2
    LEAD = 3

    @property
    def words(self) -> str:
        """Its name, as people read it."""
        return self.name.lower()


ABOUT = {
    Role.READER: "sees sets, runs and the matters of which they are a member",
    Role.REVIEWER: "decides, makes matters, adds answers, starts work and asks chat models, too",
    Role.LEAD: "deletes, freezes thresholds, assigns, settles, changes what methods judge with, and names people, too",
}
"""What each role may do, in words that follow its name."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who acts; `role`: held when the person was looked up; None = logged in, and named by no lead."""

    email: str
    role: Role | None = None


_here: ContextVar[Person | None] = ContextVar("acting", default=None)
_logged_in: Callable[[], Person | None] | None = None


class NotAllowed(StoreError):
    """The person who acts may not do this. The message says who may."""


def use_logins(who: Callable[[], Person | None] | None) -> None:
    """Have every person in this process act by a login from now on."""
    global _logged_in
    _logged_in = who


def acting_as(person: Person) -> AbstractContextManager[object]:
    """Act for a person within a block."""
    return scoped(_here, person)


def acting() -> Person | None:
    """Find who acts."""
    person = current_person()
    if person is None and _logged_in:
        raise NotAllowed("Log in first.")
    return person


def current_person() -> Person | None:
    """Find who acts, where someone does."""
    return _here.get() or (_logged_in() if _logged_in else None)


def require(role: Role, name: str | None = None) -> Person | None:
    """See that who acts may do what comes next."""
    person = acting()
    if person is None:
        return None
    if why := _lacks(person, role):
        raise NotAllowed(why)
    if name is not None and name != person.email:
        raise NotAllowed("What you decide is kept under your own name only.")
    return person


def use_case(role: Role) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let only those with a role call a function that changes what others share, starts work or sends texts."""

    def guard(do: Callable[P, R]) -> Callable[P, R]:
        @wraps(do)
        def guarded(*arguments: P.args, **options: P.kwargs) -> R:
            require(role)
            return do(*arguments, **options)

        guarded.__dict__["role"] = role
        return guarded

    return guard


def role_of(do: Callable[..., object]) -> Role | None:
    """Find which role a function needs, also where it is wrapped; None if it is no use case."""
    while isinstance(do, partial):
        do = do.func
    role: Role | None = getattr(do, "role", None)
    return role


def lacks(role: Role) -> str:
    """Find why who acts may not do something; for pages, which say it before it is tried."""
    person = current_person()
    return _lacks(person, role) if person else "Log in first." if _logged_in else ""


def _lacks(person: Person, role: Role) -> str:
    if person.role is None:
        return "No lead has given you a role here yet; ask one."
    if person.role < role:
        return f"This needs a {role.words}, and you are a {person.role.words}. Ask a lead for that role."
    return ""
