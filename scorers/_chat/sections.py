"""Lynx's message and its reply: a question, a document and an answer in one message, PASS or FAIL under the key SCORE.

The texts stand in the message as Lynx was trained on it, without this project's random markers. So the verdict is taken from the
reply's own SCORE key only, never from one that stands inside a quotation, and two that differ are invalid.
"""

import re
from collections.abc import Mapping
from typing import Any

from groundscope.chat.json_reply import Unreadable, object_of
from groundscope.chat.messages import Prompt, Reply
from groundscope.chat.prompt_files import MESSAGE, PromptFile, fill
from groundscope.types import Case
from scorers._chat.prompted import context_text

_KEY = re.compile(r"""["']?(REASONING|SCORE)["']?\s*:\s*""")
_SCORE = re.compile(r"""["']?(PASS|FAIL)\b""")
_ANY_SCORE = re.compile(r"""\bSCORE\b[\\"'\s]{0,9}:[\\"'\s]{0,9}(PASS|FAIL)\b""", re.IGNORECASE)
_QUOTATION = re.compile(r"""(["'])((?:[^\\"']|\\.|(?!\1)["'])*+)\1""", re.DOTALL)
_MARK = re.compile(r"""["']""")


def in_sections(prompt: PromptFile, case: Case, max_tokens: int, schema: Mapping[str, Any] | None = None) -> Prompt:
    """The message of a prompt with a case's texts in their places."""
    texts = {"question": case.query, "document": context_text(case.context), "answer": case.response}
    return Prompt(fill(prompt.text(MESSAGE), texts), schema=schema, max_tokens=max_tokens)


def scored(reply: Reply) -> tuple[bool, list[str]]:
    """As `parsed`."""
    return parsed(reply.text)


def parsed(text: str) -> tuple[bool, list[str]]:
    """Read the verdict and the reasons of a reply in the form of Lynx.

    The reply is often no strict JSON: its list may be in single quotes, its keys bare, text may stand before and after. A key
    counts outside quotations only, where it is the reply's own; and where marks are so muddled that another SCORE stands
    anywhere, none counts.

    Raises:
        Unreadable: it has no SCORE, or two that differ.
    """
    try:
        pairs, whole = list(object_of(text.strip()).items()), True
    except Unreadable:
        pairs, whole = _own_keys(text), False
    scores = {str(value).strip().strip("\"'").upper() for key, value in pairs if key.upper() == "SCORE"}
    if not whole and scores:
        scores |= {score.upper() for score in _ANY_SCORE.findall(text)}
    if len(scores) != 1 or not scores <= {"PASS", "FAIL"}:
        raise Unreadable("The model's reply holds no single SCORE of PASS or FAIL.")
    reasons = [value for key, value in pairs if key.upper() == "REASONING"]
    listed = reasons[0] if reasons and isinstance(reasons[0], list) else reasons[:1]
    return scores == {"PASS"}, [str(r) for r in listed if isinstance(r, str)]


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
