"""Texts -> values: JSON, and what programs print where a list or an object stands in a cell. Nothing is ever run.

`structure` parts printed lists from texts that only begin with a bracket. It cuts the text into tokens in one pass, which
bounds size and depth before `ast.parse` sees anything: strings, short words, brackets, commas, colons and equals signs.
"""

import ast
import json
import keyword
import math
import re
import warnings
from dataclasses import dataclass, field
from typing import Any

MAX_FIELDS = 10_000
"""Fields of a row, or of an object in it, and columns of a table."""
_MAX_TOKENS = 50_000
"""Of one printed list: `ast` takes about 0.5 kB for each."""
_DEEPEST = 40
_LONGEST_NUMBER = 300
"""Digits of a whole number: more than any float holds."""

AS_JSON = "export the table as JSON, for instance df.to_json(orient='records')"
_CUT_OFF = f"It is a list that was cut off when it was printed, by '...' or by the length of a cell: texts are lost; {AS_JSON}."
_UNREADABLE = f"It is a list or an object as a program prints it, and it cannot be read; {AS_JSON}."

_STRING = r"""'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+\""""
_TOKEN = re.compile(rf"\s*+(?:(?P<string>{_STRING})|(?P<word>[-+]?\w[\w.+-]{{0,99}})|(?P<mark>\.\.\.|[\[\](){{}},:=]))", re.S)
_CALL = r"""[A-Za-z_.]{1,60}(?:\((?:['"\[({]|\w{1,60}=)|=['"\[({])"""
_PRINTED = re.compile(rf"[\[({{\s]*+(?:(?:{_STRING})\s*+(?:[,:'\"\])}}]|\.\.\.)|{_CALL})", re.S)
"""How a printed list begins that has anything in it: a quoted text and what follows one, or a call such as `Document(page...`."""
_BEGINS = re.compile(r"[\[{(]|(?:np\.|numpy\.)?array\(|[A-Z]\w{0,60}\(\w{1,60}=|page_content=")
_ESCAPE = re.compile(r"\\(.)", re.S)
_ESCAPES = frozenset("\\'\"nrtbfxuU")
_CLOSING = {"]": "[", ")": "(", "}": "{"}
_OPENING = frozenset(_CLOSING.values())
_ENDED = frozenset(("string", "...", *_CLOSING))
_INNER = ('["', "['", "[{")
_CELL = 32_767
"""Characters that a cell of a spreadsheet holds at most; what is longer was cut off."""
_WORDS = {
    **{"None": None, "null": None, "nan": None, "NaN": None, "NaT": None, "NA": None, "inf": None, "Infinity": None},
    **{"true": True, "false": False},
}


def parse_json(text: str | bytes) -> Any:
    """Parse JSON strictly: no repeated key, no excessive nesting; what is no finite number (NaN, 1e999) is missing, and None."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite, parse_int=_whole, object_pairs_hook=unique_keys)
    except RecursionError:
        raise ValueError("The brackets are nested too deeply.") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"It is not UTF-8 (byte {error.start + 1}).") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"It is not complete JSON ({error.msg.lower().removesuffix(' at')}, character {error.pos + 1})."
        ) from None


def _no_number(_: str) -> None:
    return None


def _finite(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else None


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of the pairs that `json.loads` has parsed.

    A repeated key is refused, since neither value is the author's, and so are more than `MAX_FIELDS`.
    """
    if len(pairs) > MAX_FIELDS:
        raise ValueError(f"It has an object of more than {MAX_FIELDS:,} fields; leave out those that are not needed.")
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("It names the same field twice.")
    return values


def structure(text: str) -> Any:
    """Read the list or the object that a text holds as JSON or as Python, numpy, LangChain or LlamaIndex print it.

    None for a text, whatever it begins with. Raises a ValueError that says what to do where a printed list has lost its content,
    or cannot be read.
    """
    text = text.strip()
    for _ in range(3):
        if text[:1] == '"' and text[-1:] == '"':
            try:
                inner = parse_json(text)
            except ValueError:
                return None
            if not isinstance(inner, str):
                return None
            text = inner.strip()
    if not _BEGINS.match(text):
        return None
    if text[0] in "[{":
        try:
            value = parse_json(text)
        except ValueError:
            pass
        else:
            return _unwrapped(value)
    return _printed(f"Document({text})" if text.startswith("page_content=") else text)


