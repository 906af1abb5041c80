"""Small groups of worlds, and their lines as a file has them."""

import json
from typing import Any

from models.world_pairs import Group, World

NAMES = ("first", "second", "third")


def row(number: int, **parts: Any) -> dict[str, Any]:
    """A group as a line of a file; every text names its group and its world."""
    worlds = [
        {
            "edit": "" if a == 0 else f"procedural_error: point {a}",
            "full": [f"Group {number} holds the {name} way, wording {i}. It goes on so." for i in range(3)],
            "short": [f"Group {number} says {name} briefly, wording {s}." for s in range(2)],
        }
        for a, name in enumerate(NAMES)
    ]
    made = {"id": f"g-{number}", "split": "train", "area": "torts", "genre": "holding", "shared": "a way", "worlds": worlds}
    return {name: value for name, value in {**made, **parts}.items() if value is not ...}


def file_of(*rows: Any) -> bytes:
    return "".join(f"{json.dumps(r, ensure_ascii=False)}\n" for r in rows).encode()


def group(number: int, split: str = "train") -> Group:
    made = row(number)
    worlds = tuple(World(w["edit"], tuple(w["full"]), tuple(w["short"])) for w in made["worlds"])
    return Group(made["id"], split, made["area"], made["genre"], worlds)


def texts(of: Group) -> dict[str, int]:
    """Which world each text is of."""
    return {t: a for a, w in enumerate(of.worlds) for t in (*w.full, *w.short)}
