"""A name for every browser: a layer that gives each a random one in a cookie, so that it finds its pasted cases again."""

from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from groundscope.cases.browser_name import COOKIE, DAYS, is_name, new_name

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class NamedBrowsers:
    """ASGI layer that sets the cookie with each page that is sent to a browser without one, and prolongs it with each other.

    Scripts cannot read it (`HttpOnly`), and other sites' pages cannot have it sent along (`SameSite=Lax`: with `Strict`, a
    browser that comes by a link from elsewhere would look like a new one, and lose its name).
    """

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; add the cookie to what answers a request for a page."""
        if scope["type"] != "http" or not _wants_page(scope):
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"set-cookie", _cookie(scope))]}
            await send(message)

        await self._app(scope, receive, sending)


def _wants_page(scope: Scope) -> bool:
    # The answer may be "304 Not Modified", which has no type.
    return any(header == b"accept" and b"text/html" in value for header, value in scope["headers"])


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
