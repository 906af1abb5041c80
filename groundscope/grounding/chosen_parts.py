"""The parts of a run as a user names them, each with its method."""

import os
from collections.abc import Sequence
from dataclasses import replace

from groundscope.chat.model_spec import VARIABLE
from groundscope.grounding.parts import NamedPart, named
from groundscope.methods import Method, registry
from groundscope.methods.defaults import DEFAULTS


def parts_here(
    methods: Sequence[str] | None, settings: Sequence[str] = (), sweeps: Sequence[str] = (), model: str | None = None
) -> list[tuple[NamedPart, Method]]:
    """Load the parts of a run.

    Raises:
        ScorerUnavailable: a method's file or package cannot be loaded.
    """
    if methods is None:
        methods = () if sweeps else registry.ready(DEFAULTS)
    parts = [_with_model(part, model) for part in named(methods, registry.names(), settings, sweeps)]
    return [(part, registry.load(part.method, **part.options)) for part in parts]


def _with_model(part: NamedPart, model: str | None) -> NamedPart:
    """The part, with the model where its method asks one: a run names it, so that another environment changes nothing."""
    line = model or os.environ.get(VARIABLE)
    if line and "model" in registry.parameters(part.method):
        return replace(part, options={"model": line, **part.options})
    return part
