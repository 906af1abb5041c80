"""A session of a running app without a browser: its pages over HTTP and the WebSocket, as a browser asks for them."""

import re
from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

PATIENCE = 60


class AppSession:
    """Somebody's browser: its cookies, and one connection that lasts over the pages."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.http = requests.Session()
        self.http.get(f"{address}/_stcore/health", timeout=PATIENCE)
        self._socket: ClientConnection | None = None
        self.page = ""

    def cookie(self, name: str) -> str:
        """A cookie of the app."""
        return next((str(c.value) for c in self.http.cookies if c.name == name), "")

    def open(self, path: str = "/", pressed: str = "") -> list[ForwardMsg]:
        """All that the server sends for a page; `pressed` is the id of a button on it."""
        parts = urlsplit(path)
        message = BackMsg()
        message.rerun_script.page_name = parts.path.strip("/")
        message.rerun_script.query_string = parts.query
        if pressed:
            message.rerun_script.widget_states.widgets.add(id=pressed, trigger_value=True)
        if self._socket is None:
            self._socket = self._connect()
        self._socket.send(message.SerializeToString())
        return list(self._messages(self._socket))

    def log_in(self, name: str) -> "AppSession":
        """Log in at the provider, through the whole redirect."""
        (button,) = (e.button for e in elements(self.open()) if e.WhichOneof("type") == "button")
        (way,) = (m.auth_redirect.url for m in self.open(pressed=button.id) if m.WhichOneof("type") == "auth_redirect")
        form = self.http.get(urljoin(self.address, way), timeout=PATIENCE)
        self.http.post(form.url, data={"sub": name}, timeout=PATIENCE).raise_for_status()
        self.close()
        return self

    def close(self) -> None:
        """End the connection; cookies stay."""
        if self._socket is not None:
            self._socket.close()
        self._socket = None

    def _connect(self) -> ClientConnection:
        cookies = "; ".join(f"{c.name}={c.value}" for c in self.http.cookies if c.domain in urlsplit(self.address).netloc)
        token = self.cookie("_streamlit_xsrf").strip('"')
        return connect(
            f"{self.address.replace('http', 'ws', 1)}/_stcore/stream",
            origin=self.address,  # type: ignore[arg-type]
            subprotocols=["streamlit", token],  # type: ignore[list-item]
            additional_headers={"Cookie": cookies},
            max_size=None,
            proxy=None,
        )

    def _messages(self, socket: ClientConnection) -> Iterator[ForwardMsg]:
        while True:
            message = ForwardMsg()
            message.ParseFromString(socket.recv(timeout=PATIENCE))  # type: ignore[arg-type]
            yield message
            if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY and message.WhichOneof("type") == "script_finished":
                return


def elements(messages: list[ForwardMsg]) -> list:
    """The elements that were drawn."""
    return [m.delta.new_element for m in messages if m.WhichOneof("type") == "delta" and m.delta.HasField("new_element")]
