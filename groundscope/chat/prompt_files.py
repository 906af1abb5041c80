"""Prompts as files: what a chat model is asked, for each task, under a name; those that ship, and the user's own.

A task is a method that asks a chat model, or one of `TASKS`. Those that ship are in `prompts/`: a file `TASK/NAME.toml` states a
`title`, an `about` in one sentence, and a table `texts` with the instructions. The first of a task, by `order` and then by name,
is its default; one that is called `standard` is. A file that asks for the same as the standard prompt in other words states
`rewording = true`; one that takes texts of another states `same_as = "TASK/NAME"`, and in its own table those that differ. The
form of the reply is no part of a file: code reads the reply, and so code asks for its form. Only a text called `message` holds
everything, with places for the texts of a case: it is what a model was trained on.

A part of a job, or an option of the command line, names a prompt as `chat/NAME:SPEC`; `chat:SPEC` asks with the default.

A user's prompt never changes: an edited one is saved under another name, so that a result keeps the prompt that it names. A name
that was deleted is free again; signatures have the texts' hash.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from groundscope.errors import DataError
from groundscope.files.fields import clean
from groundscope.paths import data_folder, is_short_name, replace_text, short_name

STANDARD = "standard"
"""The prompt of a method for which none is chosen."""
MESSAGE = "message"
"""The text of a prompt that is one message with places."""
LONGEST = 20_000
"""Most characters of a text."""
FOLDER = Path(__file__).with_name("prompts")
_LAST = 99
_OTHER_NAMES = {
    "query": "question", "user_input": "question", "context": "document", "contexts": "document", "response": "answer",
    "bot_output": "answer",
}  # fmt: skip
"""What publishers call these places."""
_LARGEST = 200_000
"""Bytes of a file."""
_PLACE = re.compile(r"\{(\w{1,40})\}")


class PromptTask(NamedTuple):
    """What a chat model is asked outside the methods: its title, and the words of the command line that choose a prompt."""

    title: str
    use: str


TASKS = MappingProxyType(
    {
        "rag_answer": PromptTask("Legal RAG: the answer", "rag-run --prompts NAME"),
        "rag_judge": PromptTask("Legal RAG: the judge", "rag-run --judge chat/NAME:SPEC"),
        "argument": PromptTask("Arguments: the three plies", "arguments-run --wordings NAME"),
        "factor_extraction": PromptTask("Arguments: the factors", "arguments-run --extractor chat/NAME:SPEC"),
        "decomposition": PromptTask("Citations: the claims of a text", "citations FILE --decompose chat/NAME:SPEC"),
        "same_claim": PromptTask("Citations: whether two claims are the same", "citations FILE --b-sim chat/NAME:SPEC"),
        "error_types": PromptTask("Error types", "error-types --first chat/NAME:SPEC"),
        "relevance": PromptTask("Relevance", "relevance RUN --by chat/NAME:SPEC"),
        "variants": PromptTask("Ungrounded variants", "make-variants --model chat/NAME:SPEC"),
    }
)
"""Tasks that are no methods, by the names of their folders."""


class PromptMissing(DataError, ValueError):
    """A task has no prompt of this name."""


@dataclass(frozen=True, slots=True)
class PromptFile:
    """The instructions of a task `method`: `texts` are (name, instruction) of each step or part of what it asks, in their order.

    `rewording` asks for the same as the standard prompt; no other can stand in for a `fixed` one, on which a model was trained.
    """

    method: str
    name: str
    texts: tuple[tuple[str, str], ...]
    title: str = ""
    about: str = ""
    rewording: bool = False
    own: bool = False
    fixed: bool = False

    def text(self, name: str) -> str:
        """One of the instructions."""
        return dict(self.texts).get(name, "")


def fill(text: str, texts: Mapping[str, str]) -> str:
    """Put texts into their places, all in one step: a text that itself holds a place stays as it is."""
    return _PLACE.sub(lambda place: texts.get(place[1], place[0]), text)


class AskedChat(NamedTuple):
    """A chat model by its spec, and the name of the prompt that it is asked by; empty = the task's default."""

    spec: str
    prompt: str = ""


def asked_chat(line: str) -> AskedChat:
    """Read `chat:SPEC`, `chat/NAME:SPEC`, or a SPEC alone."""
    head, _, spec = line.partition(":")
    kind, _, name = head.partition("/")
    return AskedChat(spec, name) if kind == "chat" else AskedChat(line)


def part_of(spec: str, name: str) -> str:
    """Write a chat model with the name of a prompt, as `asked_chat` reads it."""
    return f"chat/{name}:{spec}" if name else f"chat:{spec}"


def prompts(task: str) -> tuple[PromptFile, ...]:
    """The prompts of a task: those that ship, the default first, then the user's, none of which takes their names."""
    ship = shipped(task)
    taken = {p.name for p in ship}
    return (*ship, *(p for p in own_prompts(task) if p.name not in taken and fits(dict(p.texts), ship)))


@lru_cache(maxsize=64)
def shipped(task: str) -> tuple[PromptFile, ...]:
    """The prompts that ship for a task, the default first; empty if there is none."""
    ordered = [(_order(path), path.stem, _read(path, task)) for path in (FOLDER / task).glob("*.toml")]
    return tuple(prompt for _, _, prompt in sorted(ordered, key=lambda row: row[:2]))


def prompt_named(task: str, name: str = "") -> PromptFile:
    """The prompt of this name, or the default; `PromptMissing` if there is none."""
    if not name:
        return shipped(task)[0]
    by_name = {p.name: p for p in prompts(task)}
    if name not in by_name:
        raise PromptMissing(f"prompt must be one of {', '.join(by_name)}, got {name[:40]!r}")
    return by_name[name]


