"""What test says of a cascade, in words."""

from collections.abc import Mapping
from typing import Any

from groundscope.text.humanize import money, plural


def in_words(kept: Mapping[str, Any], first: str, second: str) -> str:
    """State what test says for people."""
    if "cascade" not in kept:
        return f"The cascade was not read on test. {kept.get('why', '')}".rstrip()
    cascade, never, always = (kept[name] for name in ("cascade", "never", "always"))
    size = f"{plural(kept['responses'], 'response')} to {plural(kept['queries'], 'query', 'queries')}"
    ours = f"{_f1_words(cascade)} and asks about {cascade['share']:.0%} of the sentences{_takes(cascade)}"
    first_alone, second_alone = (f"{t} alone {_f1_words(one)}{_takes(one)}" for t, one in ((first, never), (second, always)))
    return (
        f"On test ({size}), which played no part in choosing, the cascade has a macro-F1 of {ours}; {first_alone}; "
        f"{second_alone}. {compared(kept, first, second)}"
    )


def compared(kept: Mapping[str, Any], first: str, second: str) -> str:
    """State how the cascade differs from either method on test."""
    return f"{_difference(kept['over_first'], first)} {_difference(kept['over_second'], second)}"


def _f1_words(found: Mapping[str, Any]) -> str:
    if found["low"] is None or found["high"] is None:
        return f"{found['macro_f1']:.3f}"
    return f"{found['macro_f1']:.3f} (95 % interval {found['low']:.3f} to {found['high']:.3f})"


def _takes(found: Mapping[str, Any]) -> str:
    parts = [f"{found['seconds']:.3f} s"] if found["seconds"] is not None else []
    parts += [money(found["dollars"])] if found["dollars"] else []
    return f", {' and '.join(parts)} a response" if parts else ""


def _difference(found: Mapping[str, Any], other: str) -> str:
    if found["low"] is None or found["high"] is None:
        return f"How sure the difference to {other} is cannot be said of so few queries."
    ends = f"{found['value']:+.3f}, 95 % interval {found['low']:+.3f} to {found['high']:+.3f}"
    if found["low"] > 0:
        return f"The cascade is better than {other} ({ends})."
    if found["high"] < 0:
        return f"The cascade is worse than {other} ({ends})."
    return f"The cascade is not shown to differ from {other} ({ends})."
