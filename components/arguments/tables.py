"""Tables and texts of the Arguments page as escaped HTML. Pure: no streamlit."""

from collections.abc import Iterable

import pandas as pd

from groundscope.arguments.extraction import Extraction, Mention
from groundscope.arguments.prompts import TASK
from groundscope.arguments.report import NAMES, ArguerRow, ArgumentsReport, cells, percent
from groundscope.arguments.scoring import Score, kinds
from groundscope.arguments.summary import Judged, Mean
from groundscope.arguments.types import CASE_TITLES, CASES, Catalogue, Scenario, Side, Test
from groundscope.chat.prompt_files import shipped
from groundscope.drawing.html import Html, Mark, cell, highlight, listed, safe, table, tag, with_small

ERRORS = {"invented": "Invented", "wrong case": "Wrong case", "missed": "Not used"}
"""How a factor goes wrong, for people."""
_MANY = 40
"""Most mentions listed in words."""
LEGEND = (
    "<p class='gs-note gs-legend'><mark class='gs-right'>right: its case has it</mark> "
    "<mark class='gs-invented'>invented: no case has it</mark> <mark class='gs-wrong'>wrong case: only another one has it</mark> "
    "<mark class='gs-absent'>said to be absent</mark></p>"
)


def wording_title(name: str) -> str:
    """The title of a wording; a name from a file stays as it is."""
    return {w.name: w.title for w in shipped(TASK)}.get(name, name) if name else "none or unknown"


def paper_table(report: ArgumentsReport) -> Html:
    """The paper's table: one row per model and wording, one column per test and metric, percent with intervals."""
    several = len({r.wording for r in report.rows}) > 1 or any(r.wording for r in report.rows)
    rows = []
    for r in report.rows:
        columns = {"Model": safe(r.arguer)} | ({"Wording": cell(wording_title(r.wording), class_="gs-left")} if several else {})
        columns |= {_head(name, test): _share(mean) for test, name, mean in cells(r)}
        rows.append(
            columns | {title: str(_count(r, name)) for title, name in _BESIDE if any(_count(q, name) for q in report.rows)}
        )
    return table(list(rows[0]), [list(row.values()) for row in rows])


def _head(name: str, test: Test) -> Html:
    rightly = test is Test.NON_ARGUABLE
    titles = {"acc_h": "Facts right", "rec_u": "Facts used", "abstained": "Stops rightly" if rightly else "Stops wrongly"}
    return with_small(titles[name], test.value)


def _share(mean: Mean | None) -> Html:
    value, _, ends = percent(mean).partition(" (")
    return with_small(value, ends.rstrip(")"))


_BESIDE = (("No argument", "silent"), ("Not measured", "unread"))
"""Columns beside the means, where there is something to count, with the names of the counts in `Figures`."""


def _count(row: ArguerRow, name: str) -> int:
    return sum(getattr(f, name) for f in row.tests.values())


def figures_table(report: ArgumentsReport) -> pd.DataFrame:
    """The same as numbers: one row per model, wording and test, shares from 0 to 1."""
    rows = []
    for r in report.rows:
        for test, f in r.tests.items():
            row = {
                "model": r.arguer,
                "wording": r.wording,
                "test": test.value,
                "arguments": f.arguments,
                "no argument": f.silent,
                "not measured": f.unread,
                "checked": f.checked,
            }
            for name in NAMES:
                if (mean := getattr(f, name)) is not None:
                    row |= {name: mean.value, f"{name} from": mean.interval.low, f"{name} to": mean.interval.high}
            rows.append(row | {"calls": f.cost.calls, "tokens": f.cost.tokens, "dollars": f.cost.price})
    return pd.DataFrame(rows)


def triple(scenario: Scenario, catalogue: Catalogue, score: Score | None = None, caption: str = "") -> Html:
    """Factor x case: which case has which factor, what is shared, and with a score what the argument did with it."""
    shared = {case: {f"F{n}" for n in scenario.shared(case)} for case in CASES[1:]}
    mentioned = set() if score is None else {k for sets in kinds(score).values() for case in sets for k in case}
    keys = sorted({k for case in scenario.keys for k in case} | mentioned, key=lambda k: _order(k, catalogue))
    won = [
        (CASE_TITLES[n], f"precedent won by the {c.winner.party}") for n, c in (("tsc1", scenario.tsc1), ("tsc2", scenario.tsc2))
    ]
    heads = ("Factor", "Current case", *(with_small(*one) for one in won))
    rows, css = [], []
    for key in keys:
        with_ = [CASE_TITLES[case] for case in CASES[1:] if key in shared[case]]
        common = tag("small", f"shared with {' and '.join(with_)}", class_="gs-shared") if with_ else Html()
        rows.append(
            (Html(f"{_factor(key, catalogue)} {common}".rstrip()), *(_cell(i, key, scenario, score) for i in range(len(CASES))))
        )
        css.append("gs-in-common" if with_ else "")
    return table(heads, rows, caption=caption, css="gs-counts gs-triple", row_css=css)


