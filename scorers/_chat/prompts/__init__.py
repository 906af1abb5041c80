"""The prompts of all prompting methods: a folder a method, a file a prompt; a new prompt is a new file. See `prompt_files`."""

from functools import lru_cache
from pathlib import Path

from groundscope.chat.prompt_files import PromptFile, fits, own_prompts, read_prompts

FOLDER = Path(__file__).parent


def prompts(method: str) -> tuple[PromptFile, ...]:
    """The prompts of a method: those that ship, the standard one first, then the user's, none of which takes their names."""
    ship = shipped(method)
    taken = {p.name for p in ship}
    return (*ship, *(p for p in own_prompts(method) if p.name not in taken and fits(dict(p.texts), ship)))


@lru_cache(maxsize=32)
def shipped(method: str) -> tuple[PromptFile, ...]:
    """The prompts that ship for a method, the standard one first; empty if there is none."""
    return read_prompts(FOLDER, method)


def prompt_named(method: str, name: str) -> PromptFile:
    """The prompt of this name."""
    by_name = {p.name: p for p in prompts(method)}
    if name not in by_name:
        raise ValueError(f"prompt must be one of {', '.join(by_name)}, got {name[:40]!r}")
    return by_name[name]
