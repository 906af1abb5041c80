"""A model server on loopback: the Messages API and the chat-completions API over real HTTP, with faults to switch on.

`with LLMServer(answer) as server:` serves until the block ends. `answer` is the scripted model: it gets what was asked and
gives the reply's text, or a `Said` with more; it may wait. `server.anthropic` is what ANTHROPIC_BASE_URL takes, `server.openai`
the address of a server of one's own.
"""

import json
import random
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.llm_messages import Answer, Asked, Fault, Kind, Said, events, message, payload
from tests.loopback import Loopback

__all__ = ["Answer", "Asked", "Fault", "Kind", "LLMServer", "Said"]


class LLMServer:
    """Serves a scripted model; see the module.

    Attributes:
        asked: every call that asks the model, in order, also those that met a fault.
        answered: those that were answered whole, with what was said.
        requests: (method, path, headers) of everything that came in.
        faults: what goes wrong; tests add and remove.
        models: what the list of models holds.
        batches: batches that were sent: id -> requests.
        schemas: whether the server can force a schema; else it refuses calls that do with 400.
        newer_schemas: what it answers to a schema in the newer form of the chat-completions API; 200 = it takes it.
        busiest: most calls that were under way at a time, each until its reply's last bytes.
        refusal: what it answers, with 400, to every call that asks; empty = nothing is refused.
        raw: status, body and content type of an answer, as a server of another kind writes it; None = as usual.
    """

    def __init__(self, answer: Answer, faults: Iterable[Fault] = (), seed: int = 0) -> None:
        self.answer = answer
        self.faults = list(faults)
        self.asked: list[Asked] = []
        self.answered: list[tuple[Asked, Said]] = []
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.models = ["scripted-1"]
        self.schemas = True
        self.newer_schemas = 200
        self.refusal = ""
        self.raw: Callable[[Asked], tuple[int, str, str] | None] = lambda _: None
        self.batches: dict[str, list[dict[str, Any]]] = {}
        self.looks: Counter[str] = Counter()
        self.busiest = 0
        self._busy = 0
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self._dice = random.Random(seed)  # noqa: S311 - no secret
        self._server = Loopback(self, _Handler)

    @property
    def anthropic(self) -> str:
        """What ANTHROPIC_BASE_URL takes."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai(self) -> str:
        """The address of a server as a spec holds it."""
        return f"{self.anthropic}/v1"

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.port

    def __enter__(self) -> "LLMServer":
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self.ended.is_set():
            self.close()

    def close(self) -> None:
        """Stop serving and break what is open."""
        self.ended.set()
        self._server.stop()

    def fault(self, path: str, *, asks: bool) -> Fault | None:
        """The fault that a request meets, counted down."""
        with self.lock:
            for fault in self.faults:
                meant = fault.only in path if fault.only else asks
                if meant and fault.times != 0 and self._dice.random() < fault.share:
                    fault.times = None if fault.times is None else fault.times - 1
                    return fault
        return None

    @property
    def under_way(self) -> int:
        """Calls that are not answered yet."""
        return self._busy

    def busy(self, by: int) -> None:
        """Count calls that are under way."""
        with self.lock:
            self._busy += by
            self.busiest = max(self.busiest, self._busy)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    _under_way = False
    # Headers and body are two writes: they must not wait for each other.
    disable_nagle_algorithm = True
    server: Loopback

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def _seen(self) -> tuple[LLMServer, str, dict[str, str]]:
        owner, headers = self.server.owner, {k.lower(): v for k, v in self.headers.items()}
        with owner.lock:
            owner.requests.append((self.command, self.path, headers))
        return owner, self.path.partition("?")[0], headers

    def do_GET(self) -> None:
        owner, path, headers = self._seen()
        if fault := owner.fault(path, asks=False):
            return self._error(fault.status, "no", fault.headers)
        if path.endswith("/models"):
            if "x-goog-api-key" in headers:
                return self._json(200, {"models": [{"name": f"models/{name}"} for name in owner.models]})
            listed = [{"id": name, "type": "model", "object": "model", "created": 0, "owned_by": "me"} for name in owner.models]
            return self._json(200, {"data": listed, "object": "list", "has_more": False})
        found = re.fullmatch(r"/v1/messages/batches/(\w+)(/results)?", path)
        if not found or found[1] not in owner.batches:
            return self._error(404, "no such path")
        return self._results(found[1]) if found[2] else self._look(found[1])

    def do_POST(self) -> None:
        owner, path, headers = self._seen()
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if path.endswith("/batches"):
            if fault := owner.fault(path, asks=False):
                return self._error(fault.status, "no", fault.headers)
            name = f"batch{len(owner.batches)}"
            owner.batches[name] = body["requests"]
            return self._json(200, self._batch(name, "in_progress"))
        owner.busy(1)
        self._under_way = True
        try:
            api = "gemini" if "enerateContent" in path else "messages" if path.startswith("/v1/messages") else "chat"
            self._answer(Asked(api, path, body, headers))
        finally:
            self._over()

    def _over(self) -> None:
        """Count a call as over; before the last bytes are sent, as the client may ask again once it has them."""
        if self._under_way:
            self._under_way = False
            self.server.owner.busy(-1)

    def _answer(self, asked: Asked) -> None:
        owner = self.server.owner
        with owner.lock:
            owner.asked.append(asked)
        if owner.refusal:
            return self._error(400, owner.refusal)
        if raw := owner.raw(asked):
            return self._raw(*raw)
        if asked.forced and not owner.schemas:
            return self._error(400, "response_format is not supported")
        newer = asked.body.get("response_format", {}).get("type") == "json_schema"
        if newer and owner.newer_schemas != 200:
            return self._error(owner.newer_schemas, "response_format.type: Input should be 'text' or 'json_object'")
        fault = owner.fault(asked.path, asks=True)
        if fault and fault.kind == "status":
            return self._error(fault.status, f"{asked.user} {asked.headers.get('authorization')}", fault.headers)
        if fault and fault.kind == "redirect":
            return self._json(307, {}, {"Location": fault.to})
        if fault and fault.kind == "stall":
            owner.ended.wait(fault.seconds)
            self.close_connection = True
            return None
        said = _said(owner, asked)
        body, kind = payload(asked, said)
        if fault and fault.kind == "junk":
            body = json.dumps(fault.body).encode()
        if fault and fault.kind == "page":
            body, kind = b"<!doctype html><title>Sign in</title>", "text/html"
        if fault and fault.kind == "half":
            body = body[: len(body) // 2]
        if fault and fault.kind == "event":
            error = {"type": fault.to, "message": asked.user}
            body = b"\n\n".join(body.split(b"\n\n")[:2]) + b"\n\n" + events(iter([{"type": "error", "error": error}]))
        if not fault or fault.kind == "drip":
            with owner.lock:
                owner.answered.append((asked, said))
        return self._body(body, kind, fault)

    def _raw(self, status: int, body: str, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        # Its end is where the connection ends, as a proxy's may be that lost its server.
        self.send_header("Connection", "close")
        self.end_headers()
        self._over()
        self.wfile.write(body.encode())

    def _body(self, body: bytes, kind: str, fault: Fault | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if fault and fault.kind == "cut":
            body, self.close_connection = body[: fault.at], True
        if fault and fault.kind == "drip":
            for i in range(0, len(body), fault.at):
                if self.server.owner.ended.wait(fault.seconds):
                    return
                self.wfile.write(body[i : i + fault.at])
            return
        self._over()
        self.wfile.write(body)

    def _batch(self, name: str, status: str) -> dict[str, Any]:
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        results = f"{self.server.owner.anthropic}/v1/messages/batches/{name}/results" if status == "ended" else None
        times = dict.fromkeys(("created_at", "expires_at", "ended_at"), "2026-01-01T00:00:00Z")
        never = dict.fromkeys(("archived_at", "cancel_initiated_at"))
        head = {"id": name, "type": "message_batch", "processing_status": status, "request_counts": counts}
        return {**head, **times, **never, "results_url": results}

    def _look(self, name: str) -> None:
        """Every batch has ended at the second look."""
        owner = self.server.owner
        owner.looks[name] += 1
        self._json(200, self._batch(name, "ended" if owner.looks[name] > 1 else "in_progress"))

    def _results(self, name: str) -> None:
        owner, rows = self.server.owner, []
        for request in owner.batches[name]:
            asked = Asked("messages", self.path, request["params"], {})
            said = _said(owner, asked)
            succeeded: dict[str, Any] = {"type": "succeeded", "message": message(asked, said)}
            errored = {"type": "errored", "error": {"type": "error", "error": {"type": "api_error", "message": "no"}}}
            result = errored if said.stop == "errored" else succeeded
            rows.append(json.dumps({"custom_id": request["custom_id"], "result": result}))
        self._body("\n".join(rows).encode(), "application/x-jsonl", None)

    def _error(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        self._json(status, {"type": "error", "error": {"type": "x", "message": text}}, headers)

    def _json(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self._over()
        self.wfile.write(content)


def _said(owner: LLMServer, asked: Asked) -> Said:
    said = owner.answer(asked)
    return Said(said) if isinstance(said, str) else said
