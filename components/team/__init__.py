"""What a team's server draws: the login, the person's own entry, and the people whom leads name."""
