"""The embedding APIs of OpenAI, Isaacus and Google over real HTTP on loopback, with faults to switch on.

A text's vector is drawn from its hash, so that every test knows it. `with Vectors() as server:` serves until the block ends.
"""

import hashlib
import json
import random
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

import numpy as np

from groundscope.types import Matrix
from tests.llm_server import Fault
from tests.loopback import Loopback

Pairs = list[tuple[Any, Any]]
"""Places and vectors of a reply."""
SIZE = 8


def vector(text: str, size: int = SIZE) -> list[float]:
    """A text's vector, of any length but 1."""
    drawn = random.Random(hashlib.sha256(text.encode()).hexdigest())  # noqa: S311 - no secret
    return [drawn.uniform(-3, 3) for _ in range(size)]


def expected(texts: list[str], size: int = SIZE) -> Matrix:
    """The vectors that an embedder must give."""
    rows = np.array([vector(text, size) for text in texts])
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


class Asked(NamedTuple):
    """A request that came in: its texts, its task (empty where the API has none), its path, body and headers."""

    texts: list[str]
    task: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]


class Vectors:
    """Serves vectors; see the module.

    Attributes:
        asked: every request, in order, also those that met a fault.
        faults: what goes wrong; tests add and remove.
        change: what is done to a reply's places and vectors before it is sent.
        size: of vectors where the request says none.
        refuses: texts that get a fault wherever they stand.
        let: while not set, nothing is answered.
    """

    def __init__(self, *faults: Fault) -> None:
        self.faults = list(faults)
        self.asked: list[Asked] = []
        self.change: Callable[[Pairs], Pairs] = lambda pairs: pairs
        self.size = SIZE
        self.refuses: dict[str, int] = {}
        self.error: Any = None
        self.let = threading.Event()
        self.let.set()
        self.came = threading.Semaphore(0)
        self.ended = threading.Event()
        self.lock = threading.Lock()
        self._server = Loopback(self, _Handler)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.port}"

    def __enter__(self) -> "Vectors":
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.let.set()
        self._server.stop()

    @property
    def texts(self) -> list[str]:
        """All texts that came in, in order."""
        return [text for asked in self.asked for text in asked.texts]

    def fault(self) -> Fault | None:
        """The fault that a request meets, counted down."""
        with self.lock:
            for fault in self.faults:
                if fault.times != 0:
                    fault.times = None if fault.times is None else fault.times - 1
                    return fault
        return None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Loopback

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        owner: Vectors = self.server.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = _asked(self.path, body, {k.lower(): v for k, v in self.headers.items()})
        with owner.lock:
            owner.asked.append(asked)
        owner.came.release()
        owner.let.wait(10)
        if status := next((owner.refuses[t] for t in asked.texts if t in owner.refuses), None):
            return self._send(status, _error(status, asked, owner.error))
        fault = owner.fault()
        if fault and fault.kind == "status":
            return self._send(fault.status, _error(fault.status, asked, owner.error), fault.headers)
        if fault and fault.kind == "redirect":
            return self._send(307, {}, {"Location": fault.to})
        if fault and fault.kind == "stall":
            owner.ended.wait(fault.seconds)
            self.close_connection = True
            return None
        return self._send(200, _reply(owner, asked), fault=fault)

    def _send(
        self, status: int, reply: dict[str, Any], headers: dict[str, str] | None = None, fault: Fault | None = None
    ) -> None:
        content = json.dumps(reply).encode()
        if fault and fault.kind == "junk":
            content = json.dumps(fault.body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if fault and fault.kind == "cut":
            content, self.close_connection = content[: fault.at], True
        if fault and fault.kind == "drip":
            for i in range(0, len(content), fault.at):
                if self.server.owner.ended.wait(fault.seconds):
                    return
                self.wfile.write(content[i : i + fault.at])
            return
        self.wfile.write(content)


def _asked(path: str, body: dict[str, Any], headers: dict[str, str]) -> Asked:
    if "requests" in body:
        texts = [part["text"] for request in body["requests"] for part in request["content"]["parts"]]
        (task,) = {request.get("taskType", "") for request in body["requests"]}
        return Asked(texts, task, path, body, headers)
    return Asked(body["input"] if "input" in body else body["texts"], body.get("task", ""), path, body, headers)


def _reply(owner: Vectors, asked: Asked) -> dict[str, Any]:
    body = asked.body
    size = body.get("dimensions") or (body.get("requests") or [{}])[0].get("outputDimensionality") or owner.size
    pairs = owner.change([(i, vector(text, size)) for i, text in enumerate(asked.texts)])
    tokens = sum(len(text.split()) for text in asked.texts)
    if "requests" in body:
        return {"embeddings": [{"values": row} for _, row in pairs]}
    if "texts" in body:
        return {"embeddings": [{"index": i, "embedding": row} for i, row in pairs], "usage": {"input_tokens": tokens}}
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in pairs]
    return {"object": "list", "data": data, "model": body["model"], "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def _error(status: int, asked: Asked, error: Any) -> dict[str, Any]:
    """As careless servers do it, with the texts and the key in it."""
    said = f"{asked.texts} {asked.headers.get('authorization')} {asked.headers.get('x-goog-api-key')}"
    return {"error": {"code": status, "message": said, "status": "X", **(error or {})}}
