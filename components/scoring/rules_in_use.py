"""The thresholds of the heatmap: those that methods start with, or frozen ones with their promises, for later visits too."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from components import state
from components.scoring.session import this_session
from components.team import person
from groundscope.grounding.rules.frozen_rules import Decision, frozen
from groundscope.grounding.tuning import Rule
from groundscope.methods import registry, same_method

STARTING = ""
"""In place of a name: the thresholds that methods start with."""
_SETTING = "heatmap_rules"


@dataclass(slots=True)
class _Used:
    """What this session uses.

    Attributes:
        name: of the frozen rules; `STARTING`; None = set in this session alone.
        times: how often rules were set as a whole: thresholds moved by hand before no longer count.
        begun: whether what was chosen on an earlier visit was looked for.
    """

    name: str | None = STARTING
    times: int = 0
    found: dict[str, float] = field(default_factory=dict)
    begun: bool = False


def _used() -> _Used:
    return state.own("rules_used", _Used())


def begin() -> None:
    """Once a session: use the frozen rules that were chosen on an earlier visit."""
    if _used().begun:
        return
    _used().begun = True
    name = person.kept(_SETTING)
    if isinstance(name, str) and name in (decisions := frozen()) and not _used().times:
        _use(decisions[name])


def names() -> list[str]:
    """The frozen rules that can be chosen, the newest first."""
    return list(frozen())


def chosen() -> str | None:
    """The name of the frozen rules in use; `STARTING` for none, and None where they were set in this session alone."""
    return _used().name


def choose(name: str) -> None:
    """Use frozen rules, or with `STARTING` those that methods start with, now and on later visits."""
    _clear()
    if decision := frozen().get(name):
        _use(decision)
    else:
        _set(STARTING)
        _keep(None)


def _clear() -> None:
    for settings in (state.thresholds(), state.promises(), _used().found):
        settings.clear()


def _use(decision: Decision) -> None:
    valid = (m for m in decision.tuned if m not in decision.rejected)
    methods = this_session()
    # Of two methods that have one id today, the one that it stands for.
    ids = {m: registry.current(m) for m in valid if same_method(decision.signatures.get(m, ""), methods[m].signature)}
    today = replace(
        decision,
        tuned={ids[m]: tuned for m, tuned in decision.tuned.items() if m in ids},
        signatures={ids[m]: signature for m, signature in decision.signatures.items() if m in ids},
        promises={ids[m]: promise for m, promise in decision.promises.items() if m in ids},
    )
    apply({m: tuned.rule for m, tuned in today.tuned.items()}, today)


def apply(rules: Mapping[str, Rule], decision: Decision | None) -> list[str]:
    """Use the rules that the heatmap can apply, with what a decision promises of them; those of a frozen one stay."""
    able = {name: rule for name, rule in rules.items() if rule.how in ("own", "min") and 0 <= rule.threshold <= 1}
    is_frozen = decision is not None and decision.name in frozen()
    if able and is_frozen:
        # The next visit knows these alone.
        _clear()
    state.thresholds().update({name: rule.threshold for name, rule in able.items()})
    for name in able:
        state.promises().pop(name, None)
        if decision and (promise := decision.promises.get(name)):
            state.promises()[name] = state.SetPromise(decision.signatures[name], promise, decision.place(name))
    if able:
        _set(decision.name if decision and is_frozen else None)
        _used().found.update({name: rule.threshold for name, rule in able.items()})
        if decision and is_frozen:
            _keep(decision.name)
    return list(able)


def _set(name: str | None) -> None:
    _used().name = name
    _used().times += 1


def _keep(name: str | None) -> None:
    # Without a folder to write to it holds for this session.
    with suppress(OSError):
        person.keep(_SETTING, name)


def lasting_words() -> str:
    """How long the rules in use stay, in a sentence."""
    if _used().name is None:
        return "They hold until you close this page; freeze them to keep them."
    return "They stay for your next visits; to change them, open Methods on the heatmap."


def times() -> int:
    """How often rules were set as a whole in this session."""
    return _used().times


def moved() -> list[str]:
    """Methods whose thresholds were moved by hand since the rules were set."""
    return [name for name, value in _used().found.items() if state.thresholds().get(name) != value]


def source(method: str) -> str:
    """Where the threshold of a method comes from, in words; empty where it is the one that the method starts with."""
    value = _used().found.get(method)
    if value is None:
        return ""
    name = _used().name
    return f"{f'Frozen as {name}' if name else 'Set on the Thresholds page'}: {value:.4f}"
