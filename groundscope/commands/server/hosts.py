"""Which hosts the app answers to: a layer before every route, the WebSocket and `/_stcore/metrics` included.

A page of another site can have a name of its own lead to 127.0.0.1 (DNS rebinding), and then ask the app as if it were the app's
page. Such a request bears that name as its Host; one of another local server's page bears that server's port in its Origin.
"""

import os
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

VARIABLE = "GROUNDSCOPE_HOSTS"
"""Environment variable with more hosts, such as that of a proxy: `name` (at every port) or `name:port`, parted by commas."""

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_OWN = ("localhost", "127.0.0.1", "[::1]")
_USUAL_PORTS = {"http": "80", "ws": "80", "https": "443", "wss": "443"}
_WHY = (
    f"Groundscope does not answer to this host or origin; open it as http://localhost:{{port}}, or put the host into {VARIABLE} "
    "and start the app again.\n"
)


class OwnHosts:
    """ASGI layer that lets a request through if its Host is the app's own, and its Origin is that Host.

    A request without Origin may pass, for browsers send none where they only open a page; a WebSocket without one may not.
    """

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        """Read the further hosts from the environment once; `app` is what is behind this layer."""
        self._app = app
        self._named = {name.strip().lower() for name in os.environ.get(VARIABLE, "").split(",") if name.strip()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 403 and one sentence; what is no request is passed on."""
        if scope["type"] not in ("http", "websocket") or self._allowed(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            # Before it was accepted, this is the answer 403 to the handshake.
            await send({"type": "websocket.close", "code": 1008})
        else:
            why = _WHY.format(port=scope["server"][1]).encode()
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(why)).encode())]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": why})

    def _allowed(self, scope: Scope) -> bool:
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or len(origins) > 1:
            return False
        host, colon, port = hosts[0].rpartition(":")
        # Without a port, or with a colon of the IPv6 address that it is.
        if not colon or hosts[0].endswith("]"):
            host, port = hosts[0], _USUAL_PORTS.get(scope["scheme"], "")
        is_local = host in _OWN and port == str(scope["server"][1])
        if not (is_local or host in self._named or f"{host}:{port}" in self._named):
            return False
        if not origins:
            return bool(scope["type"] == "http")
        # Browsers write both alike, without the scheme's usual port.
        return origins[0] in (f"http://{hosts[0]}", f"https://{hosts[0]}")


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip().lower() for key, value in scope["headers"] if key == name]
