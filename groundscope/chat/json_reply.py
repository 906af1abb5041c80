"""A model's reply as JSON: exact if the form was forced, lenient otherwise, and never from quoted text.

Two places can hold the answer: the whole reply, or the text between the tags with the prompt's marker, which no author of a
judged text can know. JSON anywhere else, such as a forged verdict that the model quotes, is ignored.
"""

import ast
import json
import re
from typing import Any

from groundscope.chat.messages import MARKER, Reply
from groundscope.files.fields import cleaned
from groundscope.files.rows import unique_keys

ANSWER_TAGS = f"Reply with one JSON object between the lines <answer-{MARKER}> and </answer-{MARKER}>, and nothing after it."
"""What a prompt asks of a model that cannot be forced to reply in JSON."""

_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
# No two parts that can share a line break: a model that gets stuck writes thousands of them.
_FENCE = re.compile(r"\A```[a-zA-Z]*[ \t\r]*\n(.*)```\Z", re.DOTALL)
_DEEPEST = 100


class Unreadable(ValueError):
    """A reply without a usable answer; the message is one sentence for the user."""


def refusal_of(reply: Reply) -> str:
    """Find out whether a reply can hold a complete answer."""
    reasons = {
        "refusal": "The model refused to answer.",
        "length": "The model's reply was cut off at its token limit.",
        "window": "The texts and the reply did not fit the model's window.",
        "other": "The model stopped for another reason than being done.",
    }
    if reply.stop in reasons:
        return reasons[reply.stop]
    return "" if reply.text.strip() else "The model's reply was empty."


def json_of(reply: Reply) -> dict[str, Any]:
    """Parse a reply as a JSON object.

    Raises:
        Unreadable: it was cut off, refused or empty, is not exactly one JSON object, or lacks the tags it was asked for.
    """
    if why := refusal_of(reply):
        raise Unreadable(why)
    text = _THINKING.sub("", reply.text, count=1).strip()
    tagged = _between_tags(text, reply.marker)
    if tagged is None and not reply.forced:
        # A model that was only asked for JSON may have copied it from what it read.
        raise Unreadable("The model's answer is not between the requested tags.")
    candidate = text if tagged is None else tagged
    if fenced := _FENCE.match(candidate):
        candidate = fenced[1].strip()
    return object_of(candidate)


def _between_tags(text: str, marker: str) -> str | None:
    """The text between the answer's tags; None without tags. A reply with two answers counts as unreadable."""
    if not marker:
        return None
    opening, closing = f"<answer-{marker}>", f"</answer-{marker}>"
    if text.count(opening) > 1 or text.count(closing) > 1:
        raise Unreadable("The model answered more than once.")
    _, tag, rest = text.partition(opening)
    return rest.partition(closing)[0].strip() if tag else None


def object_of(text: str) -> dict[str, Any]:
    """Parse a whole text as one object, in JSON or with single quotes.

    Raises:
        Unreadable: it is not an object, or a key occurs twice.
    """
    # Looked at before parsing: at the end of a parser's recursion a destructor of anything may run, and fail.
    if not (text.startswith("{") and text.endswith("}")) or _depth_of(text) > _DEEPEST:
        raise Unreadable("The model's reply is not a JSON object.")
    for parse in (_strict, _python):
        try:
            parsed = cleaned(parse(text))
        # TypeError: a literal may hold a list as a key.
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(parsed, dict) and all(isinstance(k, str) for k in parsed):
            return parsed
    raise Unreadable("The model's reply is not a JSON object.")


def _depth_of(text: str) -> int:
    depth = most = 0
    for c in text:
        depth += (c in "[{(") - (c in ")}]")
        most = max(most, depth)
    return most


def _strict(text: str) -> Any:
    """Parse JSON; a repeated key is an error."""

    def no_number(name: str) -> Any:
        raise ValueError(f"{name} is no number")

    return json.loads(text, object_pairs_hook=unique_keys, parse_constant=no_number, strict=False)


def _python(text: str) -> Any:
    """Parse single-quoted objects, as small models write them; as a literal, so that no code runs."""
    tree = ast.parse(text, mode="eval").body
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            keys = [ast.literal_eval(k) for k in node.keys if k is not None]
            if len(set(map(repr, keys))) < len(node.keys):
                raise ValueError("a key occurs twice")
    return ast.literal_eval(tree)
