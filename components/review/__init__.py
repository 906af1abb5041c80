"""The review page: decisions of people, blind first."""
