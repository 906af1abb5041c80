"""Groundscope from a shell: `python -m groundscope app` starts the app with the first model loading meanwhile."""

import sys


def main(arguments: list[str]) -> int:
    """Run a verb; the rest of the arguments goes to Streamlit."""
    if arguments[:1] != ["app"]:
        print("usage: python -m groundscope app [streamlit options]", file=sys.stderr)
        return 2
    from components import scoring

    scoring.warm()
    from streamlit.web import cli

    return int(cli.main(["run", "app.py", *arguments[1:]], standalone_mode=False) or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
