"""Sends requests of SDKs built on `httpx` through the transport that checks every address it connects to."""

from importlib import import_module
from typing import Any

import httpx2

from scorers._chat.transport import Guarded


class Bridge:
    """Transport for an `httpx.Client`; see `scorers._chat.transport.Guarded`, whose errors it raises."""

    def __init__(self) -> None:
        """Connect to nothing yet."""
        self._guarded = Guarded()
        # Only where an SDK brought it along.
        self._httpx: Any = import_module("httpx")

    def handle_request(self, request: Any) -> Any:
        """Send one `httpx.Request` and read its whole response, as it came over the wire, which may be compressed."""
        asked = httpx2.Request(
            request.method, str(request.url), headers=request.headers.raw, content=request.read(), extensions=request.extensions
        )
        answer = self._guarded.handle_request(asked)
        try:
            stream: Any = answer.stream
            # As it came over the wire: the caller unpacks it.
            body = b"".join(stream)
        finally:
            answer.close()
        return self._httpx.Response(answer.status_code, headers=answer.headers.raw, stream=self._httpx.ByteStream(body))

    def close(self) -> None:
        """Close all connections."""
        self._guarded.close()
