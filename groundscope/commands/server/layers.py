"""ASGI layers before every route of the app: which hosts it answers to, and a browser id in a cookie.

A page of another site can have a name of its own lead to 127.0.0.1 (DNS rebinding), and then ask the app as if it were the app's
page. Such a request bears that name as its Host; one of another local server's page bears that server's port in its Origin.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from groundscope.cases.browser_name import COOKIE, DAYS, is_name, new_name
from groundscope.paths import Variable

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_OWN = ("localhost", "127.0.0.1", "[::1]")
_USUAL_PORTS = {"http": "80", "ws": "80", "https": "443", "wss": "443"}
_WHY = (
    f"Groundscope does not answer to this host or origin; open it as http://localhost:{{port}}, or put the host into "
    f"{Variable.HOSTS} and start the app again.\n"
)


class OwnHosts:
    """ASGI layer that lets a request through if its Host is the app's own, and its Origin is that Host.

    A request without Origin may pass, for browsers send none where they only open a page; a WebSocket without one may not.
    """

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        """Read the further hosts from the environment once; `app` is what is behind this layer."""
        self._app = app
        self._named = set(Variable.HOSTS.names())

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


class NamedBrowsers:
    """ASGI layer that sets the cookie with each page that is sent to a browser without one, and prolongs it with each other.

    Scripts cannot read it (`HttpOnly`), and other sites' pages cannot have it sent along (`SameSite=Lax`: with `Strict`, a
    browser that comes by a link from elsewhere would look like a new one, and lose its name).
    """

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; add the cookie to what answers a request for a page."""
        # The answer may be "304 Not Modified", which has no type.
        if scope["type"] != "http" or not any(name == b"accept" and b"text/html" in value for name, value in scope["headers"]):
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"set-cookie", _cookie(scope))]}
            await send(message)

        await self._app(scope, receive, sending)


def _cookie(scope: Scope) -> bytes:
    secure = "; Secure" if scope["scheme"] == "https" else ""
    return f"{COOKIE}={_name(scope) or new_name()}; Max-Age={DAYS * 86_400}; Path=/; HttpOnly; SameSite=Lax{secure}".encode()


def _name(scope: Scope) -> str:
    """The name that the browser sent; empty where it sent none that can be one."""
    for header, value in scope["headers"]:
        if header == b"cookie":
            cookies: SimpleCookie = SimpleCookie()
            try:
                cookies.load(value.decode("latin-1"))
            except CookieError:
                continue
            if COOKIE in cookies and is_name(cookies[COOKIE].value):
                return cookies[COOKIE].value
    return ""
