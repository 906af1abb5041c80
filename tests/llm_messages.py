"""What goes over the wire between a client and a scripted model: a call as it came in, and replies as each API writes them."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

_DATA = re.compile(r'<data-([0-9a-f]+) name="(\w+)">\n(.*?)\n</data-\1>', re.DOTALL)
_REASONS = {"end_turn": "stop", "max_tokens": "length", "refusal": "content_filter"}
_PIECE = re.compile(r"(?s).{1,40}")


@dataclass
class Asked:
    """A call that came in.

    Attributes:
        api: `messages`, `chat` or `gemini`.
        body: as JSON.
        headers: lower-case names.
    """

    api: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def user(self) -> str:
        """The user's message as one text."""
        if self.api == "gemini":
            return "".join(part["text"] for part in self.body["contents"][-1]["parts"])
        content = self.body["messages"][-1]["content"]
        return content if isinstance(content, str) else "".join(block["text"] for block in content)

    @property
    def system(self) -> str:
        """The system message."""
        if self.api == "messages":
            return str(self.body.get("system", ""))
        if self.api == "gemini":
            return "".join(part["text"] for part in self.body.get("systemInstruction", {}).get("parts", ()))
        return "".join(m["content"] for m in self.body["messages"] if m["role"] == "system")

    @property
    def data(self) -> dict[str, str]:
        """The blocks of data by name."""
        return {name: text for _, name, text in _DATA.findall(self.user)}

    @property
    def marker(self) -> str:
        """The marker of the data; empty where there is none."""
        found = _DATA.search(self.user)
        return found[1] if found else ""

    @property
    def task(self) -> str:
        """What stands after the data."""
        return _DATA.sub("", self.user).strip()

    @property
    def unmarked(self) -> str:
        """The whole prompt without its marker: equal for two calls that ask the same."""
        whole = f"{self.system}\n{self.user}\n{self.body.get('max_tokens')}"
        return whole.replace(self.marker, "") if self.marker else whole

    @property
    def forced(self) -> bool:
        """Whether the reply is forced into a schema."""
        schema = self.body.get("generationConfig", {}).get("responseJsonSchema")
        return bool(self.body.get("output_config", {}).get("format") or self.body.get("response_format") or schema)


class Said(NamedTuple):
    """What the scripted model replies, and how it stops, in the words of the Messages API; `errored` = this row of a batch is."""

    text: str
    stop: str = "end_turn"
    thinking: str = ""
    input_tokens: int = 0
    output_tokens: int = 7
    cached: int = 0
    written: int = 0

    def read(self, asked: Asked) -> int:
        """Tokens of the prompt, those of the cache included."""
        documents = json.dumps(asked.body.get("documents", ""))
        return self.input_tokens or (len(asked.user) + len(asked.system) + len(documents)) // 4 + 1


Answer = Callable[[Asked], "str | Said"]
Kind = Literal["status", "cut", "half", "junk", "page", "drip", "stall", "redirect", "event"]


@dataclass
class Fault:
    """Something that goes wrong with calls, the first `times` times, or for ever, or by chance.

    Attributes:
        kind: `status`: answers `status` with `headers`, and quotes prompt and key, as careless servers do. `cut`: the connection
            ends after `at` bytes of the body. `half`: half of the body, as if it were whole. `junk`: `body` as JSON. `page`: a
            web page. `drip`: pieces of `at` bytes, `seconds` apart. `stall`: nothing comes for `seconds`, then the connection
            ends. `redirect`: sends on to `to`. `event`: an error of type `to` within a stream of the Messages API.
        share: of calls that it meets, drawn by the server's own dice.
        only: a part of the path; empty = every call that asks a model.
    """

    kind: Kind
    times: int | None = None
    at: int = 20
    seconds: float = 0.05
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = field(default_factory=lambda: {"hello": "world"})
    to: str = ""
    share: float = 1.0
    only: str = ""


def payload(asked: Asked, said: Said) -> tuple[bytes, str]:
    """A reply as the call wants it, streamed or not, and its content type."""
    if asked.api == "gemini":
        return _gemini(asked, said)
    if not asked.body.get("stream"):
        return json.dumps(
            message(asked, said) if asked.api == "messages" else _completion(asked, said)
        ).encode(), "application/json"
    if asked.api == "messages":
        return events(_message_events(asked, said)), "text/event-stream"
    rows = "".join(f"data: {json.dumps(row)}\n\n" for row in _chunks(asked, said))
    return f"{rows}data: [DONE]\n\n".encode(), "text/event-stream"


