"""`arguments-scenarios`, `arguments-run` and `arguments-report`: 3-ply arguments from a shell."""

import argparse
import json
from pathlib import Path

import scorers
from commands import terminal
from commands.stopping import stop_event
from commands.terminal import DONE, REFUSED, STOPPED, say, show, table
from evaluation.arguments import runs
from evaluation.arguments.catalogue import TRADE_SECRETS, read_catalogue
from evaluation.arguments.extraction import EXACT
from evaluation.arguments.judged import Judged
from evaluation.arguments.loading import BUILT_IN, forecast, parts_of, planned
from evaluation.arguments.records import read_arguments
from evaluation.arguments.report import NAMES, Report, as_json, cells, percent, report
from evaluation.arguments.run_file import RunFile
from evaluation.arguments.scenario_files import read_scenarios, to_jsonl
from evaluation.arguments.scenarios import make_all
from evaluation.arguments.scoring import Weights
from evaluation.arguments.types import Catalogue, Scenario, Test
from evaluation.arguments.work import work
from evaluation.errors import DataError
from evaluation.spending import Budget
from evaluation.words import money

_FACTORS_SHOWN = 10
_HERE = {"", "localhost", "127.0.0.1", "::1"}


def scenarios(given: argparse.Namespace) -> int:
    """Make scenarios and write them as JSONL."""
    catalogue = _catalogue(given.catalogue)
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
        hear=lambda done, total: line.show(f"{done:,} of {total:,} arguments"),
        stop=stop,
        budget=budget,
    )
    for why, count in ended.failed.most_common():
        say(f"{count:,} times: {why}")
    say(_spent(file))
    if ended.finished:
        show(str(file.path))
        return DONE
    say(f"{ended.why}\nTo go on: python -m groundscope arguments-run {name}")
    return STOPPED


def _spent(file: RunFile) -> str:
    cost = runs.spent(file)
    dollars = "the price is not known" if cost.dollars is None else money(cost.dollars)
    return f"So far {cost.calls:,} calls, {cost.tokens:,} tokens, {dollars}."


def _begun(given: argparse.Namespace) -> str:
    catalogue = _catalogue(given.catalogue)
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
    say(f"{len(found):,} triples of {source}.")
    if takes:
        cost = [("not known" if t.dollars is None else money(t.dollars)) for t in takes]
        rows = [(t.title, f"{t.calls:,}", c, t.address or "nowhere") for t, c in zip(takes, cost, strict=True)]
        say(table(("part", "calls", "at most", "text goes to"), rows))
    if any(t.address not in _HERE for t in takes) and not (given.yes or terminal.agreed()):
        say("Nothing was sent. Add --yes to send it.")
        return ""
    return runs.create(plan, found)


def _built_in(part: str) -> str:
    return part if part.startswith(BUILT_IN) else f"{BUILT_IN}{part}"


def arguments_report(given: argparse.Namespace) -> int:
    """Show the analysis of a run, or of a file of arguments, as text or as JSON."""
    found, catalogue = _judged(given)
    if given.extractor != EXACT and not any(j.other for j in found):
        raise ValueError("No model extracted from these arguments; leave --extractor out.")
    weights = None
    if given.plaintiff_weight is not None or given.defendant_weight is not None:
        weights = Weights(
            1.0 if given.plaintiff_weight is None else given.plaintiff_weight,
            1.0 if given.defendant_weight is None else given.defendant_weight,
        )
    made = report(found, catalogue, given.extractor, weights)
    show(json.dumps(as_json(made), indent=1, ensure_ascii=False) if given.json else _text(made, catalogue))
    return DONE


def _judged(given: argparse.Namespace) -> tuple[list[Judged], Catalogue]:
    path = Path(given.arguments)
    if not path.is_file():
        file = runs.opened(given.arguments)
        found = runs.judged(file)
        if not found:
            raise DataError("This run holds no argument yet; go on with it first.")
        return found, file.plan().catalogue
    catalogue = _catalogue(given.catalogue)
    read = read_arguments(path.name, _bytes(path), catalogue)
    for row in read.rejected:
        say(f"{row.file}, row {row.row}: {row.reason}")
    return list(read.judged), catalogue


def _text(made: Report, catalogue: Catalogue) -> str:
    head = ["model", "wording", *(f"{NAMES[name]} {test.value}" for test, name, _ in cells(made.rows[0]))]
    rows = [[r.arguer, r.wording or "-", *(percent(mean) for *_, mean in cells(r))] for r in made.rows]
    silent = {r.arguer: n for r in made.rows if (n := sum(f.silent for f in r.tests.values()))}
    parts = [
        f"{made.arguments:,} arguments about {made.scenarios:,} triples. Percent; in brackets 95 % intervals.",
        table(head, rows),
        "\n".join(f"{name}: {n:,} without an argument, which count in no mean" for name, n in silent.items()),
        _weighted(made),
        "Factors that go wrong most",
        table(
            ("factor", "in cases", "missed", "invented", "wrong case"),
            [
                (catalogue.by_key[f.key].written if f.key in catalogue.by_key else f"{f.key} (no factor)", *map(str, f_counts))
                for f in made.factors[:_FACTORS_SHOWN]
                if f.errors
                for f_counts in [(f.there, f.missed, f.invented, f.wrong_case)]
            ],
        ),
    ]
    if (share := made.agreement.share) is not None:
        parts.append(
            f"The extractors agree on {share:.0%} of what either found; the same set in {made.agreement.same:,} of "
            f"{made.agreement.cases:,} cases."
        )
    return "\n\n".join(filter(None, parts))


def _weighted(made: Report) -> str:
    if made.weights is None:
        return ""
    head = ("model", "wording", *(f"weighted recall {t.value}" for t in (Test.ARGUABLE, Test.REORDERED)))
    rows = [
        (
            r.arguer,
            r.wording or "-",
            *(percent(r.tests[t].weighted if t in r.tests else None) for t in (Test.ARGUABLE, Test.REORDERED)),
        )
        for r in made.rows
    ]
    return table(head, rows)


def _catalogue(path: str | None) -> Catalogue:
    return read_catalogue(Path(path).name, _bytes(Path(path))) if path else TRADE_SECRETS


def _scenarios(path: str | None, catalogue: Catalogue) -> tuple[list[Scenario], str]:
    if path is None:
        return make_all(catalogue, list(Test), 30, [5], 0), "30 a test, complexity 5, seed 0"
    read = read_scenarios(Path(path).name, _bytes(Path(path)), catalogue)
    for row in read.rejected:
        say(f"{row.file}, row {row.row}: {row.reason}")
    return list(read.scenarios), Path(path).name


def _bytes(path: Path) -> bytes:
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
