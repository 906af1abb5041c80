"""Which method is recommended, and why: the best worst case on the board."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from groundscope.methods import registry
from groundscope.methods.board import record_of
from groundscope.methods.defaults import chosen
from groundscope.methods.method import Method

_OWN_CHOICE = "It was chosen here as the method to open with."
_NO_RECORD = "It was not measured on sets labelled by people, and neither was any other method here."


class Recommendation(NamedTuple):
    """A method's id, and why it is recommended, in one plain sentence."""

    method: str
    why: str


def recommended(ready: Sequence[str] | None = None, signatures: Mapping[str, str] | None = None) -> Recommendation:
    """Recommend one of the methods that are ready: the one whose worst AUROC over the sets that decide is highest.

    The method that the user chose to open with comes before it. One without a record comes after all that have one.

    Args:
        ready: their ids, in the order that counts where none has a record; None = all that can run here and are shown `unasked`.
        signatures: of those that judged with other parameters than they have here, such as parts of a run, by id.

    Returns:
        One of them.
    """
    methods = _eligible() if ready is None else tuple(ready)
    if not methods:
        raise ValueError("there is no method to recommend")
    if (preferred := chosen()) in methods:
        return Recommendation(str(preferred), _OWN_CHOICE)
    signed = {m: (signatures or {}).get(m) or registry.find(m).signature for m in methods}
    on_record = [(record, m) for m, signature in signed.items() if (record := record_of(signature))]
    if not on_record:
        return Recommendation(methods[0], _NO_RECORD)
    best, method = max(on_record, key=lambda pair: pair[0].worth)
    return Recommendation(method, best.why)


def unasked(methods: Mapping[str, Method]) -> tuple[str, ...]:
    """Choose what may be recommended where it can run, by id: what is shown unasked, and the method that the user chose."""
    preferred = chosen()
    return tuple(name for name, m in methods.items() if name == preferred or not (m.asks or m.on_request))


def _eligible() -> tuple[str, ...]:
    methods = {name: registry.find(name) for name in registry.names()}
    return tuple(name for name in unasked(methods) if not methods[name].unavailable())
