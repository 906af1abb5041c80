"""`verify`: check an evidence pack."""

import json
from pathlib import Path

import click

from groundscope.commands import options
from groundscope.commands.terminal import CHANGED, DONE, show
from groundscope.errors import DataError
from groundscope.review.pack import CheckState, PackCheck, PackReport
from groundscope.review.pack import verify as check


@click.command()
@click.argument("pack", metavar="PACK", type=options.PATH, help="an evidence pack, as the review page makes it")
@click.option("--no-scores", is_flag=True, help="check the files alone, and score nothing again")
@click.option("--json", "in_json", is_flag=True, help="everything as JSON")
def verify(pack: Path, no_scores: bool, in_json: bool) -> int:
    """Check an evidence pack: every byte, and the figures where the methods can run."""
    try:
        data = pack.read_bytes()
    except OSError as error:
        raise DataError(f"{pack} cannot be read ({error.strerror}).") from None
    report = check(data, scores=not no_scores)
    show(_as_json(report) if in_json else "\n".join(_lines(report)))
    return DONE if report.sound else CHANGED


def _lines(report: PackReport) -> list[str]:
    lines = [f"Seal: {report.seal}", f"Made: {report.created}", "", "Files", *map(_line, report.files)]
    if report.methods:
        lines += ["", "Scored again", *map(_line, report.methods)]
    return [*lines, "", _summary(report)]


def _summary(report: PackReport) -> str:
    """What was found, without more than was checked."""
    wrong = sum(not c.sound for c in (*report.files, *report.methods))
    if wrong:
        return f"{wrong} of these have changed since the pack was made."
    again = sum(c.state is not CheckState.NOT_RUN for c in report.methods)
    scored = f"{again} of {len(report.methods)} methods were scored again and agree" if again else "nothing was scored again"
    return f"No file has changed since the pack was made; {scored}."


def _line(check: PackCheck) -> str:
    return f"  {check.name}: {check.state}{f', {check.why}' if check.why else ''}"


def _as_json(report: PackReport) -> str:
    rows = {name: [c._asdict() for c in getattr(report, name)] for name in ("files", "methods")}
    return json.dumps({"sound": report.sound, "seal": report.seal, "created": report.created, **rows}, indent=2)
