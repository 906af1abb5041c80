"""A model hub on loopback: real HTTP, the real hub's addresses, metadata and error headers, and faults to switch on.

`with Hub({"organisation/model": folder}) as hub:` serves until the block ends; `hub.url` is what HF_ENDPOINT takes. A folder
stands for every revision of its model, or for one where the name is written `organisation/model@revision`.
"""

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socket import SHUT_WR
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from tests.loopback import Loopback

LFS = (".safetensors", ".bin", ".h5", ".model")
_INFO = re.compile(r"/api/models/(?P<model>[^/]+(?:/[^/]+)?)/revision/(?P<revision>[^/]+)")
_FILE = re.compile(r"/(?P<model>[^/]+(?:/[^/]+)?)/resolve/(?P<revision>[^/]+)/(?P<file>.+)")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_PIECE = 16_384


@dataclass
class Fault:
    """Something that goes wrong with requests whose address holds `where`, the first `times` times or for ever.

    Attributes:
        kind: `status`: answers `status` with `headers`. `page`: answers with a web page, as a hotel's network does.
            `elsewhere`: sends on to the server `to`. `cut`: the connection ends after `at` bytes of a body. `stall`: there it
            stays open, but nothing more comes. `drip`: pieces of `at` bytes, `seconds` apart. `damage`: a byte of the file is
            another. `short`: the file has `at` bytes, whatever the metadata says. `whole`: Range is ignored.
    """

    kind: Literal["status", "page", "elsewhere", "cut", "stall", "drip", "damage", "short", "whole"]
    where: str = ""
    times: int | None = None
    at: int = 0
    seconds: float = 0.0
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    to: str = ""


class Request(NamedTuple):
    """What a client asked for."""

    path: str
    range: str
    authorization: str

    @property
    def file(self) -> str:
        """The file that it asked for; empty where it asked for metadata."""
        found = _FILE.fullmatch(self.path)
        return found["file"] if found else ""