def _unwrapped(value: Any) -> Any:
    """The list inside a list whose one text is a list again."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str) and value[0].lstrip()[:2] in _INNER:
        inner = structure(value[0])
        return value if inner is None else inner
    return value


def _printed(text: str) -> Any:
    printed = bool(_PRINTED.match(text)) or (len(text) >= _CELL and text[:2] in _INNER)
    end = _end(text)
    if not printed and end != len(text):
        return None
    if end is not None and end < len(text):
        return None
    source = _source(text)
    value: Any = None
    try:
        if source is None:
            raise ValueError(_UNREADABLE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = _value(ast.parse(source, mode="eval").body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        if printed:
            cut = str(error) == _CUT_OFF or (end is None and len(text) in (_CELL - 1, _CELL))
            raise ValueError(_CUT_OFF if cut else _UNREADABLE) from None
        return None
    if isinstance(value, list | dict):
        return _unwrapped(value) if printed else [] if all(item is None for item in value) else None
    return None


def _end(text: str) -> int | None:
    """Where the first bracket of a text closes; None where it does not, or where something stands that is in no printed list."""
    depth = at = count = 0
    while (token := _TOKEN.match(text, at)) and depth <= _DEEPEST and count <= _MAX_TOKENS:
        at, count = token.end(), count + 1
        depth += (token["mark"] in _OPENING) - (token["mark"] in _CLOSING)
        if depth == 0 and token["mark"] in _CLOSING:
            return at
    return None


def _source(text: str) -> str | None:
    """The text as `ast.parse` reads it, with the commas that numpy leaves out; None if it is no printed value."""
    parts: list[str] = []
    opened: list[_Opened] = []
    before, at = "", 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or len(parts) > _MAX_TOKENS:
            return None
        at, kind = token.end(), token.lastgroup or ""
        written = token[kind]
        begins = kind != "mark" or written in ("[", "{", "...")
        barred = kind == "word" and keyword.iskeyword(written) and written not in ("None", "True", "False")
        if barred or (before == "word" and begins) or (written == "(" and before in _ENDED):
            return None
        if begins and before in _ENDED:
            # A string beside a string is one that was broken over lines if the list has commas, and numpy's if it has none.
            beside = before == kind == "string" and bool(opened)
            if beside:
                opened[-1].places.append(len(parts))
            parts.append("" if beside else ",")
        if kind == "mark" and written in _OPENING:
            opened.append(_Opened(written))
        elif kind == "mark" and written in _CLOSING:
            if not opened or opened[-1].bracket != _CLOSING[written]:
                return None
            closed = opened.pop()
            for place in () if closed.commas else closed.places:
                parts[place] = ","
        elif written == "," and opened:
            opened[-1].commas = True
        if len(opened) > _DEEPEST:
            return None
        parts.append(_plain_string(written) if kind == "string" else written)
        before = written if kind == "mark" else kind
    return None if opened else "".join(parts)


@dataclass(slots=True)
class _Opened:
    """A bracket that is open: whether it has commas, and where strings stand side by side in it."""

    bracket: str
    places: list[int] = field(default_factory=list)
    commas: bool = False


def _plain_string(written: str) -> str:
    """A string as `ast.parse` reads it: on one line, and a backslash before a letter that makes no escape is a backslash."""
    escaped = _ESCAPE.sub(lambda e: e[0] if e[1] in _ESCAPES else f"\\\\{e[1]}", written)
    return escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\0", "\\x00")


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value) if value is ...:
            raise ValueError(_CUT_OFF)
        case ast.Constant(value=str() | int() | float() | bool() | None as value):
            return value if not isinstance(value, float) or math.isfinite(value) else None
        case ast.Name(id=name) if name in _WORDS:
            return _WORDS[name]
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float() as value)):
            return -value if isinstance(node.op, ast.USub) else value
        case ast.UnaryOp(operand=ast.Name(id="inf" | "nan")):
            return None
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            return {str(_value(key)): _value(value) for key, value in zip(keys, values, strict=True) if key}
        case ast.Call(args=[only]):
            return _value(only)
        case ast.Call(args=[], keywords=named):
            return {word.arg: _value(word.value) for word in named if word.arg}
        case ast.Call():
            return None  # Such as a date in a document's metadata.
    raise ValueError("It is no plain value.")
