"""Judges that are served as chat models and were trained for one message: a file each in `judges/`, with the published message.

A file states `title`, `model` (a part of the served model's name), `licence`, `source` and `measures`, and the message: `system`
(may be missing) and `message`, in which `{document}`, `{claim}` and `{question}` stand for the case's texts; its `role` (user,
unless stated); `extra` fields of the request, for models whose chat template writes the instruction itself; the patterns of a
reply, `supported` and `unsupported`; and `max_tokens` of it. A new judge is a new file.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import Prompt, Reply
from groundscope.chat.prompt_files import MESSAGE, PromptFile, fill

FOLDER = Path(__file__).parent / "judges"


@dataclass(frozen=True)
class PublishedJudge:
    """A judge's message and how its reply is read; see the module."""

    title: str
    model: str
    licence: str
    source: str
    measures: str
    message: str
    supported: str
    unsupported: str
    max_tokens: int
    system: str = ""
    role: str = "user"
    extra: Mapping[str, Any] | None = None

    @property
    def file(self) -> PromptFile:
        """The message as the prompts of other methods are shown."""
        texts = {"system": self.system, MESSAGE: self.message}
        shown = tuple((name, text) for name, text in texts.items() if text)
        return PromptFile("direct", "published", shown, self.title, f"As published: {self.source}.", fixed=True)

    def prompt(self, document: str, claim: str, question: str) -> Prompt:
        """The prompt of one claim."""
        texts = {"document": document, "claim": claim, "question": question}
        extra = _filled(self.extra, texts) if self.extra else None
        task = _filled(self.message, texts)
        return Prompt(task, self.system, max_tokens=self.max_tokens, role=self.role, extra=extra)

    def read(self, reply: Reply) -> bool:
        """Whether a reply calls the claim supported."""
        matches = [bool(re.search(p, reply.text, re.IGNORECASE)) for p in (self.supported, self.unsupported)]
        if sum(matches) != 1:
            raise Unreadable("The model's reply holds no single verdict of the kind that this judge gives.")
        return matches[0]


def _filled(value: Any, texts: Mapping[str, str]) -> Any:
    """A value with the texts in their places."""
    if isinstance(value, str):
        return fill(value, texts)
    if isinstance(value, Mapping):
        return {key: _filled(inner, texts) for key, inner in value.items()}
    return [_filled(inner, texts) for inner in value] if isinstance(value, list) else value


def names() -> tuple[str, ...]:
    """The names of all judges, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@lru_cache(maxsize=32)
def published(name: str) -> PublishedJudge:
    """Read a judge."""
    if name not in names():
        raise ValueError(
            f"message must be one of {', '.join(names())}, or empty for this project's own message; got {name[:40]!r}"
        )
    return PublishedJudge(**tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")))