class Hub:
    """Serves folders; see the module.

    Attributes:
        requests: all that was asked, in order.
        sent: bytes of files that went out, or were just going to.
        faults: what goes wrong; tests add and remove.
        named: further files by name, in every model's metadata and served; their names may lead out of a folder.
        moved: models that have another name now: asked for by the old one, the hub sends on.
        tokens: whose bearers may have files; None = everybody.
    """

    def __init__(self, folders: Mapping[str, Path], faults: Iterable[Fault] = ()) -> None:
        self.folders = dict(folders)
        self.faults = list(faults)
        self.requests: list[Request] = []
        self.sent = 0
        self.named: dict[str, bytes] = {}
        self.moved: dict[str, str] = {}
        self.tokens: set[str] | None = None
        self.ended = threading.Event()
        self._lock = threading.Lock()
        self._server = Loopback(self, _Handler)

    @property
    def url(self) -> str:
        """Its address, as HF_ENDPOINT takes it."""
        return f"http://127.0.0.1:{self._server.port}"

    def __enter__(self) -> "Hub":
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop listening and break every connection; a second time does nothing."""
        if not self.ended.is_set():
            self.ended.set()
            self._server.stop()

    def asked(self, file: str) -> list[Request]:
        """The requests for a file."""
        return [r for r in self.requests if r.file == file]

    def fault(self, kind: str, path: str) -> Fault | None:
        """The fault of a kind that a request meets, counted down."""
        with self._lock:
            for fault in self.faults:
                if fault.kind == kind and fault.where in path and fault.times != 0:
                    fault.times = None if fault.times is None else fault.times - 1
                    return fault
        return None

    def count(self, path: str, sent: int) -> None:
        """Count bytes that went out, of files."""
        if _FILE.fullmatch(path):
            with self._lock:
                self.sent += sent

    def folder(self, model: str, revision: str) -> Path | None:
        """The folder that stands for a model at a revision."""
        return self.folders.get(f"{model}@{revision}") or self.folders.get(model)

    def files(self, folder: Path) -> dict[str, bytes]:
        """What a repository holds, by name."""
        found = {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
        return {**found, **self.named}

    def metadata(self, model: str, revision: str, folder: Path) -> dict[str, Any]:
        """What the hub tells of a repository."""
        files = self.files(folder)
        commit = revision if _COMMIT.fullmatch(revision) else commit_of(folder)
        siblings = [_sibling(name, content) for name, content in files.items()]
        return {"_id": "0", "id": model, "modelId": model, "sha": commit, "private": False, "gated": False, "siblings": siblings}


def commit_of(folder: Path) -> str:
    """The commit that a branch's name stands for: it moves with the folder's content."""
    digest = hashlib.sha1(usedforsecurity=False)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _sibling(name: str, content: bytes) -> dict[str, Any]:
    if not name.endswith(LFS):
        return {"rfilename": name, "size": len(content), "blobId": _blob(content)}
    sha256 = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {len(content)}\n".encode()
    lfs = {"sha256": sha256, "size": len(content), "pointerSize": len(pointer)}
    return {"rfilename": name, "size": len(content), "blobId": _blob(pointer), "lfs": lfs}


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        hub, path = self.server.owner, unquote(urlsplit(self.path).path)
        hub.requests.append(Request(path, self.headers.get("Range", ""), self.headers.get("Authorization", "")))
        if fault := hub.fault("status", path):
            return self._refuse(fault.status, **fault.headers)
        if hub.fault("page", path):
            return self._answer(200, b"<!doctype html><title>Please sign in to the hotel's network</title>", "text/html")
        if fault := hub.fault("elsewhere", path):
            return self._send_on(302, f"{fault.to}{self.path}")
        for pattern, answer in ((_INFO, self._info), (_FILE, self._file)):
            if found := pattern.fullmatch(path):
                return self._of_model(found, answer)
        return self._refuse(404)

    def _of_model(self, found: re.Match[str], answer: Callable[[re.Match[str], Path], None]) -> None:
        hub, model = self.server.owner, found["model"]
        if model in hub.moved:
            return self._send_on(307, self.path.replace(model, hub.moved[model], 1))
        if folder := hub.folder(model, found["revision"]):
            return answer(found, folder)
        if any(name.partition("@")[0] == model for name in hub.folders):
            return self._refuse(404, "RevisionNotFound", f"Invalid rev id: {found['revision']}")
        return self._refuse(404, "RepoNotFound", "Repository not found")

    def _info(self, found: re.Match[str], folder: Path) -> None:
        body = json.dumps(self.server.owner.metadata(found["model"], found["revision"], folder)).encode()
        self._head(200, {"Content-Type": "application/json; charset=utf-8", "Content-Length": str(len(body))})
        self._body(found[0], body)

    def _file(self, found: re.Match[str], folder: Path) -> None:
        hub, bearer = self.server.owner, self.headers.get("Authorization", "").removeprefix("Bearer ")
        if hub.tokens is not None and bearer not in hub.tokens:
            why = f"Access to model {found['model']} is restricted and you are not in the authorized list."
            return self._refuse(403 if bearer else 401, "GatedRepo", why)
        content = hub.files(folder).get(found["file"])
        if content is None:
            return self._refuse(404, "EntryNotFound", "Entry not found")
        return self._content(found, content)

    def _content(self, found: re.Match[str], content: bytes) -> None:
        hub, path, size = self.server.owner, found[0], len(content)
        if fault := hub.fault("short", path):
            content, size = content[: fault.at], fault.at
        if hub.fault("damage", path):
            content = content[:-1] + bytes([content[-1] ^ 1])
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(asked[1]) if asked and not hub.fault("whole", path) else None
        if start is not None and start >= size:
            return self._refuse(416, **{"Content-Range": f"bytes */{size}"})
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Length": str(size - (start or 0)),
            "Accept-Ranges": "bytes",
        }
        if start is not None:
            headers["Content-Range"] = f"bytes {start}-{size - 1}/{size}"
        headers |= {"ETag": f'"{_blob(content)}"', "X-Repo-Commit": found["revision"]}
        self._head(200 if start is None else 206, headers)
        return self._body(path, content[start or 0 :])

    def _body(self, path: str, body: bytes) -> None:
        hub = self.server.owner
        stop = hub.fault("cut", path) or hub.fault("stall", path)
        drip = hub.fault("drip", path)
        end = min(len(body), stop.at) if stop else len(body)
        piece = drip.at if drip else _PIECE
        for at in range(0, end, piece):
            if drip and hub.ended.wait(drip.seconds):
                break
            # Counted first: a client that has its last byte may look at the count before this thread comes to it.
            hub.count(path, min(at + piece, end) - at)
            self.wfile.write(body[at : min(at + piece, end)])
        if stop and stop.kind == "stall":
            # Until the client has had enough of it.
            self.connection.settimeout(60)
            self.connection.recv(1)
        if stop or hub.ended.is_set():
            self.close_connection = True
            self.connection.shutdown(SHUT_WR)

    def _send_on(self, status: int, to: str) -> None:
        self._head(status, {"Location": to, "Content-Length": "0"})

    def _refuse(self, status: int, code: str = "", message: str = "", **headers: str) -> None:
        own = {"X-Error-Code": code, "X-Error-Message": message}
        self._answer(status, json.dumps({"error": message}).encode(), **{k: v for k, v in {**own, **headers}.items() if v})

    def _answer(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self._head(status, {"Content-Type": kind, "Content-Length": str(len(body)), **headers})
        self.wfile.write(body)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
