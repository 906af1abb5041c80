"""The app, really started: its folder is closed to others, it answers to its own hosts, and an upload needs a token."""

import os
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from groundscope.cases.browser_name import COOKIE, DAYS, is_name
from groundscope.paths import Variable
from tests.browser.site import serving
from tests.loops import each

ROUTES = ("/", "/cases", "/_stcore/health", "/_stcore/metrics", "/_stcore/host-config", "/media/none.png", "/nothing/here")
NAMED, AT_PORT = "proxy.example", "tunnel.example:9000"
STARTS = (("groundscope", "app"), ("streamlit", "run", "app.py"))
_HANDSHAKE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "streamlit",
}


@pytest.fixture(scope="module", params=STARTS, ids=" ".join)
def port(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Of an app that also has two named hosts."""
    folder: Path = tmp_path_factory.mktemp("hosts")
    data, log = folder / "data", folder / "log.txt"
    # As earlier versions left it.
    data.mkdir()
    data.chmod(0o755)
    (data / "settings.json").write_text("{}", encoding="utf-8")
    environment = {**os.environ, "GROUNDSCOPE_DATA": str(data), Variable.HOSTS: f" {NAMED.upper()}, {AT_PORT},"}
    with serving(log, environment, request.param) as address:
        assert not any(place.stat().st_mode & 0o077 for place in [data, *data.rglob("*")]), "others can read what the app writes"
        yield urlsplit(address).port or 0
    assert log.read_text(encoding="utf-8").count("was open to other users") == 1


def _status(port: int, path: str, *headers: tuple[str, str], method: str = "GET") -> int:
    """What is answered to a request with exactly these headers."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


def _answer(port: int, path: str, **headers: str) -> tuple[HTTPResponse, str]:
    """What a browser gets, and its text."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Accept": "text/html,*/*", **headers})
        response = connection.getresponse()
        return response, response.read().decode()
    finally:
        connection.close()


def _socket(port: int, host: str, *origins: str) -> int:
    """What is answered to a WebSocket's handshake: 101 where it is accepted."""
    sent = [("Host", host), *(("Origin", origin) for origin in origins)]
    return _status(port, "/_stcore/stream", *sent, *_HANDSHAKE.items())


def _own(port: int) -> list[str]:
    return [f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", f"LOCALHOST:{port}"]


def _foreign(port: int) -> list[str]:
    names = ["evil.example", f"localhost.evil.example:{port}", f"evil{NAMED}", "tunnel.example:9001", "localhost", ""]
    return [*names, f"localhost:{port - 1}", f"127.0.0.2:{port}", f"user@localhost:{port}", f"localhost:{port}:{port}"]


def test_own_and_named_hosts_are_answered_and_foreign_ones_refused_on_every_route(port: int) -> None:
    for path in ROUTES:
        known = {host: _status(port, path, ("Host", host)) for host in (*_own(port), NAMED, f"{NAMED}:8443", AT_PORT)}
        assert 403 not in known.values(), (path, known)
        foreign = {host: _status(port, path, ("Host", host)) for host in _foreign(port)}
        assert set(foreign.values()) <= {400, 403}, (path, foreign)
    assert _status(port, "/_stcore/metrics", ("Host", f"localhost:{port}")) == 200
    assert _status(port, "/", ("Host", f"localhost:{port}")) == 200
    # uvicorn's own parser may refuse these first.
    assert _status(port, "/") in (400, 403)
    assert _status(port, "/", ("Host", f"localhost:{port}"), ("Host", "evil.example")) in (400, 403)


def test_a_refusal_says_what_to_do(port: int) -> None:
    _, said = _answer(port, "/_stcore/metrics", Host="evil.example")
    assert f"open it as http://localhost:{port}" in said
    assert Variable.HOSTS in said
    assert "evil" not in said


def test_a_websocket_is_accepted_from_the_apps_own_pages_alone(port: int) -> None:
    for host in (*_own(port)[:3], NAMED, AT_PORT):
        assert _socket(port, host, f"http://{host}") == 101
        assert _socket(port, host, f"https://{host}") == 101
    host = f"localhost:{port}"
    other = f"http://localhost:{port - 1}"
    for origin in (other, "http://localhost", f"http://evil.example:{port}", "null", "", f"file://{host}", f"{NAMED}"):
        assert _socket(port, host, origin) == 403, origin
        # Other routes do not answer such a page either.
        assert _status(port, "/_stcore/metrics", ("Host", host), ("Origin", origin)) == 403, origin
    assert _socket(port, host) == 403
    assert _socket(port, host, f"http://{host}", "http://evil.example") in (400, 403)
    assert _socket(port, "evil.example", "http://evil.example") == 403
    assert _status(port, "/_stcore/metrics", ("Host", host), ("Origin", f"http://{host}")) == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_an_upload_without_the_pages_token_is_refused(port: int, method: str) -> None:
    host = f"localhost:{port}"
    cookies = _answer(port, "/_stcore/health")[0].headers.get_all("Set-Cookie") or []
    (cookie,) = [c.partition(";")[0] for c in cookies if c.startswith("_streamlit_xsrf=")]
    path, token = "/_stcore/upload_file/session/file", cookie.partition("=")[2].strip('"')
    sent = [("Host", host), ("Content-Length", "0")]
    assert _status(port, path, *sent, method=method) == 403
    assert _status(port, path, *sent, ("Cookie", cookie), method=method) == 403
    assert _status(port, path, *sent, ("Cookie", cookie), ("X-Xsrftoken", "2|00000000|00|1"), method=method) == 403
    # With both it is another matter: no page has asked for this file.
    assert _status(port, path, *sent, ("Cookie", cookie), ("X-Xsrftoken", token), method=method) != 403


# Every browser gets a name of its own with its first page, keeps it, and no script can read it


def _name(port: int, path: str, **headers: str) -> SimpleCookie:
    """The name that comes with a page."""
    cookies: SimpleCookie = SimpleCookie()
    for line in _answer(port, path, **headers)[0].headers.get_all("set-cookie") or []:
        if line.startswith(COOKIE):
            cookies.load(line)
    return cookies


def test_a_page_names_a_new_browser_and_a_known_one_keeps_its_name(port: int) -> None:
    first, second = (_name(port, path)[COOKIE] for path in ("/", "/cases"))
    assert is_name(first.value)
    assert first.value != second.value
    assert (first["httponly"], first["samesite"], first["path"], first["secure"]) == (True, "Lax", "/", "")
    assert int(first["max-age"]) == DAYS * 86_400
    again = _name(port, "/heatmap", Cookie=f'a=1; {COOKIE}={first.value}; b="2"')
    assert again[COOKIE].value == first.value
    unchanged = _name(port, "/", **{"If-None-Match": _answer(port, "/")[0].headers.get("etag") or '"x"'})
    assert is_name(unchanged[COOKIE].value)


@each("sent", ["", "x", "../x", "a" * 44, f"{'a' * 42};", '"', "a" * 42 + "\x01"])
def test_a_name_that_the_app_did_not_draw_is_replaced(port: int, sent: str) -> None:
    name = _name(port, "/", Cookie=f"{COOKIE}={sent}")[COOKIE].value
    assert is_name(name)
    assert name != sent


def test_only_pages_carry_it(port: int) -> None:
    for path in ("/_stcore/health", "/_stcore/host-config"):
        assert not _name(port, path, Accept="*/*")
