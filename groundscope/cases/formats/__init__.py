"""Public data sets by the shape of their rows: one module each, recognised by the fields alone."""

from groundscope.cases.formats import (
    contractnli,
    expertqa,
    faithbench,
    halueval,
    lettucedetect,
    ragbench,
    ragtruth,
    refchecker,
    summedits,
)
from groundscope.cases.formats._format import Halves, Shape, Values
from groundscope.cases.formats.licences import stated

__all__ = ["HALVES", "PUBLIC", "Halves", "Shape", "Values", "stated"]

PUBLIC = (
    ragbench.SHAPE,
    contractnli.RELEASE,
    contractnli.SHAPE,
    ragtruth.SHAPE,
    lettucedetect.SHAPE,
    halueval.SHAPE,
    faithbench.SHAPE,
    summedits.SHAPE,
    expertqa.SHAPE,
    refchecker.SHAPE,
)
"""In the order they are tried; the app's own format comes after them all."""

HALVES = (ragtruth.HALVES, refchecker.HALVES)
"""Shapes published as two files."""