def events(rows: Iterator[dict[str, Any]]) -> bytes:
    """Server-sent events, named by their type."""
    return "".join(f"event: {row['type']}\ndata: {json.dumps(row)}\n\n" for row in rows).encode()


def message(asked: Asked, said: Said) -> dict[str, Any]:
    """A message of the Messages API."""
    thinking = [{"type": "thinking", "thinking": said.thinking, "signature": "s"}] if said.thinking else []
    content = [*thinking, *([{"type": "text", "text": said.text}] if said.text else [])]
    usage = {
        "input_tokens": said.read(asked) - said.cached - said.written,
        "output_tokens": said.output_tokens,
        "cache_read_input_tokens": said.cached,
        "cache_creation_input_tokens": said.written,
    }
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.body["model"], "content": content}
    return {**head, "stop_reason": said.stop, "stop_sequence": None, "usage": usage}


def _message_events(asked: Asked, said: Said) -> Iterator[dict[str, Any]]:
    whole = message(asked, said)
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    for i, block in enumerate(whole["content"]):
        kind = block["type"]
        empty = {"type": kind, "thinking": "", "signature": ""} if kind == "thinking" else {"type": kind, "text": ""}
        yield {"type": "content_block_start", "index": i, "content_block": empty}
        for piece in _PIECE.findall(block[kind]):
            yield {"type": "content_block_delta", "index": i, "delta": {"type": f"{kind}_delta", kind: piece}}
        yield {"type": "content_block_stop", "index": i}
    usage = {"output_tokens": said.output_tokens}
    yield {"type": "message_delta", "delta": {"stop_reason": said.stop, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def _gemini(asked: Asked, said: Said) -> tuple[bytes, str]:
    """A reply of the Gemini API; a refusal before any text blocks the prompt."""
    usage = {"promptTokenCount": said.read(asked), "candidatesTokenCount": said.output_tokens}
    usage |= {"cachedContentTokenCount": said.cached, "thoughtsTokenCount": 5 if said.thinking else 0}
    head = {"modelVersion": asked.path.partition("models/")[2].partition(":")[0], "usageMetadata": usage}
    reason = {"end_turn": "STOP", "max_tokens": "MAX_TOKENS", "refusal": "SAFETY"}.get(said.stop, said.stop)
    thoughts = [{"text": said.thinking, "thought": True}] if said.thinking else []

    def piece(parts: list[dict[str, Any]], **more: str) -> dict[str, Any]:
        return {**head, "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **more}]}

    stream = "stream" in asked.path
    rows = [piece([*thoughts, {"text": said.text}], finishReason=reason)]
    if said.stop == "refusal" and not said.text:
        rows = [{**head, "promptFeedback": {"blockReason": "SAFETY"}}]
    elif stream:
        rows = [piece(thoughts), *(piece([{"text": text}]) for text in _PIECE.findall(said.text)), piece([], finishReason=reason)]
    if stream:
        return "".join(f"data: {json.dumps(row)}\n\n" for row in rows).encode(), "text/event-stream"
    return json.dumps(rows[0]).encode(), "application/json"


def _chat_usage(asked: Asked, said: Said) -> dict[str, Any]:
    read = said.read(asked)
    details = {"prompt_tokens_details": {"cached_tokens": said.cached}}
    return {"prompt_tokens": read, "completion_tokens": said.output_tokens, "total_tokens": read + said.output_tokens, **details}


def _completion(asked: Asked, said: Said) -> dict[str, Any]:
    reply = {"role": "assistant", "content": said.text}
    choice = {"index": 0, "message": reply, "finish_reason": _REASONS.get(said.stop, said.stop)}
    head = {"id": "c1", "object": "chat.completion", "created": 0, "model": asked.body["model"]}
    return {**head, "choices": [choice], "usage": _chat_usage(asked, said)}


def _chunks(asked: Asked, said: Said) -> Iterator[dict[str, Any]]:
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": asked.body["model"]}
    for piece in _PIECE.findall(said.text):
        yield {**head, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _REASONS.get(said.stop, said.stop)}]}
    yield {**head, "choices": [], "usage": _chat_usage(asked, said)}
