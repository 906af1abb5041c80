"""`live` and `live-report`: answers of a running system, read from its traces."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from groundscope.commands import options
from groundscope.commands.jobs import offered
from groundscope.commands.stopping import stop_event
from groundscope.commands.terminal import DONE, REFUSED, Line, say, show, table
from groundscope.errors import DataError
from groundscope.grounding.chosen_parts import parts_here
from groundscope.grounding.parts import NamedPart
from groundscope.grounding.runs import planning
from groundscope.methods import Method, registry
from groundscope.paths import is_short_name
from groundscope.text.humanize import plural
from groundscope.traces.answers import AnswerState
from groundscope.traces.files import files_of
from groundscope.traces.links import checked_link
from groundscope.traces.measuring import LiveShare, by_day, by_version, drift
from groundscope.traces.store import LiveStore, opened
from groundscope.traces.watching import VERSION, Seen, Watched, watch

CHEAP = "grounding_classifier"
"""The method that judges where none is named: it needs no key, and a processor judges many answers a second with it."""
_DAYS, _WORST = 14, 10


@click.command()
@click.argument("path", metavar="PATH", type=options.PATH, help="a file of spans, or the folder that they are written to")
@click.option("--name", help="of the feed", show_default="the name of the file or folder")
@click.option("--follow", is_flag=True, help="go on as the files grow, until Ctrl-C")
@click.option("--methods", type=options.NAMES, default=CHEAP, help="method ids; cheap ones, since every answer is judged")
@click.option("--set", "settings", metavar="PART.NAME=VALUE", multiple=True, help="a parameter of a part; can be given again")
@click.option("--model", metavar="SPEC", help="the chat model for methods that ask one")
@click.option("--rate", metavar="X", type=options.Finite(0, 1, min_open=True), default=1.0, help="share of answers to judge")
@click.option("--answers-a-day", metavar="N", type=options.POSITIVE, help="judge no more on a day (UTC)")
@click.option("--dollars-a-day", metavar="X", type=options.AMOUNT, help="stop asking chat models on a day before more US dollars")
@click.option("--version-from", metavar="ATTRIBUTE", default=VERSION, help="the attribute that names the program's version")
@click.option("--keep-texts", is_flag=True, help="keep the texts of judged answers, to open them in the heatmap")
@click.option("--link", metavar="URL", help="page of a trace in your tracing tool, with {trace} for its id")
@options.YES
@options.QUIET
def live(
    path: Path, name: str | None, follow: bool, methods: tuple[str, ...], settings: tuple[str, ...], model: str | None,
    rate: float, answers_a_day: int | None, dollars_a_day: float | None, version_from: str, keep_texts: bool, link: str | None,
    yes: bool, quiet: bool,
) -> int:  # fmt: skip
    """Judge answers of a running system, read from its traces.

    PATH has spans of OpenTelemetry: an export as JSON (the collector's file exporter), what its Python SDK prints, or rows that
    Phoenix exports. Questions, sources and answers are found by the names of OpenInference, of OpenTelemetry's GenAI conventions
    and of OpenLLMetry.

    Texts are judged on this machine, unless a method asks a chat model, and are not kept without --keep-texts. A new start goes
    on where the last one ended; no answer is judged twice.
    """
    files_of(path)
    how = Watched(path.resolve(), rate, version_from, keep_texts, dollars_a_day, answers_a_day)
    parts = parts_here(methods, settings, (), model)
    if not parts:
        raise DataError("There is nothing to judge by: name a method with --methods.")
    if not offered(list(planning.forecast([], parts, {}).values()), yes=yes):
        return REFUSED
    store = LiveStore(name or _named(path), new=True)
    with closing(store), store.working():
        store.say(path=str(how.path), rate=rate, texts=keep_texts, version=version_from, link=link and checked_link(link))
        store.say(answers=answers_a_day, dollars=dollars_a_day, methods=[part.name for part, _ in parts])
        # Before the first words: who reads them may stop it at once.
        stop = stop_event(with_parent=False)
        say(f"Feed {store.name}: {how.path}, judged by {', '.join(_titles(parts))}.")
        line = Line(quiet=quiet)
        seen = watch(store, how, parts, follow=follow, stop=stop, hear=lambda now: line.show(lambda: _words(now)))
        line.keep(_words(seen))
        for file, number, reason in store.unread()[:5] if seen.unread else ():
            say(f"{Path(file).name}, line {number:,}: {reason}")
        if seen.records and not seen.states and not seen.known:
            say("No answer was found. An answer is a trace with a step of a model or a retriever; see docs/how-to/live.md.")
    show(f"Look at it on the page Live, or with: groundscope live-report {store.name}")
    return DONE


@click.command()
@click.argument("feed", metavar="NAME", help="of a feed")
@click.option("--method", metavar="ID", help="its verdicts", show_default="the one that judged last")
@click.option("--version", metavar="TEXT", help="the worst answers of this version alone")
@click.option("--json", "as_json", is_flag=True, help="everything as JSON")
def report(feed: str, method: str | None, version: str | None, as_json: bool) -> int:
    """Show what share of live answers stands on its sources, and whether it drifted.

    It shows the last days, all versions, and the worst answers.
    """
    with closing(opened(feed)) as store:
        there = store.methods()
        if not there:
            raise DataError(f"{feed} has no judged answer yet.")
        chosen = next((one for one in there if method in {None, one[0]}), None)
        if chosen is None:
            raise DataError(f"{feed} was not judged by {method}; it was by {', '.join(dict.fromkeys(m for m, _ in there))}.")
        rows = store.shares(*chosen)
        worst = store.worst(*chosen, _WORST, version=version)
    days, versions, found = by_day(rows), by_version(rows), drift(rows, registry.find(chosen[0].partition(":")[0]).about.title)
    if as_json:
        plain = {"drift": found.words, "days": [*map(_plain, days)], "versions": [*map(_plain, versions)]}
        show(json.dumps({**plain, "worst": [*map(asdict, worst)]}))
        return DONE
    parts = [found.words, _table("day", days[-_DAYS:]), _table("version", versions)]
    head = ("support", "flagged", "of sentences", "time", "version", "trace")
    lines = [(f"{w.support:.2f}", str(len(w.flagged)), str(w.sentences), _time(w.time), w.version, w.trace) for w in worst]
    show("\n\n".join([*parts, f"The worst answers\n{table(head, lines)}" if lines else "No answer is called ungrounded."]))
    return DONE


def _named(path: Path) -> str:
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in path.resolve().name.partition(".")[0].lower()).split()
    name = "-".join(words)[:40].strip("-")
    return name if is_short_name(name) else "live"


def _titles(parts: Sequence[tuple[NamedPart, Method]]) -> list[str]:
    return [part.titled(method.about.title) for part, method in parts]


def _words(seen: Seen) -> str:
    states = seen.states or {}
    words = [plural(seen.records, "record"), f"{seen.judged:,} judged"]
    words += [f"{count:,} {state.value}" for state, count in states.items() if state is not AnswerState.JUDGED]
    words += [f"{seen.known:,} known before"] * bool(seen.known) + [f"{seen.others:,} other traces"] * bool(seen.others)
    return ", ".join([*words, *[f"{seen.unread:,} unreadable"] * bool(seen.unread)])


def _table(what: str, shares: Sequence[LiveShare]) -> str:
    rows = []
    for s in shares:
        share, ends = (f"{s.share:.1%}", f"{s.interval.low:.1%}–{s.interval.high:.1%}") if s.verdicts else ("", "")
        rows.append((s.name or "not known", share, ends, f"{s.verdicts:,}", f"{s.undecided:,}"))
    return table((what, "grounded", "95 % interval", "verdicts", "without"), rows)


def _plain(share: LiveShare) -> dict[str, object]:
    """A share for JSON, which has no number that is none."""
    ends = [share.interval.low, share.interval.high] if share.verdicts else None
    counts = {"verdicts": share.verdicts, "grounded": share.grounded, "undecided": share.undecided}
    return {"name": share.name, **counts, "share": share.share if share.verdicts else None, "interval": ends}


def _time(time: float | None) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M") if time is not None else ""
