"""Stores of objects on loopback, as programs of others make them: moto answers s3://, gcp-storage-emulator gs://."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "GROUNDSCOPE_STORES_PYTHON"
_GS = """
import sys
from gcp_storage_emulator.server import create_server
create_server("127.0.0.1", int(sys.argv[1]), in_memory=True, default_bucket="bucket").run()
"""
_S3 = """
import sys
from werkzeug.serving import run_simple
from moto.server import DomainDispatcherApplication, create_backend_app
run_simple("127.0.0.1", int(sys.argv[1]), DomainDispatcherApplication(create_backend_app), threaded=True)
"""


def free_port() -> int:
    """A port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@contextmanager
def _started(code: str) -> Iterator[str]:
    """Start a store in a process of its own: pyarrow holds Python's lock while it opens a file of gs://."""
    python = ROOT / (os.environ.get(VARIABLE) or ".venv-stores/bin/python")
    if VARIABLE not in os.environ and not python.exists():
        pytest.skip(f"{python.relative_to(ROOT)} is not there; `make .venv-stores/.ready` makes it")
    port = free_port()
    child = subprocess.Popen([python, "-c", code, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until = time.monotonic() + 60
        while True:
            assert child.poll() is None, f"the store ended with {child.returncode}"
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                assert time.monotonic() < until, "the store does not start"
                time.sleep(0.05)
        yield f"endpoint_override=127.0.0.1:{port}&scheme=http"
    finally:
        child.terminate()
        child.wait(30)


@contextmanager
def s3_store() -> Iterator[str]:
    """A store with an empty bucket `bucket`; gives the options of an address. A key must be in the environment."""
    from pyarrow import fs

    with _started(_S3) as options:
        store, _ = fs.FileSystem.from_uri(f"s3://bucket?{options}&allow_bucket_creation=true")
        store.create_dir("bucket")
        yield options


@contextmanager
def gs_store() -> Iterator[str]:
    """The same of gs://, without a key."""
    with _started(_GS) as options:
        yield options


@contextmanager
def refusing(status: int) -> Iterator[str]:
    """A store that answers everything with a status."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_HEAD = do_GET  # noqa: N815 - the library's name

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"endpoint_override=127.0.0.1:{server.server_port}&scheme=http"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def silent() -> Iterator[str]:
    """A store that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        yield f"endpoint_override=127.0.0.1:{one.getsockname()[1]}&scheme=http"
