"""Every browser gets a name of its own with its first page, keeps it, and no script can read it."""

import os
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from groundscope.cases.browser_name import COOKIE, DAYS, is_name, new_name
from tests.browser.site import serving


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder: Path = tmp_path_factory.mktemp("browsers")
    with serving(folder / "log.txt", {**os.environ, "GROUNDSCOPE_DATA": str(folder / "data")}) as address:
        yield urlsplit(address).port or 0


def answer(port: int, path: str, **headers: str) -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Accept": "text/html,*/*", **headers})
        found = connection.getresponse()
        found.read()
        return found
    finally:
        connection.close()


def name(found: HTTPResponse) -> SimpleCookie:
    cookies: SimpleCookie = SimpleCookie()
    for line in found.headers.get_all("set-cookie") or []:
        if line.startswith(COOKIE):
            cookies.load(line)
    return cookies


def test_a_page_names_a_new_browser_and_a_known_one_keeps_its_name(port: int) -> None:
    first, second = (name(answer(port, path))[COOKIE] for path in ("/", "/cases"))
    assert is_name(first.value)
    assert first.value != second.value
    assert (first["httponly"], first["samesite"], first["path"], first["secure"]) == (True, "Lax", "/", "")
    assert int(first["max-age"]) == DAYS * 86_400
    again = answer(port, "/heatmap", Cookie=f'a=1; {COOKIE}={first.value}; b="2"')
    assert name(again)[COOKIE].value == first.value
    unchanged = answer(port, "/", **{"If-None-Match": answer(port, "/").headers.get("etag") or '"x"'})
    assert is_name(name(unchanged)[COOKIE].value)


@pytest.mark.parametrize("sent", ["", "x", "../x", "a" * 44, f"{'a' * 42};", '"', "a" * 42 + "\x01"])
def test_a_name_that_the_app_did_not_draw_is_replaced(port: int, sent: str) -> None:
    found = name(answer(port, "/", Cookie=f"{COOKIE}={sent}"))[COOKIE].value
    assert is_name(found)
    assert found != sent


def test_only_pages_carry_it(port: int) -> None:
    for path in ("/_stcore/health", "/_stcore/host-config"):
        assert not name(answer(port, path, Accept="*/*"))
    assert is_name(new_name())
