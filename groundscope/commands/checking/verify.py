"""`verify`: check an evidence pack."""

import json
from pathlib import Path

import click

from groundscope.commands import options
from groundscope.commands.terminal import CHANGED, DONE, show
from groundscope.errors import DataError
from groundscope.review.pack import CheckState, PackCheck, PackReport
from groundscope.review.pack import verify as check

_MOST = 10
"""Names in the summary; the lines above it have all."""


@click.command()
@click.argument("pack", metavar="PACK", type=options.PATH, help="an evidence pack, as the review page makes it")
@click.option("--no-scores", is_flag=True, help="check the files alone, and score nothing again")
@click.option("--json", "in_json", is_flag=True, help="everything as JSON")
def verify(pack: Path, no_scores: bool, in_json: bool) -> int:
    """Check an evidence pack: every byte, and the figures where the methods can run.

    Lists what it could not score again, with the reason, and what the pack lacks: that is no fault. Ends with 1 where a file or a
    figure has changed.
    """
    try:
        data = pack.read_bytes()
    except OSError as error:
        raise DataError(f"{pack} cannot be read ({error.strerror}).") from None
    report = check(data, scores=not no_scores)
    if in_json:
        rows = {name: [c._asdict() for c in getattr(report, name)] for name in ("files", "methods", "others", "unchecked")}
        facts = {"sound": report.sound, "summary": _summary(report), "seal": report.seal, "created": report.created}
        show(json.dumps({**facts, **rows}, indent=2))
    else:
        show("\n".join(_lines(report)))
    return DONE if report.sound else CHANGED


def _lines(report: PackReport) -> list[str]:
    lines = [f"Seal: {report.seal}", f"Made: {report.created}", "", "Files", *map(_line, report.files)]
    if report.methods:
        lines += ["", "Methods", *map(_line, report.methods)]
    if report.others:
        lines += ["", "What else the pack says", *map(_line, report.others)]
    return [*lines, "", _summary(report)]


def _summary(report: PackReport) -> str:
    """The outcome in a few sentences, without more than was checked."""
    wrong = [c for c in (*report.files, *report.methods, *report.others) if not c.sound]
    if wrong:
        files = any(not c.sound for c in report.files)
        names = "; ".join(f"{c.name} ({c.state})" for c in wrong[:_MOST])
        more = f"; and {len(wrong) - _MOST:,} more" if len(wrong) > _MOST else ""
        return f"Not as it was packed: {names}{more}.{' Nothing was scored again.' if files else ''}"
    again = sum(not c.unchecked for c in report.methods)
    scored = f"{again} of {len(report.methods)} methods were scored again and agree" if again else "no method was scored again"
    parts = [f"No file has changed since the pack was made; {scored}."]
    for state, words in ((CheckState.NOT_RUN, "Not scored again"), (CheckState.NOT_PACKED, "Not in the pack")):
        if left := [f"{c.name} ({c.why})" for c in report.unchecked if c.state is state]:
            parts.append(f"{words}: {'; '.join(left)}.")
    return " ".join(parts)


def _line(check: PackCheck) -> str:
    return f"  {check.name}: {check.state}{f', {check.why}' if check.why else ''}"
