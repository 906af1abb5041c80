"""Report of a check: the outcome of every promise."""

from dataclasses import dataclass

from groundscope.gate.measuring import AnswerFinding
from groundscope.gate.outcomes import PromiseOutcome
from groundscope.text.humanize import plural


@dataclass(frozen=True, slots=True)
class GateReport:
    """All promises of a check.

    Attributes:
        baseline: name of the baseline; empty = none.
        run: id of the run that judged the answers; empty = none is kept.
        lines: (n,) line of each answer in the file, from 1; empty where the file has no lines.
        compared: what exact checks looked up, one sentence for each language of the answers.
    """

    file: str
    outcomes: tuple[PromiseOutcome, ...]
    baseline: str = ""
    run: str = ""
    notes: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    compared: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Whether every promise is held."""
        return not self.broken

    @property
    def words(self) -> str:
        """The outcome in a sentence."""
        broken = len(self.broken)
        count = len(self.outcomes)
        return (
            f"{broken} of {plural(count, 'promise')} not held."
            if broken
            else f"All {count} promises held."
            if count > 1
            else "Held."
        )

    @property
    def broken(self) -> tuple[PromiseOutcome, ...]:
        """The promises that are not held."""
        return tuple(o for o in self.outcomes if not o.held)

    @property
    def to_read(self) -> tuple[tuple[PromiseOutcome, tuple[AnswerFinding, ...]], ...]:
        """The promises that are not held, each with its findings that no earlier one has."""
        seen: set[AnswerFinding] = set()
        unread = []
        for outcome in self.broken:
            unread.append((outcome, tuple(f for f in outcome.findings if f not in seen)))
            seen.update(outcome.findings)
        return tuple(unread)

    def line(self, row: int) -> int:
        """Find the line of an answer."""
        return self.lines[row] if row < len(self.lines) else 0
