"""HTTP transport that checks every address it connects to and keeps a time limit.

An address typed by a user reaches into the app's network. So every name is resolved here and checked as by
`groundscope.chat.addresses`, and the connection goes to exactly the address that was checked, or to the environment's proxy.
"""

import ipaddress
import socket
import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx2

from groundscope.chat.addresses import Address, refused, refused_url
from groundscope.errors import ModelUnavailable
from groundscope.runtime.progress import scoped

_deadline: ContextVar[float | None] = ContextVar("groundscope_deadline", default=None)


def within(seconds: float) -> AbstractContextManager[object]:
    """Limit the total time of all requests of this block in this thread; later ones stop with `httpx2.TimeoutException`."""
    return scoped(_deadline, time.monotonic() + seconds)


def is_own_network(address: str) -> bool:
    """Whether an address, by its text, is on this machine or in a private network, where servers send no bill."""
    try:
        host = httpx2.URL(address).host.strip("[]")
    except httpx2.InvalidURL:
        return False
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host == "localhost" or "." not in host or host.endswith((".local", ".internal", ".lan", ".localhost"))


class CheckedTransport(httpx2.BaseTransport):
    """Checks the address of each request and redirect, and stops requests that exceed the time limit of `within`."""

    def __init__(self) -> None:
        self._direct = _transport()
        proxies = {scheme: url for scheme, url in getproxies().items() if scheme in ("http", "https", "all")}
        proxies = {scheme: url if "://" in url else f"http://{url}" for scheme, url in proxies.items()}
        self._refused = {scheme: why for scheme, url in proxies.items() if (why := refused_url(url))}
        self._proxies = {scheme: _transport(url) for scheme, url in proxies.items()}
        # SDKs leave it to their users to close a client: a model that is no longer used closes its connections.
        self._closing = weakref.finalize(self, _close, (self._direct, *self._proxies.values()))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request to the address that was checked; the time limit holds for its body, which is not read yet, too.

        `ModelUnavailable` if the address, or that of the proxy, is refused; `httpx2.ConnectError` if none can be reached.
        """
        host = request.url.host
        request.extensions = {**request.extensions, "timeout": _timeouts(request.extensions)}
        scheme = request.url.scheme if request.url.scheme in self._proxies else "all"
        proxy = self._proxies.get(scheme)
        addresses = _addresses(host, request.url.port or 443, needed=proxy is None)
        if proxy is not None and not (proxy_bypass(host) or any(a.is_loopback for a in addresses)):
            if why := self._refused.get(scheme):
                raise ModelUnavailable(f"The proxy in the environment {why}; nothing was sent.")
            response = proxy.handle_request(request)
        else:
            request.extensions = {**request.extensions, "sni_hostname": host}
            response = self._connected(request, addresses)
        stream: Any = response.stream
        response.stream = _Limited(stream, _deadline.get())
        return response

    def _connected(self, request: httpx2.Request, addresses: list[Address]) -> httpx2.Response:
        """Connect to the first address that accepts: `localhost` may stand for two, of which one does not answer."""
        # The Host header was set before, from the name.
        urls = [request.url.copy_with(host=str(address)) for address in dict.fromkeys(addresses)]
        for url in urls[:-1]:
            request.url = url
            with suppress(httpx2.ConnectError, httpx2.ConnectTimeout):
                return self._direct.handle_request(request)
            request.extensions = {**request.extensions, "timeout": _timeouts(request.extensions)}
        request.url = urls[-1]
        return self._direct.handle_request(request)

    def close(self) -> None:
        """Close all connections."""
        self._closing()


def _close(transports: Iterable[httpx2.HTTPTransport]) -> None:
    for transport in transports:
        transport.close()


def _transport(proxy: str | None = None) -> httpx2.HTTPTransport:
    return httpx2.HTTPTransport(proxy=proxy, limits=httpx2.Limits(max_connections=64, max_keepalive_connections=16))


def _addresses(host: str, port: int, *, needed: bool) -> list[Address]:
    """What a name stands for, all of it checked. Behind a proxy a name may mean nothing here."""
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        if not needed:
            return []
        raise httpx2.ConnectError(f"{host} cannot be found") from None
    addresses = [ipaddress.ip_address(str(sockaddr[0]).partition("%")[0]) for *_, sockaddr in infos]
    for address in addresses:
        if why := refused(address):
            raise ModelUnavailable(f"The address of the model server {why}; nothing was sent.")
    return addresses


def _timeouts(extensions: Any) -> dict[str, float | None]:
    """Those of the client, none longer than the time that is left."""
    timeouts: dict[str, float | None] = dict(extensions.get("timeout", {}))
    until = _deadline.get()
    if until is None:
        return timeouts
    left = max(0.01, until - time.monotonic())
    return {k: left if v is None else min(v, left) for k, v in timeouts.items()}


class _Limited(httpx2.SyncByteStream):
    """A body that may come in drops, but not for ever."""

    def __init__(self, stream: Any, until: float | None) -> None:
        self._stream, self._until = stream, until

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            if self._until is not None and time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the time for this call is over")
            yield chunk

    def close(self) -> None:
        self._stream.close()
