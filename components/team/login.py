"""The login before every page, where one is set up, by OpenID Connect through Streamlit; imports no page."""

import base64
import hashlib
from html import escape
from importlib.util import find_spec
from typing import NoReturn

import streamlit as st

from groundscope.errors import DataError, NotSavedYet, StoreError
from groundscope.paths import Variable
from groundscope.storage.team import Person, use_logins
from groundscope.storage.team.people import People, address

_TO_LOG_OUT, _LAST = "team_log_out", "team_person"


def gate() -> Person | None:
    """Let a person who is logged in pass, and draw nothing but the login for others; None where no login is set up."""
    if not (ways := _ways()):
        if Variable.LEADS.names():
            # A server for a team whose secrets cannot be read must not open for everyone.
            _stop("The login is not set up. The server's secrets need a section [auth]; until then no page opens.")
        return None
    if find_spec("authlib") is None:
        _stop("The login needs a further package. Install it with: pip install 'groundscope[team]'")
    use_logins(person)
    if not st.user.get("is_logged_in"):
        _ask(ways)
    try:
        who = st.session_state[_LAST] = person()
    except NotSavedYet as error:
        # What this session holds until the database answers must not be lost; no write goes through meanwhile.
        who = st.session_state.get(_LAST)
        if who is None:
            _stop(str(error), out=True, again=True)
    except StoreError as error:
        _stop(str(error), out=True)
    if who is None or who.role is None:
        _stop(
            f"You are logged in as {who.email}. No lead has given you a role here yet: ask one to add this address."
            if who
            else "Your login has no e-mail address that its provider has checked, so it cannot be known who you are.",
            out=True,
        )
    return who


def person() -> Person | None:
    """Who is logged in in this session, with the role that they hold now; None where no one is, or it cannot be known."""
    if not st.user.get("is_logged_in"):
        return None
    try:
        email = address(str(st.user.get("email") or ""))
    except DataError:
        return None
    # A provider that says so has not checked that the address is the person's.
    return People().find(email) if st.user.get("email_verified") is not False else None


def browser_name() -> str | None:
    """What a person's pasted cases are kept under, in place of the browser's name; None where no login is set up."""
    if not _ways() or not st.user.get("is_logged_in"):
        return None
    who = f"{st.user.get('iss')} {st.user.get('sub')}"
    return base64.urlsafe_b64encode(hashlib.sha256(who.encode()).digest()).decode().rstrip("=")


def log_out_button() -> None:
    """The button that ends the login, here and at the provider that offers it."""
    if st.button("Log out", key=_TO_LOG_OUT):
        st.logout()


def _ways() -> dict[str, str]:
    """The providers of logins: name for `st.login` -> label of its button."""
    auth = st.secrets.get("auth", {}) if st.secrets.load_if_toml_exists() else {}
    named = {name: f"Log in with {name.capitalize()}" for name, value in auth.items() if hasattr(value, "keys")}
    named.pop("client_kwargs", None)
    return ({"": "Log in"} if "client_id" in auth else {}) | named


def _ask(ways: dict[str, str]) -> NoReturn:
    with st.container(key="login"):
        _words("Log in to read and review answers beside their sources.")
        for name, label in ways.items():
            if st.button(label, key=f"login_{name}", type="primary"):
                st.login(name or None)
    st.stop()


def _stop(why: str, *, out: bool = False, again: bool = False) -> NoReturn:
    with st.container(key="login"):
        _words(why)
        if again:
            st.button("Try again", key="login_again", type="primary")
        if out:
            log_out_button()
    st.stop()


def _words(why: str) -> None:
    st.html(f'<h1 class="gs-title">Groundscope</h1><p class="gs-lead">{escape(why)}</p>')
