"""Stages of seconds on pairs that the tiny model knows the words of."""

from dataclasses import replace

from groundscope.training.pairs import Embed
from models.data import Parts
from models.train import Stage
from tests.groundscope.training.made import easy, noise
from tests.groundscope.training.test_resume import LONG

FAST = replace(LONG, bf16=False, words=1.0, dropout=0.0)


def _easy(_embed: Embed, seed: int) -> Parts:
    return easy(12, f"t{seed}"), easy(6, f"d{seed}")


def _noise(_embed: Embed, seed: int) -> Parts:
    return noise(60, f"t{seed}"), noise(12, f"dd{seed}")


STAGES = (Stage("one", _easy, FAST, "easy pairs"), Stage("two", _noise, replace(FAST, epochs=6), "noise, after easy pairs"))
