"""A team on one server: people, roles, members of matters, and the audit log."""
