"""`python -m benchmarks`: every speed figure, with the machine it was measured on."""

from benchmarks import app, machine, methods


def main() -> None:
    """Print line by line as they come."""
    print(machine.describe(), flush=True)
    print(app.import_seconds(), flush=True)
    for line in app.in_browser():
        print(line, flush=True)
    for line in methods.by_context():
        print(line, flush=True)
    print(methods.quip_megabyte(), flush=True)
    for line in methods.cos_sim_ratio():
        print(line, flush=True)


if __name__ == "__main__":
    main()
