"""Where texts may go: addresses that are refused in every form that reaches them, names, redirects and proxies."""

import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import pytest

from groundscope.chat.clients.transport import CheckedTransport, is_own_network
from groundscope.errors import ModelUnavailable
from tests.groundscope.chat.clients.conftest import Serve, forget
from tests.groundscope.chat.clients.scripts import ANSWER, ask, line, load
from tests.loops import each

REFUSED = ["http://169.254.169.254/latest", "http://[64:ff9b:1::a9fe:a9fe]/", "http://0xA9FEA9FE/", "http://0.0.0.0:11434/v1"]
"""A few of those of `tests/groundscope/chat/test_addresses.py`, as a redirect or a name could bring them."""
LOCAL = dict.fromkeys(["http://127.0.0.1:8000/v1", "http://localhost/v1", "http://10.1.2.3/v1", "http://[::1]:8000"], True)
FOREIGN = dict.fromkeys(["https://models.example.com/v1", "http://8.8.8.8/v1", "http://[2001:4860:4860::8888]/"], False)


@pytest.mark.parametrize("address", REFUSED)
def test_nothing_is_sent_to_an_address_where_no_model_server_is(address: str) -> None:
    with CheckedTransport() as guarded, pytest.raises(ModelUnavailable, match="nothing was sent"):
        guarded.handle_request(httpx2.Request("POST", address, content=b"x"))
    refused = r"^model must be the spec of a chat model: The address of the server (leads|does not lead) to"
    with pytest.raises(ValueError, match=refused):
        load("direct", f"server:x@{address}")


@each(("address", "local"), {**LOCAL, **FOREIGN}.items())
def test_the_own_network_is_told_from_others(address: str, local: bool) -> None:
    assert is_own_network(address) is local


def _names(monkeypatch: pytest.MonkeyPatch, **known: list[str]) -> None:
    """Let names stand for addresses, a dot written as `_`."""
    real = socket.getaddrinfo

    def found(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        if (name := str(host).replace(".", "_")) not in known:
            return real(host, port, *args, **kwargs)
        kinds = [(socket.AF_INET6 if ":" in a else socket.AF_INET, a) for a in known[name]]
        return [(kind, socket.SOCK_STREAM, 6, "", (a, port)) for kind, a in kinds]

    monkeypatch.setattr(socket, "getaddrinfo", found)


@pytest.mark.parametrize("address", ["fe80::1%eth0", "::ffff:169.254.169.254"])
def test_a_name_that_stands_for_such_an_address_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # One of two is enough: which one a connection takes is not ours to choose.
    _names(monkeypatch, models_example=["127.0.0.1", address])
    with pytest.raises(ModelUnavailable, match="nothing was sent"):
        ask("server:x@http://models.example:8000/v1")


@pytest.mark.parametrize("way", ["anthropic", "openai", "server"])
def test_a_name_is_looked_up_once_and_its_checked_address_is_connected_to(
    way: str, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(lambda _: ANSWER)
    _names(monkeypatch, models_example=["127.0.0.1"])
    named = f"http://models.example:{server.port}"
    monkeypatch.setenv("ANTHROPIC_BASE_URL", named)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{named}/v1")
    assert ask(line(way, server).replace(server.anthropic, named)).text == ANSWER
    # By its address, under its name.
    assert server.asked[0].headers["host"] == f"models.example:{server.port}"


def test_where_the_first_of_a_names_addresses_is_deaf_the_next_is_asked(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(lambda _: ANSWER)
    _names(monkeypatch, models_example=["127.0.0.2", "127.0.0.1"])
    assert ask(f"server:scripted-1@http://models.example:{server.port}/v1").text == ANSWER
    assert len(server.asked) == 1


def test_a_base_url_of_the_environment_is_checked_too(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    server = serve(lambda _: ANSWER)
    for address in ("http://169.254.169.254", "http://[fe80::1]"):
        monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
        monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/v1")
        for way in ("anthropic", "openai"):
            forget()
            assert "The address in the environment leads to a link-local" in load("direct", line(way, server)).unavailable()
            with pytest.raises(ModelUnavailable, match="link-local or metadata"):
                ask(line(way, server))
    assert server.requests == []


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str]]]:
    """A proxy that notes what it is asked for and refuses it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None: ...

        def do_POST(self) -> None:
            asked.append(self.path)
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_CONNECT(self) -> None:
            asked.append(f"CONNECT {self.path}")
            self.send_response(403)
            self.end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield f"127.0.0.1:{server.server_address[1]}", asked
        server.shutdown()
        thread.join()


Proxy = tuple[str, list[str]]


@pytest.mark.parametrize("scheme", ["http://", ""])
def test_the_environments_proxy_is_used_but_not_for_this_machine(
    scheme: str, proxy: Proxy, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(lambda _: ANSWER)
    for name in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(name, f"{scheme}{proxy[0]}")
    _names(monkeypatch, models_example=["203.0.113.7"])
    with pytest.raises(ModelUnavailable, match="answered 404"):
        ask("server:x@http://models.example/v1")
    assert proxy[1] == ["http://models.example/v1/chat/completions"]
    assert ask(line("server", server)).text == ANSWER
    assert ask(line("server", server).replace("127.0.0.1", "localhost")).text == ANSWER
    assert len(proxy[1]) == 1
    with pytest.raises(ModelUnavailable):
        ask("server:x@https://models.example/v1")
    assert set(proxy[1][1:]) == {"CONNECT models.example:443"}


def test_no_proxy_is_obeyed_and_a_proxy_leads_to_no_refused_address(
    proxy: Proxy, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(lambda _: ANSWER)
    monkeypatch.setenv("all_proxy", f"http://{proxy[0]}")
    monkeypatch.setenv("no_proxy", "models.example")
    _names(monkeypatch, models_example=["127.0.0.1"], evil_example=["169.254.169.254"])
    assert ask(f"server:x@http://models.example:{server.port}/v1").text == ANSWER
    with pytest.raises(ModelUnavailable, match="nothing was sent"):
        ask("server:x@http://evil.example/v1")
    assert proxy[1] == []
    # A name that only the proxy knows is its to look up.
    with pytest.raises(ModelUnavailable, match="answered 404"):
        ask("server:x@http://inner.invalid/v1")
    assert proxy[1] == ["http://inner.invalid/v1/chat/completions"]


@pytest.mark.parametrize("address", ["169.254.169.254:80", "http://[64:ff9b:1::a9fe:a9fe]:3128", "http://2852039166"])
def test_a_proxy_at_such_an_address_is_sent_nothing(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", address)
    _names(monkeypatch, models_example=["203.0.113.7"])
    with pytest.raises(ModelUnavailable, match="The proxy in the environment leads to a link-local or metadata address"):
        ask("server:x@http://models.example/v1")


def test_a_name_that_no_one_knows_is_a_named_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(ModelUnavailable, match="broke"):
        ask("server:x@http://nowhere.invalid/v1")
