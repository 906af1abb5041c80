"""Python imports this when it starts: no connection leaves this machine, and whoever tries is written down."""

import os
import sys
from pathlib import Path

_HERE = ("127.0.0.1", "::1", "localhost")


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event not in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        return
    address = arguments[1] if event == "socket.connect" else arguments[0]
    host = address[0] if isinstance(address, tuple) else address
    if host is None or host in _HERE or (event == "socket.connect" and isinstance(address, str | bytes)):
        return
    with Path(os.environ["CALLED_HOSTS"]).open("a", encoding="utf-8") as file:
        file.write(f"{host}\n")
    raise OSError(f"No connection to {host}: this is a test.")


sys.addaudithook(_refuse)
