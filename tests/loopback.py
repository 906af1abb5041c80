"""A server on loopback whose connections can be broken, for the tests' hub and model servers."""

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR, socket
from typing import Any


class Loopback(ThreadingHTTPServer):
    """Serves in a thread of its own from `start` to `stop`; `owner` is whom its handlers ask."""

    # Joined at the end, so that nothing of one test reaches into the next.
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, owner: Any, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.owner = owner
        self._open: set[socket] = set()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,), name="loopback")

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.server_address[1])

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Stop listening, break every connection, and wait for the handlers."""
        self.shutdown()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(SHUT_RDWR)
        self.server_close()
        self._thread.join()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what the tests are about; nothing is printed for them."""
