"""`python -m benchmarks`: every speed figure, with the machine it was measured on."""

from collections.abc import Iterator

from benchmarks import app, machine, methods


def figures() -> Iterator[str]:
    """Every figure, a line each."""
    yield app.import_seconds()
    yield from app.in_browser()
    yield from methods.by_context()
    yield methods.quip_megabyte()
    yield from methods.cos_sim_ratio()


if __name__ == "__main__":
    machine.show(figures())
