"""The tests of a room and of those that lean on it, without a browser, for at most so many seconds: `make quick ROOM=review`."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("groundscope", "components", "scorers")
GROUND = (
    "tests/test_*.py",
    "tests/groundscope/statistics",
    "tests/groundscope/text",
    "tests/groundscope/drawing",
    "tests/scorers/test_contract.py",
)
"""What runs where no room is named: the rules of the tree, what all else stands on, and the contract of every method."""
SECONDS, SECONDS_OF_ROOM = 50, 30
"""No test begins later; the rest of the minute, or of the 40 seconds that a room has, is for those that then run, and ruff."""


def rooms(name: str) -> list[str]:
    """Folders of a room's product code, then of the code that imports it."""
    mine = [f"{top}/{name}" for top in PRODUCT if (ROOT / top / name).is_dir()] or [name] * (name in PRODUCT)
    pattern = re.compile("|".join(rf"\b(?:from|import) {room.replace('/', '.')}\b" for room in mine))
    files = [path for top in PRODUCT for path in sorted((ROOT / top).rglob("*.py"))]
    users = ("/".join(p.relative_to(ROOT).parts[:2]) for p in files if pattern.search(p.read_text(encoding="utf-8")))
    return list(dict.fromkeys([*mine, *users]))


def tests(name: str) -> list[str]:
    """Paths of their tests that exist, those of the room itself first."""
    paths = []
    for room in rooms(name):
        top, _, folder = room.partition("/")
        paths += [ROOT / "tests" / room, *sorted((ROOT / "tests" / top).glob(f"test_{folder.removesuffix('.py')}*.py"))]
        paths += sorted((ROOT / "tests" / "pages").glob(f"test_{folder}*.py")) if top == "components" else []
    return [str(path.relative_to(ROOT)) for path in dict.fromkeys(paths) if path.exists()]


def main(names: list[str]) -> int:
    """Run them; gives pytest's exit code."""
    paths = [p for name in names for p in tests(name)] if names else [str(p) for g in GROUND for p in sorted(ROOT.glob(g))]
    if not paths:
        there = sorted({p.name for top in PRODUCT for p in (ROOT / top).iterdir() if (p / "__init__.py").exists()})
        sys.exit(f"There is no room {' '.join(names)}. The rooms are {', '.join(there)}.")
    options = ["-q", "-n", "2", "--no-header", f"--seconds={SECONDS_OF_ROOM if names else SECONDS}"]
    return subprocess.run([sys.executable, "-m", "pytest", *options, *paths], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
