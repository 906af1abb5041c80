"""Groundscope from a shell: `python -m groundscope app` starts the app with the first model loading meanwhile."""

import sys
from concurrent.futures import wait
from importlib import import_module

HEAD_START = 3.0
"""Seconds that the model may load before the server opens: the first click then finds it ready, or nearly."""

_PAGES = ("components.heatmap", "components.cases", "components.overview", "pandas")


def main(arguments: list[str]) -> int:
    """Run a verb; the rest of the arguments goes to Streamlit."""
    if arguments[:1] != ["app"]:
        print("usage: python -m groundscope app [streamlit options]", file=sys.stderr)
        return 2
    from components import scoring

    loading = scoring.warm()
    for module in _PAGES:
        import_module(module)
    from streamlit.web import cli

    wait([loading.future], timeout=HEAD_START)
    return int(cli.main(["run", "app.py", *arguments[1:]], standalone_mode=False) or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
