"""A server for a team: a real provider of OpenID Connect on loopback, the app with its login, and browsers of several people."""

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.app_session import AppSession
from tests.browser.conftest import idle
from tests.browser.site import serving

ANA, BEN, CLEO, DAN, EVE = "ana@example.org", "ben@example.org", "cleo@example.org", "dan@example.org", "eve@example.org"
"""The lead, two reviewers, a reader, and one whom no lead has named."""
_UNCHECKED = {"sub": "mallory", "email": ANA, "email_verified": False}
"""Someone who wrote the lead's address into an account, and whose provider says that it was not checked."""


class Team(NamedTuple):
    """The app and its provider.

    Attributes:
        address: of the app.
        data: its data folder.
        environment: that the app was started with, for verbs of the shell.
    """

    address: str
    data: Path
    environment: dict[str, str]

    def shell(self, *words: str) -> str:
        """Run a verb on the server; gives what it says."""
        command = [sys.executable, "-m", "groundscope", *words]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def provider(root: Path) -> Iterator[str]:
    """A provider of logins with five people and one whose address is not checked; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    people = [*({"sub": e.partition("@")[0], "email": e, "email_verified": True} for e in (ANA, BEN, CLEO, DAN, EVE)), _UNCHECKED]
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce", "true"]
    command += [word for one in people for word in ("--user-claims", json.dumps(one))]
    with (root / "provider.txt").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        address = f"http://localhost:{port}"
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{address}/.well-known/openid-configuration", timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=30)


@contextmanager
def serve(root: Path, redirect: str, more: dict[str, str]) -> Iterator[Team]:
    """The app with a login; Ana leads by the environment, and names the others by the shell."""
    secrets = root / "secrets.toml"
    own = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith("GROUNDSCOPE_")}
    own |= {"GROUNDSCOPE_DATA": str(root / "data"), "GROUNDSCOPE_LEADS": ANA, "STREAMLIT_SECRETS_FILES": str(secrets)} | more
    with provider(root) as login:
        secrets.write_text(
            f'[auth]\nredirect_uri = "{redirect}"\ncookie_secret = "{os.urandom(32).hex()}"\n'
            f'client_id = "groundscope"\nclient_secret = "s"\nserver_metadata_url = "{login}/.well-known/openid-configuration"\n',
            encoding="utf-8",
        )
        with serving(root / "log.txt", own, refuses=True) as address:
            started = Team(address, root / "data", own)
            for email, role in ((BEN, "reviewer"), (CLEO, "reviewer"), (DAN, "reader")):
                started.shell("people", email, "--role", role)
            yield started


@pytest.fixture(scope="package")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    """One server for the tests of this folder."""
    with serve(tmp_path_factory.mktemp("team"), "http://127.0.0.1:{port}/oauth2callback", {}) as started:
        yield started


@pytest.fixture
def people(browser: Browser) -> Iterator[Callable[[], BrowserContext]]:
    """A browser of its own for each person."""
    opened: list[BrowserContext] = []

    def new() -> BrowserContext:
        made = browser.new_context(viewport={"width": 1440, "height": 1000})
        made.set_default_timeout(60_000)
        opened.append(made)
        return made

    yield new
    for one in opened:
        one.close()


@pytest.fixture
def visitor(team: Team) -> Iterator[Callable[[str], AppSession]]:
    """A session without a browser for each person; with no name, of someone who is not logged in."""
    with ExitStack() as opened:

        def new(name: str) -> AppSession:
            session = AppSession(team.address)
            opened.callback(session.close)
            return session.log_in(name) if name else session

        yield new


def log_in(context: BrowserContext, team: Team, sub: str, path: str = "/") -> Page:
    """Log in through the whole redirect; gives the page that the app shows then."""
    page = context.new_page()
    page.goto(f"{team.address}{path}")
    page.get_by_role("button", name="Log in", exact=True).click()
    page.wait_for_url(re.compile("/oauth2/authorize"))
    page.get_by_role("button", name=sub, exact=True).first.click()
    page.wait_for_url(re.compile(re.escape(team.address)))
    expect(page.locator(".st-key-navigation, .st-key-login")).to_be_visible()
    if path != "/":
        page.goto(f"{team.address}{path}")
    idle(page)
    return page
