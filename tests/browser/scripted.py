"""The scripted model that the app may ask in browser tests: what it is called, and well-formed replies to every method."""

import json
import re
import threading

from groundscope.types import ErrorType
from tests.llm_server import Asked

MODEL, SECOND = "claude-haiku-5-5", "claude-opus-5-5"
KEY = "sk-test-Fernleaf-2094"
"""The provider's key; it must never reach a page or a log."""
HOSTILE = "<img src=x onerror=alert(1)> **bold** $x$"
"""Stands in replies; it must be drawn as it is."""
REASON = "The document does not say this."


class Script:
    """What the scripted model replies, when the gate is open.

    Attributes:
        gate: while it is shut, no reply comes.
        held: a part of tasks to which no reply comes; empty = none.
        stock: replies that still come before the next one waits; None = all come.
    """

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.gate.set()
        self.ended = threading.Event()
        self.held = ""
        self.stock: int | None = None
        self._lock = threading.Lock()

    def answer(self, asked: Asked) -> str:
        while not self.ended.is_set() and not self._free(asked):
            self.ended.wait(0.05)
        return _answer(asked)

    def _free(self, asked: Asked) -> bool:
        """Whether a reply may come now; takes it from the stock."""
        with self._lock:
            if not self.gate.is_set() or (self.held and self.held in asked.task) or self.stock == 0:
                return False
            self.stock = None if self.stock is None else self.stock - 1
            return True


def _sentences(asked: Asked) -> list[tuple[int, str]]:
    return [(int(n), text) for n, text in re.findall(r"\[(\d+)\] (.*)", asked.data.get("answer", ""))]


def _answer(asked: Asked) -> str:
    task, data = asked.task, asked.data
    if "PASS if" in task:
        last = data["answer"].rsplit(". ", 1)[-1][:80]
        reasons = [HOSTILE, "The last sentence adds a claim."]
        return json.dumps({"reasons": reasons, "unsupported": [{"quote": last, "why": REASON}], "verdict": "FAIL"})
    if '"triplets"' in task:
        parts = ({"sentence": n, "subject": t[:12], "predicate": t[12:24], "object": t[24:60]} for n, t in _sentences(asked))
        return json.dumps({"triplets": list(parts)})
    if '"labels"' in task:
        count = len(data["claims"].split("\n"))
        labels = [{"number": i, "label": "Entailment", "reason": "It says so."} for i in range(1, count + 1)]
        return json.dumps({"labels": labels})
    if '"versions"' in task:
        word = max(data["answer"].split(), key=len)
        planet = "Saturn" if asked.body["model"] == SECOND else "Neptune"
        error = {"quote": planet, "type": ErrorType.MISATTRIBUTION, "contradicted": True, "why": HOSTILE}
        changed = {"answer": data["answer"].replace(word, planet, 1), "errors": [error]}
        return json.dumps({"versions": [changed, {"answer": "Too short.", "errors": []}]})
    if '"types"' in task:
        both = [ErrorType.MISATTRIBUTION, ErrorType.PROCEDURAL_ERROR]
        return json.dumps({"types": both[: 1 if asked.body["model"] == SECOND else 2]})
    return f"I would rather not say. {HOSTILE}"
