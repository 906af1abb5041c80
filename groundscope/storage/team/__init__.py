"""A team on one server: people, roles, members of matters, and the audit log."""

from groundscope.storage.team.acting import Person, Role, current_person, lacks, require, role_of, use_case, use_logins

__all__ = [
    "Person", "Role", "acting", "audit", "current_person", "lacks", "members", "people", "require", "role_of", "use_case",
    "use_logins",
]  # fmt: skip
