"""How a check has answers judged: as a run, which the next check may take as its baseline."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from groundscope.chat.budget import Limits
from groundscope.commands import jobs
from groundscope.commands.run import WORKED
from groundscope.commands.terminal import DONE, REFUSED, say
from groundscope.errors import DataError
from groundscope.files.private import users_umask
from groundscope.gate.rules import UnsupportedRule
from groundscope.grounding.parts import NamedPart, parts_here
from groundscope.grounding.rules.run_with_rules import frozen_decision
from groundscope.grounding.runs import listing, planning
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.runs.folder import export
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.tuning import Rule
from groundscope.methods import Method
from groundscope.types import Case


@dataclass(frozen=True)
class RuledMethod:
    """A method of a check, with the rule by which a sentence counts as unsupported."""

    promise: UnsupportedRule
    part: NamedPart
    method: Method
    rule: Rule

    @property
    def title(self) -> str:
        """For people."""
        return self.part.titled(self.method.about.title)


@dataclass(frozen=True)
class JudgingOptions:
    """How methods are asked: as the options of a run."""

    limits: Limits
    yes: bool = False
    quiet: bool = False


def ruled_methods(promises: Sequence[UnsupportedRule], model: str | None, baseline: str | None) -> list[RuledMethod]:
    """The methods that promises name, each with its threshold.

    Raises `DataError` where one has none, and `ValueError` where a name or a parameter means nothing. Thresholds that came with
    the baseline are found too.
    """
    if not promises:
        return []
    settings = [f"{p.method}.{name}={_setting(value)}" for p in promises for name, value in p.options.items()]
    here = parts_here([p.method for p in promises], settings, (), model)
    return [RuledMethod(p, *one, _rule(p, *one, baseline)) for p, one in zip(promises, here, strict=True)]


def _setting(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rule(promise: UnsupportedRule, part: NamedPart, method: Method, baseline: str | None) -> Rule:
    if not promise.thresholds:
        if method.about.threshold is None:
            raise DataError(
                f"{part.name} starts with no threshold; tune one on a run (`tune RUN --freeze NAME`) and add "
                'thresholds = "NAME" to its table.'
            )
        return Rule("own", method.about.threshold)
    decision = frozen_decision(promise.thresholds, *([baseline] if baseline else []))
    if part.name not in decision.tuned or decision.signatures.get(part.name) != method.signature:
        raise DataError(
            f"{promise.thresholds} was not made for {part.name} as it stands here ({method.signature}); tune it on a run of it."
        )
    return decision.tuned[part.name].rule


def judged(
    name: str,
    source: str,
    cases: Sequence[Case],
    methods: Sequence[RuledMethod],
    how: JudgingOptions,
    out: Path | None = None,
    *,
    kept: bool = True,
) -> tuple[RunData | None, int]:
    """Have answers judged, and give the run with the exit code; no run where the work did not come to its end.

    Without a method a run is made only to be written to `out`: it holds nothing but the answers. `kept`: say that the run can be
    the next baseline.
    """
    here = [(m.part, m.method) for m in methods]
    if here:
        say(f"{len(cases):,} answers of {source}.")
        if not jobs.offered(list(planning.forecast(cases, here, planning.known_seconds()).values()), yes=how.yes):
            return None, REFUSED
    elif not out:
        return None, DONE
    made = planning.begin(name, source, cases, [planning.method_run(*one) for one in here], limits=how.limits)
    with closing(FOLDER.open(made)) as file:
        if here:
            code = jobs.go(WORKED, file, out, quiet=how.quiet, with_parent=False, words=partial(_say_kept, made, kept=kept))
            return (listing.find(made), code) if code == DONE else (None, code)
        if out:
            with users_umask():
                say(f"These answers are kept in {export(file, out)}; name it with --baseline in the next check.")
    FOLDER.delete(made)
    return None, DONE


def _say_kept(run: str, folder: str, *, kept: bool) -> None:
    if kept:
        say(f"These answers are kept as run {run}, in {folder}; name one of the two with --baseline in the next check.")
