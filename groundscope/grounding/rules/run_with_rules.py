"""A run together with the rules that turn its supports into verdicts."""

from typing import NamedTuple

from groundscope.errors import DataError
from groundscope.grounding.results import RunResults, results
from groundscope.grounding.rules import frozen_rules
from groundscope.grounding.rules.frozen_rules import STARTING, Decision, default_decision
from groundscope.grounding.rules.generalization import Retuned, retuned, tuned_queries
from groundscope.grounding.runs import listing
from groundscope.grounding.runs.arrays import Integers, RunData
from groundscope.grounding.tuning import Rule, starting_rules, verdicts, without


class RunWithRules(NamedTuple):
    """A run with the rules to read it, by method id; without the parts of sweeps that frozen rules rejected.

    `decision` and the `whole` run are what they came from; no decision = the rules that the methods start with.
    """

    run: RunData
    rules: dict[str, Rule]
    decision: Decision | None
    whole: RunData

    @property
    def name(self) -> str:
        """What names its thresholds."""
        return self.decision.name if self.decision else STARTING

    def again(self) -> dict[str, Retuned] | None:
        """What other tuning sets would have made of the rules; None where none was tuned."""
        return retuned(self.whole, self.decision) if self.decision else None

    def results(self, split: str | None, run: RunData | None = None) -> RunResults:
        """Measure every method on the labelled responses of a split; None = all.

        Another `run` is this one with its methods in another order. Raises `DataError` as `labelled_rows`.
        """
        read = run or self.run
        promises = self.decision.promised if self.decision else None
        tuned_on = tuned_queries(self.whole, self.decision)
        rows = labelled_rows(read, split)
        calls = verdicts(read, self.rules)
        return results(read, calls, self.rules, rows, split, again=self.again(), promised=promises, tuned_on=tuned_on)


def read_by(run: RunData, name: str | None, *named: str) -> tuple[RunWithRules, tuple[str, ...]]:
    """Take a run with the rules to read it: by their name, or by default what fits; and the methods without a rule.

    `named` are the runs that may bring thresholds, this one first.
    """
    if name:
        decision = None if name == STARTING else frozen_decision(name, *named)
    else:
        there = frozen_rules.frozen(listing.folder_of(named[0]) if named else None)
        decision = default_decision(run, there.values())
    left = without(run, decision.rejected) if decision else run
    return RunWithRules(left, rules_of(left, decision), decision, run), decision.strangers(run) if decision else ()


def rules_of(run: RunData, decision: Decision | None) -> dict[str, Rule]:
    """The rules of a decision for a run; without one those that its methods start with."""
    return decision.rules(run) if decision else starting_rules(run)


def frozen_decision(name: str, *named: str) -> Decision:
    """Find frozen thresholds by their name."""
    local = frozen_rules.frozen()
    there = {**{n: d for one in reversed(named) for n, d in frozen_rules.frozen(listing.folder_of(one)).items()}, **local}
    if name not in there:
        names = ", ".join(there) or "none yet: `tune RUN --freeze NAME` makes one"
        problems = "".join(f" {problem}" for problem in frozen_rules.problems())
        raise DataError(f"There are no frozen thresholds named {name!r}; available: {names}.{problems}")
    return there[name]


def labelled_rows(run: RunData, split: str | None) -> Integers:
    """Find the labelled responses of a split."""
    there = run.labelled_splits()
    if split is not None and split not in there:
        names = ", ".join(s or "none" for s in there) or "no labelled responses at all"
        raise DataError(f"No labelled response of the run has the split {split or 'none'}; there are {names}.")
    return run.rows(split)
