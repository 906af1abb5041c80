"""From sentence supports to a response support, a label and a verdict in words (paper, sections 5 and 6).

The paper aggregates sentence scores "for the response-level prediction" without giving the rule, so the rule is an
option here, and a threshold turns the support into a label: grounded iff support >= threshold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from groundscope.types import Judgement, Status

SentenceRule = Literal["min", "mean"]
"""The rules that need no threshold, so that a scorer can apply them by itself."""


def aggregate(supports: Sequence[float | None], how: SentenceRule = "min") -> float | None:
    """Join sentence supports into the response's support.

    Args:
        supports: one a sentence, 0 to 1; None (not assessable) is left out.
        how: `min` (a response is as grounded as its worst sentence) or `mean`.

    Returns:
        0 to 1, higher = more grounded; None if no sentence could be assessed.
    """
    check_choice("aggregation", how, get_args(SentenceRule))
    assessed = [s for s in supports if s is not None]
    if not assessed:
        return None
    return min(assessed) if how == "min" else min(1.0, sum(assessed) / len(assessed))


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Refuse a parameter value that is not allowed.

    Args:
        name: name of the parameter, for the message.
        value: what the caller passed.
        allowed: all values that the parameter may have.

    Raises:
        ValueError: the value is not allowed; the message names it and the allowed ones.
    """
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(str, allowed))}, got {value!r}")


@dataclass(frozen=True, slots=True)
class SentenceVerdict:
    """Decision of one method at one threshold. `grounded`: label of the whole response; None = no verdict."""

    flagged: tuple[int, ...]
    assessed: int
    grounded: bool | None
    words: str


_STATE_WORDS = {
    Status.INVALID: "No verdict: the method's answer could not be read",
    Status.ABSTAINED: "No verdict: the method abstained",
    Status.NOT_ASSESSABLE: "Not assessable",
    Status.FAILED: "No verdict: the method could not run",
}


def verdict(judgement: Judgement, threshold: float | None) -> SentenceVerdict:
    """Apply a threshold to a judgement; sentences with a support below it are flagged.

    Args:
        judgement: of one method.
        threshold: 0..1; None = not set.

    Returns:
        The verdict; without label if the judgement has no support or there is no threshold.
    """
    if judgement.status is not Status.SCORED:
        return SentenceVerdict((), 0, None, _STATE_WORDS[judgement.status])
    supports = [s.support for s in judgement.sentences]
    assessed = sum(s is not None for s in supports)
    if threshold is None:
        return SentenceVerdict((), assessed, None, "No verdict: no threshold is set for this method")
    if not assessed:
        # A method that judges the response as a whole may name no sentence.
        whole = judgement.support is not None and judgement.support >= threshold
        return SentenceVerdict(
            (), 0, whole, f"The answer as a whole is {'not ' if whole else ''}flagged; the method names no sentence"
        )
    flagged = tuple(i for i, s in enumerate(supports) if s is not None and s < threshold)
    grounded = judgement.support is not None and judgement.support >= threshold
    return SentenceVerdict(flagged, assessed, grounded, _words(len(flagged), assessed))


def _words(flagged: int, assessed: int) -> str:
    sentences = "sentence" if assessed == 1 else "sentences"
    if flagged == 0:
        # Silence claims nothing: what was not flagged was not found to be supported.
        return f"Nothing flagged; read {f'all {assessed} sentences' if assessed > 1 else 'the sentence'}"
    return f"{flagged} of {assessed} {sentences} flagged"
