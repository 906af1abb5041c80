"""A session of a running app without a browser: its pages over HTTP and the WebSocket, as a browser asks for them."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from html import unescape
from urllib.parse import urljoin, urlsplit

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

PATIENCE = 300
"""Seconds for which an answer is waited for."""


class Answer(list[ForwardMsg]):
    """All that the server sends for one run of a page."""

    def elements(self) -> list[Element]:
        """What was drawn."""
        return [m.delta.new_element for m in self if m.WhichOneof("type") == "delta" and m.delta.HasField("new_element")]

    def buttons(self) -> dict[str, bool]:
        """The buttons by their words, and whether they can be pressed."""
        return {e.button.label: not e.button.disabled for e in self.elements() if e.WhichOneof("type") == "button"}

    def words(self) -> str:
        """What stands on the page, without its marks."""
        return unescape(re.sub("<[^>]+>", "", "\n".join(e.html.body for e in self.elements() if e.WhichOneof("type") == "html")))

    def tabs(self) -> tuple[str, list[str]]:
        """The id of the first tabs whose choice the server is told, empty where there are none, and their names."""
        blocks = [m.delta.add_block for m in self if m.WhichOneof("type") == "delta" and m.delta.HasField("add_block")]
        ids = [b.tab_container.id for b in blocks if b.HasField("tab_container") and b.tab_container.id]
        return next(iter(ids), ""), [b.tab.label for b in blocks if b.HasField("tab")]

    def raw(self) -> bytes:
        """Every byte of it."""
        return b"".join(m.SerializeToString() for m in self)


class AppSession:
    """Somebody's browser: its cookies, and one connection that lasts over the pages."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = requests.Session()
        self.http.trust_env = False
        self.http.get(f"{address}/_stcore/health", timeout=PATIENCE)
        self._socket: ClientConnection | None = None
        self._opened = ExitStack()

    def open(self, path: str = "/", pressed: str = "", chosen: Mapping[str, str] | None = None) -> Answer:
        """Open a page by its link; `pressed` is the id of a button there, `chosen` are names of tabs by the id of their row."""
        parts, message = urlsplit(path), BackMsg()
        message.rerun_script.page_name = parts.path.strip("/")
        message.rerun_script.query_string = parts.query
        if pressed:
            message.rerun_script.widget_states.widgets.add(id=pressed, trigger_value=True)
        for key, name in (chosen or {}).items():
            message.rerun_script.widget_states.widgets.add(id=key, string_value=name)
        if self._socket is None:
            self._socket = self._connect()
        self._socket.send(message.SerializeToString())
        return Answer(self._messages(self._socket))

    def whole(self, path: str, *, tabs: bool = False) -> bytes:
        """All that is sent for a page, with `tabs` for each of its tabs, and the files that it offers."""
        runs = [self.open(path)]
        # What is read beside the server comes with a later run, for which the page asks the browser.
        while len(runs) < 3 and any(m.WhichOneof("type") == "auto_rerun" for m in runs[-1]):
            time.sleep(1)
            runs.append(self.open(path))
        key, names = runs[-1].tabs()
        sent = b"".join(
            [*(run.raw() for run in runs), *(self.open(path, chosen={key: name}).raw() for name in names if tabs and key)]
        )
        files = sorted(set(re.findall(rb"/media/[\w.]+", sent)))
        return b"".join([sent, *(self.http.get(f"{self.address}{f.decode()}", timeout=PATIENCE).content for f in files)])

    def log_in(self, name: str) -> "AppSession":
        """Log in at the provider, through the whole redirect."""
        (button,) = (e.button for e in self.open().elements() if e.WhichOneof("type") == "button")
        (way,) = (m.auth_redirect.url for m in self.open(pressed=button.id) if m.WhichOneof("type") == "auth_redirect")
        form = self.http.get(urljoin(self.address, way), timeout=PATIENCE)
        self.http.post(form.url, data={"sub": name}, timeout=PATIENCE).raise_for_status()
        self.close()
        return self

    def close(self) -> None:
        """End the connection; cookies stay."""
        self._opened.close()
        self._socket = None

    def _connect(self) -> ClientConnection:
        here = urlsplit(self.address).hostname or ""
        cookies = {c.name: str(c.value) for c in self.http.cookies if c.domain.startswith(here)}
        connection = connect(
            f"{self.address.replace('http', 'ws', 1)}/_stcore/stream",
            origin=Origin(self.address),
            subprotocols=[Subprotocol("streamlit"), Subprotocol(cookies["_streamlit_xsrf"].strip('"'))],
            additional_headers={"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())},
            max_size=None,
            proxy=None,
        )
        return self._opened.enter_context(connection)

    def _messages(self, socket: ClientConnection) -> Iterator[ForwardMsg]:
        while True:
            message, data = ForwardMsg(), socket.recv(timeout=PATIENCE)
            assert isinstance(data, bytes)
            message.ParseFromString(data)
            yield message
            if message.WhichOneof("type") == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                return
