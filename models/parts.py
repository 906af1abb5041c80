"""Split (train, dev or test) of a document whose set has none."""

import hashlib


def part_of(group: str) -> str:
    """The part of a document: a fifth is test, a tenth dev. Test is never trained on."""
    drawn = int(hashlib.sha256(group.encode("utf-8", "replace")).hexdigest(), 16) % 10
    return "test" if drawn < 2 else "dev" if drawn == 2 else "train"
