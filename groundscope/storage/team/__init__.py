"""A team on one server: who acts, in which role, and the log of who saw and did what."""
