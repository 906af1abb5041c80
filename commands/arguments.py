"""`arguments-scenarios` and `arguments-run`: 3-ply arguments from a shell."""

import argparse
from pathlib import Path

import scorers
from commands import terminal
from commands.stopping import stop_event
from commands.terminal import DONE, REFUSED, STOPPED, say, show, table
from evaluation.arguments import runs
from evaluation.arguments.catalogue import TRADE_SECRETS, read_catalogue
from evaluation.arguments.loading import BUILT_IN, forecast, parts_of, planned
from evaluation.arguments.run_file import RunFile
from evaluation.arguments.scenario_files import read_scenarios, to_jsonl
from evaluation.arguments.scenarios import make_all
from evaluation.arguments.types import Catalogue, Scenario, Test
from evaluation.arguments.work import work
from evaluation.errors import DataError
from evaluation.spending import Budget
from evaluation.words import money, plural

_HERE = {"", "localhost", "127.0.0.1", "::1"}


def scenarios(given: argparse.Namespace) -> int:
    """Make scenarios and write them as JSONL."""
    catalogue = catalogue_of(given.catalogue)
    tests = [_test(name) for name in _names(given.tests)]
    complexities = [_whole(k, "complexity") for k in _names(given.complexity)]
    text = to_jsonl(make_all(catalogue, tests, given.number, complexities, given.seed), catalogue)
    if given.out:
        try:
            Path(given.out).write_text(text, encoding="utf-8")
        except OSError as error:
            raise DataError(f"{given.out} cannot be written ({error.strerror}).") from None
        text = given.out
    show(text)
    return DONE


def run(given: argparse.Namespace) -> int:
    """Go on with a run, or begin one and go through it."""
    name = given.run or _begun(given)
    if not name:
        return REFUSED
    file = runs.opened(name)
    plan = file.plan()
    stop, line = stop_event(with_parent=given.with_parent), terminal.Line(quiet=given.quiet)
    say(f"Run {name}: {plan.name}")
    budget = Budget(given.calls, given.dollars)
    ended = work(
        file,
        parts_of(plan, scorers.chat),
        hear=lambda done, total: line.show(f"{done:,} of {plural(total, 'argument')}"),
        stop=stop,
        budget=budget,
    )
    for why, count in ended.failed.most_common():
        say(f"{plural(count, 'time')}: {why}")
    say(_spent(file))
    if ended.finished:
        show(str(file.path))
        return DONE
    say(f"{ended.why}\nTo go on: python -m groundscope arguments-run {name}")
    return STOPPED


def _spent(file: RunFile) -> str:
    cost = runs.spent(file)
    dollars = "the price is not known" if cost.dollars is None else money(cost.dollars)
    return f"So far {plural(cost.calls, 'call')}, {plural(cost.tokens, 'token')}, {dollars}."


def _begun(given: argparse.Namespace) -> str:
    catalogue = catalogue_of(given.catalogue)
    found, source = _scenarios(given.scenarios, catalogue)
    chosen = [part if ":" in part and not part.startswith(BUILT_IN) else _built_in(part) for part in _names(given.arguers)]
    chosen = [part if part.startswith((BUILT_IN, "chat:")) else f"chat:{part}" for part in chosen]
    extracts = f"chat:{given.extractor.removeprefix('chat:')}" if given.extractor else ""
    wordings = _names(given.wordings)
    plan = planned(given.name or source, catalogue, chosen, wordings, extracts, scorers.chat)
    takes = forecast(found, catalogue, chosen, wordings, extracts, scorers.chat)
    if missing := [f"{t.title}: {t.missing}" for t in takes if t.missing]:
        say("\n".join(missing))
        return ""
    say(f"{plural(len(found), 'triple')} of {source}.")
    if takes:
        cost = [("not known" if t.dollars is None else money(t.dollars)) for t in takes]
        rows = [(t.title, f"{t.calls:,}", c, t.address or "nowhere") for t, c in zip(takes, cost, strict=True)]
        say(table(("part", "calls", "at most", "text goes to"), rows))
        say("A reply that cannot be read is asked for once more; that is not counted here.")
    if any(t.address not in _HERE for t in takes) and not (given.yes or terminal.agreed()):
        say("Nothing was sent. Add --yes to send it.")
        return ""
    return runs.create(plan, found)


def _built_in(part: str) -> str:
    return part if part.startswith(BUILT_IN) else f"{BUILT_IN}{part}"


def catalogue_of(path: str | None) -> Catalogue:
    """The catalogue of a file; the built-in one where none is named.

    Raises:
        DataError: it cannot be read.
    """
    return read_catalogue(Path(path).name, content(Path(path))) if path else TRADE_SECRETS


def _scenarios(path: str | None, catalogue: Catalogue) -> tuple[list[Scenario], str]:
    if path is None:
        return make_all(catalogue, list(Test), 30, [5], 0), "30 a test, complexity 5, seed 0"
    read = read_scenarios(Path(path).name, content(Path(path)), catalogue)
    for row in read.rejected:
        say(f"{row.file}, row {row.row}: {row.reason}")
    return list(read.scenarios), Path(path).name


def content(path: Path) -> bytes:
    """What a file holds.

    Raises:
        DataError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); name a file.") from None


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(n.strip() for n in text.split(",") if n.strip()))


def _test(name: str) -> Test:
    if name not in set(Test):
        raise ValueError(f"no test {name!r}; there are {', '.join(Test)}")
    return Test(name)


def _whole(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 6:
        raise ValueError(f"{what} must be a whole number, got {text!r}")
    return int(text)
