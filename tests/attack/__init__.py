"""The attack: hostile texts, names, files, kills, clocks and models against the whole app (`make attack`)."""
