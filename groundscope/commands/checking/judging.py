"""How a check has answers judged: as a run, which the next check may take as its baseline."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from groundscope.chat.budget import Limits
from groundscope.commands import jobs
from groundscope.commands.run import RUNNER
from groundscope.commands.terminal import DONE, REFUSED, say
from groundscope.errors import DataError
from groundscope.files.private import users_umask
from groundscope.gate.rules import UnsupportedRule
from groundscope.grounding.chosen_parts import parts_here
from groundscope.grounding.parts import NamedPart
from groundscope.grounding.rules.reading import decided
from groundscope.grounding.runs import listing, pace, planning
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
    parts = parts_here([p.method for p in promises], settings, (), model)
    return [RuledMethod(p, *one, _rule(p, *one, baseline)) for p, one in zip(promises, parts, strict=True)]


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
    decision = decided(promise.thresholds, *([baseline] if baseline else []))
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
    keeps: bool = True,
) -> tuple[RunData | None, int]:
    """Have answers judged, and give the run with the exit code; no run where the work did not come to its end.

    Without a method a run is made only to be written to `out`: it holds nothing but the answers. `keeps`: say that the run can be
    the next baseline.
    """
    parts = [(m.part, m.method) for m in methods]
    if parts:
        say(f"{len(cases):,} answers of {source}.")
        if not jobs.offered(list(planning.forecast(cases, parts, pace.known_seconds()).values()), yes=how.yes):
            return None, REFUSED
    elif not out:
        return None, DONE
    run_id = planning.begin(name, source, cases, [planning.method_run(*one) for one in parts], limits=how.limits)
    with closing(FOLDER.open(run_id)) as file:
        if parts:
            code = jobs.go(RUNNER, file, out, quiet=how.quiet, with_parent=False, words=partial(_say_kept, run_id, keeps=keeps))
            return (listing.find(run_id), code) if code == DONE else (None, code)
        if out:
            with users_umask():
                say(f"These answers are kept in {export(file, out)}; name it with --baseline in the next check.")
    FOLDER.delete(run_id)
    return None, DONE


def _say_kept(run: str, folder: str, *, keeps: bool) -> None:
    if keeps:
        say(f"These answers are kept as run {run}, in {folder}; name one of the two with --baseline in the next check.")
