"""Save decisions from the browser, each once; hold them in the session while the database does not answer."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import streamlit as st

from components import shell, state
from components.review import board, exports
from groundscope.errors import GroundscopeError, NotSavedYet, StoreError
from groundscope.review import StoredDecision, case_key, default
from groundscope.review.decisions import WHOLE
from groundscope.storage.team.acting import NotAllowed
from groundscope.text.humanize import plural
from groundscope.types import Case

DONE, OWN, FAILED = "review_done", "review_own", "review_failed"
_SAID = exports.SAID
_HELD = "review_held"
_EVERY = 3.0
"""Seconds after which the database is asked again."""


class _Held(NamedTuple):
    case: Case
    name: str
    item: dict[str, Any]


def keep(case: Case, name: str, items: object, case_of: Callable[[str], Case | None] = lambda _: None) -> None:
    """Keep what the browser has decided and not yet seen kept; each item once, in its order.

    An item may be of a case that was open before, which `case_of` gives by its key.
    """
    new = [item for item in items if _number(item) > state.own(DONE, 0.0)] if isinstance(items, list) else []
    held = [_Held(of, name, item) for item in new if (of := _case(item, case, case_of))]
    if len(held) < len(new):
        shell.say(_SAID, "bad", f"Not saved: {plural(len(new) - len(held), 'decision')} of a case that is not here any more.")
    for i, waiting in enumerate(held):
        item = waiting.item
        try:
            _keep_one(*waiting)
        except NotSavedYet:
            st.session_state[_HELD] = held[i:]
            return
        except GroundscopeError as error:
            st.session_state[FAILED] = True
            shell.say(_SAID, "bad", f"Not saved: {error} While this page is open, your next decision saves this one, too.")
            return
        except ValueError:
            # A browser that sends what no page makes; nothing is kept of it.
            pass
        st.session_state[DONE], st.session_state[FAILED] = _number(item), False
    if new:
        st.session_state[DONE] = _number(new[-1])


def holding() -> bool:
    """Whether something waits for the database."""
    return bool(state.own(_HELD, list[_Held]()))


def away() -> bool:
    """Draw a notice while the database does not answer or take what waits, which asks again by itself; else False."""
    fault = _asked()
    if fault:
        st.fragment(_again, run_every=_EVERY)(fault)
    return bool(fault)


def _again(fault: str) -> None:
    if not _asked():
        st.rerun()
    held = len(state.own(_HELD, list[_Held]()))
    waiting = f"Not saved yet: {plural(held, 'decision')}, which this page saves as soon as it can. " if held else ""
    shell.notice("bad", f"{fault} {waiting}The page asks again every {_EVERY:.0f} seconds; keep it open.")


def _asked() -> str:
    """Save what waits; why that does not go, or empty."""
    held: list[_Held] = state.own(_HELD, [])
    saved = 0
    try:
        default().stamp()
        while held:
            with suppress(ValueError):
                _keep_one(*held[0])
            st.session_state[DONE] = max(state.own(DONE, 0.0), _number(held[0].item))
            held.pop(0)
            saved += 1
    except NotAllowed as error:
        # The role was taken meanwhile: what waits will never be saved.
        held.clear()
        shell.say(_SAID, "bad", f"Not saved: {error}")
    except StoreError as error:
        # Where nothing waits, the page says it where it reads the decisions.
        return str(error) if held or isinstance(error, NotSavedYet) else ""
    if saved:
        shell.say(_SAID, "good", f"Saved: {plural(saved, 'decision')} that waited for the database.")
    return ""


def _case(item: dict[str, Any], shown: Case, case_of: Callable[[str], Case | None]) -> Case | None:
    key = item.get("case")
    return shown if key in (None, case_key(shown)) else case_of(str(key))


def _number(item: object) -> float:
    """Of an item of the browser, rising; 0 of anything else."""
    number = item.get("n") if isinstance(item, dict) else None
    return float(number) if isinstance(number, int | float) else 0.0


def _keep_one(case: Case, name: str, item: dict[str, Any]) -> None:
    numbers: set[int] = state.own(OWN, set())
    # What was written before the connection broke, or the server, is not written again.
    call = str(item["id"])[:80] if item.get("id") else None
    if item.get("undo"):
        if undone := default().undo(case, name, call=call):
            numbers.add(undone.number)
        return
    current = default().current(case_key(case), name)
    before = current.get(sentence) if isinstance(sentence := item.get("sentence"), int) else None
    decision = board.read_back(case, item, before.decision if before else None)
    (stored,) = default().decide(case, name, decision, call=call)
    if (item.get("take") or item.get("correction")) and not decision.correction:
        shell.say(_SAID, "info", f"Sentence {decision.sentence + 1}: not corrected, for its passage offers no words to quote.")
    if before and before.number < stored.number and before.number not in {item.get("after"), *numbers}:
        tell(before)
    numbers.add(stored.number)


def tell(other: StoredDecision) -> None:
    """Say what another window of the same reviewer decided."""
    what, sentence = other.decision.ruling or "no decision", other.decision.sentence
    of = "the whole answer" if sentence == WHOLE else f"sentence {sentence + 1}"
    when = other.time[11:16]
    shell.say(
        _SAID, "info", f"Another window of yours decided “{what}” for {of} at {when} UTC. Both are kept; the last one counts."
    )


def elsewhere(current: dict[int, StoredDecision], seen: dict[str, int], key: str) -> StoredDecision | None:
    """What another window of the same reviewer decided of this case since it was drawn here."""
    newest = max((d.number for d in current.values()), default=0)
    before = seen.get(key, newest)
    seen[key] = newest
    return next((d for d in current.values() if d.number > before and d.number not in state.own(OWN, set())), None)
