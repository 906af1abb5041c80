"""What a server with logins draws: the login, the account menu, the list of people; and the access log."""

__all__ = ["account", "login", "person"]
