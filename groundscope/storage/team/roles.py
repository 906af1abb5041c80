"""Roles of a team, and a person with a role."""

from dataclasses import dataclass
from enum import IntEnum


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