def own_prompts(task: str) -> tuple[PromptFile, ...]:
    """Read the user's prompts of a task."""
    readable = []
    for path in sorted((_own_folder() / task).glob("*.toml")):
        # A file that is no prompt must not take the others with it.
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            readable.append(_read(path, task, by_user=True))
    return tuple(readable)


def texts_of(name: str, data: bytes) -> dict[str, str]:
    """Read the texts of a prompt from a file."""
    if len(data) > _LARGEST:
        raise DataError(f"{name} is too large for a prompt; choose a file that holds the prompt alone.")
    try:
        text = data.decode("utf-8-sig")
        if not name.lower().endswith(".toml"):
            return {MESSAGE: text}
        texts = tomllib.loads(text).get("texts")
    except (ValueError, RecursionError):
        raise DataError(f"{name} cannot be read; save it as UTF-8, and a .toml file in the form of TOML.") from None
    if not isinstance(texts, dict) or not texts or not all(isinstance(value, str) for value in texts.values()):
        raise DataError(f"{name} has no table of texts; begin from a prompt that is shown.")
    return texts


def written(prompt: PromptFile) -> str:
    """Write a prompt as a file that `texts_of` reads."""
    return _toml(prompt.title, prompt.about, dict(prompt.texts))


def fits(texts: Mapping[str, str], others: Sequence[PromptFile]) -> bool:
    """Check whether a method knows what to send when."""
    return any(texts.keys() == dict(other.texts).keys() for other in others)


def save_prompt(method: str, name: str, texts: Mapping[str, str], others: Sequence[PromptFile]) -> PromptFile:
    """Save a prompt of the user's under a new name; `others` are those of the task.

    `DataError` if the name is not valid or taken, the texts are not those of another prompt, one is empty or too long or lacks a
    place, or the file cannot be written.
    """
    short_name(name, "A prompt")
    if name in {other.name for other in others}:
        raise DataError(f"There is a prompt {name} already, and results name it; choose another name.")
    if not fits(texts, others):
        kinds = sorted({", ".join(dict(other.texts)) for other in others})
        raise DataError(f"{method} takes a prompt with the texts {'; or '.join(kinds) or '(none)'}.")
    base = next(dict(other.texts) for other in others if texts.keys() == dict(other.texts).keys())
    ready = {key: _ready(key, text, base[key]) for key, text in texts.items()}
    prompt = PromptFile(method, name, tuple(ready.items()), name, "Your own.", own=True)
    try:
        replace_text(_own_folder() / method / f"{name}.toml", written(prompt))
    except OSError as error:
        raise DataError(f"The prompt cannot be saved ({error.strerror}); check the data folder.") from None
    return prompt


def delete_prompt(method: str, name: str) -> None:
    """Delete a prompt of the user's; nothing happens where there is none."""
    try:
        (_own_folder() / method / f"{short_name(name, 'A prompt')}.toml").unlink(missing_ok=True)
    except OSError as error:
        raise DataError(f"The prompt {name} cannot be deleted ({error.strerror}); check the data folder.") from None


def _toml(title: str, about: str, texts: Mapping[str, str]) -> str:
    head = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in (("title", title), ("about", about)))
    # A text of several lines is read and edited more easily as it stands; TOML takes JSON's texts everywhere.
    rows = (f"{key} = {_lines(text)}" for key, text in texts.items())
    return "\n".join([*head, "", "[texts]", *rows, ""])


def _lines(text: str) -> str:
    return '"""\n' + "\n".join(json.dumps(line, ensure_ascii=False)[1:-1] for line in text.split("\n")) + '"""'


def _own_folder() -> Path:
    return data_folder() / "prompts"


def _order(path: Path) -> int:
    return int(tomllib.loads(path.read_text(encoding="utf-8")).get("order", 0 if path.stem == STANDARD else _LAST))


def _read(path: Path, method: str, *, by_user: bool = False) -> PromptFile:
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    base = {}
    if not by_user and "same_as" in entries:
        source = path.parents[1] / f"{entries['same_as']}.toml"
        base = tomllib.loads(source.read_text(encoding="utf-8"))["texts"]
    texts = base | entries.get("texts", {})
    if not texts or not all(isinstance(text, str) and text.strip() and len(text) <= LONGEST for text in texts.values()):
        raise ValueError(f"{path.name} holds no texts")
    if not is_short_name(path.stem):
        raise ValueError(f"{path.name} is no name of a prompt")
    title, about = (str(entries.get(key, "")) for key in ("title", "about"))
    return PromptFile(method, path.stem, tuple(texts.items()), title, about, bool(entries.get("rewording")), by_user)


def _ready(name: str, text: str, base: str) -> str:
    """A text as it is saved, in place of `base`; `DataError` where it cannot be used."""
    text = clean(text).replace("\x7f", "").replace("\r\n", "\n").strip()
    if not text:
        raise DataError(f"The text “{name}” is empty; write what the model is asked.")
    if len(text) > LONGEST:
        raise DataError(f"The text “{name}” has {len(text):,} characters; at most {LONGEST:,} are read.")
    if name == MESSAGE:
        text = _PLACE.sub(lambda place: f"{{{_OTHER_NAMES.get(place[1], place[1])}}}", text)
    if missing := [place for place in dict.fromkeys(_PLACE.findall(base)) if f"{{{place}}}" not in text]:
        places = ", ".join(f"{{{m}}}" for m in missing)
        raise DataError(f"The text “{name}” has no place for {places}; write each place in braces.")
    if name != MESSAGE:
        return text
    # Published for a function that fills places: there a brace is written twice.
    return text.replace("{{", "{").replace("}}", "}") if "{{" in text else text
