"""Rewordings of prompts that ask for the same in other words, to see whether a verdict hangs on the words: a file each.

A file `METHOD-NAME.toml` holds a list `texts`; in each, `was` is a piece of the method's instructions and `now` what stands there
instead. The form of the reply stays, and so does every text of a case: only system messages and tasks are reworded. A new
rewording is a new file.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from groundscope.chat.messages import Prompt

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Rewording:
    """Pieces of a method's instructions, each with other words for it.

    Attributes:
        name: of its file.
        texts: (piece, other words).
    """

    name: str
    texts: tuple[tuple[str, str], ...]

    def fits(self, wording: Iterable[Any]) -> bool:
        """Whether each piece stands in one of a method's texts."""
        said = [text for text in wording if isinstance(text, str)]
        return all(any(was in text for text in said) for was, _ in self.texts)

    def of(self, prompt: Prompt) -> Prompt:
        """The prompt in other words."""
        return replace(prompt, task=self._of(prompt.task), system=self._of(prompt.system))

    def _of(self, text: str) -> str:
        for was, now in self.texts:
            text = text.replace(was, now)
        return text


@lru_cache(maxsize=32)
def rewordings(method: str) -> tuple[Rewording, ...]:
    """Read all rewordings that were written for a method, by name; empty if there is none."""
    return tuple(_read(path) for path in sorted(FOLDER.glob(f"{method}-*.toml")))


def _read(path: Path) -> Rewording:
    texts = tomllib.loads(path.read_text(encoding="utf-8"))["texts"]
    return Rewording(path.stem, tuple((text["was"], text["now"]) for text in texts))
