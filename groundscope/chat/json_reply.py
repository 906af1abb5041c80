"""A model's reply as JSON: exact if the form was forced, lenient otherwise, and never from quoted text.

Two places can hold the answer: the whole reply, or the text between the tags with the prompt's marker, which no author of a
judged text can know. JSON anywhere else, such as a forged verdict that the model quotes, is ignored, and so is the reasoning
that models and servers leave before the answer.
"""

import ast
import json
import re
from types import MappingProxyType
from typing import Any
from warnings import catch_warnings

from groundscope.chat.messages import MARKER, Reply
from groundscope.files.fields import cleaned
from groundscope.files.literals import unique_keys

ANSWER_TAGS = f"Reply with one JSON object between the lines <answer-{MARKER}> and </answer-{MARKER}>, and nothing after it."
"""What a prompt asks of a model that cannot be forced to reply in JSON."""

REASONING_ALONE = "<think></think>"
"""Text of a reply whose reasoning the server took out and of which nothing is left."""

_TAG = r"(?:seed:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis)"
_OPENING = re.compile(
    rf"<{_TAG}>|\[THINK\]|◁think▷|<\|(?:START_THINKING|begin_of_thought)\|>|<\|channel\|?>(?!\s{{0,9}}final)",
    re.IGNORECASE,
)
# The last: a server that shows the channels without their marks, such as analysis…assistantfinal.
_CLOSING = re.compile(
    rf"</{_TAG}>|\[/THINK\]|◁/think▷|<\|(?:END_THINKING|end_of_thought)\|>|<channel\|>"
    r"|<\|channel\|>\s{0,9}final\b(?:[^<{\n]{0,40}(?:<\|constrain\|>[^<{\n]{0,40})?<\|message\|>)?|assistantfinal",
    re.IGNORECASE,
)
_TURN = re.compile(r"<\|start\|>assistant\s*(?=<\|channel\|>)|<\|(?:START_RESPONSE|begin_of_solution)\|>")
_END = re.compile(r"(?:<\|\w{1,24}\|>|</s>)\s*\Z")
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
    """Parse a reply as a JSON object; `Unreadable` if it is not exactly one, whole and between the tags it was asked for."""
    if why := refusal_of(reply):
        raise Unreadable(why)
    text = after_reasoning(reply.text, reply.marker)
    tagged = _between_tags(text, reply.marker)
    if tagged is None and not reply.forced:
        # A model that was only asked for JSON may have copied it from what it read.
        raise Unreadable("The model's answer is not between the requested tags.")
    return object_of(_unfenced(text if tagged is None else tagged))


def ends_reasoning(text: str) -> bool:
    """Whether a text holds what ends a model's reasoning, such as `</think>`."""
    return bool(_CLOSING.search(text))


def after_reasoning(text: str, marker: str = "", *, quotable: bool = False) -> str:
    """Take what a reply says after the last end of its reasoning; all of it where it shows none.

    `quotable` says that the texts that the model read hold such an end: one that no reasoning began may then be a quotation.
    `Unreadable` if the reasoning has no end or no answer after it, or where it ends is open to doubt.
    """
    text = _bare(text)
    begins, opened = 0, bool(_OPENING.match(text))
    ends = list(_CLOSING.finditer(text))
    if ends:
        begins = ends[0].end() if opened else 0
        # An answer in JSON may quote an end itself.
        if _is_object(text[begins:]):
            return text[begins:].strip()
    answer, answered = (text.rfind(f"<{slash}answer-{marker}>") if marker else -1 for slash in ("", "/"))
    ends = [end for end in ends if not answer <= end.start() < answered]
    if not ends:
        if opened:
            raise Unreadable("The model's reasoning has no end, so there is no answer after it.")
        return text
    openings = sum(1 for _ in _OPENING.finditer(text)) if opened else len(ends) * (not quotable)
    if openings < len(ends):
        raise Unreadable("Where the model's reasoning ends is open to doubt.")
    rest = _bare(text[ends[-1].end() :])
    if not rest or _OPENING.match(rest):
        raise Unreadable("The model's reply holds reasoning and no answer.")
    return rest


def free_text(text: str, *, quotable: bool) -> str:
    """Take a reply that is no JSON, as `after_reasoning`; where no reasoning began, an end that is `quotable` belongs to it."""
    return text.strip() if quotable and not _OPENING.match(_bare(text)) else after_reasoning(text, quotable=quotable)


def _bare(text: str) -> str:
    """A text without the marks of a chat template around it."""
    text = text.strip()
    for _ in range(3):
        if text.endswith(("|>", "</s>")) and (end := _END.search(text)):
            text = text[: end.start()].rstrip()
        if turn := _TURN.match(text):
            text = text[turn.end() :].lstrip()
    return text


def _unfenced(text: str) -> str:
    text = text.strip()
    fenced = _FENCE.match(text)
    return fenced[1].strip() if fenced else text


def _is_object(text: str) -> bool:
    try:
        object_of(_unfenced(text))
    except Unreadable:
        return False
    return True


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
    """Parse a whole text as one object, in JSON or with single quotes; `Unreadable` if it is none, or a key occurs twice."""
    # Looked at before parsing: at the end of a parser's recursion a destructor of anything may run, and fail.
    if not (text.startswith("{") and text.endswith("}")) or _depth_of(text) > _DEEPEST:
        raise Unreadable("The model's reply is not a JSON object.")
    for parse in (_strict, _repaired, _python):
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


# A string that is never closed is taken to the end: it is not searched again from each of its quotation marks.
_STRING_OR_FLAW = re.compile(r"""("(?:[^"\\]|\\.)*+"?)|,(?=\s*+[\]}])|\b(?:None|True|False)\b""", re.DOTALL)
_JSON_WORDS = MappingProxyType({"None": "null", "True": "true", "False": "false", ",": ""})
_CONSTANTS = MappingProxyType({"null": None, "true": True, "false": False})


def _repaired(text: str) -> Any:
    """Parse JSON with commas too many, or with Python's names of the constants."""
    return _strict(_STRING_OR_FLAW.sub(lambda m: m[1] or _JSON_WORDS[m[0]], text))


def _python(text: str) -> Any:
    """Parse single-quoted objects, as small models write them; as a literal, so that no code runs."""
    with catch_warnings(action="ignore"):
        tree = _Constants().visit(ast.parse(text, mode="eval").body)
    if ast.get_source_segment(text, tree) != text:
        raise ValueError("a comment follows")
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            keys = [ast.literal_eval(k) for k in node.keys if k is not None]
            if len(set(map(repr, keys))) < len(node.keys):
                raise ValueError("a key occurs twice")
    return ast.literal_eval(tree)


class _Constants(ast.NodeTransformer):
    """JSON's names of the constants, in what is else a literal of Python."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(_CONSTANTS[node.id]), node) if node.id in _CONSTANTS else node
