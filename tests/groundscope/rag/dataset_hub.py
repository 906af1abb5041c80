"""A hub of data sets on loopback: real HTTP, at the real hub's addresses, as far as the datasets library asks for them.

`with DatasetHub({"owner/name": {"README.md": b"...", ...}}) as hub:` serves until the block ends; `hub.url` is what HF_ENDPOINT
takes.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

from tests.loopback import Loopback

COMMIT = "c" * 40
_API = re.compile(
    r"/api/datasets/(?P<id>[^/]+/[^/]+)(?:/(?P<what>revision|tree|paths-info)/(?P<revision>[^/]+)(?:/(?P<path>.*))?)?"
)
_FILE = re.compile(r"/datasets/(?P<id>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")


class DatasetHub:
    """Serves repositories; see the module.

    Attributes:
        repositories: files by name, by the repository's id.
        sizes: of files, where another than the true one is stated.
        asked: paths, in order.
        others: what was asked of other servers, where this one is taken for a proxy.
        status: what every request is answered with instead, and the header `X-Error-Code`.
        page: whether every request is answered with a web page, as a hotel's network does.
    """

    def __init__(self, repositories: dict[str, dict[str, bytes]]) -> None:
        self.repositories = repositories
        self.sizes: dict[str, int] = {}
        self.asked: list[str] = []
        self.others: list[str] = []
        self.status: tuple[int, str] | None = None
        self.page = False
        self._ended = False
        self._server = Loopback(self, _Handler)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.port}"

    def __enter__(self) -> "DatasetHub":
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop listening; a second time does nothing."""
        if not self._ended:
            self._ended = True
            self._server.stop()


def _entry(path: str, content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    return {"type": "file", "path": path, "size": len(content), "oid": blob}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.do_GET()

    def do_CONNECT(self) -> None:
        self.server.owner.others.append(self.path)
        self._refuse(403, "")

    def do_GET(self) -> None:
        if not self.path.startswith("/"):
            self.do_CONNECT()
            return None
        hub, path = self.server.owner, unquote(urlsplit(self.path).path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        hub.asked.append(path)
        if hub.page:
            return self._send(200, b"<!doctype html><title>Please sign in to the hotel's network</title>", "text/html")
        if hub.status:
            return self._refuse(*hub.status)
        if found := _FILE.fullmatch(path):
            return self._file(found, hub.repositories.get(found["id"], {}))
        if (found := _API.fullmatch(path)) and found["id"] in hub.repositories:
            return self._api(found, hub.repositories[found["id"]], body)
        return self._refuse(404, "RepoNotFound")

    def _api(self, found: re.Match[str], files: Mapping[str, bytes], body: bytes) -> None:
        folders = sorted({str(f) for p in files for f in PurePosixPath(p).parents} - {"."})
        entries = [_entry(path, content) for path, content in files.items()]
        entries += [{"type": "directory", "path": f, "oid": "0" * 40} for f in folders]
        if found["what"] == "tree":
            return self._json([e for e in entries if str(PurePosixPath(e["path"]).parent) == (found["path"] or ".")])
        if found["what"] == "paths-info":
            wanted = parse_qs(body.decode())["paths"]
            return self._json([e for e in entries if e["path"] in wanted])
        card = yaml.safe_load(files["README.md"].decode().split("---")[1]) if "README.md" in files else {}
        siblings = [{"rfilename": p, "size": self.server.owner.sizes.get(p, len(c))} for p, c in files.items()]
        return self._json({"_id": "0", "id": found["id"], "sha": COMMIT, "cardData": card, "siblings": siblings, "tags": []})

    def _file(self, found: re.Match[str], files: Mapping[str, bytes]) -> None:
        content = files.get(found["path"])
        if content is None:
            return self._refuse(404, "EntryNotFound")
        etag = _entry("", content)["oid"]
        return self._send(200, content, "application/octet-stream", ETag=f'"{etag}"', **{"X-Repo-Commit": COMMIT})

    def _json(self, value: Any) -> None:
        self._send(200, json.dumps(value).encode(), "application/json")

    def _refuse(self, status: int, code: str) -> None:
        self._send(status, b"{}", "application/json", **({"X-Error-Code": code} if code else {}))

    def _send(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
