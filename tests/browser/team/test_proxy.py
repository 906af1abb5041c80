"""The whole way through TLS: a real Caddy with the shipped Caddyfile before the app, and a login over it."""

import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.site import ROOT
from tests.browser.team.conftest import ANA, Team, log_in, serve

pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed here (Debian: apt install caddy)."),
]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def behind_tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """The app as the proxy shows it; `address` is the proxy's."""
    root, http, https = tmp_path_factory.mktemp("proxy"), free_port(), free_port()
    address = f"https://localhost:{https}"
    with serve(root, f"{address}/oauth2callback", {"GROUNDSCOPE_HOSTS": "localhost"}) as app:
        own = {"PATH": os.environ["PATH"], "HOME": str(root), "GROUNDSCOPE_HOST": "localhost"}
        own |= {"GROUNDSCOPE_APP": app.address.removeprefix("http://"), "GROUNDSCOPE_CERTIFICATES": str(root / "certificates")}
        own |= {"GROUNDSCOPE_HTTP_PORT": str(http), "GROUNDSCOPE_HTTPS_PORT": str(https)}
        command = ["caddy", "run", "--config", str(ROOT / "deploy" / "Caddyfile"), "--adapter", "caddyfile"]
        with (root / "caddy.txt").open("wb") as log:
            proxy = subprocess.Popen(command, env=own, stdout=log, stderr=log)
        try:
            for _ in range(200):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", https)) == 0 and (root / "certificates").exists():
                        break
                time.sleep(0.1)
            yield Team(address, app.data, app.environment | {"HTTP_PORT": str(http)})
        finally:
            proxy.terminate()
            proxy.wait(timeout=30)


def test_a_person_logs_in_over_tls_and_cookies_travel_by_it_alone(behind_tls: Team, browser: Browser) -> None:
    context = browser.new_context(ignore_https_errors=True)
    context.set_default_timeout(60_000)
    page = log_in(context, behind_tls, "ana", "/review")
    page.locator(".st-key-account button").click()
    expect(page.get_by_test_id("stPopoverBody")).to_contain_text(ANA)
    cookies = {str(c["name"]): c for c in context.cookies(behind_tls.address)}
    assert {"_streamlit_user", "groundscope_browser"} <= cookies.keys()
    assert [name for name, c in cookies.items() if not c["secure"]] == []
    answer = page.goto(behind_tls.address)
    assert answer
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert answer.headers["x-content-type-options"] == "nosniff"
    # No other way in is offered, such as HTTP/3 at a port that is not published.
    assert "alt-svc" not in answer.headers
    context.close()


def test_plain_http_is_sent_to_https(behind_tls: Team) -> None:
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None:
            return None

    with pytest.raises(urllib.error.HTTPError) as sent:
        urllib.request.build_opener(Stay).open(f"http://localhost:{behind_tls.environment['HTTP_PORT']}/review", timeout=10)
    assert sent.value.code == 308
    # The app's port is published as 443: a browser must not be sent to the one inside.
    assert sent.value.headers["Location"] == "https://localhost/review"
    sent.value.close()


def test_the_proxy_writes_nothing_but_its_certificates(behind_tls: Team) -> None:
    assert (Path(behind_tls.environment["GROUNDSCOPE_DATA"]).parent / "certificates").is_dir()
