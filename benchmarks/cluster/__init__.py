"""What many processes and many users at once do: kills, rate limits and speed of a run on Ray, and sessions of the app."""
