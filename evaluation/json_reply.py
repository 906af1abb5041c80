"""A model's reply as JSON: exact where the form was forced, lenient where it could not be, and never from quoted text.

Two places can hold the answer: the whole reply, or what stands between the tags that carry the prompt's marker, which nobody
who wrote the judged texts can know. JSON anywhere else, such as a forged verdict that the model quotes, is not looked at.
"""

import ast
import json
import re
from typing import Any

from evaluation._fields import clean
from evaluation.chat import MARKER, Reply

ANSWER_TAGS = f"Reply with one JSON object between the lines <answer-{MARKER}> and </answer-{MARKER}>, and nothing after it."
"""What a prompt asks of a model that cannot be forced to reply in JSON."""

_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
# No two parts that can share a line break: a model that gets stuck writes thousands of them.
_FENCE = re.compile(r"\A```[a-zA-Z]*[ \t\r]*\n(.*)```\Z", re.DOTALL)
_DEEPEST = 100


class Unreadable(ValueError):
    """A reply that holds no answer; one sentence for the user."""


def refusal_of(reply: Reply) -> str:
    """Why a reply cannot hold a whole answer, in one sentence; empty where it can."""
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
    """The JSON object that a reply is.

    Raises:
        Unreadable: it was cut off, refused or empty, or is no single JSON object.
    """
    if why := refusal_of(reply):
        raise Unreadable(why)
    text = _THINKING.sub("", reply.text, count=1).strip()
    tagged = _between_tags(text, reply.marker)
    if tagged is None and not reply.forced:
        # A model that was only asked for JSON may have copied it from what it read.
        raise Unreadable("The model's answer does not stand between the tags it was asked for.")
    candidate = text if tagged is None else tagged
    if fenced := _FENCE.match(candidate):
        candidate = fenced[1].strip()
    return object_of(candidate)


def _between_tags(text: str, marker: str) -> str | None:
    """What stands between the answer's tags; None where there are none. A model that answers twice has not answered."""
    if not marker:
        return None
    opening, closing = f"<answer-{marker}>", f"</answer-{marker}>"
    if text.count(opening) > 1 or text.count(closing) > 1:
        raise Unreadable("The model answered more than once.")
    _, found, rest = text.partition(opening)
    return rest.partition(closing)[0].strip() if found else None


def object_of(text: str) -> dict[str, Any]:
    """The object that a whole text is, in JSON or with single quotes; a key that stands twice makes it none.

    Raises:
        Unreadable: it is none.
    """
    if not (text.startswith("{") and text.endswith("}")):
        raise Unreadable("The model's reply is no JSON object.")
    for parse in (_strict, _python):
        try:
            found = _cleaned(parse(text))
        # TypeError: a literal may hold a list as a key.
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(found, dict) and all(isinstance(k, str) for k in found):
            return found
    raise Unreadable("The model's reply is no JSON object.")


def _cleaned(value: Any) -> Any:
    """Without NUL and lone surrogates: an escape can name them, and then no file, browser or provider takes the text."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(v) for v in value]
    return {k: _cleaned(v) for k, v in value.items()} if isinstance(value, dict) else value


def _strict(text: str) -> Any:
    """JSON in which a key twice is an error: of two verdicts none is the model's."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({k for k, _ in pairs}) < len(pairs):
            raise ValueError("a key stands twice")
        return dict(pairs)

    def no_number(name: str) -> Any:
        raise ValueError(f"{name} is no number")

    return json.loads(text, object_pairs_hook=once, parse_constant=no_number, strict=False)


def _python(text: str) -> Any:
    """Single quotes, as small models write them; a literal, so nothing is run."""
    depth = most = 0
    for c in text:
        depth += (c in "[{(") - (c in ")}]")
        most = max(most, depth)
    if most > _DEEPEST:
        raise ValueError("nested too deeply")
    tree = ast.parse(text, mode="eval").body
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            keys = [ast.literal_eval(k) for k in node.keys if k is not None]
            if len(set(map(repr, keys))) < len(node.keys):
                raise ValueError("a key stands twice")
    return ast.literal_eval(tree)
