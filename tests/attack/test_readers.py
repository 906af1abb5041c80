"""Every reader is given long texts of the pieces that hold it longest: the table of `make test` in the size of whole files."""

import os
from concurrent.futures import ProcessPoolExecutor

from tests.attack.tally import Tally
from tests.growth import growth, seconds
from tests.readers import READERS

MEGABYTE = 1_000_000
WORST = 40
"""Pieces a reader."""
PATIENCE = 14_400.0
"""Seconds after which the whole test counts as a hang."""


def _grown(name: str) -> dict[str, str]:
    """What is wrong with how a reader's time grows, by its worst pieces."""
    read, pieces, characters = READERS[name]

    def small(piece: str) -> float:
        text = piece * (characters // len(piece) // 4 + 1)
        return seconds(lambda: read(text), 1)

    return {piece: growth(read, piece, MEGABYTE) for piece in sorted(pieces, key=small)[-WORST:]}


def test_a_megabyte_of_the_worst_pieces_is_read_in_linear_time(tried: Tally) -> None:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for name, found in zip(READERS, pool.map(_grown, READERS, timeout=PATIENCE), strict=True):
            for wrong in found.values():
                with tried("readers", name):
                    assert wrong == ""
