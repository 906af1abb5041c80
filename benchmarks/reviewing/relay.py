"""A relay on loopback between browser and server that can be cut, and that goes on to a server on another port."""

import socket
import threading
from contextlib import suppress


class Relay:
    """Listens on one address; `port` is where the server listens now."""

    def __init__(self) -> None:
        self.port = 0
        self._whole = True
        self._ends: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection, and refuse new ones."""
        self._whole = False
        for end in list(self._ends):
            _close(end)

    def restore(self) -> None:
        """Let connections through again."""
        self._whole = True

    def close(self) -> None:
        """Stop for good."""
        self.cut()
        _close(self._listener)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                try:
                    if not self._whole:
                        raise ConnectionRefusedError
                    far = socket.create_connection(("127.0.0.1", self.port))
                except OSError:
                    _close(near)
                    continue
                self._ends |= {near, far}
                for a, b in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(a, b), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        for end in (source, target):
            self._ends.discard(end)
            _close(end)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()
