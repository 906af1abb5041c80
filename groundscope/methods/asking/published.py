"""Judges that are served as chat models and were trained for one message: a file each in `judges/`, with the published message.

A file states `title`, `model` (a part of the served model's name), `licence`, `source` and `measures`, and the message: `system`
(may be missing) and `message`, in which `{document}`, `{claim}` and `{question}` stand for the case's texts; its `role` (user,
unless stated); `extra` fields of the request, for models whose chat template writes the instruction itself; the patterns of a
reply, `supported` and `unsupported`; `max_tokens` of it; and, if there is one, its published figure, `aggrefact`. A new judge is
a new file.

Lynx's message has a question, a document and an answer without this project's random markers. Its verdict is taken from the
reply's own SCORE key only, never from one inside a quotation, and two that differ are invalid.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from groundscope.chat.conversation import choice_field, texts_field
from groundscope.chat.json_reply import Unreadable, after_reasoning, object_of
from groundscope.chat.messages import Prompt, Reply
from groundscope.chat.prompt_files import MESSAGE, PromptFile, fill
from groundscope.methods.asking.prompted import context_text
from groundscope.types import Case

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
    aggrefact: float = field(default=0.0, repr=False)  # no part of the wording, which signatures hold
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
        text = after_reasoning(reply.text)
        matches = [bool(re.search(p, text, re.IGNORECASE)) for p in (self.supported, self.unsupported)]
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


_KEY = re.compile(r"""["']?(REASONING|SCORE)["']?\s*:\s*""")
_SCORE = re.compile(r"""["'*\s]{0,9}((?:PASS|FAIL)\b[^"'\n},]{0,200})""", re.IGNORECASE)
_ANY_SCORE = re.compile(r"""\bSCORE\b[\\"'\s]{0,9}:[\\"'\s]{0,9}(PASS|FAIL)\b""", re.IGNORECASE)
_QUOTATION = re.compile(r"""(["'])((?:[^\\"']|\\.|(?!\1)["'])*+)\1""", re.DOTALL)
_MARK = re.compile(r"""["']""")


def in_sections(prompt: PromptFile, case: Case, max_tokens: int, schema: Mapping[str, Any] | None = None) -> Prompt:
    """The message of a prompt with a case's texts in their places."""
    texts = {"question": case.query, "document": context_text(case.context), "answer": case.response}
    return Prompt(fill(prompt.text(MESSAGE), texts), schema=schema, max_tokens=max_tokens)


def scored(reply: Reply) -> tuple[bool, list[str]]:
    """As `parsed`, of what follows the reasoning."""
    return parsed(after_reasoning(reply.text))


def parsed(text: str) -> tuple[bool, list[str]]:
    """Read the verdict and the reasons of a reply in the form of Lynx.

    The reply is often no strict JSON: its list may be in single quotes, its keys bare, text may stand before and after. A key
    counts outside quotations only, where it is the reply's own; and where marks are so muddled that another SCORE stands
    anywhere, none counts. Raises Unreadable without a SCORE, and with two that differ.
    """
    try:
        pairs, whole = list(object_of(text.strip()).items()), True
    except Unreadable:
        pairs, whole = _own_keys(text), False
    try:
        scores = {choice_field({key: value}, "SCORE", ("PASS", "FAIL")) for key, value in pairs if key.upper() == "SCORE"}
    except Unreadable:
        scores = set()
    if not whole and scores:
        scores |= {score.upper() for score in _ANY_SCORE.findall(text)}
    if len(scores) != 1:
        raise Unreadable("The model's reply holds no single SCORE of PASS or FAIL.")
    reasons = next((value for key, value in pairs if key.upper() == "REASONING"), None)
    return scores == {"PASS"}, texts_field({"REASONING": reasons}, "REASONING")


def _own_keys(text: str) -> list[tuple[str, Any]]:
    """The keys of a reply that is no JSON, with their values: those that stand outside quotations."""
    keys: list[tuple[str, Any]] = []
    unclosed: set[str] = set()
    reasoned = False
    at = 0
    while at < len(text):
        if key := _KEY.match(text, at):
            name, at = key[1], key.end()
            if name == "SCORE":
                score = _SCORE.match(text, at)
                keys.append((name, score[1] if score else ""))
            elif not reasoned:
                # Only the first list counts.
                end = text.find("]", at)
                keys.append((name, _bullets(text, at, end if end >= 0 else len(text))))
                reasoned = True
            continue
        marked = text[at] in "\"'" and not text[at - 1 : at].isalnum()
        quotation = _quotation(text, at, len(text), unclosed) if marked else None
        at = quotation.end() if quotation else at + 1
    return keys


def _bullets(text: str, at: int, end: int) -> list[str]:
    """What stands between quotation marks in a part of a text."""
    quotations: list[str] = []
    unclosed: set[str] = set()
    while mark := _MARK.search(text, at, end):
        quotation = _quotation(text, mark.start(), end, unclosed)
        quotations += [quotation[2]] if quotation else []
        at = quotation.end() if quotation else mark.end()
    return quotations


def _quotation(text: str, at: int, end: int, unclosed: set[str]) -> re.Match[str] | None:
    """The quotation that a mark begins; once a mark is not closed, no later one like it is, which `unclosed` remembers."""
    if text[at] in unclosed:
        return None
    if (quotation := _QUOTATION.match(text, at, end)) is None:
        unclosed.add(text[at])
    return quotation