def _order(key: str, catalogue: Catalogue) -> tuple[int, int, str]:
    factor = catalogue.by_key.get(key)
    return (2, 0, key) if factor is None else (int(factor.side is Side.DEFENDANT), factor.number, "")


def _factor(key: str, catalogue: Catalogue) -> Html:
    factor = catalogue.by_key.get(key)
    if factor is None:
        return Html(f"{safe(key)} {tag('small', '(no such factor)')}")
    return tag("span", factor.written, title=factor.description) if factor.description else safe(factor.written)


def _cell(case: int, key: str, scenario: Scenario, score: Score | None) -> Html:
    if score is None:
        return Html("has it" if key in scenario.keys[case] else "")
    # Where the argument should abstain, an unused factor is no omission.
    left_out = ("has it", "") if score.should_abstain else ("not used", "gs-cell gs-unused")
    for words, css, sets in (
        ("used", "gs-cell gs-right", score.used),
        (*left_out, score.missed),
        ("invented", "gs-cell gs-invented", score.invented),
        ("wrong case", "gs-cell gs-wrong", score.wrong_case),
    ):
        if key in sets[case]:
            return tag("span", words, class_=css) if css else Html(words)
    return Html()


def argument(judged: Judged, catalogue: Catalogue) -> Html:
    """The plies with every mention coloured; on hover, what it says about which case."""
    parts = []
    for i, (title, text) in enumerate(zip(judged.argument.titles, judged.argument.plies, strict=True)):
        marks = [_mark(m, judged.scenario, catalogue) for m in judged.exact.mentions if m.ply == i]
        inside = highlight(text, marks) if text.strip() else tag("span", "(nothing)", class_="gs-note")
        parts.append(tag("h3", title, class_="gs-small") + tag("p", inside, class_="gs-text", dir="auto"))
    return Html("".join(parts))


def _mark(mention: Mention, scenario: Scenario, catalogue: Catalogue) -> Mark:
    truth = dict(zip(CASES, scenario.keys, strict=True))
    factor = catalogue.by_key.get(mention.key)
    name = factor.written if factor else f"{mention.key}, which is no factor"
    cases = []
    worst = 0 if mention.cases else -1
    for case in mention.cases:
        level = 0 if mention.key in truth[case] else 1 if any(mention.key in t for t in truth.values()) else 2
        worst = max(worst, level)
        cases.append(
            f"given to {CASE_TITLES[case]}: {('right', 'wrong, only another case has it', 'invented, no case has it')[level]}"
        )
    css = ("gs-right", "gs-wrong", "gs-invented", "gs-absent")[worst]
    return Mark(mention.start, mention.end, css, f"{name} · {'; '.join(cases) or 'said to be absent'}")


def errors(score: Score, catalogue: Catalogue) -> Html:
    """What went wrong, in words, for readers who do not see the colours; and the unused factors."""
    lines = []
    if score.should_abstain and not score.abstained:
        lines.append(tag("b", "Argues, although no factor is shared"))
    for kind, by_case in kinds(score).items():
        if score.should_abstain and kind == "missed":
            continue
        for case, keys in zip(CASES, by_case, strict=True):
            if keys:
                lines.append(Html(f"{tag('b', ERRORS[kind])}, {CASE_TITLES[case]}: {_several(keys, catalogue)}"))
    if score.unused and not score.should_abstain:
        lines.append(Html(f"{tag('b', 'Given to no case that has it')}: {_several(score.unused, catalogue)}"))
    if lines:
        return listed(lines, "gs-offer")
    good = "It abstains, as it should." if score.should_abstain else "Nothing is wrong or left out."
    return tag("p", good, class_="gs-note")


def _several(keys: Iterable[str], catalogue: Catalogue) -> Html:
    return safe(", ".join(_written(k, catalogue) for k in sorted(keys)[:_MANY]))


def _written(key: str, catalogue: Catalogue) -> str:
    factor = catalogue.by_key.get(key)
    return factor.written if factor else f"{key} (no such factor)"


def extractions(exact: Extraction, other: Extraction, title: str) -> Html:
    """The factors that both extractors found, case by case."""
    rows = []
    for case, mine, theirs in zip(CASES, exact.sets, other.sets, strict=True):
        sets = (mine & theirs, mine - theirs, theirs - mine)
        rows.append((CASE_TITLES[case], *(cell(", ".join(sorted(s)[:_MANY]) or "–", class_="gs-left") for s in sets)))
    return table(("Case", "Both", "Exact alone", f"{title} alone"), rows)
