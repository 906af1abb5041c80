"""Work on a run, as the command does."""

from collections.abc import Mapping
from typing import Any

from groundscope.experiments.steps import Outcome
from groundscope.experiments.store import JobFile
from groundscope.experiments.work import work
from groundscope.grounding.runs.work import Judging
from groundscope.methods import Method


def judge(file: JobFile, scorers: Mapping[str, Method], **how: Any) -> Outcome:
    return work(file, Judging(file, scorers), **how)
