"""Cascades: bands known by hand, how two methods are combined, and the files that hold what was chosen."""
